"""The softmax against a slow twin, known laws and hopeless data."""

import numpy as np
import pytest
from scipy.special import log_softmax

from pymc_medlda.calibrators.temperature import (
    CURVATURES,
    Softmax,
    _fit_temperature,
    bend,
    fit_softmax,
)


def cross_entropy(u, y, temperature):
    n, n_classes = u.shape
    weight = n / (n + n_classes)
    target = weight * np.eye(n_classes)[y] + (1 - weight) / n_classes
    return -(target * log_softmax(u / temperature, axis=1)).sum()


def draw(rng, n, n_classes, law):
    F = 5.0 * rng.normal(size=(n, n_classes))
    p = law.probabilities(F)
    return F, (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)


@pytest.mark.parametrize("n", [8, 300])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_no_other_temperature_is_better(n, scale):
    F, y = draw(np.random.default_rng(2), n, 4, Softmax(3.0, 0.0))
    F = scale * F
    fitted, cost = _fit_temperature(F, y)
    grid = fitted * np.exp(np.linspace(-3, 3, 2001))
    costs = [cross_entropy(F, y, t) for t in grid]
    assert cost == pytest.approx(cross_entropy(F, y, fitted))
    assert cost <= min(costs) + 1e-9
    assert abs(np.log(grid[np.argmin(costs)] / fitted)) < 0.004


@pytest.mark.parametrize("curvature", [0.0, 0.1])
def test_the_law_is_found_again(curvature):
    rng = np.random.default_rng(3)
    law = Softmax(4.0, curvature)
    fits = [fit_softmax(*draw(rng, 1000, 5, law)) for _ in range(30)]
    found = np.array([fit.curvature for fit in fits])
    # Candidates lie about 0.02 apart, and a curvature that helps little is left out.
    assert abs(found.mean() - curvature) < 4 * found.std() / np.sqrt(30) + 0.01
    if not curvature:
        inverse = np.array([1 / fit.temperature for fit in fits])
        assert abs(inverse.mean() - 0.25) < 4 * inverse.std() / np.sqrt(30) + 0.005


def test_the_most_likely_curvature_is_taken():
    F, y = draw(np.random.default_rng(4), 2000, 5, Softmax(4.0, 0.1))
    fitted = fit_softmax(F, y)
    costs = [_fit_temperature(bend(F, c / F.std()), y)[1] for c in CURVATURES]
    assert fitted.curvature == CURVATURES[np.argmin(costs)] / F.std()
    assert np.argmin(costs) > 0


def test_the_order_is_kept():
    F = np.array([-1e9, -1e5, -3.0, 0.0, 2.0, 30.0])
    for curvature in (0.0, 0.01, 0.3):
        u = bend(F, curvature)
        assert (np.diff(u) > 0).all()
        assert np.isfinite(u).all()
    assert bend(np.array([1e-6]), 0.3) == pytest.approx(1e-6, rel=1e-5)


def test_separated_classes_have_a_finite_temperature():
    F = 100.0 * np.eye(3)
    p = fit_softmax(F, np.arange(3)).probabilities(F)
    assert (np.diag(p) > 0.5).all()
    assert p.max() < 0.99


def test_discriminants_that_point_the_wrong_way_count_for_nothing():
    F = np.eye(3)
    fitted = fit_softmax(F, np.array([1, 2, 0]))
    assert fitted.temperature == np.inf
    np.testing.assert_allclose(fitted.probabilities(F), 1 / 3)


@pytest.mark.parametrize("F", [np.empty((0, 3)), np.ones((4, 3)), np.array([[1e100, -1e100, 0.0]])])
def test_tiny_data_give_probabilities(F):
    fitted = fit_softmax(F, np.zeros(len(F), np.intp))
    assert fitted.temperature > 0
    np.testing.assert_allclose(fitted.probabilities(F).sum(axis=1), 1.0)
