"""The Gaussian draw of the weights against dense linear algebra, noise for noise."""

import numpy as np
import pytest

from pymc_medlda.kernels import weights
from pymc_medlda.kernels.counts import list_present
from pymc_medlda.kernels.weights import draw_weights


@pytest.fixture
def problem():
    rng = np.random.default_rng(4)
    document_topic = rng.poisson(0.8, (37, 9)).astype(np.int32)
    document_topic[5] = 0  # an empty document
    document_topic[6] = 1  # every topic present
    a, b = rng.gamma(1.0, 2.0, (37, 3)), rng.normal(0.0, 5.0, (37, 3))
    mean, precision = rng.normal(size=(3, 9)), rng.gamma(2.0, 1.0, (3, 9))
    return document_topic, a, b, mean, precision


@pytest.mark.parametrize("below", [1.0, 0.0], ids=["pair by pair", "by blocks"])
def test_draw_is_mean_plus_factor_times_noise(problem, below, monkeypatch):
    monkeypatch.setattr(weights, "SPARSE", below)
    monkeypatch.setattr(weights, "BLOCK", 16)
    document_topic, a, b, mean, precision = problem
    counts = document_topic, list_present(document_topic)
    prior = {"mean": mean, "precision": precision}
    drawn = draw_weights(np.random.default_rng(9), *counts, a, b, **prior)
    noise = np.random.default_rng(9).standard_normal((3, 9))
    share = document_topic / np.maximum(document_topic.sum(axis=1, keepdims=True), 1)
    for i in range(3):
        matrix = np.diag(precision[i]) + (share * a[:, i : i + 1]).T @ share
        centre = np.linalg.solve(matrix, precision[i] * mean[i] + b[:, i] @ share)
        lower = np.linalg.cholesky(matrix)
        np.testing.assert_allclose(drawn[i], centre + np.linalg.solve(lower.T, noise[i]), rtol=1e-9)


def test_improper_prior_is_named(problem):
    document_topic, a, b, mean, precision = problem
    counts = document_topic, list_present(document_topic)
    prior = {"mean": mean, "precision": -precision}
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        draw_weights(np.random.default_rng(0), *counts, 0 * a, b, **prior)
