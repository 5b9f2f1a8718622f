"""Slow and obvious: variational LDA token by token, and what max-margin models maximise.

Formulas are written out from the definitions; of the rivals nothing is imported.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln, softmax
from scipy.stats import dirichlet


class State(NamedTuple):
    """q(z), q(θ) and q(φ), and the machines: weights κ and pull, which is y μ for labels."""

    shares: np.ndarray  # (n_tokens, n_topics)
    gamma: np.ndarray  # (n_documents, n_topics)
    topics: np.ndarray  # (n_words, n_topics)
    weights: np.ndarray  # (n_tasks, n_topics)
    pull: np.ndarray  # (n_documents, n_tasks)


def documents_of(corpus):
    """Return the document of each token."""
    return np.repeat(np.arange(corpus.n_documents), corpus.lengths)


def log_means(parameters):
    """Return E log p of Dirichlet distributions, one per row."""
    return digamma(parameters) - digamma(parameters.sum(axis=1, keepdims=True))


def log_weights(corpus, state):
    """Return E log θ_k + E log φ_kt of every token, (n_tokens, n_topics)."""
    log_theta, log_phi = log_means(state.gamma), log_means(state.topics.T)
    return log_theta[documents_of(corpus)] + log_phi[:, corpus.words].T


def frequencies(corpus, shares):
    """Return E z̄, (n_documents, n_topics)."""
    return np.array(
        [shares[first:last].mean(axis=0) for first, last in zip(*ends(corpus), strict=True)]
    )


def ends(corpus):
    """Return the first token of each document, and the one after its last."""
    return corpus.starts[:-1], corpus.starts[1:]


def evidence_bound(corpus, state, alpha, beta):
    """Return E log p(W, Z, Θ, Φ) - E log q, the evidence lower bound of LDA."""
    total = (state.shares * (log_weights(corpus, state) - np.log(state.shares))).sum()
    for parameters, prior in ((state.gamma, alpha), (state.topics.T, beta)):
        total += sum(dirichlet_part(row, prior) for row in parameters)
    return total


def dirichlet_part(parameters, prior):
    """Return E log p - E log q of one Dirichlet distribution, where p is symmetric."""
    constant = gammaln(parameters.size * prior) - parameters.size * gammaln(prior)
    mean = (prior - 1.0) * log_means(parameters[None]).sum()
    return constant + mean + dirichlet(parameters).entropy()


def losses(corpus, y, state, margin):
    """Return what each document pays: Σ_i max(0, margin - y_i f_i), or Crammer and Singer's loss.

    The latter, max_j (margin [j ≠ y] + f_j - f_y), is that of documents of one class each.
    """
    f = frequencies(corpus, state.shares) @ state.weights.T
    if not is_of_classes(y):
        return np.maximum(0.0, margin - y * f).sum(axis=1)
    own = f[y > 0]
    return np.where(y > 0, own[:, None], margin + f).max(axis=1) - own


def is_of_classes(y):
    """Tell whether every document belongs to one of several classes."""
    return y.shape[1] > 1 and ((y > 0).sum(axis=1) == 1).all()


def primal(corpus, y, state, *, alpha, beta, c, margin):
    """Return the objective of MedLDA: bound - |κ|²/2 - 2c Σ loss."""
    bound = evidence_bound(corpus, state, alpha, beta) - 0.5 * np.square(state.weights).sum()
    return bound - 2.0 * c * losses(corpus, y, state, margin).sum()


def lagrangian(corpus, y, state, *, alpha, beta, margin):
    """Return the objective with dual variables in the place of the losses.

    These are Σ_di μ_di (margin - y_di f_di); of classes, Σ_d Σ_j≠y -p_dj (margin + f_j - f_y),
    where the pulls p of a document sum to zero.
    """
    f = frequencies(corpus, state.shares) @ state.weights.T
    # In both, the pull is the derivative by f.
    charge = np.where(y < 0, -state.pull, 0.0) if is_of_classes(y) else y * state.pull
    paid = margin * charge.sum() - (state.pull * f).sum()
    bound = evidence_bound(corpus, state, alpha, beta)
    return bound - 0.5 * np.square(state.weights).sum() - paid


def update_documents(corpus, topics, gamma, alpha, *, tolerance=1e-3, most=100, relative=0.0):
    """Update q(z) and q(θ) in turn, until γ of a document changes by less than ``tolerance``.

    If ``relative`` is given, updates stop when the bound of the document grows by no more than this
    share of itself. Returns a state without machines, where q(z) belongs to the last γ.
    """
    n_topics = topics.shape[1]
    log_phi = log_means(topics.T).T
    gamma, shares = gamma.copy(), np.empty((corpus.n_tokens, n_topics))
    for d, (first, last) in enumerate(zip(*ends(corpus), strict=True)):
        bounds = [-np.inf]
        for _ in range(most):
            scores = log_means(gamma[[d]]) + log_phi[corpus.words[first:last]]
            own = softmax(scores, axis=1)
            bounds.append((own * (scores - np.log(own))).sum() + dirichlet_part(gamma[d], alpha))
            fresh = alpha + own.sum(axis=0)
            change = np.abs(fresh - gamma[d]).mean()
            gamma[d] = fresh
            gain = (bounds[-1] - bounds[-2]) / abs(bounds[-1])
            if gain <= relative if relative else change < tolerance:
                break
        shares[first:last] = softmax(
            log_means(gamma[[d]]) + log_phi[corpus.words[first:last]], axis=1
        )
    return State(shares, gamma, topics, np.zeros((0, n_topics)), np.zeros((len(gamma), 0)))


def fit_lda(corpus, topics, *, alpha, beta, n_iterations, afresh=False, **rule):
    """Fit LDA by coordinate ascent from λ = ``topics``; return the last λ and the bounds.

    Iterations start documents where the last one left them, or ``afresh``.
    """
    even = corpus.lengths[:, None] / topics.shape[1]
    first, bounds = alpha + np.broadcast_to(even, (len(even), topics.shape[1])), []
    gamma = first
    for _ in range(n_iterations):
        state = update_documents(corpus, topics, gamma, alpha, **rule)
        bounds.append(evidence_bound(corpus, state, alpha, beta))
        gamma, topics = first if afresh else state.gamma, np.full(topics.shape, beta)
        np.add.at(topics, corpus.words, state.shares)
    return topics, bounds
