"""The scale draw against its density, and the augmentation integral against the loss."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from pymc_medlda.kernels.augmentation import draw_scales, fill_scales, scale_of


def cdf(m):
    """Return the distribution function of λ: 1/λ is inverse Gaussian with mean 1/m, shape 1."""
    if m == 0:
        return stats.chi2(1).cdf
    return lambda lam: stats.invgauss(mu=1 / m, scale=1.0).sf(1 / lam)


@pytest.mark.parametrize("m", [0.0, 1e-12, 1e-3, 0.3, 1.0, 7.0, 164.0, 1e4])
def test_scales_follow_their_law(m, rng):
    out = draw_scales(rng, np.full((5_000, 4), m)).ravel()
    assert np.isfinite(out).all()
    assert (out > 0).all()
    # Around its mean a draw at m = 1e4 varies by 1 %: below a mean of 1e8 SciPy resolves it.
    assert stats.kstest(out, cdf(m)).pvalue > 1e-3


def test_wrong_law_is_refused(rng):
    out = draw_scales(rng, np.ones(20_000))
    assert stats.kstest(out, cdf(1.1)).pvalue < 1e-6


@pytest.mark.parametrize("m", [1e-3, 0.3, 1.0, 7.0, 164.0])
@pytest.mark.parametrize("normal", [-3.0, -0.5, 0.1, 1.0, 4.0])
def test_a_scale_is_one_of_the_two_roots_of_its_equation(m, normal):
    """(λ - m)²/λ is the square of a standard normal; λ is one of the two numbers that say so.

    Given that square, the two have probabilities in the ratio of λ to m (the density of λ, divided
    by the derivative of the equation).
    """
    larger, smaller = scale_of(m, normal, 0.0), scale_of(m, normal, 1.0)
    assert smaller < m < larger
    assert larger * smaller == pytest.approx(m * m, rel=1e-12)
    for scale in (larger, smaller):
        assert (scale - m) ** 2 / scale == pytest.approx(normal**2, rel=1e-9)
    share = larger / (larger + m)
    assert scale_of(m, normal, share - 1e-9) == larger
    assert scale_of(m, normal, share + 1e-9) == smaller


@pytest.mark.parametrize("m", [1e-300, 1e-20, 1e12, 1e150])
def test_extreme_scales_stay_finite(m, rng):
    draws = draw_scales(rng, np.full(1000, m))
    assert np.isfinite(draws).all()
    assert (draws > 0).all()


@pytest.mark.parametrize("c", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("zeta", [-3.0, -0.2, 0.4, 2.0])
def test_augmentation_integral_is_the_loss(c, zeta):
    def integrand(root):  # λ = root², which takes the singularity at zero away
        lam = root * root
        return 2 * math.exp(-((lam + c * zeta) ** 2) / (2 * lam)) / math.sqrt(2 * math.pi)

    value, _ = integrate.quad(integrand, 0, np.inf)
    assert value == pytest.approx(math.exp(-2 * c * max(0.0, zeta)), rel=1e-6)


def test_missing_labels_stay_missing(rng):
    drawn = draw_scales(rng, np.array([[1.0, np.nan], [0.0, 2.0]]))
    assert np.isnan(drawn).tolist() == [[False, True], [False, False]]


def test_jitted_draw_equals_plain_python(rng):
    m, normal, uniform = rng.exponential(2.0, 50), rng.standard_normal(50), rng.random(50)
    m[:2] = 0.0, np.nan
    jitted, plain = np.empty((2, 50))
    fill_scales(m, normal, uniform, jitted)
    fill_scales.py_func(m, normal, uniform, plain)
    np.testing.assert_array_equal(jitted, plain)
