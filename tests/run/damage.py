"""A small stored run, all public functions that take one, and ways to damage it.

The damaged files themselves are read by `tests.run.read_damaged`, in a process of its own.
"""

import gzip
import json
import tempfile
import traceback
from functools import cache
from pathlib import Path

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run import record

GOLDEN = Path(__file__).parents[1] / "golden"
GROUPS = (
    "posterior",
    "warmup_posterior",
    "sample_stats",
    "warmup_sample_stats",
    "observed_data",
    "constant_data",
)
NEW = [["good", "wine"], ["rude", "unknown"], []]


def read_golden(name="pymc5", folder=None):
    """Return a golden file as a run in memory: two responses, random alpha, offset, names."""
    with tempfile.TemporaryDirectory() as other:
        path = Path(folder or other, "run.nc")
        path.write_bytes(gzip.decompress((GOLDEN / f"{name}.nc.gz").read_bytes()))
        idata = az.from_netcdf(str(path))
        return build({group: get_group(idata, group).load().drop_encoding() for group in GROUPS})


@cache
def whole():
    """Return the groups of the undamaged run."""
    idata = read_golden()
    return {group: get_group(idata, group) for group in GROUPS}


def build(groups):
    """Return an object with these groups, of the kind that ``pm.sample`` returns here."""
    if int(az.__version__.split(".")[0]) > 0:
        return xr.DataTree.from_dict({f"/{name}": dataset for name, dataset in groups.items()})
    return az.InferenceData(**groups, warn_on_custom_groups=False)


def change(group, function):
    """Return the run with one group replaced by what the function makes of it."""
    return build({**whole(), group: function(whole()[group])})


def replace_values(group, name, function):
    """Return the run with other values of one variable, of the same shape and under its name."""

    def changed(dataset):
        values = function(dataset[name].values.copy())
        return dataset.assign({name: (dataset[name].dims, values, dataset[name].attrs)})

    return change(group, changed)


def describe(name, function):
    """Return the run with another description; the function gets its fields and returns text."""
    dim = record.description_dim(name)

    def changed(dataset):
        fields = json.loads(str(dataset[dim].values[0]))
        text = function(fields)
        return dataset.assign_coords({dim: [text if isinstance(text, str) else json.dumps(text)]})

    return change("constant_data", changed)


@cache
def new_corpus():
    return med.Corpus.from_tokens(NEW)


def _predict(idata, response, **options):
    options = {"random_seed": 1, "cores": 1, "progressbar": False, **options}
    return med.predict(idata, new_corpus(), response=response, **options)


def _perplexity(idata, method):
    sizes = {"n_draws": 3, "n_particles": 3, "n_burn_in": 2, "n_sweeps": 2}
    return float(med.perplexity(idata, new_corpus(), method=method, **sizes))


def _diagnose(idata):
    found = med.diagnose(idata)
    return [found.table, found.verdict, found.burn_in]


def _evaluate(idata):
    return sorted(med.evaluate(_predict(idata, "y"), ["up", "down", "up"]).items())


def _points(idata):
    names = ("z", "eta", "w", "alpha")
    return [[np.asarray(point.get(name)) for name in names] for point in med.last_points(idata)]


TOPICS = {
    "top_words": med.top_words,
    "topic_words": med.topic_words,
    "topic_words per draw": lambda idata: med.topic_words(idata, per_draw=True),
    "doc_topics": med.doc_topics,
    "coherence": lambda idata: med.coherence(idata, 3),
    "completion": lambda idata: _perplexity(idata, "completion"),
    "left to right": lambda idata: _perplexity(idata, "left_to_right"),
    "align_topics": lambda idata: med.align_topics(idata)[1].cosine,
    "align_topics within": lambda idata: get_group(
        med.align_topics(idata, within_chain=True)[0], "warmup_posterior"
    )[["z"]],
    "to_pyldavis": lambda idata: list(med.to_pyldavis(idata, prepare=False).values()),
    "plot_alignment": med.plot_alignment,
    "plot_topic_words": med.plot_topic_words,
    "last_points": _points,
}
"""Functions that need z and no response."""
RESPONSES = {
    "predict": lambda idata: get_group(_predict(idata, "y"), "predictions"),
    "predict rating": lambda idata: get_group(
        _predict(idata, "rating", offset=np.zeros(3)), "predictions"
    ),
    "evaluate": _evaluate,
    "diagnose": _diagnose,
    "draw_augmentation": lambda idata: get_group(
        med.draw_augmentation(idata, response="y", random_seed=1), "posterior"
    )["y_lam"],
    "plot_class_profile": lambda idata: med.plot_class_profile(idata, response="y"),
    "plot_eta_forest": lambda idata: med.plot_eta_forest(idata, response="y"),
    "plot_uncertainty": lambda idata: med.plot_uncertainty(idata, response="y"),
}
"""Functions that need a response too."""
CALLS = {**TOPICS, **RESPONSES, "plot_burn_in": med.plot_burn_in}


def answer(name, idata):
    """Return what a public function gives, without its figures."""
    try:
        return CALLS[name](idata)
    finally:
        plt.close("all")


@cache
def expected(name):
    """Return what a public function gives for the undamaged run."""
    return answer(name, build(whole()))


def is_same(one, other):
    """Tell whether two answers are equal, NaN in the same places; pictures count as equal."""
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, pd.Series):
        return one.equals(other)
    if isinstance(one, pd.DataFrame):  # Zarr gives variables back in the order of the alphabet
        known = set(one.columns) == set(other.columns) and set(one.index) == set(other.index)
        return known and one.equals(other.loc[one.index, one.columns])
    if isinstance(one, xr.Dataset):
        return list(one.data_vars) == list(other.data_vars) and all(
            is_same(one[name], other[name]) for name in one.data_vars
        )
    if isinstance(one, xr.DataArray):
        same_dims = set(one.dims) == set(other.dims)
        return same_dims and is_same(one.values, other.transpose(*one.dims).values)
    if isinstance(one, np.ndarray) and one.dtype.kind != "O":
        nan = one.dtype.kind == other.dtype.kind == "f"
        return one.shape == other.shape and np.array_equal(one, other, equal_nan=nan)
    if isinstance(one, (str, int)):
        return one == other
    return not isinstance(one, float) or one == other or (one != one and other != other)


def is_ours(error):
    """Tell whether a ``raise`` of the package raised an error, not some code of a library."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    own = "pymc_medlda" in Path(last.filename).parts and str(last.line).startswith("raise ")
    return own and isinstance(error, (ValueError, TypeError))


def outcome(name, idata, right=None):
    """Return "same", "refused: ..." or what is wrong with the answer for a damaged run."""
    right = expected(name) if right is None else right
    try:
        found = answer(name, idata)
    except Exception as error:
        if is_ours(error):
            return f"refused: {error}"
        return f"{name} failed: {''.join(traceback.format_exception(error))}"
    return "same" if is_same(right, found) else f"{name} gave another answer"
