"""Toy documents for the test-time sampler, with the law of their topics."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln

from pymc_medlda.kernels import new_documents
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_document_sweeps import WordTopics, empty_workspace
from pymc_medlda.kernels.new_documents import BLOCK
from pymc_medlda.kernels.simd.aligned import padded_size

BOTH_SWEEPS = pytest.mark.parametrize("by_lists", [False, True], ids=["rows", "lists"])


def make_topics(phi, alpha):
    alpha = np.asarray(alpha, np.float64)
    padded = np.zeros((len(phi), padded_size(alpha.size)))
    padded[:, : alpha.size] = phi
    return WordTopics(padded, alpha, np.asarray(phi) @ alpha)


def begin(seed, tokens, n_topics, by_lists=False):
    """Return random topics for the sweep by rows, or with the lists that the other sweep needs."""
    n_blocks = -(-(tokens.start.size - 1) // BLOCK)
    counter = np.random.SeedSequence(seed).generate_state(n_blocks, np.uint64)
    state = new_documents.start_uniformly(counter, tokens.start, n_topics)
    assert state.listed.shape[1] == 0
    return with_lists(state) if by_lists else state


def with_lists(state):
    listed = np.full(state.counts.shape, -1, np.int32)
    for row, count in zip(listed, state.counts, strict=True):
        row[: np.sum(count > 0)] = np.flatnonzero(count)
    return state._replace(listed=listed, n_listed=np.sum(state.counts > 0, axis=1, keepdims=True))


def sweep(tokens, topics, state, d=0, averaged=False):
    """Sweep over a document; return its log likelihood and what was added up."""
    work = empty_workspace(topics.phi.shape[1])
    found = new_documents.sweep_document(tokens, topics, state, d, work, averaged)
    return found, work.total[: topics.alpha.size]


def make_problem(rng, lengths, n_words=12, n_topics=5):
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = Tokens(rng.integers(0, n_words, start[-1]).astype(np.int32), start)
    phi = rng.dirichlet(np.full(n_words, 0.3), n_topics).T
    return tokens, make_topics(phi, rng.gamma(1.0, 0.3, n_topics) + 0.05)


def enumerate_document(word, topics):
    """Return every assignment of a document with its probability, by the joint density."""
    n_topics = topics.alpha.size
    states = np.array(list(itertools.product(range(n_topics), repeat=word.size)))
    log_p = np.array(
        [
            np.log(topics.phi[word, z]).sum()
            + gammaln(np.bincount(z, minlength=n_topics) + topics.alpha).sum()
            for z in states
        ]
    )
    p = np.exp(log_p - log_p.max())
    return states, p / p.sum()


def sweep_slowly(rng, word, z, topics):
    """Draw the topics of a document one by one, with weights computed afresh."""
    for n in range(word.size):
        others = np.delete(z, n)
        count = np.bincount(others, minlength=topics.alpha.size)
        weight = topics.phi[word[n], : topics.alpha.size] * (count + topics.alpha)
        z[n] = rng.choice(weight.size, p=weight / weight.sum())
