"""Laws of coded responses: labels come back, whatever they are and wherever they stand."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.decisions import decide

ANY = settings(derandomize=True, deadline=None, database=None, max_examples=150)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3)
KINDS_OF_LABELS = st.sampled_from(
    [TEXT, st.integers(-5, 5), st.booleans(), st.integers(-(2**53), 2**53)]
)
MISSING = st.sampled_from([None, pd.NA, pd.NaT])


@st.composite
def labels(draw, missing=True):
    """Draw one label per document, of one type, with missing entries among them."""
    kind = draw(KINDS_OF_LABELS)
    entries = st.one_of(kind, kind, kind, MISSING) if missing else kind
    return draw(st.lists(entries, min_size=2, max_size=10))


def is_missing(label):
    return label is None or label is pd.NA or label is pd.NaT


def decode(response):
    """Return the labels that a coded response stands for, None where they are missing."""
    values = response.values.reshape(len(response.values), -1)
    decided = decide(response.kind, values, response.classes).tolist()
    return [None if np.isnan(v[0]) else d for v, d in zip(values, decided, strict=True)]


def code(y, **options):
    return code_response(y, n_documents=len(y), takes_labels=True, **options)


@ANY
@given(labels())
def test_labels_come_back(y):
    given = [label for label in y if not is_missing(label)]
    assume(len(set(given)) >= 2)
    response = code(y)
    assert decode(response) == [None if is_missing(label) else label for label in y]
    assert response.classes.tolist() == sorted(set(given))
    assert len(set(response.classes.tolist())) == response.classes.size
    coded = response.values[~np.isnan(response.values)]
    assert set(coded.tolist()) <= {-1.0, 1.0}


@ANY
@given(labels(), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_change_the_coding(y, random):
    assume(len({label for label in y if not is_missing(label)}) >= 2)
    order = random.sample(range(len(y)), len(y))
    straight, shuffled = code(y), code([y[i] for i in order])
    assert np.array_equal(straight.values[order], shuffled.values, equal_nan=True)
    assert straight.classes.tolist() == shuffled.classes.tolist()


@ANY
@given(labels(missing=False), st.sampled_from(["array", "series", "generator", "polars", "tuple"]))
def test_every_container_gives_the_same(y, container):
    assume(len(set(y)) >= 2)
    forms = {
        "array": np.asarray,
        "series": lambda y: pd.Series(y, dtype=object),
        "generator": lambda y: (label for label in y),
        "polars": pl.Series,
        "tuple": tuple,
    }
    expected = code(y)
    found = code_response(forms[container](y), n_documents=len(y), takes_labels=True)
    assert np.array_equal(found.values, expected.values)
    assert found.classes.tolist() == expected.classes.tolist()


@ANY
@given(st.lists(st.one_of(st.none(), st.sets(TEXT, max_size=3)), min_size=2, max_size=6))
def test_sets_of_labels_come_back(y):
    known = sorted(set().union(*(row for row in y if row is not None)))
    assume(known)
    response = code_response(y, n_documents=len(y), classes=known, partial=True)
    for row, values in zip(y, response.values, strict=True):
        if row is None:
            assert np.isnan(values).all()
        else:
            assert {label for label, v in zip(known, values, strict=True) if v > 0} == row


@ANY
@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=8), st.data())
def test_values_stay_and_missing_ones_become_nan(y, data):
    gone = data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y)))
    expected = np.where(gone, np.nan, y)
    for form in (
        expected,
        [None if g else v for v, g in zip(y, gone, strict=True)],
        np.ma.array(y, mask=gone),
        pd.array([pd.NA if g else v for v, g in zip(y, gone, strict=True)], "Float64"),
    ):
        coded = code_response(form, n_documents=len(y), takes_labels=False)
        assert np.array_equal(coded.values, expected, equal_nan=True)


def test_masked_labels_are_missing():
    y = np.ma.array(["a", "b", "a"], mask=[False, False, True])
    assert np.isnan(code(y).values).tolist() == [False, False, True]


def test_missing_text_of_pandas_is_missing():
    for kind in (object, "string", "category"):
        y = pd.Series(["a", None, "b", np.nan], dtype=kind)
        assert np.isnan(code(y).values).tolist() == [False, True, False, True]


@pytest.mark.parametrize("classes", list(permutations("uvw")))
def test_named_columns_are_matched_with_the_tasks(classes):
    y = pd.DataFrame({"v": [0, 1, 1, 0], "w": [1, 1, 0, 0], "u": [1, 0, 1, 1]})
    coded = code_response(y, n_documents=4, classes=list(classes))
    assert coded.classes.tolist() == list(classes)
    assert ((coded.values > 0) == y[list(classes)].to_numpy(bool)).all()


WHOLE = [1, 2, 3, 1, 2, 3]
FORMS = {
    "nullable": pd.Series([*WHOLE, None], dtype="Int64"),
    "array of pandas": pd.array([*WHOLE, None], dtype="Int64"),
    "list with None": [*WHOLE, None],
    "list with NaN": [*WHOLE, np.nan],
    "integers of NumPy": [*np.array(WHOLE), None],
    "masked": np.ma.array([*WHOLE, 1], mask=[False] * 6 + [True]),
    "categorical": pd.Categorical([*WHOLE, None], categories=[1, 2, 3]),
    "series of categories": pd.Series(pd.Categorical([*WHOLE, None], categories=[1, 2, 3])),
    "polars": pl.Series([*WHOLE, None]),
}


@pytest.mark.parametrize("form", FORMS)
def test_integers_are_labels_whether_or_not_some_are_missing(form):
    found = code_response(FORMS[form], n_documents=7)
    assert (found.kind, found.classes.tolist()) == ("multiclass", [1, 2, 3])
    assert found.classes.dtype.kind == "i"
    assert np.array_equal(found.values[:6], code_response(WHOLE, n_documents=6).values)
    assert np.isnan(found.values[6]).all()
    reals = code_response(FORMS[form], n_documents=7, takes_labels=False)
    assert np.array_equal(reals.values, [*WHOLE, np.nan], equal_nan=True)


def test_floats_are_real_whether_or_not_they_are_whole():
    for y in (np.array([1.0, 2.0, 3.0, np.nan]), [1.0, 2.0, 3.0, np.nan], [1.0, 2, 3, None]):
        assert code_response(y, n_documents=4).kind == "real"


@pytest.mark.parametrize("y", [[2**63, 2**63 + 1] * 2, [2**53, 2**53 + 1, None, 2**53]])
def test_large_integers_are_coded_exactly(y):
    assert decode(code(y)) == y


def test_large_integers_that_would_merge_are_refused():
    for y in ([2**63, 2**63 + 1, -1, -1], [2**53 + 1, 0.5, 1.5, 2.5]):
        with pytest.raises(ValueError, match=r"y holds .* give labels as strings"):
            code_response(y, n_documents=4)


def test_rows_of_integers_that_may_be_lists_of_labels_are_refused():
    rows = [[0, 2], [0, 1], [1, 2]]
    with pytest.raises(ValueError, match=r"Give \[set\(row\) for row in y\].*np\.array\(y\)"):
        code_response(rows, n_documents=3)
    labels = code_response([set(row) for row in rows], n_documents=3)
    assert (labels.values > 0).tolist() == [[True, False, True], [True, True, False], [0, 1, 1]]
    assert code_response(rows, n_documents=3, takes_labels=False).kind == "real"
    coded = [[1, 0], [0, 1], [1, 1]]
    assert np.array_equal(code(coded).values, code(np.array(coded)).values)


@pytest.mark.parametrize("classes", [None, ["u", "v", "w"]])
def test_coordinates_of_tasks_are_names_of_columns(classes):
    frame = pd.DataFrame({"v": [0, 1, 1, 0], "w": [1, 1, 0, 0], "u": [1, 0, 1, 1]})
    array = xr.DataArray(frame.to_numpy(), {"task": list(frame)}, ("document", "task"))
    found, expected = (code_response(y, n_documents=4, classes=classes) for y in (array, frame))
    assert found.classes.tolist() == expected.classes.tolist()
    assert np.array_equal(found.values, expected.values)
    bare = code_response(xr.DataArray(frame.to_numpy()), n_documents=4)
    assert bare.classes.tolist() == [0, 1, 2]


def test_arrays_without_dimensions_are_entries():
    assert code([np.array(1), np.array(0)]).values.tolist() == [1.0, -1.0]


def test_text_of_any_length_is_text():
    kind = np.dtypes.StringDType(na_object=None)
    y = np.array(["a", "b", None, "a"], dtype=kind)
    assert decode(code(y)) == ["a", "b", None, "a"]
