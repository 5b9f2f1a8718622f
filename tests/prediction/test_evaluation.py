"""Scores of predictions against scikit-learn's, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn import metrics

import pymc_medlda as med
from pymc_medlda.prediction.evaluation import score_labels


def holding(decision, kind, dims=("document",), **coords):
    dataset = xr.Dataset({"decision": (dims, decision)}, coords=coords, attrs={"kind": kind})
    return xr.DataTree.from_dict({"predictions": dataset})


def test_label_scores_equal_scikit_learns(rng):
    decided, true = rng.random((40, 5)) < 0.4, rng.random((40, 5)) < 0.5
    scores = score_labels(decided, np.where(true, 1.0, -1.0))
    assert scores["precision"] == pytest.approx(
        metrics.precision_score(true, decided, average="micro")
    )
    assert scores["recall"] == pytest.approx(metrics.recall_score(true, decided, average="micro"))
    assert scores["f1"] == pytest.approx(metrics.f1_score(true, decided, average="micro"))
    assert scores["macro_f1"] == pytest.approx(metrics.f1_score(true, decided, average="macro"))
    assert scores["exact"] == pytest.approx(metrics.accuracy_score(true, decided))


def test_unknown_labels_do_not_count():
    decided = np.array([[True, True], [False, True]])
    scores = score_labels(decided, np.array([[1.0, np.nan], [-1.0, 1.0]]))
    assert scores["precision"] == scores["recall"] == scores["exact"] == 1.0


def test_accuracy_of_classes_and_r2_of_values(rng):
    found = holding(np.array(["a", "b", "a"]), "binary")
    assert med.evaluate(found, ["a", "b", None])["accuracy"] == 1.0
    assert med.evaluate(found, ["a", "a", "a"])["accuracy"] == pytest.approx(2 / 3)
    truth = rng.normal(size=30)
    guess = truth + rng.normal(size=30)
    scores = med.evaluate(holding(guess, "real"), truth)
    assert scores["r2"] == pytest.approx(metrics.r2_score(truth, guess))
    assert scores["rmse"] == pytest.approx(metrics.root_mean_squared_error(truth, guess))


def test_r2_of_several_values_weighs_tasks_by_their_spread(rng):
    """Each task has a mean of its own, and missing values do not count."""
    truth = rng.normal(size=(30, 2)) * [1.0, 3.0] + [0.0, 50.0]
    guess = truth + rng.normal(size=(30, 2))
    found = holding(guess, "real", ("document", "task"), task=["u", "v"])
    expected = metrics.r2_score(truth, guess, multioutput="variance_weighted")
    assert med.evaluate(found, truth)["r2"] == pytest.approx(expected)
    partial = truth.copy()
    partial[20:] = np.nan
    shorter = holding(guess[:20], "real", ("document", "task"), task=["u", "v"])
    assert med.evaluate(found, partial) == pytest.approx(med.evaluate(shorter, truth[:20]))


def test_accuracy_is_that_of_the_documents_whose_class_is_known(rng):
    decided, truth = rng.choice(list("abc"), (2, 41))
    known = rng.random(41) < 0.6
    partial = [label if k else None for label, k in zip(truth.tolist(), known, strict=True)]
    found = med.evaluate(holding(decided, "multiclass"), partial)["accuracy"]
    assert found == pytest.approx(np.mean((decided == truth)[known]))


def test_label_sets_may_lack_a_label_in_the_held_out_part():
    found = holding(np.array([[1, 0], [1, 0]]), "multilabel", ("document", "task"), task=["u", "v"])
    assert med.evaluate(found, [["u"], ["u"]])["f1"] == 1.0
    assert med.evaluate(found, np.array([[1, 0], [0, 0]]))["precision"] == 0.5


def test_missing_predictions_and_lengths_are_refused():
    with pytest.raises(ValueError, match="call predict first"):
        med.evaluate(xr.DataTree(), [1, 2])
    with pytest.raises(ValueError, match="y has 2 entries"):
        med.evaluate(holding(np.array(["a"]), "binary"), ["a", "b"])


def test_held_out_values_are_matched_by_name():
    names = ["p", "q", "r"]
    found = holding(np.array(["a", "b", "a"]), "binary", document=names)
    y = pd.Series(["a", "b", "b"], index=names)
    assert med.evaluate(found, y)["accuracy"] == pytest.approx(2 / 3)
    assert med.evaluate(found, y[["r", "p", "q"]]) == med.evaluate(found, y)
    with pytest.raises(ValueError, match="y has the index 'x', 'y', 'z', but the documents are"):
        med.evaluate(found, pd.Series(["a", "b", "b"], index=["x", "y", "z"]))


@pytest.mark.parametrize(
    "y", [[[1, 0], [0, 1]], [[1, -1], [-1, 1]], [[True, False], [False, True]], [["u"], ["v"]]]
)
def test_every_coding_of_labels_gives_the_same_scores(y):
    found = holding(np.array([[1, 0], [1, 1]]), "multilabel", ("document", "task"), task=["u", "v"])
    scores = med.evaluate(found, y)
    assert (scores["precision"], scores["recall"]) == (pytest.approx(2 / 3), 1.0)


def test_named_columns_are_matched_with_the_labels():
    found = holding(np.array([[1, 0], [1, 1]]), "multilabel", ("document", "task"), task=["u", "v"])
    y = pd.DataFrame({"u": [1, 1], "v": [0, 1]})
    assert med.evaluate(found, y)["exact"] == med.evaluate(found, y[["v", "u"]])["exact"] == 1.0


@pytest.mark.parametrize("kind", ["text", "numbers"])
def test_labels_of_another_type_are_refused_with_both_shown(kind):
    numbers = kind == "numbers"
    found = holding(np.array([1, 2, 1]) if numbers else np.array(["1", "2", "1"]), "multiclass")
    other = ["1", "2", "1"] if numbers else [1, 2, 1]
    with pytest.raises(ValueError, match=rf"y holds {other[0]!r}, .* {found_class(numbers)!r}"):
        med.evaluate(found, other)


def found_class(numbers):
    return 1 if numbers else "1"


def test_r2_of_equal_values_is_not_defined():
    scores = med.evaluate(holding(np.array([1.0, 2.0]), "real"), [3.0, 3.0])
    assert np.isnan(scores["r2"])
    assert scores["rmse"] == pytest.approx(np.sqrt(2.5))


def test_coordinates_of_tasks_are_matched_by_name():
    found = holding(np.array([[1, 0], [1, 1]]), "multilabel", ("document", "task"), task=["u", "v"])
    y = xr.DataArray([[0, 1], [1, 1]], {"task": ["v", "u"]}, ("document", "task"))
    assert med.evaluate(found, y)["exact"] == 1.0
    assert med.evaluate(found, y.drop_vars("task"))["exact"] == 0.5
    with pytest.raises(ValueError, match="the tasks are called 'u', 'v'"):
        med.evaluate(found, y.assign_coords(task=["v", "x"]))


def test_the_length_is_compared_with_the_predicted_documents():
    found = holding(np.zeros(3), "real")
    with pytest.raises(ValueError, match="y has 2 entries, but there are 3 documents"):
        med.evaluate(found, [0.5, 1.5])
