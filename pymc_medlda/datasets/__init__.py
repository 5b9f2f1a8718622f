"""Data to try the models on: planted topics with known truth, docstrings at hand, 20 Newsgroups.

May import `corpus`. Nothing else in the package imports it.
"""

from pymc_medlda.datasets.data import (
    LabelledCorpus,
    Planted,
    fetch_20newsgroups,
    load_docstrings,
    make_planted,
    train_test_split,
)

__all__ = [
    "LabelledCorpus",
    "Planted",
    "fetch_20newsgroups",
    "load_docstrings",
    "make_planted",
    "train_test_split",
]
