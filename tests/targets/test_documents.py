"""Which document a value belongs to: the rule for pandas objects."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda.targets.documents import align_to_documents

NAMES = ["p", "q", "r", "s"]
TOKENS = [["a", "b"], ["b"], ["a"], ["b", "b"]]
LABELS = pd.Series(["up", "down", "up", "up"], index=NAMES)
NUMBERS = pd.Series([0.0, 1.0, 2.0, 3.0], index=NAMES)
ORDER = ["s", "q", "p", "r"]


def coded(y, **options):
    corpus = med.Corpus.from_tokens(TOKENS, document_names=NAMES)
    model = med.GibbsMedLDA(corpus, y, n_topics=2, **options)
    return model["y"].owner.inputs, model.rvs_to_values[model["y"]].data


def test_y_offset_and_c_are_matched_by_name():
    inputs, y = coded(LABELS, offset=NUMBERS, loss=med.Hinge(c=NUMBERS, margin=1.0))
    shuffled = {"offset": NUMBERS[ORDER], "loss": med.Hinge(c=NUMBERS[ORDER], margin=1.0)}
    again, y_again = coded(LABELS[ORDER], **shuffled)
    assert y.tolist() == y_again.tolist() == [1.0, -1.0, 1.0, 1.0]
    constants = [
        [i.data.tolist() for i in each if getattr(i, "data", None) is not None]
        for each in (inputs, again)
    ]
    assert constants[0] == constants[1]
    assert [0.0, 1.0, 2.0, 3.0] in constants[0]


def test_max_margin_matches_by_name():
    corpus = med.Corpus.from_tokens(TOKENS, document_names=NAMES)
    with pm.Model() as model:
        z = med.TopicAssignments("z", corpus, n_topics=2)
        eta = pm.Normal("eta", 0.0, 1.0, shape=2)
        y = med.MaxMargin("y", z, eta, observed=LABELS[ORDER])
    assert model.rvs_to_values[y].data.tolist() == [1.0, -1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("index", "documents", "expected"),
    [
        (None, None, "position"),
        (None, range(3), "position"),
        (None, ["a", "b", "c"], "position"),  # the default numbering says nothing
        (None, [2, 0, 1], "refused"),  # shuffled before or after y was taken from a frame?
        (None, ["2", "0", "1"], "refused"),
        (None, ["0", "1", "2"], "position"),
        ([2, 0, 1], [2, 0, 1], "position"),
        ([1, 2, 0], [2, 0, 1], "name"),
        ([2.0, 0.0, 1.0], range(3), "refused"),
        (["2", "0", "1"], range(3), "refused"),
        ([0.0, 1.0, 2.0], range(3), "position"),
        (["x", "z", "y"], range(3), "position"),
        ([7, 3, 9], range(3), "position"),  # a part of a frame, with documents without names
        ([7, 3, 9], [9, 7, 3], "name"),
        (["b", "c", "a"], ["a", "b", "c"], "name"),
        ([("x", 1), ("x", 2), ("y", 1)], ["y, 1", "x, 1", "x, 2"], "name"),
        ([1, 0, 2], range(3), "refused"),
        (["a", "b", "d"], ["a", "b", "c"], "refused"),
        (["a", "a", "b"], ["a", "b", "a"], "refused"),
        (["a", "a", "b"], ["a", "a", "b"], "position"),  # documents drawn with repetition
        ([7, 3, 9], ["a", "b", "c"], "refused"),
    ],
)
def test_the_rule(index, documents, expected):
    if index is not None and isinstance(index[0], tuple):
        index = pd.MultiIndex.from_tuples(index)
    y = pd.Series([10, 11, 12], index=index)
    if isinstance(documents, list) and expected != "refused" and y.index.nlevels == 1:
        array = y.rename_axis("document").to_xarray()
        aligned = align_to_documents(array, documents, "y")
        assert aligned.values.tolist() == align_to_documents(y, documents, "y").tolist()
    if expected == "refused":
        with pytest.raises(ValueError, match=r"y has the index.*y\.to_numpy\(\)"):
            align_to_documents(y, documents, "y")
        return
    found = align_to_documents(y, documents, "y")
    if expected == "position":
        assert found.tolist() == [10, 11, 12]
    else:
        names = [name if isinstance(name, str) else str(name) for name in documents]
        labels = [", ".join(map(str, i)) if isinstance(i, tuple) else str(i) for i in found.index]
        assert labels == names
        assert sorted(found) == [10, 11, 12]


def test_what_has_no_index_is_taken_by_position():
    for y in (["a", "b"], np.array([1, 2]), None, 3.0):
        assert align_to_documents(y, ["p", "q"], "y") is y


@pytest.mark.parametrize("estimator", [med.GibbsMedLDAClassifier, med.GibbsMedLDARegressor])
def test_estimators_refuse_the_same_rows_in_another_order(estimator):
    X = pd.DataFrame(np.eye(4, dtype=int) + 1, index=NAMES).add_prefix("w")
    y = pd.Series([0, 1, 0, 1], index=NAMES)
    quick = {"n_topics": 2, "draws": 1, "tune": 0}
    with pytest.raises(ValueError, match=r"y has the index labels of X in another order"):
        estimator(**quick).fit(X, y[ORDER])
    with pytest.raises(ValueError, match=r"sample_weight has the index labels of X"):
        estimator(**quick).fit(X, y, sample_weight=NUMBERS[ORDER] + 1)
    for accepted in (y, y.to_numpy(), y.reset_index(drop=True)):
        fitted = estimator(**quick).fit(X, accepted)
        assert fitted.score(X, accepted) <= 1.0
    with pytest.raises(ValueError, match=r"y has the index labels of X in another order"):
        fitted.score(X, y[ORDER])
    with pytest.raises(ValueError, match=r"sample_weight has the index labels of X"):
        fitted.score(X, y, sample_weight=NUMBERS[ORDER] + 1)


def test_coordinates_of_xarray_count_as_an_index():
    draws = xr.DataArray(
        np.arange(6.0).reshape(2, 1, 3),
        {"chain": [0, 1], "document": ["r", "p", "q"]},
        ("chain", "draw", "document"),
    )
    found = align_to_documents(draws, ["p", "q", "r"], "offset")
    assert found.values[0, 0].tolist() == [1.0, 2.0, 0.0]
    bare = xr.DataArray([1, 2], dims="document")
    assert align_to_documents(bare, ["p", "q"], "offset") is bare
    with pytest.raises(ValueError, match="offset has the index"):
        align_to_documents(draws, ["p", "q", "x"], "offset")
