"""Exported models of the small runs that all tests share."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pymc_medlda as med
from tests import sampled

KINDS = ("binary", "multiclass", "multilabel", "real")


@cache
def calibrated(response):
    """Return a calibrated run."""
    return med.calibrate(sampled.sample(response), random_seed=1, progressbar=False)


def export_and_load(idata, functions=(), **options):
    path = Path(mkdtemp()) / "model.npz"
    med.export(idata, path, **options)
    return med.load(path, functions=functions)


@cache
def served(response, is_calibrated=False):
    return export_and_load(calibrated(response) if is_calibrated else sampled.sample(response))


@cache
def new_documents(response="binary"):
    """Return documents with the words and topics of the training corpus."""
    return med.datasets.make_planted(
        80, n_topics=3, n_words=40, length=25, response=response, seed=4
    ).corpus[30:]
