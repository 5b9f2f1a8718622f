"""How probable held-out words are, given the topic-word distributions: two estimators.

Symbols: phi the topic-word distributions as (n_words, n_topics), contiguous in the topic; alpha
the prior of a document's topics; C_k the topics of its tokens, with the visited token taken out.
"""

from __future__ import annotations

import math

import numpy as np

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Tokens


@kernel
def draw_topic(
    rng: np.random.Generator,
    phi: np.ndarray,
    alpha: np.ndarray,
    count: np.ndarray,
    cumulated: np.ndarray,
) -> int:
    """Draw a topic with probability proportional to phi_k (C_k + alpha_k)."""
    total = 0.0
    for k in range(alpha.size):
        total += phi[k] * (count[k] + alpha[k])
        cumulated[k] = total
    target = rng.random() * total
    k = 0
    while cumulated[k] <= target and k < alpha.size - 1:
        k += 1
    return k


@kernel
def complete_documents(
    rng: np.random.Generator,
    tokens: Tokens,
    n_seen: np.ndarray,
    phi: np.ndarray,
    alpha: np.ndarray,
    n_burn_in: int,
    n_sweeps: int,
    out: np.ndarray,
) -> None:
    r"""Write the log probability of the rest of each document given its first tokens to ``out``.

    .. math:: \sum_{n > n_{seen}} \log \sum_k \hat\theta_{dk} \phi_{k w_{dn}}

    with theta-hat the mean of (C_dk + alpha_k)/(n_seen + sum alpha) over Gibbs sweeps over the
    topics of the seen tokens, with the word distributions held fixed.
    """
    n_topics = alpha.size
    count = np.empty(n_topics)
    theta = np.empty(n_topics)
    cumulated = np.empty(n_topics)
    for d in range(tokens.start.size - 1):
        first, size = tokens.start[d], n_seen[d]
        z = np.empty(size, np.int64)
        count[:] = 0.0
        theta[:] = 0.0
        for n in range(size):
            z[n] = draw_topic(rng, phi[tokens.word[first + n]], alpha, count, cumulated)
            count[z[n]] += 1.0
        for sweep in range(n_burn_in + n_sweeps):
            for n in range(size):
                count[z[n]] -= 1.0
                z[n] = draw_topic(rng, phi[tokens.word[first + n]], alpha, count, cumulated)
                count[z[n]] += 1.0
            if sweep >= n_burn_in:
                theta += count
        scale = 1.0 / (size + alpha.sum())
        for k in range(n_topics):
            theta[k] = (theta[k] / n_sweeps + alpha[k]) * scale
        out[d] = 0.0
        for n in range(first + size, tokens.start[d + 1]):
            out[d] += math.log(np.dot(theta, phi[tokens.word[n]]))


@kernel
def evaluate_left_to_right(
    rng: np.random.Generator,
    tokens: Tokens,
    phi: np.ndarray,
    alpha: np.ndarray,
    n_particles: int,
    out: np.ndarray,
) -> None:
    r"""Write an estimate of log p(w_d | phi, alpha) of each document to ``out``.

    .. math:: \sum_n \log \frac{1}{R} \sum_r p_n^r, \qquad
       p_n^r = \sum_k \phi_{k w_n} \frac{C_k^r + \alpha_k}{n - 1 + \sum_j \alpha_j}

    For each word in turn, every particle draws the topics of the earlier words again and scores the
    word; then the particles are resampled in proportion to their scores, and each draws the word's
    topic. Because of the resampling, the product of the means is an unbiased estimate of the
    probability for any number of particles.
    """
    n_topics = alpha.size
    alpha_total = alpha.sum()
    cumulated = np.empty(n_topics)
    score = np.empty(n_particles)
    for d in range(tokens.start.size - 1):
        first = tokens.start[d]
        size = tokens.start[d + 1] - first
        z = np.empty((n_particles, size), np.int64)
        count = np.zeros((n_particles, n_topics))
        out[d] = 0.0
        for n in range(size):
            for r in range(n_particles):
                for m in range(n):
                    count[r, z[r, m]] -= 1.0
                    z[r, m] = draw_topic(
                        rng, phi[tokens.word[first + m]], alpha, count[r], cumulated
                    )
                    count[r, z[r, m]] += 1.0
            word = phi[tokens.word[first + n]]
            for r in range(n_particles):
                score[r] = np.dot(word, count[r] + alpha) / (n + alpha_total)
            out[d] += math.log(score.mean())
            if n > 0:
                resample(rng, score, z, count, n)
            for r in range(n_particles):
                z[r, n] = draw_topic(rng, word, alpha, count[r], cumulated)
                count[r, z[r, n]] += 1.0


@kernel
def resample(
    rng: np.random.Generator, score: np.ndarray, z: np.ndarray, count: np.ndarray, n: int
) -> None:
    """Replace particles by copies: the expected number of each is proportional to its score."""
    n_particles = score.size
    step = score.sum() / n_particles
    target = rng.random() * step
    copies = np.zeros(n_particles, np.int64)
    total = 0.0
    for r in range(n_particles):
        total += score[r]
        while target < total and copies.sum() < n_particles:
            copies[r] += 1
            target += step
    # Rounding can leave the last copy undecided.
    copies[n_particles - 1] += n_particles - copies.sum()
    source = 0
    for r in range(n_particles):
        if copies[r] > 0:
            continue
        while copies[source] < 2:
            source += 1
        z[r, :n] = z[source, :n]
        count[r] = count[source]
        copies[source] -= 1
