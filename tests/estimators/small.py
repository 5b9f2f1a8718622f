"""Small fits for tests of the estimators."""

import numpy as np

import pymc_medlda as med

QUICK = {
    "n_topics": 3,
    "chains": 1,
    "draws": 5,
    "tune": 20,
    "sweeps_per_draw": 1,
    "random_state": 1,
}


def make(response, **arguments):
    planted = med.datasets.make_planted(
        120, n_topics=3, n_words=60, length=40, response=response, seed=4, **arguments
    )
    return planted.corpus.to_dtm(), np.asarray(planted.y)
