"""Scores, their intervals and the baselines, against simple computations of the same."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, r2_score
from sklearn.svm import LinearSVC

from pymc_medlda.prediction.evaluation import score_labels
from pymc_medlda.reporting.baselines import decide_blindly, decide_by_words
from pymc_medlda.reporting.judging import Judged
from pymc_medlda.reporting.mistakes import find_mistakes
from pymc_medlda.reporting.scoring import measure, measure_chances, resample
from pymc_medlda.run.run import Run
from tests.sampled import planted, sample


def scores(kind, decided, truth, rng):
    known = ~np.isnan(truth)
    return {own.name: resample(own, rng) for own in measure(kind, decided, truth, known)}


def judged(kind, discriminant, truth, **given):
    options = {"scope": "held-out", "chances": None, "corpus": None, "texts": None, **given}
    names = list(range(len(truth)))
    return Judged(
        kind=kind,
        discriminant=discriminant,
        truth=truth,
        compared=discriminant,
        names=names,
        **options,
    )


def test_accuracy_and_its_interval(rng):
    truth = np.where(np.arange(400)[:, None] % 2 == 0, 1.0, -1.0)
    decided = truth > 0
    decided[:100] ^= True
    truth[300:320] = np.nan
    found = scores("binary", decided, truth, rng)["accuracy"]
    share = 280 / 380
    assert found.value == pytest.approx(share)
    half = 1.96 * np.sqrt(share * (1 - share) / 380)
    assert found.lower == pytest.approx(share - half, abs=0.01)
    assert found.upper == pytest.approx(share + half, abs=0.01)


def test_scores_of_labels_are_those_of_evaluate(rng):
    truth = np.where(rng.random((50, 4)) < 0.3, 1.0, -1.0)
    decided = rng.random((50, 4)) < 0.4
    found = scores("multilabel", decided, truth, rng)
    expected = score_labels(decided, truth)
    assert found["micro F1"].value == pytest.approx(expected["f1"])
    assert found["micro F1"].value == pytest.approx(f1_score(truth > 0, decided, average="micro"))
    assert found["all labels right"].value == pytest.approx(expected["exact"])
    truth[0] = np.nan
    assert scores("multilabel", decided, truth, rng)["micro F1"].value == pytest.approx(
        f1_score(truth[1:] > 0, decided[1:], average="micro")
    )


def test_r_squared_is_that_of_scikit_learn(rng):
    truth = rng.normal(7.0, 2.0, (200, 1))
    decided = truth + rng.normal(0.0, 1.0, (200, 1))
    found = scores("real", decided, truth, rng)
    assert found["R²"].value == pytest.approx(r2_score(truth, decided))
    rmse = np.sqrt(np.mean((truth - decided) ** 2))
    assert found["root mean square error"].value == pytest.approx(rmse)
    # A resample has a mean of its own.
    rows = rng.integers(0, 200, 200)
    own, _ = measure("real", decided, truth, ~np.isnan(truth))
    resampled = own.combine(own.statistics[rows].sum(axis=0))
    assert resampled == pytest.approx(r2_score(truth[rows], decided[rows]))


def test_the_log_score_is_the_mean_log_probability_of_the_truth(rng):
    chances = np.array([[0.2, 0.8], [0.7, 0.3], [0.5, 0.5]])
    truth = np.array([[1.0], [1.0], [np.nan]])
    (found,) = measure_chances("binary", chances, truth, ~np.isnan(truth))
    assert resample(found, rng).value == pytest.approx(np.log([0.8, 0.3]).mean())
    several = np.array([[0.2, 0.8], [0.7, 0.3]])
    truth = np.array([[1.0, -1.0], [-1.0, np.nan]])
    (found,) = measure_chances("multilabel", several, truth, ~np.isnan(truth))
    assert resample(found, rng).value == pytest.approx(np.log([0.2, 0.2, 0.3]).mean())


@pytest.mark.parametrize("kind", ["binary", "multiclass", "real"])
def test_the_linear_model_is_that_of_scikit_learn(kind):
    corpus, y = planted(kind).corpus, planted(kind).y
    run = Run(sample(kind))
    response, topics = run.response(), run.topics()
    own = judged(kind, response.y[:9], response.y[:9], corpus=corpus[:9])
    name, found = decide_by_words(own, response, topics, None)
    X = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.to_dtm())
    if kind == "real":
        assert name == "tf-idf, ridge"
        np.testing.assert_allclose(found[:, 0], Ridge().fit(X, y).predict(X)[:9], atol=1e-5)
    else:
        expected = LinearSVC().fit(X, y).predict(X)[:9]
        position = found if kind == "multiclass" else (found[:, 0] > 0).astype(int)
        np.testing.assert_array_equal(response.classes[position], expected)


def test_blind_decisions_know_only_the_training_responses():
    response = Run(sample("multiclass")).response()
    name, found = decide_blindly(judged("multiclass", response.y, response.y), response)
    assert name == "the largest class"
    assert set(found) == {int(np.bincount(planted("multiclass").y).argmax())}
    response = Run(sample("real")).response()
    _, found = decide_blindly(judged("real", response.y, response.y), response)
    np.testing.assert_allclose(found, response.y.mean())


def test_the_most_certain_mistakes_come_first():
    F = np.array([[3.0], [-1.0], [2.0], [-5.0], [4.0]])
    y = np.array([[-1.0], [1.0], [1.0], [1.0], [np.nan]])
    assert [m.document for m in find_mistakes(judged("binary", F, y))] == [3, 0, 1]
    F = np.array([[3.0, 2.0, 0.0], [0.0, 4.0, 1.0], [0.0, 1.0, 5.0]])
    y = np.where(np.eye(3)[[1, 0, 2]] > 0, 1.0, -1.0)
    assert [m.document for m in find_mistakes(judged("multiclass", F, y))] == [1, 0]
    F, y = np.array([[1.0], [2.0], [3.0]]), np.array([[1.5], [7.0], [3.0]])
    assert [m.document for m in find_mistakes(judged("real", F, y))] == [1, 0]
    F, y = np.array([[1.0, -2.0]]), np.array([[-1.0, 1.0]])
    assert [m.task for m in find_mistakes(judged("multilabel", F, y))] == [1, 0]
