"""Responses: what models, `OneVsAll` and `evaluate` refuse as y."""

import datetime
from functools import cache

import numpy as np
import pandas as pd
import xarray as xr
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.bad_inputs.kinds import Later, Row, rows
from tests.sampled import planted, sample

CORPUS = med.Corpus.from_tokens([["a", "b"], ["b"], ["a"], ["b", "b"]])
NAMED = med.Corpus.from_tokens([["a", "b"], ["b"], ["a"], ["b", "b"]], document_names=list("pqrs"))
LABELS = ("up", "down", "up", "down")


def model(y=LABELS, **options):
    return med.GibbsMedLDA(CORPUS, y, n_topics=2, **options)


def named_model(y=LABELS, offset=None, c=1.0):
    return med.GibbsMedLDA(NAMED, y, n_topics=2, offset=offset, loss=med.Hinge(c=c))


def regression(y=(0.1, 0.2, 0.5, 0.9)):
    return med.GibbsMedLDA(CORPUS, y, n_topics=2, loss=med.Gaussian())


def multilabel(y=(("u",), ("v",), ("u", "v"), ()), **options):
    return med.GibbsMedLDA(CORPUS, y, n_topics=2, **options)


@cache
def predicted(kind):
    known = planted(kind)
    return med.predict(sample(kind), known.corpus[:10], random_seed=1, progressbar=False)


def group_of_predictions():
    return get_group(predicted("binary"), "predictions")


def evaluate(kind):
    def call(idata=None, y=None):
        truth = planted(kind).y[:10] if y is None else y
        return med.evaluate(predicted(kind) if idata is None else idata, truth)

    return call


CALLS = {
    "GibbsMedLDA, y": model,
    "GibbsMedLDA, named documents": named_model,
    "GibbsMedLDA, regression": regression,
    "GibbsMedLDA, label lists": multilabel,
    "evaluate, two classes": evaluate("binary"),
    "evaluate, classes": evaluate("multiclass"),
    "evaluate, labels": evaluate("multilabel"),
    "evaluate, values": evaluate("real"),
}

DAY = datetime.date(2020, 1, 1)
LABELLED = {
    "one string": "up",
    "bytes": b"updo",
    "number": 3,
    "mapping": {"a": 1},
    "set": {"up", "down"},
    "scalar array": np.array(1),
    "too short": ["up", "down"],
    "too short generator": (label for label in ["up", "down"]),
    "empty": [],
    "one class": ["up"] * 4,
    "mixed types": ["up", 1, "up", 1],
    "text and NaN": ["up", np.nan, "down", "up"],
    "bool and number": [True, 2, True, 2],
    "lists and values": ["up", ["down"], "up", "up"],
    "infinite": [1.0, np.inf, 0.0, 1.0],
    "complex": [1j, 2j, 1j, 2j],
    "bytes labels": [b"up", b"down", b"up", b"down"],
    "dates": [DAY, DAY + datetime.timedelta(1)] * 2,
    "times": np.array(["2020", "2021"] * 2, "M8[Y]"),
    "time stamps": pd.to_datetime(["2020", "2021"] * 2),
    "objects": [object(), object(), object(), object()],
    "lone surrogate": ["up", "\ud800", "up", "\ud800"],
    "NUL": ["up", "down\0", "up", "down\0"],
    "zero tasks": np.empty((4, 0)),
    "cube": np.zeros((4, 2, 2)),
    "constant column": [[1, 0], [1, 1], [1, 0], [1, 1]],
    "three values in a column": np.array([[1, 0], [2, 1], [3, 0], [1, 1]]),
    "columns of one name": pd.DataFrame([[0, 1], [1, 0]] * 2, columns=["u", "u"]),
    "class seen once": ["a", "b", "c", "a"],
    "index in another order": pd.Series(LABELS, index=[1, 0, 2, 3]),
    "index of text in another order": pd.Series(LABELS, index=["1", "0", "2", "3"]),
    "index of floats in another order": pd.Series(LABELS, index=[1.0, 0.0, 2.0, 3.0]),
    "integers beyond 64 bits": [2**63, -1, 2**63, -1],
    "labels or columns": [[0, 2], [0, 1], [1, 2], [0, 1]],
}
CLASSES = {
    "one string": "up",
    "number": 2,
    "empty": [],
    "repeated": ["up", "down", "up"],
    "set": {"up", "down"},
    "missing": ["up", None],
    "mixed types": ["up", 1],
    "one class": ["up"],
    "lacks a class": ["up", "sideways"],
    "of another type": [0, 1],
    "dates": [DAY, DAY + datetime.timedelta(1)],
    "lists": [["up"], ["down"]],
    "lone surrogate": ["up", "down", "\ud800"],
}
VALUES = {
    "text": ["a", "b", "a", "b"],
    "text of numbers": ["1.0", "2.0", "1.5", "2.5"],
    "label lists": [["a"], ["b"], ["a"], []],
    "infinite": [0.1, -np.inf, 0.5, 0.9],
    "complex": [1j, 0.0, 1.0, 2.0],
    "dates": np.array(["2020", "2021"] * 2, "M8[Y]"),
    "differences of time": np.array([1, 2, 3, 4], "m8[D]"),
    "too long": np.zeros(5),
    "beyond squares": [1e200, 0.0, 1.0, 2.0],
}
OF_OTHERS = pd.DataFrame(np.ones((4, 2)), columns=["u", "w"])
PERMUTED = pd.Series([0.1, 0.2, 0.3, 0.4], index=["p", "q", "r", "x"])

ROWS = [
    *rows("GibbsMedLDA, y", LABELLED, "y"),
    # Where y and the classes do not fit, the message may blame y and shows both.
    *[
        Row(
            "GibbsMedLDA, y",
            "classes",
            kind,
            value,
            "class" if kind in ("one class", "lacks a class", "of another type") else "classes",
        )
        for kind, value in CLASSES.items()
    ],
    Row("GibbsMedLDA, named documents", "y", "another index", pd.Series(LABELS, list("pqrx"))),
    Row("GibbsMedLDA, named documents", "y", "repeated index", pd.Series(LABELS, list("ppqr"))),
    Row("GibbsMedLDA, named documents", "y", "missing index", pd.Series(LABELS, [*"pqr", None])),
    Row("GibbsMedLDA, named documents", "offset", "another index", PERMUTED),
    Row("GibbsMedLDA, named documents", "c", "another index", PERMUTED),
    *rows("GibbsMedLDA, regression", VALUES, "y"),
    Row("GibbsMedLDA, label lists", "y", "lists of lists", [[["u"]], ["v"], [], ["u"]]),
    Row("GibbsMedLDA, label lists", "y", "missing label", [["u", None], ["v"], [], ["u"]]),
    Row("GibbsMedLDA, label lists", "y", "mixed types", [["u", 1], ["v"], [], ["u"]]),
    Row("GibbsMedLDA, label lists", "y", "no labels", [set(), set(), set(), set()]),
    Row("GibbsMedLDA, label lists", "y", "label everywhere", [["u"], ["u", "v"], ["u"], ["u"]]),
    Row("GibbsMedLDA, label lists", "y", "dates", [[DAY], [], [DAY], []]),
    Row("GibbsMedLDA, label lists", "classes", "lacks a label", ["u", "w"]),
    Row("GibbsMedLDA, label lists", "offset", "of another label", OF_OTHERS, "offset", "'w'"),
    Row("GibbsMedLDA, label lists", "offset", "of one label", OF_OTHERS[["u"]], "offset", "'u'"),
    Row("GibbsMedLDA, label lists", "loss", "c of others", med.Hinge(c=OF_OTHERS), "c", "'w'"),
    Row("GibbsMedLDA, label lists", "classes", "repeated", ["u", "v", "u"]),
    Row("evaluate, two classes", "idata", "no predictions", Later(lambda: sample("binary"))),
    Row("evaluate, two classes", "idata", "foreign", object()),
    Row("evaluate, two classes", "idata", "of OneVsAll", xr.Dataset(), "idata", "OneVsAll.predict"),
    Row("evaluate, two classes", "idata", "group", Later(group_of_predictions), "Dataset"),
    Row("evaluate, two classes", "y", "text", ["1", "-1"] * 5, "'1'", "-1, 1"),
    Row("evaluate, two classes", "y", "text of booleans", ["True", "False"] * 5, "y"),
    Row("evaluate, two classes", "y", "another coding", [1, 2] * 5, "2", "-1, 1"),
    Row("evaluate, two classes", "y", "dates", [DAY] * 10),
    Row("evaluate, two classes", "y", "all missing", [None] * 10),
    Row("evaluate, two classes", "y", "too short", [1, -1]),
    Row("evaluate, two classes", "y", "matrix", np.ones((10, 2))),
    Row("evaluate, two classes", "y", "one string", "up"),
    Row("evaluate, two classes", "y", "index in another order", pd.Series([1, -1] * 5)[::-1]),
    Row("evaluate, classes", "y", "unknown class", [0, 1, 2, 3, 0] * 2, "y", "0, 1, 2"),
    Row("evaluate, classes", "y", "text", ["0", "1", "2", "0", "1"] * 2, "y"),
    Row("evaluate, classes", "y", "label lists", [[0], [1, 2]] * 5),
    Row("evaluate, labels", "y", "coded 1 and 2", np.full((10, 3), 2), "y", "0 or 1"),
    Row("evaluate, labels", "y", "coded 0, 1 and 2", np.arange(30).reshape(10, 3) % 3),
    Row("evaluate, labels", "y", "text", np.full((10, 3), "yes"), "y", "'yes'"),
    Row("evaluate, labels", "y", "text frame", pd.DataFrame([["yes", "no", "no"]] * 10)),
    Row("evaluate, labels", "y", "too few columns", np.zeros((10, 2), int)),
    Row("evaluate, labels", "y", "unknown labels", [["u"], ["v", "w"]] * 5, "'u'"),
    Row("evaluate, labels", "y", "other columns", pd.DataFrame(np.eye(10, 3), columns=[*"uvw"])),
    Row("evaluate, labels", "y", "all missing", np.full((10, 3), np.nan)),
    Row("evaluate, labels", "y", "dates", np.full((10, 3), np.datetime64("2020"))),
    Row("evaluate, values", "y", "text of numbers", ["1.5"] * 10),
    Row("evaluate, values", "y", "dates", pd.date_range("2020", periods=10)),
    Row("evaluate, values", "y", "infinite", [np.inf] * 10),
    Row("evaluate, values", "y", "all missing", [np.nan] * 10),
    Row("evaluate, values", "y", "matrix", sparse.csr_array(np.eye(10))),
    Row("evaluate, values", "y", "index in another order", pd.Series(np.arange(10.0))[::-1]),
]
