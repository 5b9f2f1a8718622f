"""Models and losses: settings, priors, offsets and weights that are refused."""

from functools import cache, partial

import numpy as np
import pandas as pd
import pymc as pm
from scipy import sparse

import pymc_medlda as med
from tests.bad_inputs.kinds import (
    CHOICE,
    CORPUS,
    NUMBER,
    SEED,
    SHARE,
    SWITCH,
    WHOLE,
    Later,
    Row,
    rows,
)
from tests.bad_inputs.responses import CORPUS as SMALL

LABELS = ("up", "down", "up", "down")


def whole_model(corpus=SMALL, y=LABELS, n_topics=2, **options):
    return med.GibbsMedLDA(corpus, y, n_topics=n_topics, **options)


def plain(**options):
    return med.GibbsMedLDA(SMALL, n_topics=2, **options)


def assignments(name="z", corpus=SMALL, n_topics=2, **options):
    with pm.Model():
        return med.TopicAssignments(name, corpus, n_topics=n_topics, **options)


def response(name="y", z=None, eta=None, observed=LABELS, **options):
    with pm.Model():
        own = med.TopicAssignments("z", SMALL, n_topics=2)
        weights = pm.Normal("eta", 0.0, 1.0, shape=2) if eta is None else eta
        return med.MaxMargin(name, own if z is None else z, weights, observed=observed, **options)


def featured_response(features="words", feature_weights=(0.5, 0.5)):
    weights = np.array(feature_weights) if isinstance(feature_weights, tuple) else feature_weights
    return response(features=features, feature_weights=weights)


def loss_of(kind, y):
    def call(**parameters):
        return med.GibbsMedLDA(SMALL, y, n_topics=2, loss=getattr(med, kind)(**parameters))

    return call


@cache
def sampled_model():
    """Return the model of all rows about the step, which reads it and leaves it as it is."""
    return med.GibbsMedLDA(SMALL, LABELS, n_topics=2)


def step(model=None, **options):
    return med.GibbsMedLDAStep(model=sampled_model() if model is None else model, **options)


def anneal(n_sweeps=2, model=None, chains=1, progressbar=False, **options):
    given = sampled_model() if model is None else model
    return med.annealed_starts(
        n_sweeps, model=given, chains=chains, progressbar=progressbar, **options
    )


@cache
def observed_topics():
    """Return a model whose topics are data, so that none are drawn."""
    model = med.GibbsMedLDA(SMALL, LABELS, n_topics=2)
    return pm.observe(model, {"z": model.initial_point(1)["z"]})


CALLS = {
    "annealed_starts": anneal,
    "GibbsMedLDA": whole_model,
    "GibbsMedLDA, plain": plain,
    "GibbsMedLDA, words": partial(whole_model, features="words"),
    "MaxMargin, features": featured_response,
    "TopicAssignments": assignments,
    "MaxMargin": response,
    "Hinge": loss_of("Hinge", LABELS),
    "Logistic": loss_of("Logistic", LABELS),
    "Gaussian": loss_of("Gaussian", (0.1, 0.2, 0.5, 0.9)),
    "EpsilonInsensitive": loss_of("EpsilonInsensitive", (0.1, 0.2, 0.5, 0.9)),
    "Standardised": med.Standardised,
    "GibbsMedLDAStep": step,
}

NAME = {"number": 3, "none": None, "empty": ""}
LOSS = {"class": med.Hinge, "text": "hinge", "object": object()}
OFFSET = {
    "too long": np.ones(5),
    "cube": np.ones((4, 1, 1)),
    "NaN": np.full(4, np.nan),
    "infinite": [0.0, np.inf, 0.0, 0.0],
    "beyond sums": [0.0, 1e308, 0.0, 0.0],
    "text": ["a"] * 4,
    "text of numbers": ["1"] * 4,
    "complex": [1j] * 4,
    "ragged": [[1.0], [1.0, 2.0], [1.0], [1.0]],
    "masked": np.ma.array(np.ones(4), mask=[0, 1, 0, 0]),
    "dates": np.array(["2020"] * 4, "M8[Y]"),
}
FEATURES = {
    "another text": "word",
    "number": 3,
    "vector": np.ones(4),
    "cube": np.ones((4, 1, 1)),
    "too long": np.ones((5, 2)),
    "without columns": np.ones((4, 0)),
    "NaN": np.full((4, 1), np.nan),
    "infinite": np.full((4, 1), np.inf),
    "infinite and sparse": sparse.csr_array(np.full((4, 1), np.inf)),
    "beyond sums": np.full((4, 1), 1e308),
    "text": [["a"]] * 4,
    "text of numbers": [["1"]] * 4,
    "complex": np.full((4, 1), 1j),
    "complex and sparse": sparse.csr_array(np.full((4, 1), 1j)),
    "ragged": [[1.0], [1.0, 2.0], [1.0], [1.0]],
    "masked": np.ma.array(np.ones((4, 1)), mask=[[0], [1], [0], [0]]),
    "dates": np.array([["2020"]] * 4, "M8[Y]"),
    "columns of one name": pd.DataFrame(np.ones((4, 2)), columns=["a", "a"]),
    "mapping": {"a": np.ones(4)},
    "object": object(),
}
VARS = {
    "number": 3,
    "unknown name": "no such",
    "unknown names": ["z", "no such"],
    "empty": [],
    "none": [None],
    "mapping": {"z": 1},
    "object": object(),
}
RNG = {
    "bool": True,
    "text": "now",
    "negative": -1,
    "fraction": 0.5,
    "list of text": ["a"],
    "mapping": {},
}
EMPTY = med.Corpus.from_tokens([[], []], n_words=2)

ROWS = [
    *rows("GibbsMedLDA", CORPUS, "corpus"),
    Row("GibbsMedLDA", "corpus", "without tokens", EMPTY),
    *rows("GibbsMedLDA", WHOLE, "n_topics"),
    Row("GibbsMedLDA", "n_topics", "zero", 0),
    *rows("GibbsMedLDA", NUMBER, "alpha", "beta", "nu"),
    Row("GibbsMedLDA", "alpha", "zero", 0.0),
    Row("GibbsMedLDA", "alpha", "too long", np.ones(3)),
    Row("GibbsMedLDA", "alpha", "matrix", np.ones((2, 2))),
    Row("GibbsMedLDA", "alpha", "one negative", [1.0, -1.0]),
    Row("GibbsMedLDA", "beta", "zero", 0.0),
    Row("GibbsMedLDA", "beta", "vector", [0.1, 0.1]),
    Row("GibbsMedLDA", "nu", "zero", 0.0),
    Row("GibbsMedLDA", "nu", "too long", np.ones(3)),
    Row("GibbsMedLDA", "name", "number", 3),
    *rows("GibbsMedLDA", LOSS, "loss"),
    *rows("GibbsMedLDA", OFFSET, "offset"),
    *rows("GibbsMedLDA, label lists", OFFSET, "offset"),
    *rows("GibbsMedLDA", FEATURES, "features"),
    Row("GibbsMedLDA", "tau", "without features", 1.0),
    *rows("GibbsMedLDA, words", NUMBER, "tau"),
    Row("GibbsMedLDA, words", "tau", "zero", 0.0),
    Row("GibbsMedLDA, words", "tau", "too long", np.ones(3)),
    Row("GibbsMedLDA, plain", "features", "without y", "words"),
    Row("GibbsMedLDA", "loss", "of real values", med.Gaussian(), "y"),
    Row("GibbsMedLDA", "no_such_option", "unknown", 1),
    Row("GibbsMedLDA, plain", "offset", "without y", np.ones(4)),
    Row("GibbsMedLDA, plain", "classes", "without y", ["up", "down"]),
    Row("GibbsMedLDA, plain", "loss", "without y", med.Hinge()),
    *rows("TopicAssignments", NAME, "name", "words"),
    *rows("TopicAssignments", CORPUS, "corpus"),
    Row("TopicAssignments", "n_topics", "none", None),
    Row("TopicAssignments", "alpha", "empty", []),
    Row("TopicAssignments", "beta", "empty", []),
    *rows("MaxMargin", NAME, "name"),
    *rows("MaxMargin", {"number": 3, "text": "z", "array": np.zeros(7)}, "z"),
    *rows("MaxMargin", {"text": "eta", "cube": np.ones((2, 2, 2)), "scalar": 1.0}, "eta"),
    Row("MaxMargin", "eta", "too many topics", np.ones(3)),
    Row("MaxMargin", "eta", "rows for one task", np.ones((3, 2))),
    Row("MaxMargin", "observed", "too short", ["up", "down"]),
    Row("MaxMargin", "observed", "none", None),
    Row("MaxMargin", "observed", "three classes", ["a", "b", "c", "a"]),
    *rows("MaxMargin", LOSS, "loss"),
    *rows("MaxMargin", {"one string": "up", "number": 2, "repeated": ["up", "up"]}, "classes"),
    Row("MaxMargin", "dims", "number", 3),
    Row("MaxMargin", "offset", "too short", np.ones(3)),
    Row("MaxMargin", "features", "without weights", "words"),
    Row("MaxMargin", "feature_weights", "without features", np.ones(2)),
    *rows("MaxMargin, features", FEATURES, "features"),
    *rows(
        "MaxMargin, features",
        {"text": "w", "scalar": 1.0, "too long": np.ones(3), "for two tasks": np.ones((2, 2))},
        "feature_weights",
    ),
    *rows("Hinge", NUMBER, "c", "margin"),
    Row("Hinge", "c", "too long", np.ones(5)),
    Row("Hinge", "c", "unknown class", {"sideways": 2.0}),
    Row("Hinge", "c", "text in a mapping", {"up": "two"}),
    Row("Hinge", "margin", "zero", 0.0),
    Row("Hinge", "margin", "mapping", {"up": 2.0}),
    Row("Logistic", "c", "fraction", 0.5),
    Row("Logistic", "c", "NaN", np.nan),
    *rows("Gaussian", NUMBER, "sigma", leave_out=["mapping of nothing"]),
    Row("Gaussian", "sigma", "zero", 0.0),
    *rows("EpsilonInsensitive", NUMBER, "epsilon", leave_out=["mapping of nothing"]),
    Row("EpsilonInsensitive", "c", "mapping", {1: 2.0}),
    *rows("Standardised", LOSS, "loss"),
    Row("Standardised", "loss", "of labels", med.Hinge()),
    *rows("annealed_starts", WHOLE, "n_sweeps", "chains", "candidates", "cores"),
    *[Row("annealed_starts", n, "zero", 0) for n in ("n_sweeps", "chains", "candidates", "cores")],
    *rows("annealed_starts", SHARE, "start", leave_out=["one"]),
    *rows("annealed_starts", {"negative": -0.5, "above one": 1.5, "none": None}, "start"),
    *rows("annealed_starts", SEED, "random_seed"),
    *rows("annealed_starts", SWITCH, "progressbar"),
    *rows("annealed_starts", {"number": 3, "text": "model", "class": pm.Model}, "model"),
    Row("annealed_starts", "model", "without topics", Later(pm.Model), "topic assignments"),
    Row("annealed_starts", "model", "topics observed", Later(observed_topics), "nothing to anneal"),
    *rows("GibbsMedLDAStep", WHOLE, "sweeps_per_draw", "weight_rounds", "threads", "blocks"),
    *rows("GibbsMedLDAStep", {"zero": 0, "none": None}, "sweeps_per_draw", "weight_rounds"),
    *rows("GibbsMedLDAStep", {"zero": 0, "none": None}, "threads"),
    *rows("GibbsMedLDAStep", {"zero": 0, "more than words": 10_000}, "blocks"),
    *rows("GibbsMedLDAStep", CHOICE, "path"),
    *rows("GibbsMedLDAStep", VARS, "vars"),
    Row("GibbsMedLDAStep", "vars", "response", Later(lambda: [sampled_model()["y"]])),
    *rows("GibbsMedLDAStep", {"number": 3, "text": "model", "class": pm.Model}, "model"),
    Row("GibbsMedLDAStep", "model", "without topics", Later(pm.Model), "topic assignments"),
    *rows("GibbsMedLDAStep", RNG, "rng"),
    *rows("GibbsMedLDAStep", {"number": 3, "bool": True, "list": [], "bytes": b"a"}, "resume"),
    Row("GibbsMedLDAStep", "resume", "other file", __file__),
    Row("GibbsMedLDAStep", "no_such_option", "unknown", 1),
]
