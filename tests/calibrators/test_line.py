"""The line of real values against least squares, its law and hopeless data."""

import numpy as np
import pytest

from pymc_medlda.calibrators.line import FEWEST, PRIOR_SPREAD, fit_line


def draw(rng, n, slope=1.2, noise=1.0):
    F = 5.0 + rng.normal(size=n)
    return F, 2.0 + slope * F + noise * rng.normal(size=n)


def test_many_documents_give_least_squares():
    F, y = draw(np.random.default_rng(0), 100_000)
    np.testing.assert_allclose(fit_line(F, y), np.polyfit(F, y, 1), atol=0.003)


def test_few_documents_give_a_slope_between_theirs_and_one():
    """As the mean of the posterior on a grid of slopes says."""
    for seed in range(20):
        F, y = draw(np.random.default_rng(seed), 25, noise=3.0)
        x, r = F - F.mean(), y - y.mean()
        least = (x @ r) / (x @ x)
        variance = ((r - least * x) ** 2).sum() / 23
        grid = np.linspace(-4, 6, 20_001)
        log_density = -((r[:, None] - grid * x[:, None]) ** 2).sum(axis=0) / (2 * variance)
        log_density -= (grid - 1.0) ** 2 / (2 * PRIOR_SPREAD**2)
        weight = np.exp(log_density - log_density.max())
        fitted = fit_line(F, y)
        assert fitted.slope == pytest.approx((grid * weight).sum() / weight.sum(), abs=1e-3)
        assert abs(fitted.slope - 1) < abs(least - 1)
        assert fitted.slope * F.mean() + fitted.intercept == pytest.approx(y.mean())


def test_units_of_the_values_do_not_matter():
    F, y = draw(np.random.default_rng(1), 50)
    one, other = fit_line(F, y), fit_line(1e6 * F, 1e6 * y)
    assert other.slope == pytest.approx(one.slope)
    assert other.intercept == pytest.approx(1e6 * one.intercept)


@pytest.mark.parametrize("n", [0, 1, 2, FEWEST - 1])
def test_too_few_documents_change_nothing(n):
    assert fit_line(*draw(np.random.default_rng(n), n, slope=3.0)) == (1.0, 0.0)


def test_equal_discriminants_are_only_shifted():
    assert fit_line(np.full(30, 2.0), np.arange(30.0)) == (1.0, pytest.approx(12.5))


def test_discriminants_that_point_the_wrong_way_count_for_nothing():
    F = np.linspace(-1, 1, 500)
    assert fit_line(F, 3.0 - F) == (0.0, pytest.approx(3.0))
