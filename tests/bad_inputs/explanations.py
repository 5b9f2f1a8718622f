"""Explanations and reports: arguments that are refused."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import pymc_medlda as med
from tests.bad_inputs.kinds import NAME, SEED, SHARE, WHOLE, Row, rows
from tests.bad_inputs.models import FEATURES, OFFSET
from tests.bad_inputs.predictions import FRAME, with_features
from tests.sampled import planted, sample

HELD_OUT = planted().corpus[:4]
TRUTH = planted().y[:4]
ONE = planted().corpus[[0]]


@cache
def folder():
    return Path(tempfile.mkdtemp())


def explain(idata=None, document=3, **options):
    return med.explain(sample("binary") if idata is None else idata, document, **options)


def explain_new(document=ONE, **options):
    return explain(document=document, **options)


def explain_class(against=0, **options):
    return med.explain(sample("multiclass"), 3, task=1, against=against, **options)


def explain_with_features(features=FRAME[:1], **options):
    return med.explain(with_features(), ONE, features=features, **options)


def plot_explanation(explanation=None, **options):
    return med.plot_explanation(explain() if explanation is None else explanation, **options)


def report(idata=None, path=None, **options):
    run = sample("binary") if idata is None else idata
    file = folder() / "report.html" if path is None else path
    return med.report(run, file, **{"n_mistakes": 0, **options})


def report_test(test=HELD_OUT, test_y=TRUTH, **options):
    return report(test=test, test_y=test_y, **options)


CALLS = {
    "explain": explain,
    "explain, new": explain_new,
    "explain, class": explain_class,
    "explain, features": explain_with_features,
    "plot_explanation": plot_explanation,
    "report": report,
    "report, test": report_test,
}
DOCUMENT = {
    "negative": -1,
    "too large": 30,
    "fraction": 1.5,
    "bool": True,
    "none": None,
    "unknown name": "no such document",
    "two documents": HELD_OUT,
    "two texts": ["one", "two"],
    "array": np.array([1, 2]),
    "mapping": {},
}
TASK = {"unknown": "spam", "number": 7, "list": [1], "bool": True, "array": np.array([1, -1])}
TEXTS = {
    "one text": "text",
    "too few": ["text"],
    "numbers": [1, 2, 3, 4],
    "number": 3,
    "mapping": {"a": "text"},
}

ROWS = [
    Row("explain", "idata", "foreign", object()),
    *rows("explain", DOCUMENT, "document"),
    *rows("explain", TASK, "task"),
    Row("explain", "against", "two classes", 1, "against", "several classes"),
    *rows("explain, class", {**TASK, "the same": 1}, "against"),
    *rows("explain", NAME, "response"),
    *rows("explain", {"number": 3, "list": ["a"], "bytes": b"a"}, "text"),
    Row("explain", "features", "of a training document", np.ones((1, 2)), "training document"),
    Row("explain", "offset", "of a training document", np.ones(1), "training document"),
    *rows("explain, new", OFFSET, "offset", leave_out=["beyond sums"]),
    *rows("explain, features", FEATURES, "features"),
    *rows("explain", SHARE, "interval"),
    *rows("explain", WHOLE, "thin"),
    *rows("explain", SEED, "random_seed"),
    Row("plot_explanation", "explanation", "foreign", object()),
    Row("plot_explanation", "explanation", "number", 3),
    *rows("plot_explanation", WHOLE, "n_topics", "n_words"),
    *rows("plot_explanation", {"text": "here", "number": 3, "empty": []}, "ax"),
    Row("report", "idata", "foreign", object()),
    *rows("report", {"number": 3, "none": 3.5, "list": ["a"]}, "path"),
    Row("report", "path", "no such folder", "/no/such/folder/report.html"),
    *rows("report", TEXTS, "texts"),
    Row("report", "test", "without test_y", HELD_OUT),
    Row("report", "test_y", "without test", planted().y[:4]),
    Row("report", "test_texts", "without test", ["a"]),
    *rows("report, test", {"number": 3, "text": "a", "texts": ["a"] * 4}, "test"),
    *rows(
        "report, test", {"too few": [1, -1], "number": 3, "unknown classes": [5, 6, 5, 6]}, "test_y"
    ),
    *rows("report, test", TEXTS, "test_texts"),
    Row("report, test", "features", "without features in the model", np.ones((4, 2))),
    *rows("report, test", OFFSET, "offset", leave_out=["beyond sums"]),
    Row("report", "features", "without test", np.ones((4, 2))),
    Row("report", "offset", "without test", np.ones(4)),
    *rows("report", NAME, "response"),
    *rows("report", {"number": 3, "list": ["a"]}, "title"),
    *rows("report", WHOLE, "n_mistakes"),
    *rows("report", SEED, "random_seed"),
]
