"""Draws from the prior of topics and words, with the Dirichlet variables integrated out."""

from __future__ import annotations

import numpy as np

from pymc_medlda.kernels._jit import kernel


@kernel
def draw_assignments(
    rng: np.random.Generator, alpha: np.ndarray, start: np.ndarray, out: np.ndarray
) -> None:
    r"""Draw z from its prior, document by document, as a Pólya urn.

    .. math:: p(z_{dn} = k \mid z_{d1}, \dots, z_{d,n-1}) \propto C_{dk} + \alpha_k

    No theta is computed, so a small alpha cannot cause underflow.
    """
    n_topics = alpha.size
    urn = np.empty(n_topics)
    for d in range(start.size - 1):
        urn[:] = alpha
        total = alpha.sum()
        for n in range(start[d], start[d + 1]):
            target = rng.random() * total
            k = 0
            target -= urn[0]
            while target >= 0.0 and k < n_topics - 1:
                k += 1
                target -= urn[k]
            out[n] = k
            urn[k] += 1.0
            total += 1.0


@kernel
def draw_words(
    rng: np.random.Generator,
    z: np.ndarray,
    beta: float,
    n_words: int,
    n_topics: int,
    out: np.ndarray,
) -> None:
    r"""Draw words given z, topic by topic, as Pólya urns.

    .. math:: p(w_n = t \mid z, w_1, \dots, w_{n-1}) \propto C_{z_n t} + \beta

    A token repeats the word of an earlier token of its topic, each equally likely, or takes a
    fresh word, uniform over the vocabulary, with weight V beta.
    """
    size = np.zeros(n_topics + 1, np.int64)
    for n in range(z.size):
        if not 0 <= z[n] < n_topics:
            raise ValueError("z holds a topic that is not from 0 to n_topics - 1")
        size[z[n] + 1] += 1
    first = np.cumsum(size)  # where the tokens of a topic begin in `earlier`
    earlier = np.empty(z.size, np.int64)
    seen = np.zeros(n_topics, np.int64)
    for n in range(z.size):
        k = z[n]
        target = rng.random() * (seen[k] + n_words * beta)
        if target < seen[k]:
            word = out[earlier[first[k] + int(target)]]
        else:
            word = min(int(rng.random() * n_words), n_words - 1)
        out[n] = word
        earlier[first[k] + seen[k]] = n
        seen[k] += 1
