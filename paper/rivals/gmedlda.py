"""gMedLDA: max-margin topics by collapsed Gibbs sampling under q(η) q(Z).

Jiang, Zhu, Sun and Xing, "Monte Carlo methods for maximum margin supervised topic models" (NIPS
2012). The procedure alternates. Given the expected topic frequencies a support vector machine
gives the weights κ and the dual variables μ. Given these, topics are drawn from

    q(Z) ∝ p(W, Z) exp(Σ_d Σ_i y_di μ_di κ_i · z̄_d).

Several tasks share the topics, each with a machine of its own.
"""

from __future__ import annotations

import numpy as np

from paper.rivals import collapsed
from paper.rivals.collapsed import Classifier
from paper.rivals.svm import solve_classes, solve_hinge
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus


def fit(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    c: float = 1.0,
    margin: float = 64.0,
    alpha: float = 1.0,
    rounds: int = 20,
    burn_in: int = 5,
    samples: int = 5,
) -> Classifier:
    """Alternate ``rounds`` times between the machines and ``burn_in + samples`` sweeps.

    The machines see z̄ averaged over the samples of the round before. The chain of topics goes on
    from round to round.
    """
    rng = np.random.default_rng(seed)
    prior = collapsed.paper_prior(n_topics, alpha)
    counts = collapsed.start(corpus, n_topics, rng)
    frequencies = collapsed.topic_frequencies(counts, prior)
    pull = np.zeros(y.shape)
    for _ in range(rounds):
        weights, pull = solve_tasks(frequencies, y, pull, c=c, margin=margin)
        bias = as_bias(weights, pull, corpus.lengths)
        mean = np.zeros_like(frequencies)
        for i in range(burn_in + samples):
            collapsed.sweep(rng, corpus.words, corpus.starts, counts, prior, bias)
            if i >= burn_in:
                mean += collapsed.topic_frequencies(counts, prior) / samples
        frequencies = mean
    weights, _ = solve_tasks(frequencies, y, pull, c=c, margin=margin)
    return Classifier(collapsed.estimate_phi(counts, prior), weights, prior)


def solve_tasks(
    frequencies: Floats, y: Floats, pull: Floats, *, c: float, margin: float
) -> tuple[Floats, Floats]:
    """Solve the machines of all tasks, from the pull of the last ones; return κ and the new pull.

    Documents that belong to one of several classes each have one machine with the loss of Crammer
    and Singer, as in MedLDA. Other tasks have one machine each.
    """
    if are_classes(y):
        return solve_classes(frequencies, y, c=c, margin=margin, start=pull)
    solved = [
        solve_hinge(frequencies, own, c=c, margin=margin, start=start)
        for own, start in zip(y.T, pull.T, strict=True)
    ]
    weights = np.array([machine.weights for machine in solved])
    return weights, np.stack([machine.pull for machine in solved], axis=1)


def are_classes(y: Floats) -> bool:
    """Tell whether every document belongs to one of several classes."""
    return y.shape[1] > 1 and bool(((y > 0).sum(axis=1) == 1).all())


def sum_losses(discriminants: Floats, y: Floats, margin: float) -> float:
    """Return the loss that `solve_tasks` weighs with 2c, summed over documents."""
    if are_classes(y):
        own = discriminants[y > 0][:, None]
        return float((np.where(y > 0, 0.0, margin) + discriminants - own).max(axis=1).sum())
    return float(np.maximum(0.0, margin - y * discriminants).sum())


def as_bias(weights: Floats, pull: Floats, lengths: Floats) -> Floats:
    """Return exp(Σ_i y_di μ_di κ_ik / N_d) up to a constant of the document."""
    exponent = pull @ weights / np.maximum(lengths, 1)[:, None]
    return np.exp(exponent - exponent.max(axis=1, keepdims=True))
