"""Supervised LDA for real responses, by variational EM (Blei and McAuliffe, 2007).

y_d ~ N(η · z̄_d, δ²), where η and δ² are estimated: η = (Σ_d E[z̄ z̄'])⁻¹ Σ_d y_d E z̄_d.
"""

from __future__ import annotations

import numpy as np

from paper.rivals import collapsed
from paper.rivals.gaussian import GaussianPosterior
from paper.rivals.vmedlda import Variational, _settled
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus

# Topics without tokens would make the normal equations singular.
RIDGE = 1e-6


def fit(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    alpha: float = 1.0,
    iterations: int = 100,
    tolerance: float = 1e-4,
) -> Variational:
    """Fit a regression to y, which has one column."""
    prior = collapsed.paper_prior(n_topics, alpha)
    posterior = GaussianPosterior(corpus, y[:, 0], n_topics, prior, seed)
    values: list[float] = []
    for _ in range(iterations):
        posterior.update_documents()
        posterior.update_topics()
        estimate(posterior)
        values.append(posterior.bound())
        if _settled(values, tolerance):
            break
    return Variational(posterior.topics, posterior.mean[None], prior, values)


def estimate(posterior: GaussianPosterior) -> None:
    """Set η and δ² to the values that maximise the bound."""
    moment = posterior.second_moment + RIDGE * np.eye(posterior.second_moment.shape[0])
    posterior.mean = np.linalg.solve(moment, posterior.frequencies.T @ posterior.y)
    posterior.update_variance()
