"""Estimators and `OneVsAll`: settings, counts and responses that are refused."""

from functools import cache

import numpy as np
import pandas as pd
from scipy import sparse

import pymc_medlda as med
from tests.bad_inputs.kinds import CORPUS, NUMBER, SEED, SWITCH, WHOLE, Row, rows

rng = np.random.default_rng(1)
COUNTS = rng.poisson(2.0, (12, 5)) + 1
LABELS = ["up", "down"] * 6
VALUES = rng.normal(size=12)
QUICK = {"n_topics": 2, "draws": 1, "tune": 0, "sweeps_per_draw": 1, "n_samples": 1}
SMALL = med.Corpus.from_dtm(COUNTS)
COUNTED = ("n_topics", "draws", "tune", "anneal", "chains", "sweeps_per_draw", "blocks")
SETTINGS = (*COUNTED, "n_samples", "n_jobs")


def fit(estimator, target):
    def call(X=COUNTS, y=target, sample_weight=None, **settings):
        return estimator(**{**QUICK, **settings}).fit(X, y, sample_weight)

    return call


@cache
def fitted():
    return med.GibbsMedLDAClassifier(**QUICK, random_state=1).fit(COUNTS, LABELS)


def predict(X=COUNTS):
    return fitted().predict(X)


def one_vs_all(corpus=SMALL, y=tuple(LABELS), **options):
    quick = {"n_topics": 2, "draws": 1, "tune": 0, "cores": 1, "progressbar": False}
    return med.OneVsAll.sample(corpus, y, **{**quick, **options})


@cache
def two_models():
    return one_vs_all(random_seed=1)


def predict_one_vs_all(corpus=SMALL, **options):
    return two_models().predict(corpus, progressbar=False, **options)


def joined(classes=("down", "up"), runs=None):
    return med.OneVsAll(np.asarray(classes), two_models().runs if runs is None else runs)


CALLS = {
    "Classifier": fit(med.GibbsMedLDAClassifier, LABELS),
    "Regressor": fit(med.GibbsMedLDARegressor, VALUES),
    "Classifier.predict": predict,
    "OneVsAll.sample": one_vs_all,
    "OneVsAll.predict": predict_one_vs_all,
    "OneVsAll": joined,
}

X = {
    "vector": np.arange(5),
    "text": np.full((12, 5), "a"),
    "negative": -COUNTS,
    "fractions": COUNTS + 0.5,
    "NaN": np.where(COUNTS > 2, np.nan, COUNTS),
    "infinite": np.where(COUNTS > 2, np.inf, COUNTS),
    "complex": COUNTS * 1j,
    "empty": np.empty((0, 5)),
    "no words": np.empty((12, 0)),
    "ragged": [[1, 2], [1]],
    "none": None,
    "huge count": np.full((12, 5), 2_000_000_000),
    "masked": np.ma.array(COUNTS, mask=COUNTS > 2),
    "sparse and negative": sparse.csr_array(-COUNTS),
    "list of texts": ["a dog", "the cat"] * 6,
}
WEIGHTS = {
    "too short": np.ones(3),
    "matrix": np.ones((12, 1)),
    "negative": -np.ones(12),
    "zeros": np.zeros(12),
    "NaN": np.full(12, np.nan),
    "infinite": np.full(12, np.inf),
    "text": ["a"] * 12,
    "masked": np.ma.array(np.ones(12), mask=[1] + [0] * 11),
}


CLASS_Y = {
    "none": None,
    "too short": LABELS[:5],
    "one class": ["up"] * 12,
    "real values": VALUES,
    "all missing": [None] * 12,
    "text and NaN": [*LABELS[:11], np.nan],
    "mixed types": ["up", 1] * 6,
    "dates": pd.date_range("2020", periods=12),
    "matrix of counts": np.arange(24).reshape(12, 2),
    "one string": "up",
    "number": 3,
    "lone surrogate": ["up", "\ud800"] * 6,
}
VALUE_Y = {
    "none": None,
    "too short": VALUES[:5],
    "text of numbers": ["1.5"] * 12,
    "all missing": np.full(12, np.nan),
    "infinite": np.full(12, np.inf),
    "complex": VALUES * 1j,
    "dates": pd.date_range("2020", periods=12),
    "cube": np.ones((12, 2, 2)),
    "one string": "up",
}
RANDOM_STATE = {"text": "now", "negative": -1, "fraction": 0.5}

ROWS = [
    *rows("Classifier", WHOLE, *SETTINGS, leave_out=["negative"]),
    *[Row("Classifier", name, "negative", -1) for name in SETTINGS if name != "n_jobs"],
    *[Row("Classifier", name, "zero", 0) for name in SETTINGS if name not in ("tune", "anneal")],
    *rows("Classifier", NUMBER, "c", "alpha", "beta", "nu", "margin"),
    *rows("Classifier", NUMBER, "tau"),
    Row("Classifier", "tau", "vector", [1.0, 1.0]),
    *rows("Classifier", {"another text": "tokens", "number": 3, "array": COUNTS}, "features"),
    Row("Classifier", "c", "vector", [1.0, 1.0]),
    Row("Classifier", "beta", "vector", [0.1, 0.1]),
    Row("Classifier", "margin", "vector", [1.0, 1.0]),
    Row("Classifier", "alpha", "too long", np.ones(3)),
    Row("Classifier", "multi_class", "unknown", "one"),
    Row("Classifier", "fractional_counts", "unknown", "floor"),
    Row("Classifier", "verbose", "text", "yes"),
    *rows(
        "Classifier",
        {"text": "yes", "number": 2, "none": None, "list": [True], "array": np.ones(2)},
        "calibrate",
    ),
    Row("Classifier", "calibrate", "too few documents", True, "at least 20 documents"),
    *rows("Classifier", RANDOM_STATE, "random_state"),
    *rows("Classifier", X, "X"),
    *rows("Classifier", CLASS_Y, "y"),
    *rows("Classifier", WEIGHTS, "sample_weight"),
    *rows("Regressor", {"negative": -1.0, "NaN": np.nan, "vector": [1.0], "text": "a"}, "epsilon"),
    *rows("Regressor", VALUE_Y, "y"),
    Row("Regressor", "X", "fractions", COUNTS + 0.5),
    Row("Regressor", "draws", "zero", 0),
    Row("Regressor", "features", "another text", "tokens"),
    Row("Regressor", "tau", "zero", 0.0),
    Row("Regressor", "sample_weight", "negative", -np.ones(12)),
    Row("Classifier.predict", "X", "too few words", COUNTS[:, :3]),
    Row("Classifier.predict", "X", "negative", -COUNTS),
    Row("Classifier.predict", "X", "vector", np.arange(5)),
    Row("Classifier.predict", "X", "text", ["a dog"]),
    *rows("OneVsAll.sample", CORPUS, "corpus"),
    *rows("OneVsAll.sample", WHOLE, *COUNTED),
    *rows("OneVsAll.sample", WHOLE, "cores"),
    Row("OneVsAll.sample", "chains", "zero", 0),
    *rows("OneVsAll.sample", SWITCH, "calibrate"),
    Row("OneVsAll.sample", "calibrate", "too few documents", True, "at least 20 documents"),
    Row("OneVsAll.sample", "draws", "zero", 0),
    Row("OneVsAll.sample", "loss", "of real values", med.Gaussian()),
    Row("OneVsAll.sample", "loss", "text", "hinge"),
    Row("OneVsAll.sample", "y", "one class", ["up"] * 12),
    Row("OneVsAll.sample", "y", "labels", [["a"], ["b", "a"]] * 6),
    Row("OneVsAll.sample", "y", "too short", ["up", "down"]),
    Row("OneVsAll.sample", "classes", "repeated", ["up", "down", "up"]),
    Row("OneVsAll.sample", "classes", "one string", "up"),
    Row("OneVsAll.sample", "classes", "one of no document", ["up", "down", "left"], "'left'"),
    Row("OneVsAll.sample", "alpha", "negative", -1.0),
    Row("OneVsAll.sample", "no_such_option", "unknown", 1),
    *rows("OneVsAll.sample", SEED, "random_seed"),
    *rows("OneVsAll.sample", SWITCH, "progressbar"),
    *rows("OneVsAll.predict", CORPUS, "corpus"),
    *rows("OneVsAll.predict", SEED, "random_seed"),
    Row("OneVsAll.sample", "offset", "too long", np.ones(13)),
    Row("OneVsAll.sample", "offset", "one per class", np.ones((12, 2))),
    Row("OneVsAll.sample", "features", "too long", np.ones((13, 1))),
    Row("OneVsAll.sample", "loss", "weight of no class", med.Hinge(c={"left": 2.0}), "c", "'left'"),
    Row("OneVsAll.predict", "thin", "zero", 0),
    Row("OneVsAll.predict", "offset", "too long", np.ones(13)),
    Row("OneVsAll.predict", "features", "of other models", np.ones((12, 1))),
    Row("OneVsAll.predict", "var_names", "not taken", ["theta"], "var_names", "features"),
    Row("OneVsAll.predict", "as_frame", "not taken", True, "as_frame", "features"),
    Row("OneVsAll", "runs", "too few", ()),
    Row("OneVsAll", "classes", "repeated", ("up", "up")),
]
