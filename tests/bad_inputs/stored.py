"""Stored predictions and statistics that are damaged: what `evaluate` and pictures refuse."""

from functools import partial

import numpy as np

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from tests.bad_inputs.kinds import Later, Row
from tests.bad_inputs.responses import evaluate, predicted
from tests.sampled import planted, sample


def uncertainty(kind):
    def call(idata=None, y=None):
        truth = planted(kind).y[:10] if y is None else y
        return med.plot_uncertainty(predicted(kind) if idata is None else idata, truth)

    return call


def burn_in(idata=None, **options):
    return med.plot_burn_in(sample(None) if idata is None else idata, **options)


def diagnose(idata=None):
    return med.diagnose(sample("binary") if idata is None else idata)


def diagnose_predicted(kind):
    return lambda idata=None: med.diagnose(predicted(kind) if idata is None else idata)


KINDS = ("binary", "multiclass", "multilabel", "real")
CALLS = {
    **{f"evaluate, stored {kind}": evaluate(kind) for kind in KINDS},
    **{f"plot_uncertainty, stored {kind}": uncertainty(kind) for kind in KINDS},
    "plot_burn_in, stored": burn_in,
    "diagnose, stored": diagnose,
    **{f"diagnose, predicted {kind}": diagnose_predicted(kind) for kind in KINDS},
}


def change(idata, group, function):
    return with_group(idata, group, function(get_group(idata, group).copy(deep=True)))


def damaged_statistics(function):
    return change(sample("binary"), "sample_stats", function)


def put(name, value, place=0, dtype=None):
    """Return a change of one entry of a variable."""

    def changed(dataset):
        values = dataset[name].values.astype(dtype or dataset[name].dtype)
        values[(0,) * values.ndim if place == 0 else place] = value
        return dataset.assign({name: (dataset[name].dims, values)})

    return changed


def put_all(name, value):
    return lambda dataset: dataset.assign({name: dataset[name] * 0 + value})


def drop(*names):
    return lambda dataset: dataset.drop_vars(names)


def cut(**places):
    return lambda dataset: dataset.isel(places)


def average(name, *dims):
    return lambda dataset: dataset.assign({name: dataset[name].mean(dims)})


def spread(name, **dims):
    """Return a change that gives a variable more dims."""
    return lambda dataset: dataset.assign({name: dataset[name].expand_dims(dims)})


def say(**attributes):
    return lambda dataset: dataset.assign_attrs(attributes)


def text(name):
    return lambda dataset: dataset.assign({name: dataset[name].astype(str)})


def task(kind):
    """Return the dim of the classes of the planted responses."""
    return get_group(predicted(kind), "predictions").attrs["class_dim"]


DECISIONS = {
    "binary": {
        "lost decision": (drop("decision"), "decision"),
        "lost kind": (say(kind=None), "kind", "None"),
        "unknown kind": (say(kind="ordinal"), "kind", "'ordinal'"),
        "draws": (spread("decision", draw=12), "'decision'", "draw"),
        "unknown class": (put("decision", 7), "'decision'", "7", "-1, 1"),
        "NaN": (put("decision", np.nan, dtype=float), "'decision'", "nan", "-1, 1"),
        "text": (text("decision"), "'decision'", "-1, 1"),
        "lost classes": (lambda d: d.drop_vars(d.attrs["class_dim"]), "coordinate", "classes"),
        "negative probability": (put("probability", -0.2), "'probability'", "-0.2"),
        "probability above one": (put("probability", 1.2), "'probability'", "1.2"),
        "probability NaN": (put("probability", np.nan), "'probability'", "nan"),
        "probability of text": (text("probability"), "'probability'", "dtype"),
        "probabilities without sum": (put_all("probability", 0.2), "'probability'", "0.4"),
        "probability of draws": (spread("probability", draw=12), "'probability'", "draw"),
    },
    "multiclass": {
        "unknown class": (put("decision", 9), "'decision'", "9", "0, 1, 2"),
        "probabilities without sum": (put_all("probability", 0.5), "'probability'", "1.5"),
    },
    "multilabel": {
        "one dim": (lambda d: d.assign(decision=d["decision"][:, 0]), "'decision'", "dims"),
        "coded 2": (put("decision", 2), "'decision'", "2", "0 and 1"),
        "negative": (put("decision", -1), "'decision'", "-1", "0 and 1"),
        "probability above one": (put("probability", 1.5), "'probability'", "1.5"),
    },
    "real": {
        "NaN": (put("decision", np.nan), "'decision'", "nan"),
        "infinite": (put("decision", np.inf), "'decision'", "inf"),
        "text": (text("decision"), "'decision'", "dtype"),
    },
}
DISCRIMINANTS = {
    "binary": {
        "lost discriminant": (drop("discriminant"), "discriminant"),
        "NaN": (put("discriminant", np.nan), "'discriminant'", "nan"),
        "infinite": (put("discriminant", -np.inf), "'discriminant'", "-inf"),
        "text": (text("discriminant"), "'discriminant'", "dtype"),
        "lost chains": (average("discriminant", "chain"), "'discriminant'", "dims"),
        "lost draws": (average("discriminant", "chain", "draw"), "'discriminant'", "dims"),
        "one dim too many": (spread("discriminant", other=2), "'discriminant'", "'other'"),
        "no draws": (cut(draw=slice(0)), "'discriminant'", "(2, 0, 10)"),
        "another response": (say(response="stars"), "response", "'stars'"),
        "probability above one": (put("probability", 1.2), "'probability'", "1.2"),
    },
    "multiclass": {
        "lost class": (lambda d: d.isel({task("multiclass"): [0, 1]}), "'discriminant'", "(2, 12"),
        "lost classes": (
            lambda d: d.assign(discriminant=d["discriminant"][..., 0]),
            "'discriminant'",
            "dims",
        ),
        "another order": (
            lambda d: d.isel({task("multiclass"): [2, 1, 0]}),
            "'discriminant'",
            "['2', '1', '0']",
        ),
    },
    "multilabel": {
        "NaN": (put("discriminant", np.nan), "'discriminant'", "nan"),
    },
    "real": {
        "NaN": (put("discriminant", np.nan), "'discriminant'", "nan"),
        "no documents": (cut(document=slice(0)), "'discriminant'", "(2, 12, 0)"),
    },
}
# Where predictions were averaged, are of another response or hold no discriminants, `diagnose` has
# nothing to compare, and leaves them out.
LEFT_OUT = ("lost discriminant", "lost chains", "lost draws", "another response")
COMPARED = {
    kind: {name: damage for name, damage in damages.items() if name not in LEFT_OUT}
    for kind, damages in DISCRIMINANTS.items()
}
STATISTICS = {
    **{
        f"lost {name}": (drop(name), name, "sample_stats")
        for name in ("loss", "score", "log_likelihood", "log_joint", "moved")
    },
    "lost all": (lambda d: d[[]], "sample_stats", "log_joint"),
    "one chain": (cut(chain=0), "sample_stats", "keep chain and draw"),
    "text": (text("log_joint"), "log_joint", "dtype"),
    "NaN": (put("log_joint", np.nan), "log_joint", "nan"),
    "another number of chains": (cut(chain=[0]), "warmup_sample_stats", "1"),
}


def damaged(table, call, group, make):
    """Return one row for each kind of response and each damage of its group."""
    return [
        Row(
            f"{call} {kind}",
            "idata",
            name,
            Later(partial(lambda k, f: change(make(k), group, f), kind, function)),
            *words,
        )
        for kind, damages in table.items()
        for name, (function, *words) in damages.items()
    ]


ROWS = [
    *damaged(DECISIONS, "evaluate, stored", "predictions", predicted),
    *damaged(DISCRIMINANTS, "plot_uncertainty, stored", "predictions", predicted),
    *damaged(COMPARED, "diagnose, predicted", "predictions", predicted),
    *[
        Row(call, "idata", name, Later(partial(damaged_statistics, f)), *words)
        for call in ("plot_burn_in, stored", "diagnose, stored")
        for name, (f, *words) in STATISTICS.items()
    ],
    Row(
        "diagnose, stored",
        "idata",
        "no draws",
        Later(lambda: damaged_statistics(cut(draw=slice(0)))),
        "sample_stats",
    ),
    Row("plot_burn_in, stored", "statistics", "without a response", ["loss", "score"]),
    Row("plot_uncertainty, stored binary", "y", "all missing", [None] * 10),
    Row("plot_uncertainty, stored real", "y", "all missing", [np.nan] * 10),
]
