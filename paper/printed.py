"""What the printed formulas would do: the sampler of the paper with c ≠ 1, on an enumerable corpus.

In classification the paper's topic conditional has the linear term γ y (c ℓ + λ) η_k / λ. From the
joint density it is γ c y (c ℓ + λ) η_k / λ. In regression the paper has c ψ, both there and in the
mean of the weights, where the joint density has c² ψ. These agree for c = 1 only. Here both
samplers run on a corpus that is so small that the true probability of every assignment follows
from enumeration and quadrature.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from scipy.special import gammaln

from pymc_medlda._arrays import Floats

WORDS = np.array([0, 1, 1, 2, 0])
DOCUMENT = np.array([0, 0, 1, 1, 1])
Y = np.array([1.0, -1.0])
LENGTH = np.bincount(DOCUMENT).astype(float)
N_WORDS, N_TOPICS = 3, 2
ALPHA, BETA = 0.5, 0.3
MARGIN = 1.0
EPSILON = 0.1


def all_assignments() -> np.ndarray:
    """Return every assignment of the tokens, one per row."""
    number = np.arange(N_TOPICS**WORDS.size)[:, None]
    return number // N_TOPICS ** np.arange(WORDS.size)[::-1] % N_TOPICS


def true_probabilities(c: float, regression: bool = False) -> Floats:
    """Return p(Z | W, y) of every assignment, with η integrated out on a grid."""
    grid = np.linspace(-8.0, 8.0, 321)
    eta = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1)
    log_prior = -0.5 * np.square(eta).sum(axis=-1)
    log_p = []
    for z in all_assignments():
        counts = np.zeros((2, N_TOPICS))
        np.add.at(counts, (DOCUMENT, z), 1.0)
        of_word = np.zeros((N_TOPICS, N_WORDS))
        np.add.at(of_word, (z, WORDS), 1.0)
        own = gammaln(counts + ALPHA).sum() + gammaln(of_word + BETA).sum()
        own -= gammaln(of_word.sum(axis=1) + N_WORDS * BETA).sum()
        discriminant = eta @ (counts / LENGTH[:, None]).T
        if regression:
            loss = np.maximum(0.0, np.abs(Y - discriminant) - EPSILON).sum(axis=-1)
        else:
            loss = np.maximum(0.0, MARGIN - Y * discriminant).sum(axis=-1)
        log_p.append(own + np.log(np.exp(log_prior - 2.0 * c * loss).sum()))
    p = np.exp(np.array(log_p) - max(log_p))
    return p / p.sum()


@numba.njit(cache=True)
def draw_scale(rng: np.random.Generator, distance: float) -> float:
    """Draw λ, where 1/λ is inverse Gaussian with mean 1/|distance| and shape 1."""
    return 1.0 / rng.wald(1.0 / max(abs(distance), 1e-10), 1.0)


@numba.njit(cache=True)
def terms(y: float, c: float, regression: bool, lam: float, omega: float) -> tuple[float, float]:
    """Return the quadratic term of a document, and its linear term without the factor."""
    if regression:
        return c * c * (1.0 / lam + 1.0 / omega), (y - EPSILON) / lam + (y + EPSILON) / omega
    return c * c / lam, y * (lam + c * MARGIN) / lam


@numba.njit(cache=True)
def draw_weights(rng: np.random.Generator, z_bar: Floats, square: Floats, linear: Floats) -> Floats:
    """Draw η ~ N(Σ Z̄' linear, Σ), where Σ⁻¹ = I + Z̄' diag(square) Z̄."""
    precision = np.eye(N_TOPICS) + (z_bar.T * square) @ z_bar
    root = np.linalg.cholesky(precision)
    mean = np.linalg.solve(precision, z_bar.T @ linear)
    return mean + np.linalg.solve(root.T, rng.standard_normal(N_TOPICS))


@numba.njit(cache=True)
def visit(
    rng: np.random.Generator,
    c: float,
    regression: bool,
    factors: tuple[float, float],
    n_sweeps: int,
) -> Floats:
    """Return how often the sampler visits each assignment.

    ``factors`` multiply the linear terms in the mean of the weights and in the topic conditional.
    The auxiliary variables are drawn from the same laws, whatever the factors are.
    """
    n = WORDS.size
    z = rng.integers(0, N_TOPICS, n)
    lam, omega = np.ones(2), np.ones(2)
    square, linear = np.empty(2), np.empty(2)
    shares = np.zeros(N_TOPICS**n)
    of_document, of_word = np.zeros((2, N_TOPICS)), np.zeros((N_WORDS, N_TOPICS))
    for i in range(n):
        of_document[DOCUMENT[i], z[i]] += 1.0
        of_word[WORDS[i], z[i]] += 1.0
    weight = np.empty(N_TOPICS)
    for _ in range(n_sweeps):
        for d in range(2):
            square[d], linear[d] = terms(Y[d], c, regression, lam[d], omega[d])
        z_bar = of_document / LENGTH.reshape(2, 1)
        eta = draw_weights(rng, z_bar, square, factors[0] * linear)
        for i in range(n):
            d, t, gamma = DOCUMENT[i], WORDS[i], 1.0 / LENGTH[DOCUMENT[i]]
            of_document[d, z[i]] -= 1.0
            of_word[t, z[i]] -= 1.0
            others = (eta * of_document[d]).sum() * gamma
            for k in range(N_TOPICS):
                step = gamma * eta[k]
                pull = factors[1] * linear[d] * step
                pull -= square[d] * (step * step + 2.0 * step * others) / 2.0
                size = of_word[:, k].sum() + N_WORDS * BETA
                weight[k] = np.log((of_word[t, k] + BETA) * (of_document[d, k] + ALPHA) / size)
                weight[k] += pull
            second = 1.0 / (1.0 + np.exp(weight[0] - weight[1]))
            z[i] = 1 if rng.random() < second else 0
            of_document[d, z[i]] += 1.0
            of_word[t, z[i]] += 1.0
        for d in range(2):
            value = (eta * of_document[d]).sum() / LENGTH[d]
            if regression:
                lam[d] = draw_scale(rng, c * (Y[d] - value - EPSILON))
                omega[d] = draw_scale(rng, c * (Y[d] - value + EPSILON))
            else:
                lam[d] = draw_scale(rng, c * (MARGIN - Y[d] * value))
        state = 0
        for i in range(n):
            state = state * N_TOPICS + z[i]
        shares[state] += 1.0 / n_sweeps
    return shares


def without_names(probabilities: Floats) -> Floats:
    """Add the probabilities of assignments that differ by the names of the two topics only.

    With a large c a chain seldom exchanges the names, and nothing depends on them.
    """
    half = probabilities.size // 2
    return probabilities[:half] + probabilities[half:][::-1]


def compare(*, response: str, cs: list[float], n_sweeps: int, seed: int) -> dict[str, Any]:
    """Return the total variation distance of both samplers from the truth, for values of c.

    ``response`` is "classification" or "regression".
    """
    regression = response == "regression"
    result: dict[str, Any] = {"cs": cs, "corrected": [], "printed": [], "probabilities": {}}
    for c in cs:
        truth = without_names(true_probabilities(c, regression))
        factors = {
            "corrected": (c * c, c * c) if regression else (c, c),
            "printed": (c, c) if regression else (c, 1.0),
        }
        shares = {
            name: without_names(
                visit(np.random.default_rng(seed + i), c, regression, own, n_sweeps)
            )
            for i, (name, own) in enumerate(factors.items())
        }
        for name, own in shares.items():
            result[name].append(float(0.5 * np.abs(own - truth).sum()))
        result["probabilities"][f"{c:g}"] = {
            "true": truth.tolist(), **{name: own.tolist() for name, own in shares.items()},
        }  # fmt: skip
    return result
