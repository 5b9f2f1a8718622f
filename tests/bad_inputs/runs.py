"""Functions that read a run: which topics, response, chains and settings are refused."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pymc as pm

import pymc_medlda as med
from tests.bad_inputs.kinds import NAME, SEED, SWITCH, WHOLE, Later, Row, rows
from tests.bad_inputs.pictures import of_run
from tests.bad_inputs.predictions import HELD_OUT
from tests.run.damage import build, whole
from tests.sampled import OPTIONS, sample

ARRAY = np.ones((3, 40))  # word distributions of the runs in the table


@cache
def file():
    path = Path(tempfile.mkdtemp(prefix="medlda-bad-inputs-"), "run.nc")
    sample("binary").to_netcdf(str(path))
    return path


@cache
def two_sets():
    """Return a run of two corpora side by side, without any response."""
    with pm.Model():
        for name in ("z", "q"):
            med.TopicAssignments(name, HELD_OUT, n_topics=2, words=f"words of {name}")
        return pm.sample(**{**OPTIONS, "draws": 2, "tune": 0, "chains": 1})


def read_run(path=None, **options):
    return med.read_run(file() if path is None else path, **options)


def join_runs(runs=None):
    return med.join_runs([sample("binary")] * 2 if runs is None else runs)


def of_two_responses(response="y"):
    return med.plot_eta_forest(build(whole()), response=response)


def of_two_sets(topics="z"):
    return med.top_words(two_sets(), topics=topics)


def predict_plain(idata=None, response=None):
    run = sample(None) if idata is None else idata
    return med.predict(run, HELD_OUT, response=response, progressbar=False)


CALLS = {
    "align_topics": of_run(med.align_topics),
    "diagnose": of_run(med.diagnose),
    "draw_augmentation": of_run(med.draw_augmentation),
    "last_points": of_run(med.last_points),
    "join_runs": join_runs,
    "read_run": read_run,
    "two responses": of_two_responses,
    "two sets of topics": of_two_sets,
    "predict, plain": predict_plain,
}

CHAINS = {
    "number": 0,
    "text": "0",
    "bools": [True],
    "unknown": [9],
    "empty": [],
    "lists": [[0]],
    "twice": [0, 0],
    "arrays": [np.array([0, 1])],
}
REFERENCE = {
    "unknown chain": 9,
    "bool": True,
    "text": "0",
    "another shape": np.ones((2, 40)),
    "NaN": np.full((3, 40), np.nan),
    "negative": -ARRAY,
    "topic without words": ARRAY * [[1.0], [0.0], [1.0]],
    "texts": np.full((3, 40), "0.1"),
    "bools": ARRAY.astype(bool),
    "masked": np.ma.array(ARRAY, mask=ARRAY > 0),
}

ROWS = [
    *[
        Row(call, "idata", kind, value)
        for call in ("align_topics", "diagnose", "draw_augmentation", "last_points")
        for kind, value in {"foreign": object(), "number": 3}.items()
    ],
    *rows("align_topics", REFERENCE, "reference"),
    *rows("align_topics", SWITCH, "within_chain"),
    *rows("align_topics", WHOLE, "thin"),
    *rows("align_topics", NAME, "topics"),
    *rows("diagnose", NAME, "topics", "response"),
    *rows("draw_augmentation", NAME, "response"),
    *rows("draw_augmentation", SEED, "random_seed"),
    *rows("last_points", {"number": 3, "text": "model", "class": pm.Model}, "model"),
    *rows("join_runs", {"number": 3, "empty": [], "path": "run.nc", "object": object()}, "runs"),
    Row("join_runs", "runs", "foreign", Later(lambda: [sample("binary"), 3]), "runs[1]"),
    Row(
        "join_runs",
        "runs",
        "another model",
        Later(lambda: [sample("binary"), sample("real")]),
        "runs[1]",
    ),
    *rows("read_run", {"number": 3, "list": ["run.nc"], "bytes": b"run.nc"}, "path"),
    *rows("read_run", CHAINS, "chains"),
    Row("two responses", "response", "not given", None, "response", "y, rating"),
    Row("two responses", "response", "unknown", "stars", "response", "'stars'", "y, rating"),
    Row("two sets of topics", "topics", "not given", None, "topics", "z, q"),
    Row("two sets of topics", "topics", "unknown", "y", "topics", "'y'", "z, q"),
    Row("predict, plain", "idata", "two sets of topics", Later(two_sets), "idata", "z, q"),
    *rows("predict, plain", {**NAME, "empty": ""}, "response"),
]
