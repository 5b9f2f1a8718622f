"""Slow and obvious: the joint density in plain NumPy, enumeration of z, quadrature over eta.

Nothing here comes from the package: formulas are written out again from the model's definition.
"""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import gammaln


def log_hinge(y, f, *, c, margin):
    return -2 * c * np.maximum(0, margin - y * f)


def log_epsilon_insensitive(y, f, *, c, epsilon):
    return -2 * c * np.maximum(0, np.abs(y - f) - epsilon)


def log_gaussian(y, f, *, sigma):
    return -0.5 * ((y - f) / sigma) ** 2 - np.log(sigma) - 0.5 * math.log(2 * math.pi)


def log_logistic(y, f, *, c):
    return -c * np.log1p(np.exp(-y * f))


LOG_FACTORS = {
    "Hinge": log_hinge,
    "EpsilonInsensitive": log_epsilon_insensitive,
    "Gaussian": log_gaussian,
    "Logistic": log_logistic,
}


@dataclass(frozen=True)
class Toy:
    """A corpus small enough to enumerate, with two topics and any number of tasks."""

    documents: tuple = ((0, 1), (1, 1, 2), (2,))
    n_words: int = 3
    n_topics: int = 2
    alpha: tuple = (0.6, 0.4)
    beta: float = 0.3
    loss: str = "Hinge"
    parameters: dict = field(default_factory=lambda: {"c": 0.7, "margin": 1.5})
    y: tuple = (1.0, -1.0, 1.0)
    offset: object = 0.0
    prior_mean: object = 0.0
    prior_scale: object = 1.0
    # Features x, (n_documents, n_features), with the prior of their weights.
    features: object = None
    feature_mean: object = 0.0
    feature_scale: object = 1.0
    # The powers of a tempered target: of p(W, Z), and of the factors of the labels.
    power: float = 1.0
    loss_power: float = 1.0

    @property
    def words(self):
        return np.array([w for d in self.documents for w in d])

    @property
    def document_of_token(self):
        return np.repeat(np.arange(len(self.documents)), [len(d) for d in self.documents])

    @property
    def responses(self):
        y = np.asarray(self.y, float)
        return y.reshape(y.shape[0], -1)

    def assignments(self):
        return np.array(
            list(itertools.product(range(self.n_topics), repeat=self.words.size)), np.uint8
        )

    def counts(self, z):
        table = np.zeros((len(self.documents), self.n_topics))
        np.add.at(table, (self.document_of_token, z), 1)
        return table

    def log_topics(self, z):
        """log p(W, Z | alpha, beta) to the power, from Dirichlet-multinomials."""
        alpha = np.asarray(self.alpha)
        total = 0.0
        for row in self.counts(z):
            total += gammaln(alpha.sum()) - gammaln(alpha.sum() + row.sum())
            total += (gammaln(alpha + row) - gammaln(alpha)).sum()
        for k in range(self.n_topics):
            row = np.bincount(self.words[z == k], minlength=self.n_words)
            total += gammaln(self.n_words * self.beta)
            total -= gammaln(self.n_words * self.beta + row.sum())
            total += (gammaln(self.beta + row) - gammaln(self.beta)).sum()
        return self.power * total

    def discriminants(self, z, eta):
        """F for weights (..., n_tasks, n_topics): (..., n_documents, n_tasks)."""
        counts = self.counts(z)
        frequency = counts / counts.sum(axis=1, keepdims=True)
        offset = np.broadcast_to(
            np.asarray(self.offset, float).reshape(-1, 1)
            if np.ndim(self.offset) == 1
            else self.offset,
            self.responses.shape,
        )
        return np.einsum("...ik,dk->...di", eta, frequency) + offset

    def log_factors(self, z, eta):
        columns = {
            key: np.reshape(value, (-1, 1)) if np.ndim(value) == 1 else value
            for key, value in self.parameters.items()
        }
        factors = LOG_FACTORS[self.loss](self.responses, self.discriminants(z, eta), **columns)
        return np.where(np.isnan(self.responses), 0.0, self.loss_power * factors)

    def log_prior(self, eta):
        mean, scale = np.broadcast_arrays(self.prior_mean, self.prior_scale, eta)[:2]
        return (
            -0.5 * ((eta - mean) / scale) ** 2 - np.log(scale) - 0.5 * math.log(2 * math.pi)
        ).sum(axis=(-1, -2))

    def log_joint(self, z, eta):
        return self.log_topics(z) + self.log_factors(z, eta).sum() + self.log_prior(eta)

    def posterior(self, *, n_grid=181, reach=9.0):
        """Return P(z) and E[eta], E[eta²] by enumeration of z and quadrature over eta.

        With features, their weights stand behind eta in the moments.
        """
        return self.summed(n_grid=n_grid, reach=reach)[:3]

    def summed(self, *, n_grid=161, reach=6.0):
        """Return what `posterior` does and the log of the posterior's normalising constant."""
        n_tasks = self.responses.shape[1]
        shape = (n_tasks, self.n_topics)
        mean = np.broadcast_to(self.prior_mean, shape)
        scale = np.broadcast_to(self.prior_scale, shape)
        if self.features is not None:
            shape = (n_tasks, np.shape(self.features)[1])
            mean = np.hstack([mean, np.broadcast_to(self.feature_mean, shape)])
            scale = np.hstack([scale, np.broadcast_to(self.feature_scale, shape)])
        log_p, first, second = [], [], []
        remembered = {}
        for z in self.assignments():
            key = self.counts(z).tobytes()
            if key not in remembered:
                remembered[key] = [
                    self._integrate(z, i, mean[i], scale[i], n_grid, reach) for i in range(n_tasks)
                ]
            parts = remembered[key]
            log_p.append(self.log_topics(z) + sum(p[0] for p in parts))
            first.append([p[1] for p in parts])
            second.append([p[2] for p in parts])
        # A cell of the grid, in units of the prior's scale, times the constant of its density.
        cell = mean.size * math.log(2 * reach / (n_grid - 1) / math.sqrt(2 * math.pi))
        log_evidence = np.logaddexp.reduce(log_p)
        p = np.exp(np.array(log_p) - log_evidence)
        return (
            p,
            np.tensordot(p, np.array(first), 1),
            np.tensordot(p, np.array(second), 1),
            log_evidence + cell,
        )

    def _integrate(self, z, i, mean, scale, n_grid, reach):
        """Integrate the prior of task i times its factors over a grid of its weights."""
        axes = [
            m + s * np.linspace(-reach, reach, n_grid) for m, s in zip(mean, scale, strict=True)
        ]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, mean.size)
        counts = self.counts(z)
        frequency = counts / counts.sum(axis=1, keepdims=True)
        if self.features is not None:
            frequency = np.hstack([frequency, self.features])
        offset = np.broadcast_to(
            np.asarray(self.offset, float).reshape(-1, 1)
            if np.ndim(self.offset) == 1
            else self.offset,
            self.responses.shape,
        )[:, i]
        y = self.responses[:, i]
        factors = LOG_FACTORS[self.loss](y, grid @ frequency.T + offset, **self.parameters)
        log_density = np.where(np.isnan(y), 0.0, self.loss_power * factors).sum(axis=1)
        log_density += (-0.5 * ((grid - mean) / scale) ** 2).sum(axis=1)
        highest = log_density.max()
        weight = np.exp(log_density - highest)
        total = weight.sum()
        return (
            highest + math.log(total),
            weight @ grid / total,
            weight @ grid**2 / total,
        )


def z_scores(samples, expected, *, n_batches=50):
    """Return (mean - expected) / Monte Carlo error of each column, the error from batch means."""
    samples = np.asarray(samples, float)
    usable = samples[: len(samples) // n_batches * n_batches]
    means = usable.reshape(n_batches, -1, usable.shape[1]).mean(axis=1)
    error = means.std(axis=0, ddof=1) / math.sqrt(n_batches)
    return (usable.mean(axis=0) - expected) / np.maximum(error, 1e-12)


def threshold(n_statistics, level=1e-3):
    """Return the two-sided bound of a Student t (49 degrees) with Bonferroni's correction."""
    from scipy.stats import t

    return t.isf(level / 2 / n_statistics, 49)
