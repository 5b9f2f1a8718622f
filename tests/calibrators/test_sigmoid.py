"""The sigmoid against a slow twin, known laws and hopeless data."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from pymc_medlda.calibrators.sigmoid import fit_sigmoid


def fit_slowly(F, positive):
    """Minimise the cross entropy to Platt's targets without derivatives."""
    n1, n0 = positive.sum(), (~positive).sum()
    target = np.where(positive, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))

    def cost(parameters):
        x = parameters[0] * F / F.std() + parameters[1]
        return np.sum(np.logaddexp(0, x) - target * x)

    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 10_000}
    slope, intercept = minimize(cost, [1.0, 0.0], method="Nelder-Mead", options=options).x
    return slope / F.std(), intercept


def draw(rng, n, slope, intercept, scale=1.0):
    F = scale * rng.normal(size=n)
    return F, rng.random(n) < expit(slope * F + intercept)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("n", [12, 400])
def test_newton_finds_the_minimum(n, scale):
    F, positive = draw(np.random.default_rng(n), n, 2.0 / scale, -1.0, scale)
    np.testing.assert_allclose(
        fit_sigmoid(F + scale, positive), fit_slowly(F + scale, positive), 1e-4
    )


def test_the_law_is_found_again():
    rng = np.random.default_rng(0)
    fits = [fit_sigmoid(*draw(rng, 2000, 3.0, 0.5)) for _ in range(30)]
    mean, error = np.mean(fits, axis=0), np.std(fits, axis=0) / np.sqrt(30)
    # Platt's targets move the estimates by far less than the error of one fit.
    assert (np.abs(mean - [3.0, 0.5]) < 4 * error + 0.02).all()


def test_separated_classes_have_a_finite_slope():
    F = np.array([-2.0, -1.0, 1.0, 2.0])
    fitted = fit_sigmoid(F, F > 0)
    assert 0 < fitted.slope < 100
    chance = expit(fitted.log_odds(F))
    assert (chance[F > 0] > 0.5).all()
    assert (chance[F < 0] < 0.5).all()
    assert (0.01 < chance).all()
    assert (chance < 0.99).all()


@pytest.mark.parametrize("F", [[], [3.0], [2.0, 2.0, 2.0], [1e100, -1e-100, 0.0]])
@pytest.mark.parametrize("label", [True, False])
def test_tiny_data_give_finite_numbers(F, label):
    F = np.array(F)
    fitted = fit_sigmoid(F, np.full(F.size, label))
    assert np.isfinite(fitted).all()
    assert fitted.slope >= 0


def test_discriminants_that_point_the_wrong_way_count_for_nothing():
    F = np.linspace(-1, 1, 50)
    fitted = fit_sigmoid(F, F < 0.2)
    assert fitted.slope == 0
    assert expit(fitted.intercept) == pytest.approx((F < 0.2).mean(), abs=0.03)
