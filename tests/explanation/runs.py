"""Small runs of every kind of response and of every part of a discriminant."""

from functools import cache

import numpy as np
import pymc as pm

import pymc_medlda as med
from tests.sampled import OPTIONS, planted, sample, sample_general, sample_words

TABLE = np.random.default_rng(4).normal(size=(30, 3))
LABELS = np.c_[planted().y > 0, planted().corpus.lengths > 25].astype(int)
OFFSET = np.linspace(-1.0, 1.0, 30)
SHORT = {**OPTIONS, "draws": 6, "tune": 3, "discard_tuned_samples": False}


@cache
def sample_values(standardised):
    """Return a run of two real values per document, far from zero."""
    y = 50.0 + 3.0 * np.c_[planted("real").y, -planted("real").y]
    y[2, 1] = np.nan
    loss = med.Standardised(med.EpsilonInsensitive()) if standardised else med.Gaussian()
    with med.GibbsMedLDA(planted().corpus, y, n_topics=3, loss=loss):
        return pm.sample(**SHORT)


@cache
def sample_all_parts():
    """Return a run of two labels with dense features and an offset."""
    with pm.Model():
        z = med.TopicAssignments("z", planted().corpus, n_topics=3)
        eta, w = pm.Normal("eta", shape=(2, 3)), pm.Normal("w", shape=(2, 3))
        offset = np.c_[OFFSET, -OFFSET]
        med.MaxMargin(
            "y", z, eta, observed=LABELS, offset=offset, features=TABLE, feature_weights=w
        )
        return pm.sample(**SHORT)


RUNS = {
    "two classes": lambda: sample("binary"),
    "several classes": lambda: sample("multiclass"),
    "labels": lambda: sample("multilabel"),
    "values": lambda: sample("real"),
    "standardised values": lambda: sample_values(True),
    "values as they are": lambda: sample_values(False),
    "words as features": sample_words,
    "classes with words as features": lambda: sample_words("multiclass"),
    "random offset, missing labels, no vocabulary": sample_general,
    "labels with features and offset": sample_all_parts,
}
NEW = {
    "random offset, missing labels, no vocabulary": {"offset": np.array([0.7])},
    "labels with features and offset": {
        "offset": np.array([[0.7, -0.2]]),
        "features": TABLE[:1],
    },
}
