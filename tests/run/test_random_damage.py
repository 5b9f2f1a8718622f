"""Runs damaged at random: each public function refuses them in words, or gives the right answer."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_medlda.run import record
from tests.run.damage import CALLS, build, expected, outcome, whole

GROUPS = ("posterior", "observed_data", "constant_data")
BAD_INTEGERS = (-1, -128, 99, 2**15, 2**31, 2**40, -(2**40))
BAD_FLOATS = (np.inf, -np.inf, np.nan)
POSITIVE = ("z_alpha", "z_beta", "y_c")
DTYPES = ("float32", "float64", "int64", ">i4", "complex128", "str", "bool", "object", "S3")
JUNK = (None, True, False, -1, 0, 7, 1e400, "", "nothing", [], ["z"], {}, {"c": None}, "words")
FIELDS = {
    "z": ("role", "z", "words", "has_vocabulary", "version"),
    "y": ("role", "name", "z", "eta", "loss", "parameters", "kind", "offset", "version"),
    "rating": ("role", "name", "z", "eta", "loss", "parameters", "kind", "offset", "version"),
}
# Changes that leave a valid run behind, of another model or with other draws, are not damage.
SETTINGS = settings(deadline=None, derandomize=True, database=None)
CHOSEN = st.lists(st.sampled_from(sorted(CALLS)), min_size=2, max_size=2, unique=True)


@pytest.fixture(scope="module", autouse=True)
def _expected():
    """Compute the right answers first: compiling changes the recursion limit."""
    for name in CALLS:
        expected(name)


def variables(group):
    return sorted(str(name) for name in whole()[group].data_vars)


@st.composite
def dropped(draw):
    """A variable, a coordinate or a whole group is gone."""
    groups = dict(whole())
    group = draw(st.sampled_from(GROUPS))
    names = [None, *sorted(map(str, whole()[group].variables))]
    name = draw(st.sampled_from(names))
    if name is None:
        del groups[group]
    elif name not in ("document", "token", "chain", "draw"):  # labels that nobody can guess
        groups[group] = groups[group].drop_vars(name)
    return build(groups)


@st.composite
def overwritten(draw):
    """Some values are out of range."""
    group = draw(st.sampled_from(GROUPS))
    name = draw(st.sampled_from([n for n in variables(group) if n != "alpha"]))
    array = whole()[group][name]
    values = array.values.copy()
    if values.dtype.kind in "iu":
        values = values.astype(np.int64)
        allowed = BAD_INTEGERS
    else:
        bad = [v for v in BAD_FLOATS if group != "observed_data" or not np.isnan(v)]
        more = (0.0, -1.0) if name in ("z_alpha", "z_beta") else (0.0, 7.0) * (name == "y")
        allowed = (*bad, *more)
    places = draw(st.lists(st.integers(0, values.size - 1), min_size=1, max_size=3))
    # One chain is enough for some functions: damage the same place of both.
    flat = values.reshape(2, -1) if group == "posterior" else values.reshape(1, -1)
    for place in places:
        flat[:, place % flat.shape[1]] = draw(st.sampled_from(allowed))
    if name.endswith(record.SUFFIX):
        return build(whole())  # the text is what counts; these numbers are never read
    return build({**whole(), group: whole()[group].assign({name: (array.dims, values)})})


@st.composite
def recast(draw):
    """A variable has another dtype: harmless if the values survive."""
    group = draw(st.sampled_from(GROUPS))
    name = draw(st.sampled_from([n for n in variables(group) if n != "alpha"]))
    array = whole()[group][name]
    dtype = draw(st.sampled_from(DTYPES))
    with np.errstate(all="ignore"):
        values = np.nan_to_num(array.values).astype(dtype)
    survived = np.dtype(dtype).kind in "fi" and np.array_equal(values, array.values, equal_nan=True)
    if np.dtype(dtype).kind == "f" and not survived:
        values = array.values.astype("complex64")
    elif np.dtype(dtype).kind == "i" and not survived:
        values = array.values.astype("str")
    return build({**whole(), group: whole()[group].assign({name: (array.dims, values)})})


@st.composite
def cut_or_renamed(draw):
    """A dim is shorter, or has another name in one variable."""
    group = draw(st.sampled_from(GROUPS))
    dataset = whole()[group]
    dims = [str(dim) for dim in dataset.dims if dim not in ("chain", "draw")]
    dim = draw(st.sampled_from(sorted(dims)))
    size = dataset.sizes[dim]
    if draw(st.booleans()):
        changed = dataset.isel({dim: slice(draw(st.integers(0, size - 1)))})
    else:
        name = draw(st.sampled_from([n for n in variables(group) if dim in dataset[n].dims]))
        array = dataset[name]
        new = tuple("other" if d == dim else d for d in array.dims)
        length = draw(st.integers(0, 2 * size))
        values = np.resize(np.moveaxis(array.values, array.dims.index(dim), -1), length or 1)
        shape = tuple(length if d == dim else array.sizes[d] for d in array.dims)
        filled = np.resize(values, shape) if np.prod(shape) else np.empty(shape, array.dtype)
        if length == size:
            filled = array.values
        changed = dataset.drop_vars(name).assign({name: (new, filled)})
    return build({**whole(), group: changed})


@st.composite
def rewritten(draw):
    """A description is cut, holds junk in a field, or other characters."""
    owner = draw(st.sampled_from(sorted(FIELDS)))
    dim = record.description_dim(owner)
    constant = whole()["constant_data"]
    text = str(constant[dim].values[0])
    how = draw(st.sampled_from(["cut", "junk", "lost", "characters"]))
    stored = json.loads(text)
    if how == "cut":
        text = text[: draw(st.integers(0, len(text) - 1))]
    elif how == "characters":
        # Braces, quotes and colons: other characters may make a name or number of other meaning.
        places = [i for i, letter in enumerate(text) if letter in '{}":']
        place = draw(st.sampled_from(places))
        text = text[:place] + draw(st.sampled_from("{}[]x\0é")) + text[place + 1 :]
    else:
        field = draw(st.sampled_from(FIELDS[owner]))
        junk = draw(st.sampled_from(JUNK))
        if how == "lost":
            stored.pop(field, None)
        elif field != "loss":  # read only where it is needed, as another test shows
            stored[field] = junk
        text = json.dumps(stored)
    changed = constant.assign_coords({dim: [text]})
    return build({**whole(), "constant_data": changed})


@st.composite
def relabelled(draw):
    """Coordinates occur twice, are NaN or of another type."""
    group, dim = draw(
        st.sampled_from(
            [("constant_data", "word"), ("constant_data", "y_class"), ("posterior", "topic")]
        )
    )
    size = whole()[group].sizes[dim]
    labels = draw(
        st.sampled_from(
            [["same"] * size, [np.nan] * size, [0.0] * size, [b"\xff"] * size, [0] * size]
        )
    )
    return build({**whole(), group: whole()[group].assign_coords({dim: labels})})


def assert_refused_or_right(idata, names):
    for name in names:
        found = outcome(name, idata)
        # `last_points` returns draws as they are, for the step to check.
        right = ("same", "last_points gave another answer")
        assert found in right or found.startswith("refused: "), found


@settings(SETTINGS, max_examples=60)
@given(dropped(), CHOSEN)
def test_something_is_missing(idata, names):
    assert_refused_or_right(idata, names)


@settings(SETTINGS, max_examples=120)
@given(overwritten(), CHOSEN)
def test_values_are_out_of_range(idata, names):
    assert_refused_or_right(idata, names)


@settings(SETTINGS, max_examples=80)
@given(recast(), CHOSEN)
def test_values_are_of_another_dtype(idata, names):
    assert_refused_or_right(idata, names)


@settings(SETTINGS, max_examples=80)
@given(cut_or_renamed(), CHOSEN)
def test_dims_are_shorter_or_have_other_names(idata, names):
    assert_refused_or_right(idata, names)


@settings(SETTINGS, max_examples=120)
@given(rewritten(), CHOSEN)
def test_descriptions_are_damaged(idata, names):
    assert_refused_or_right(idata, names)


@settings(SETTINGS, max_examples=40)
@given(relabelled(), CHOSEN)
def test_coordinates_are_damaged(idata, names):
    assert_refused_or_right(idata, names)
