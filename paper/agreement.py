"""Several chains: what averaging over draws and chains gains, and whether the chains agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from paper import data, methods, ours
from pymc_medlda._arrays import Floats


def split_r_hat(draws: Floats) -> Floats:
    """Return the split R-hat of (n_chains, n_draws, ...) draws."""
    half = draws.shape[1] // 2
    parts = np.concatenate([draws[:, :half], draws[:, half : 2 * half]])
    within = parts.var(axis=1, ddof=1).mean(axis=0)
    between = parts.mean(axis=1).var(axis=0, ddof=1)
    return np.sqrt((half - 1) / half + between / np.maximum(within, 1e-300))


def agreement(
    corpus: str, *, n_topics: int, seed: int, chains: int = 4, sweeps: int = 50, draws: int = 50
) -> dict[str, Any]:
    """Score single draws, single chains and the average of all; return R-hat of documents."""
    problem = data.load(corpus)
    methods.warm_up("ours", n_topics, problem.kind)
    model = ours.fit(
        problem.train, problem.y, n_topics=n_topics, seed=seed, sweeps=sweeps, draws=draws,
        chains=chains,
    )  # fmt: skip
    values = [
        z_bar @ draw.eta.T
        for draw, z_bar in model.iterate_frequencies(problem.test, seed, n_samples=1)
    ]
    shaped = np.array(values).reshape(chains, draws, *values[0].shape)
    return {
        "one_draw": float(np.mean([problem.score(own[-1])["score"] for own in shaped])),
        "one_chain": float(np.mean([problem.score(own.mean(axis=0))["score"] for own in shaped])),
        "all_chains": problem.score(shaped.mean(axis=(0, 1)))["score"],
        "r_hat": float(np.median(split_r_hat(shaped))),
        "below_1.05": float(np.mean(split_r_hat(shaped) < 1.05)),
    }
