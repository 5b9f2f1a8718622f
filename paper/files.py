"""The files that hold the corpora of the paper, which are no part of the repository.

The environment variable ``MEDLDA_DATA`` names their folder, which is by default
``../shared/data`` beside the repository. Its files are described there.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from tests.benchmarks.data import FOLDER

FILES = {
    "religion": "20ng_religion",
    "hotel": "hotel_reviews",
    "news": "20ng_bydate_nostop",
    "wiki": "wiki_multilabel_5k",
}
# The files of the LSHTC challenge, which a user may have: then Figure 5 is drawn from them.
FULL_WIKI = ("lshtc_train.txt", "lshtc_test.txt")


def has_full_wiki() -> bool:
    """Say whether the files of the LSHTC challenge are there."""
    return all((FOLDER / file).is_file() for file in FULL_WIKI)


def names_of(corpus: str) -> list[str]:
    """Return the names of the files that a corpus is loaded from; a drawn corpus has none."""
    if corpus == "wiki" and has_full_wiki():
        return list(FULL_WIKI)
    return [f"{FILES[corpus]}.npz"] if corpus in FILES else []


def missing() -> list[str]:
    """Return the names of the files that are not there."""
    return [name for corpus in FILES for name in names_of(corpus) if not (FOLDER / name).is_file()]


def digest(corpus: str) -> str:
    """Return a digest of the files of a corpus: results from other files are other results."""
    return _digest(tuple(FOLDER / name for name in names_of(corpus)))


@functools.cache
def _digest(paths: tuple[Path, ...]) -> str:
    state = hashlib.sha256()
    for path in paths:
        if path.is_file():
            with path.open("rb") as file:
                state.update(hashlib.file_digest(file, "sha256").digest())
    return state.hexdigest()[:12]
