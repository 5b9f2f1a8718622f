"""Text and counts in: `Corpus`, what its constructors read, and checks of what was read.

`recipe` remembers how texts were split. `formats` reads files, `frames` takes texts and counts out
of series and frames, `matrices` and `tokens` turn counts and lists of words into token arrays. May
import `kernels` (for the token arrays). Imports nothing of PyMC.
"""

from pymc_medlda.corpus.corpus import Corpus, _restore  # noqa: F401  (pickles of 0.1.0 name it)
from pymc_medlda.corpus.recipe import TextRecipe

__all__ = ["Corpus", "TextRecipe"]
