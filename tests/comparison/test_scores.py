"""Scores and their standard errors, against definitions and against the bootstrap."""

import numpy as np
import pytest

from pymc_medlda.comparison.scores import Score, explained, micro_f1, perplexity_score, ratio
from pymc_medlda.prediction.evaluation import score_labels


def bootstrap(compute, *arrays, n=2000):
    rng = np.random.default_rng(0)
    rows = rng.integers(len(arrays[0]), size=(n, len(arrays[0])))
    return np.std([compute(*(array[own] for array in arrays)) for own in rows])


@pytest.fixture
def labels(rng):
    true = rng.random((300, 4)) < 0.3
    decided = np.where(rng.random((300, 4)) < 0.8, true, rng.random((300, 4)) < 0.3)
    return decided.astype(float), true.astype(float), (rng.random((300, 4)) < 0.9).astype(float)


def test_f1_is_that_of_evaluate_and_its_error_that_of_the_bootstrap(labels):
    decided, true, known = labels
    score = micro_f1(*labels)
    y = np.where(known > 0, 2 * true - 1, np.nan)
    assert score.value == pytest.approx(score_labels(decided > 0, y)["f1"])
    error = bootstrap(lambda *arrays: micro_f1(*arrays).value, *labels)
    assert score.standard_error == pytest.approx(error, rel=0.1)


def test_errors_of_r2_and_rmse_are_those_of_the_bootstrap(rng):
    y = rng.normal(size=(400, 1))
    prediction, known = 0.7 * y + rng.normal(0, 0.5, y.shape), np.ones(y.shape)
    scores = explained(prediction, y, known)
    assert scores[0].value == pytest.approx(1 - ((y - prediction) ** 2).sum() / y.var() / 400)
    assert scores[1].value == pytest.approx(np.sqrt(((y - prediction) ** 2).mean()))
    for i, score in enumerate(scores):
        error = bootstrap(lambda *a, i=i: explained(*a)[i].value, prediction, y, known)
        assert score.standard_error == pytest.approx(error, rel=0.15)


def test_the_error_of_the_perplexity_is_that_of_the_bootstrap(rng):
    n = rng.integers(5, 50, 300).astype(float)
    logs = -n * rng.gamma(40, 0.1, 300)
    score = perplexity_score(logs, n)
    assert score.value == pytest.approx(np.exp(-logs.sum() / n.sum()))
    error = bootstrap(lambda *a: perplexity_score(*a).value, logs, n)
    assert score.standard_error == pytest.approx(error, rel=0.1)


def test_paired_differences_have_smaller_errors(rng):
    first = (rng.random(500) < 0.8).astype(float)
    second = np.where(rng.random(500) < 0.05, 1 - first, first)  # fails on the same documents
    one, two = ratio(first, np.ones(500)), ratio(second, np.ones(500))
    difference = one.minus(two)
    assert difference.value == pytest.approx((first - second).mean())
    assert difference.standard_error == pytest.approx((first - second).std(ddof=1) / 500**0.5)
    assert difference.standard_error < 0.6 * np.hypot(one.standard_error, two.standard_error)


def test_nothing_to_divide_by_is_nan():
    assert np.isnan(ratio(np.zeros(3), np.zeros(3)).value)
    assert np.isnan(Score(1.0, np.zeros(1)).standard_error)
