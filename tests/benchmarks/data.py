"""Load the data sets of the tests and benchmarks, which are not part of the repository.

The folder is named by the environment variable ``MEDLDA_DATA``; by default it is
``../shared/data`` beside the repository.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda.corpus import Corpus

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("MEDLDA_DATA", ROOT.parent / "shared" / "data"))
MISSING = "the data sets are not here: set MEDLDA_DATA to the folder that holds them"


def available(name: str = "20ng_religion") -> bool:
    """Say whether a data set is there; tests skip with `MISSING` where it is not."""
    return (FOLDER / f"{name}.npz").is_file()


def load(name: str, part: Literal["train", "test"] = "train") -> tuple[Corpus, NDArray[Any]]:
    """Return the corpus and the responses of one part of a data set."""
    if not available(name):
        raise FileNotFoundError(f"{name}: {MISSING}")
    with gzip.open(FOLDER / f"{name}.vocab.txt.gz", "rt", encoding="utf-8") as file:
        vocabulary = file.read().split()
    with np.load(FOLDER / f"{name}.npz") as arrays:
        y = arrays[f"{part}_y"]
        counts, indices, indptr = (
            arrays[f"{part}_{key}"].astype(np.int32) for key in ("counts", "indices", "indptr")
        )
    matrix = sparse.csr_array((counts, indices, indptr), shape=(len(y), len(vocabulary)))
    return Corpus.from_dtm(matrix, vocabulary=vocabulary), y
