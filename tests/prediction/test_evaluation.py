"""Scores of predictions against scikit-learn's, and what is refused."""

import numpy as np
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


def test_label_sets_may_lack_a_label_in_the_held_out_part():
    found = holding(np.array([[1, 0], [1, 0]]), "multilabel", ("document", "task"), task=["u", "v"])
    assert med.evaluate(found, [["u"], ["u"]])["f1"] == 1.0
    assert med.evaluate(found, np.array([[1, 0], [0, 0]]))["precision"] == 0.5


def test_missing_predictions_and_lengths_are_refused():
    with pytest.raises(ValueError, match="call predict first"):
        med.evaluate(xr.DataTree(), [1, 2])
    with pytest.raises(ValueError, match="y has 2 entries"):
        med.evaluate(holding(np.array(["a"]), "binary"), ["a", "b"])
