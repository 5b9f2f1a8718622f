"""Draws of the auxiliary variables that make a max-margin loss Gaussian in the discriminant."""

from __future__ import annotations

import math

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import kernel


def draw_scales(rng: np.random.Generator, m: Floats) -> Floats:
    r"""Draw λ ~ GIG(1/2, 1, m²) for each entry of ``m``; NaN (no label) gives NaN.

    .. math:: p(\lambda) \propto \lambda^{-1/2} \exp(-m^2 / 2\lambda - \lambda / 2)

    so that 1/λ ~ IG(1/m, 1), for any m ≥ 0 (eqs. 14, 21, 22 and 28). The random numbers are drawn
    here and not in the kernel: numba takes longer to convert a generator than to draw a thousand λ.
    """
    normal, uniform, out = rng.standard_normal(m.shape), rng.random(m.shape), np.empty(m.shape)
    m = np.ascontiguousarray(m, np.float64)
    fill_scales(m.reshape(-1), normal.reshape(-1), uniform.reshape(-1), out.reshape(-1))
    return out


@kernel
def fill_scales(m: np.ndarray, normal: np.ndarray, uniform: np.ndarray, out: np.ndarray) -> None:
    """Write λ of every m to ``out``, from standard normal and uniform random numbers."""
    for i in range(m.size):
        out[i] = scale_of(m[i], normal[i], uniform[i])


@kernel
def scale_of(m: float, normal: float, uniform: float) -> float:
    """Turn a standard normal and a uniform random number into λ.

    The transformation with two roots of Michael, Schucany and Haas, written for λ instead of
    1/λ: the roots are r = m + y/2 + √(y (m + y/4)) and m²/r with y ~ χ²(1), and r is kept with
    probability r/(r + m). No digits are lost by cancellation and nothing is divided by m, so the
    limit m = 0, a document exactly on the margin, needs no special case: there λ = y ~ χ²(1).
    """
    y = normal * normal
    root = m + 0.5 * y + math.sqrt(y * (m + 0.25 * y))
    if uniform * (root + m) <= root:
        return root
    return m * (m / root)
