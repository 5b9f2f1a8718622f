"""The score of a fit: missing entries do not count."""

import numpy as np
import pytest
from sklearn import metrics

from pymc_medlda.targets.scores import score_response

KINDS = {"binary": 1, "multiclass": 4, "multilabel": 3, "real": 2}


def make(kind, rng, n_documents=61):
    """Return a response and discriminants that are right more often than not."""
    n_tasks = KINDS[kind]
    discriminant = rng.normal(size=(n_documents, n_tasks)) + np.arange(n_tasks)
    noisy = discriminant + rng.normal(size=discriminant.shape)
    if kind == "real":
        return noisy, discriminant
    if kind == "multiclass":
        chosen = noisy.argmax(axis=1)
        return np.where(chosen[:, None] == np.arange(n_tasks), 1.0, -1.0), discriminant
    return np.where(noisy > 0, 1.0, -1.0), discriminant


@pytest.mark.parametrize("kind", KINDS)
def test_the_score_is_that_of_the_documents_that_have_a_response(kind, rng):
    y, discriminant = make(kind, rng)
    kept = np.arange(61) % 5 < 3  # 37 of 61: no share of the one is a share of the other
    partial = np.where(kept[:, None], y, np.nan)
    found = score_response(kind, partial, discriminant, ~np.isnan(partial))
    expected = score_response(kind, y[kept], discriminant[kept], True)
    assert found == pytest.approx(expected, rel=1e-12)
    assert found != pytest.approx(score_response(kind, y, discriminant, True), rel=1e-12)
    nothing = np.full(y.shape, np.nan)
    assert np.isnan(score_response(kind, nothing, discriminant, ~np.isnan(nothing)))


def test_the_scores_are_accuracy_and_r2(rng):
    y, f = make("multiclass", rng)
    accuracy = metrics.accuracy_score(y.argmax(axis=1), f.argmax(axis=1))
    assert score_response("multiclass", y, f, True) == pytest.approx(accuracy)
    y, f = make("multilabel", rng)
    assert score_response("multilabel", y, f, True) == pytest.approx(np.mean((f > 0) == (y > 0)))
    y, f = make("real", rng)
    expected = metrics.r2_score(y, f, multioutput="variance_weighted")
    assert score_response("real", y, f, True) == pytest.approx(expected)
    gaps = rng.random(y.shape) < 0.3
    by_task = [~gaps[:, task] for task in range(2)]
    partial = np.where(gaps, np.nan, y)
    residual = sum(((y - f)[own, i] ** 2).sum() for i, own in enumerate(by_task))
    spread = sum(y[own, i].var() * own.sum() for i, own in enumerate(by_task))
    assert score_response("real", partial, f, ~gaps) == pytest.approx(1.0 - residual / spread)
