"""Every loss: its augmentation against its factor, its draws, its missing entries."""

import numpy as np
import pytest
from scipy import integrate, stats

import pymc_medlda as med
from pymc_medlda.losses import LOSSES
from tests.oracle import LOG_FACTORS

PARAMETERS = {
    "Hinge": {"c": 0.7, "margin": 1.5},
    "EpsilonInsensitive": {"c": 1.6, "epsilon": 0.2},
    "Gaussian": {"sigma": 0.6},
    "Logistic": {"c": 3.0},
}
RESPONSES = {"Hinge": -1.0, "EpsilonInsensitive": 0.9, "Gaussian": 0.4, "Logistic": -1.0}


def test_the_table_covers_every_loss():
    assert set(PARAMETERS) == set(LOSSES) == set(LOG_FACTORS)


@pytest.mark.parametrize("name", LOSSES)
def test_factor_agrees_with_its_definition(name):
    loss, y = LOSSES[name], np.array([[RESPONSES[name]]])
    f = np.linspace(-3, 3, 25)[:, None]
    expected = LOG_FACTORS[name](y, f, **PARAMETERS[name])
    parameters = tuple(PARAMETERS[name].values())
    values = loss.value(y, f, *parameters)
    np.testing.assert_allclose(loss.log_factor_of(values, *parameters), expected)
    symbolic = loss.log_factor(y, f, *parameters)
    np.testing.assert_allclose(symbolic.eval() if hasattr(symbolic, "eval") else symbolic, expected)


@pytest.mark.parametrize("name", ["Hinge", "EpsilonInsensitive", "Logistic"])
def test_mixture_of_gaussians_is_the_factor(name, rng):
    """E exp(b (F' - F) - a (F'² - F²)/2) over the auxiliary variables at F is factor(F')/factor(F).

    An identity of the augmented density: it holds for the right (a, b) and the right conditional
    only, and shows a wrong power of c at once.
    """
    loss, y0 = LOSSES[name], RESPONSES[name]
    parameters = tuple(PARAMETERS[name].values())
    n = 400_000
    for f0, f1 in ((0.3, 0.5), (-0.6, -0.4), (1.2, 1.0)):
        y, f = np.full((n, 1), y0), np.full((n, 1), f0)
        a, b = loss.augment(rng, y, f, *parameters, given=True)
        ratio = np.exp(b * (f1 - f0) - 0.5 * a * (f1**2 - f0**2))
        expected = np.exp(
            LOG_FACTORS[name](y0, f1, **PARAMETERS[name])
            - LOG_FACTORS[name](y0, f0, **PARAMETERS[name])
        )
        error = ratio.std() / np.sqrt(n)
        assert abs(ratio.mean() - expected) < 4.5 * error
        wrong = {**PARAMETERS[name], "c": 1.0}
        refused = np.exp(LOG_FACTORS[name](y0, f1, **wrong) - LOG_FACTORS[name](y0, f0, **wrong))
        assert abs(ratio.mean() - refused) > 10 * error


def test_gaussian_is_its_own_quadratic():
    y, f = np.array([[0.4]]), np.linspace(-2, 2, 9)[:, None]
    a, b = med.Gaussian.augment(np.random.default_rng(0), y, f[:1], 0.6, given=True)
    quadratic = b * f - 0.5 * a * f**2
    factor = LOG_FACTORS["Gaussian"](y, f, sigma=0.6)
    np.testing.assert_allclose(np.diff(quadratic - factor, axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_missing_response_weighs_nothing(name, rng):
    y = np.array([[RESPONSES[name]], [np.nan]])
    parameters = PARAMETERS[name].values()
    a, b = LOSSES[name].augment(rng, y, np.zeros((2, 1)), *parameters, given=~np.isnan(y))
    assert a[0, 0] > 0
    assert (a[1, 0], b[1, 0]) == (0.0, 0.0)


@pytest.mark.parametrize("name", ["Hinge", "Logistic"])
def test_drawn_labels_have_the_odds_of_the_factor(name, rng):
    parameters = tuple(PARAMETERS[name].values())
    draws = LOSSES[name].draw_response(rng, np.full(100_000, 0.4), *parameters)
    up, down = (LOG_FACTORS[name](s, 0.4, **PARAMETERS[name]) for s in (1.0, -1.0))
    if name == "Logistic":  # weight c raises the likelihood to a power; a label is drawn with c = 1
        up, down = up / PARAMETERS[name]["c"], down / PARAMETERS[name]["c"]
    p = 1 / (1 + np.exp(down - up))
    assert abs((draws > 0).mean() - p) < 4.5 * np.sqrt(p * (1 - p) / draws.size)
    assert set(np.unique(draws)) == {-1.0, 1.0}


@pytest.mark.parametrize("name", ["EpsilonInsensitive", "Gaussian"])
def test_drawn_values_follow_the_normalised_factor(name, rng):
    draws = LOSSES[name].draw_response(rng, np.full(20_000, 0.4), *PARAMETERS[name].values())

    def density(y):
        return np.exp(LOG_FACTORS[name](y, 0.4, **PARAMETERS[name]))

    grid = np.linspace(-8, 9, 20_001)
    cumulated = integrate.cumulative_trapezoid(density(grid), grid, initial=0)
    law = lambda y: np.interp(y, grid, cumulated / cumulated[-1])  # noqa: E731
    assert stats.kstest(draws, law).pvalue > 1e-3
    assert stats.kstest(draws + 0.1, law).pvalue < 1e-6
