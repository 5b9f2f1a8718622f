"""vMedLDA: mean-field variational MedLDA (Zhu, Ahmed and Xing, JMLR 13, 2012).

Classification minimises KL(q || p0) - E log p(W | Z) + 2c Σ_di max(0, margin - y_di κ_i · E z̄_d),
where q is fully factorised and q(η_i) = N(κ_i, I). Documents of one class each pay the loss of
Crammer and Singer in the place of the last sum. Regression adds the likelihood of the responses,
y_d ~ N(η · z̄_d, δ²), to the epsilon-insensitive loss, as in the full model of that paper; a variant
leaves this likelihood out. Steps alternate between a support vector machine, and topics given its
dual variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

from paper.rivals import collapsed, mean_field
from paper.rivals.collapsed import Prior
from paper.rivals.gaussian import GaussianPosterior
from paper.rivals.gmedlda import solve_tasks, sum_losses
from paper.rivals.svm import solve_tube
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus


@dataclass(frozen=True)
class Variational:
    """Topics, and the mean weights of one discriminant per task."""

    topics: Floats  # (n_words, n_topics), λ
    weights: Floats  # (n_tasks, n_topics), κ
    prior: Prior
    objective: list[float] = field(default_factory=list)
    stop: mean_field.Stop = mean_field.STOPS["settled"]  # of the rounds over new documents

    def discriminants(self, corpus: Corpus, seed: int = 0) -> Floats:
        """Return κ · E z̄ of new documents, (n_documents, n_tasks); nothing is random here."""
        return mean_field.infer(corpus, self.topics, self.prior, self.stop) @ self.weights.T


def fit(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    c: float = 1.0,
    margin: float = 64.0,
    alpha: float = 1.0,
    iterations: int = 100,
    tolerance: float = 1e-4,
    unsupervised: int = 0,
    stop: str = "published",
) -> Variational:
    """Fit classifiers; stop when the objective changes by less than ``tolerance`` of itself.

    ``stop`` names the rule for the rounds over one document, in `mean_field.STOPS`. Rounds that go
    on until topics have settled raise the objective in every iteration. Those of the published
    settings stop earlier, and predict better if c is small.

    With many classes, labels that act on topics which are still alike send several classes to the
    same topic, for good. So topics can start from documents, and leave the labels out for the first
    ``unsupervised`` iterations.
    """
    prior = collapsed.paper_prior(n_topics, alpha)
    rounds = mean_field.STOPS[stop]
    posterior = mean_field.Posterior(corpus, n_topics, prior, seed, rounds)
    if unsupervised:
        posterior.topics = mean_field.seed_topics(corpus, n_topics, seed)
    exponent = np.zeros((corpus.n_documents, n_topics))
    lengths = np.maximum(posterior.bags.lengths, 1.0)[:, None]
    pull = np.zeros(y.shape)
    values: list[float] = []
    for _ in range(iterations):
        posterior.update_documents(exponent)
        bound = posterior.bound(exponent)
        posterior.update_topics()
        weights, pull = solve_tasks(posterior.frequencies, y, pull, c=c, margin=margin)
        if len(values) >= unsupervised:
            exponent = pull @ weights / lengths
        loss = sum_losses(posterior.frequencies @ weights.T, y, margin)
        values.append(bound - 0.5 * np.square(weights).sum() - 2.0 * c * loss)
        if len(values) > unsupervised + 1 and _settled(values, tolerance):
            break
    return Variational(posterior.topics, weights, prior, values, rounds)


def fit_values(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    c: float = 1.0,
    epsilon: float = 1e-3,
    alpha: float = 1.0,
    iterations: int = 100,
    tolerance: float = 1e-4,
) -> Variational:
    """Fit a regression to y, which has one column."""
    prior = collapsed.paper_prior(n_topics, alpha)
    value = y[:, 0]
    posterior = GaussianPosterior(corpus, value, n_topics, prior, seed)
    values: list[float] = []
    for _ in range(iterations):
        posterior.update_documents()
        values.append(posterior.bound())
        posterior.update_topics()
        regress(posterior, c=c, epsilon=epsilon)
        if _settled(values, tolerance):
            break
    return Variational(posterior.topics, posterior.mean[None], prior, values)


def fit_values_by_words(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    c: float = 1.0,
    epsilon: float = 1e-3,
    alpha: float = 1.0,
    iterations: int = 100,
    tolerance: float = 1e-4,
) -> Variational:
    """Fit a regression to y by the likelihood of words and the loss alone, without that of y.

    As in `fit`, q(η) = N(κ, I), and κ is that of a support vector regression.
    """
    prior = collapsed.paper_prior(n_topics, alpha)
    value = y[:, 0]
    posterior = mean_field.Posterior(corpus, n_topics, prior, seed)
    exponent = np.zeros((corpus.n_documents, n_topics))
    lengths = np.maximum(posterior.bags.lengths, 1.0)[:, None]
    weights, pull = np.zeros(n_topics), np.zeros(len(value))
    values: list[float] = []
    for _ in range(iterations):
        posterior.update_documents(exponent)
        bound = posterior.bound(exponent)
        posterior.update_topics()
        machine = solve_tube(posterior.frequencies, value, c=c, epsilon=epsilon, start=pull)
        weights, pull = machine.weights, machine.pull
        exponent = np.outer(pull, weights) / lengths
        error = np.abs(value - posterior.frequencies @ weights)
        loss = np.maximum(0.0, error - epsilon).sum()
        values.append(float(bound - 0.5 * np.square(weights).sum() - 2.0 * c * loss))
        if _settled(values, tolerance):
            break
    return Variational(posterior.topics, weights[None], prior, values)


def regress(posterior: GaussianPosterior, *, c: float, epsilon: float) -> None:
    """Update q(η) = N(m, Σ), the dual variables and δ².

    Σ⁻¹ = I + Σ_d E[z̄ z̄'] / δ². Without the loss, the mean is m' = Σ Σ_d y_d E z̄_d / δ². With it, m
    minimises (m - m')' Σ⁻¹ (m - m') / 2 + 2c Σ_d max(0, |y_d - m · E z̄_d| - epsilon), which is a
    support vector regression of y - m' · z̄ on features L⁻¹ z̄, where L L' = Σ⁻¹.
    """
    z, y = posterior.frequencies, posterior.y
    precision = np.eye(z.shape[1]) + posterior.second_moment / posterior.variance
    plain = cho_solve(cho_factor(precision), z.T @ y) / posterior.variance
    root = cholesky(precision, lower=True)
    features = np.ascontiguousarray(solve_triangular(root, z.T, lower=True).T)
    machine = solve_tube(features, y - z @ plain, c=c, epsilon=epsilon, start=posterior.pull)
    posterior.mean = plain + solve_triangular(root.T, machine.weights)
    posterior.spread = np.linalg.inv(precision)
    posterior.pull = machine.pull
    posterior.update_variance()


def _settled(values: list[float], tolerance: float) -> bool:
    return len(values) > 1 and abs(values[-1] - values[-2]) <= tolerance * abs(values[-2])
