"""Exported models, comparisons of runs and fits of tables: arguments that are refused."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import pymc_medlda as med
from tests.bad_inputs.kinds import NAME, NUMBER, SEED, SWITCH, WHOLE, Later, Row, rows
from tests.sampled import planted, sample

HELD_OUT = planted().corpus[:4]
TRUTH = planted().y[:4]
FRAME = pd.DataFrame(
    {
        "text": ["good wine", "nice wine", "rude waiter", "slow waiter"] * 5,
        "label": list("aabb") * 5,
    }
)
QUICK = {"tune": 0, "draws": 1, "chains": 1, "n_topics": 2, "max_df": 1.0, "min_df": 1}


@cache
def folder():
    return Path(tempfile.mkdtemp())


@cache
def exported():
    path = folder() / "model.npz"
    med.export(sample("binary"), path)
    return path


def export(idata=None, path=None, **options):
    run = sample("binary") if idata is None else idata
    return med.export(run, folder() / "other.npz" if path is None else path, **options)


def load(path=None, **options):
    return med.load(exported() if path is None else path, **options)


def compare(runs=None, corpus=HELD_OUT, y=TRUTH, **options):
    given = {"a": sample("binary")} if runs is None else runs
    return med.compare(given, corpus, y, **{"progressbar": False, **options})


def fit(frame=FRAME, text="text", label="label", **options):
    every = {**QUICK, "progressbar": False, "random_seed": 1, **options}
    return med.fit(frame, text=text, label=label, **every)


def write(name, content):
    (folder() / name).write_bytes(content)
    return folder() / name


CALLS = {"export": export, "load": load, "compare": compare, "fit": fit}
COLUMN = {"unknown": "no such", "number": 3, "none": None, "list": ["text"]}

ROWS = [
    Row("export", "idata", "foreign", object()),
    Row("export", "idata", "plain LDA", Later(lambda: sample(None)), "no response"),
    *rows("export", {"number": 3, "list": ["a"], "empty": "", "bytes": b"a"}, "path"),
    Row("export", "path", "folder", Later(folder)),
    Row("export", "path", "in no folder", "/no/such/folder/model.npz"),
    *rows("export", NAME, "response"),
    *rows("export", WHOLE, "draws"),
    Row("export", "draws", "zero", 0),
    *rows("load", {"number": 3, "list": ["a"], "empty": "", "bytes": b"a"}, "path"),
    Row("load", "path", "folder", Later(folder), "med.export"),
    Row("load", "path", "text", Later(lambda: write("a.txt", b"no model")), "med.export"),
    Row("load", "path", "empty file", Later(lambda: write("b.npz", b"")), "med.export"),
    *rows("load", {"text": "os:system", "number": 3, "none": None, "bytes": b"a"}, "functions"),
    *rows(
        "load", {"numbers": [3], "no path": ["stem"], "lambda": [lambda text: text]}, "functions"
    ),
    *rows("compare", {"list": [1], "empty": {}, "text": "run", "foreign": {"a": 3}}, "runs"),
    *rows("compare", {"one text": "a text", "number": 3, "tokens": [["a"]]}, "corpus"),
    *rows("compare", {"short": [1], "unknown class": [7] * 4, "missing": [None] * 4}, "y"),
    *rows("compare", WHOLE, "n_words", "cores"),
    Row("compare", "n_words", "one", 1),
    *rows("compare", SEED, "random_seed"),
    *rows("compare", SWITCH, "progressbar"),
    *rows("fit", {"list": [["a", "b"]], "none": None, "array": np.ones((2, 2))}, "frame"),
    *rows("fit", COLUMN, "text", "label"),
    *rows("fit", SWITCH, "values", leave_out=["none"]),
    *rows("fit", {"empty": "", "number": 3, "list": [";"]}, "separator"),
    *rows("fit", WHOLE, "n_topics", "chains", "tune", "draws", "anneal", "cores", "random_seed"),
    *rows("fit", {"unknown": "letters", "number": 3}, "features"),
    *rows("fit", NUMBER, "margin"),
    *rows("fit", {"zero": 0.0, "vector": [1.0, 1.0]}, "margin"),
    *rows("fit", SWITCH, "progressbar"),
]
