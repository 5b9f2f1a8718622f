"""The temperature against a slow twin, known laws and hopeless data."""

import numpy as np
import pytest
from scipy.special import log_softmax

from pymc_medlda.calibrators.temperature import chances_of_classes, fit_temperature


def cross_entropy(F, y, temperature):
    n, n_classes = F.shape
    weight = n / (n + n_classes)
    target = weight * np.eye(n_classes)[y] + (1 - weight) / n_classes
    return -(target * log_softmax(F / temperature, axis=1)).sum()


def draw(rng, n, n_classes, temperature):
    F = 5.0 * rng.normal(size=(n, n_classes))
    p = chances_of_classes(F, temperature)
    return F, (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)


@pytest.mark.parametrize("n", [8, 300])
def test_no_other_temperature_is_better(n):
    F, y = draw(np.random.default_rng(2), n, 4, 3.0)
    fitted = fit_temperature(F, y)
    grid = fitted * np.exp(np.linspace(-3, 3, 2001))
    costs = [cross_entropy(F, y, t) for t in grid]
    assert cross_entropy(F, y, fitted) <= min(costs) + 1e-9
    assert abs(np.log(grid[np.argmin(costs)] / fitted)) < 0.004


def test_the_law_is_found_again():
    rng = np.random.default_rng(3)
    fits = np.array([1 / fit_temperature(*draw(rng, 1000, 5, 4.0)) for _ in range(30)])
    assert abs(fits.mean() - 0.25) < 4 * fits.std() / np.sqrt(30) + 0.003


def test_separated_classes_have_a_finite_temperature():
    F = 100.0 * np.eye(3)
    p = chances_of_classes(F, fit_temperature(F, np.arange(3)))
    assert (np.diag(p) > 0.5).all()
    assert p.max() < 0.99


def test_discriminants_that_point_the_wrong_way_count_for_nothing():
    F = np.eye(3)
    temperature = fit_temperature(F, np.array([1, 2, 0]))
    assert temperature == np.inf
    np.testing.assert_allclose(chances_of_classes(F, temperature), 1 / 3)


@pytest.mark.parametrize("F", [np.empty((0, 3)), np.ones((4, 3)), np.array([[1e100, -1e100, 0.0]])])
def test_tiny_data_give_probabilities(F):
    temperature = fit_temperature(F, np.zeros(len(F), np.intp))
    assert temperature > 0
    chances = chances_of_classes(F, temperature)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
