"""Draws of the auxiliary variables that make a max-margin loss Gaussian in the discriminant."""

from __future__ import annotations

import math

import numpy as np

from pymc_medlda.kernels._jit import kernel


@kernel
def draw_scale(rng: np.random.Generator, m: float) -> float:
    r"""Draw λ ~ GIG(1/2, 1, m²): 1/λ ~ IG(1/m, 1), for any m ≥ 0 (eqs. 14, 21, 22 and 28).

    .. math:: p(\lambda) \propto \lambda^{-1/2} \exp(-m^2 / 2\lambda - \lambda / 2)

    The transformation with two roots of Michael, Schucany and Haas, written for λ instead of
    1/λ: the roots are r = m + y/2 + √(y (m + y/4)) and m²/r with y ~ χ²(1), and r is kept with
    probability r/(r + m). Nothing cancels and nothing is divided by m, so the limit m = 0, a
    document exactly on the margin, needs no special case: there λ = y ~ χ²(1).
    """
    normal = rng.standard_normal()
    y = normal * normal
    root = m + 0.5 * y + math.sqrt(y * (m + 0.25 * y))
    if rng.random() * (root + m) <= root:
        return root
    return m * (m / root)


@kernel
def draw_scales(rng: np.random.Generator, m: np.ndarray, out: np.ndarray) -> None:
    """Draw one λ for each entry of ``m``; NaN (no label) gives NaN and uses no random number."""
    for i in range(m.size):
        out[i] = m[i] if math.isnan(m[i]) else draw_scale(rng, m[i])
