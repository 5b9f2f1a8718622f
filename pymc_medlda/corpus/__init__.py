"""Text and counts in: `Corpus`, what its constructors read, and checks of what was read.

`recipe` remembers how texts were split. `formats` reads files, `frames` takes texts and counts out
of series and frames, `matrices` and `tokens` turn counts and lists of words into token arrays. May
import `kernels` (for the token arrays). Imports nothing of PyMC.

`Corpus` is imported when it is first used: `recipe` also serves processes that predict from an
exported model, which load neither pandas nor numba.
"""

from typing import TYPE_CHECKING, Any

from pymc_medlda.corpus.recipe import TextRecipe

if TYPE_CHECKING:
    from pymc_medlda.corpus.corpus import Corpus

__all__ = ["Corpus", "TextRecipe"]


def __getattr__(name: str) -> Any:
    if name not in ("Corpus", "_restore"):  # pickles of 0.1.0 name the second
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pymc_medlda.corpus import corpus

    return getattr(corpus, name)
