"""Data to try the models on: planted topics with known truth, docstrings, 20 Newsgroups.

May import `corpus`, and from `targets` the list of kinds. Nothing else in the package imports it.
"""

from pymc_medlda.datasets.docstrings import load_docstrings
from pymc_medlda.datasets.labelled import LabelledCorpus, train_test_split
from pymc_medlda.datasets.newsgroups import fetch_20newsgroups
from pymc_medlda.datasets.planted import Planted, make_planted

__all__ = [
    "LabelledCorpus",
    "Planted",
    "fetch_20newsgroups",
    "load_docstrings",
    "make_planted",
    "train_test_split",
]
