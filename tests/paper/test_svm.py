"""The machines inside MedLDA: weights and dual variables against a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import LinearSVC, LinearSVR

from paper.rivals.svm import solve_classes, solve_hinge, solve_tube


@pytest.fixture
def frequencies(rng):
    return rng.dirichlet(np.full(4, 0.5), size=60)


def minimise_smoothly(features, loss):
    """Minimise |κ|²/2 + loss by a general method, with the kink of the loss slightly rounded."""

    def objective(weights):
        return 0.5 * weights @ weights + loss(features @ weights)

    start = np.zeros(features.shape[1])
    return minimize(objective, start, method="Powell", options={"xtol": 1e-8, "ftol": 1e-12}).x


def test_hinge_agrees_with_a_general_solver(rng, frequencies):
    y = np.where(frequencies[:, 0] + 0.1 * rng.standard_normal(60) > 0.25, 1.0, -1.0)
    c, margin = 0.7, 16.0

    def loss(f):
        return 2 * c * np.maximum(0, margin - y * f).sum()

    found = solve_hinge(frequencies, y, c=c, margin=margin)
    expected = minimise_smoothly(frequencies, loss)
    np.testing.assert_allclose(found.weights, expected, rtol=2e-3, atol=2e-3 * margin)


def test_duals_of_the_hinge_are_feasible_and_make_the_weights(rng, frequencies):
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    c, margin = 3.0, 8.0
    weights, pull = solve_hinge(frequencies, y, c=c, margin=margin)
    dual = y * pull
    assert dual.min() >= -1e-9
    assert dual.max() <= 2 * c + 1e-9
    np.testing.assert_allclose(pull @ frequencies, weights, atol=1e-3 * margin)
    # Strong duality: the primal and the dual objective have the same value.
    primal = (
        0.5 * weights @ weights + 2 * c * np.maximum(0, margin - y * (frequencies @ weights)).sum()
    )
    assert primal == pytest.approx(margin * dual.sum() - 0.5 * weights @ weights, rel=2e-3)


def test_duals_of_the_tube_are_feasible_and_make_the_weights(rng, frequencies):
    y = frequencies @ np.array([1.0, -1.0, 0.5, 0.0]) + 0.1 * rng.standard_normal(60)
    c, epsilon = 2.0, 0.02
    weights, pull = solve_tube(frequencies, y, c=c, epsilon=epsilon)
    assert np.abs(pull).max() <= 2 * c + 1e-9
    np.testing.assert_allclose(pull @ frequencies, weights, atol=1e-3)
    slack = np.maximum(0, np.abs(y - frequencies @ weights) - epsilon).sum()
    primal = 0.5 * weights @ weights + 2 * c * slack
    dual = pull @ y - epsilon * np.abs(pull).sum() - 0.5 * weights @ weights
    assert primal == pytest.approx(dual, rel=5e-3)


def test_machines_are_those_of_scikit_learn(rng, frequencies):
    """With margin 1, 2c is the C of LinearSVC; for values it is the C of LinearSVR."""
    y = np.where(rng.random(60) < 0.3 + 0.4 * (frequencies[:, 0] > 0.3), 1.0, -1.0)
    settings = {"C": 2.0, "fit_intercept": False, "tol": 1e-6, "max_iter": 100_000}
    machine = LinearSVC(loss="hinge", dual=True, random_state=0, **settings).fit(frequencies, y)
    own = solve_hinge(frequencies, y, c=1.0, margin=1.0)
    np.testing.assert_allclose(own.weights, machine.coef_[0], atol=5e-3)
    values = frequencies @ np.array([1.0, -1.0, 0.5, 0.0]) + 0.1 * rng.standard_normal(60)
    regression = LinearSVR(epsilon=0.05, dual=True, random_state=0, **settings)
    regression.fit(frequencies, values)
    own = solve_tube(frequencies, values, c=1.0, epsilon=0.05)
    np.testing.assert_allclose(own.weights, regression.coef_, atol=5e-3)


def test_machines_of_several_classes_are_those_of_scikit_learn(rng, frequencies):
    label = (frequencies + 0.2 * rng.random((60, 4)))[:, :3].argmax(axis=1)
    y = np.where(label[:, None] == np.arange(3), 1.0, -1.0)
    machine = LinearSVC(
        C=2.0, multi_class="crammer_singer", fit_intercept=False, tol=1e-6, max_iter=100_000
    )
    machine.fit(frequencies, label)
    weights, pull = solve_classes(frequencies, y, c=1.0, margin=1.0)
    np.testing.assert_allclose(weights, machine.coef_, atol=0.02)
    np.testing.assert_allclose(pull.T @ frequencies, weights, atol=1e-9)
    np.testing.assert_allclose(pull.sum(axis=1), 0.0, atol=1e-9)


def test_a_machine_that_starts_from_a_solution_stays_there(rng, frequencies):
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    first = solve_hinge(frequencies, y, c=1.0, margin=8.0)
    second = solve_hinge(frequencies, y, c=1.0, margin=8.0, start=first.pull)
    np.testing.assert_allclose(second.weights, first.weights, atol=0.02)


def test_without_supervision_nothing_pulls(frequencies):
    y = np.where(np.arange(60) < 30, 1.0, -1.0)
    assert not solve_hinge(frequencies, y, c=0.0, margin=1.0).pull.any()
    assert not solve_tube(frequencies, y, c=0.0, epsilon=0.1).pull.any()
