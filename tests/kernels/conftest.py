import itertools
import math

import numpy as np
import pytest

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sweeps import products_state
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler

# The quick paths, with one task and with several: all loops there are.
QUICK = [("dense", 1), ("dense", 2), ("sparse", 1), ("sparse", 2)]


@pytest.fixture
def all_in_runs(monkeypatch):
    """Let the path "dense" visit every document without branches, unless its loss is steep."""
    monkeypatch.setattr(products_state, "RUNS", products_state.Runs(0.0, 1))


def log_target(tokens, n_words, z, alpha, beta, eta, a, b, power=1.0):
    """power * log p(W, Z) + sum b F - a F²/2, slowly, from lgamma."""
    n_topics = alpha.size
    total = supervised = 0.0
    for k in range(n_topics):
        words = np.bincount(tokens.word[z == k], minlength=n_words)
        total += sum(math.lgamma(beta + c) - math.lgamma(beta) for c in words)
        total -= math.lgamma(n_words * beta + words.sum()) - math.lgamma(n_words * beta)
    for d in range(tokens.start.size - 1):
        counts = np.bincount(z[tokens.start[d] : tokens.start[d + 1]], minlength=n_topics)
        total += sum(
            math.lgamma(x + c) - math.lgamma(x) for x, c in zip(alpha, counts, strict=True)
        )
        total -= math.lgamma(alpha.sum() + counts.sum()) - math.lgamma(alpha.sum())
        if counts.sum():
            discriminant = eta @ counts / counts.sum()
            supervised += float(b[d] @ discriminant - 0.5 * a[d] @ discriminant**2)
    return power * total + supervised


def sweep_law(tokens, n_words, start, **given):
    """P(z after a sweep | z before), one axis per token, from the enumerated joint."""
    n_topics = given["alpha"].size
    shape = (n_topics,) * tokens.word.size
    logs = np.empty(shape)
    for z in itertools.product(range(n_topics), repeat=tokens.word.size):
        logs[z] = log_target(tokens, n_words, np.array(z), **given)
    law = np.zeros(shape)
    law[tuple(start)] = 1.0
    for n in range(tokens.word.size):
        conditional = np.exp(logs - logs.max(axis=n, keepdims=True))
        conditional /= conditional.sum(axis=n, keepdims=True)
        law = law.sum(axis=n, keepdims=True) * conditional
    return law.ravel()


def parameters(n_documents, n_topics, n_tasks, scale=3.0, seed=0):
    """Draw what a sweep is given; ``scale`` is that of eta."""
    rng = np.random.default_rng(seed)
    a = rng.gamma(1.0, 1.0, (n_documents, n_tasks))
    eta = scale * rng.standard_normal((n_tasks, n_topics))
    b = a * scale * rng.choice([-1.0, 1.0], (n_documents, n_tasks))
    return {"alpha": np.full(n_topics, 1 / n_topics), "beta": 0.05, "eta": eta, "a": a, "b": b}


def loaded(corpus, n_topics, path, seed=0):
    """Return a sampler that holds random topics."""
    tokens, n_words = corpus
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path)
    dtype = np.uint8 if n_topics <= 256 else np.uint16
    z = np.random.default_rng(seed).integers(0, n_topics, tokens.word.size).astype(dtype)
    sampler.load(z)
    return sampler


@pytest.fixture
def toy():
    """Two documents, five tokens, three words, and an empty document between them."""
    word = np.array([0, 1, 0, 2, 1], np.int32)
    return Tokens(word, np.array([0, 3, 3, 5], np.int64)), 3


@pytest.fixture
def medium():
    """Sixty documents of one to sixty tokens over forty words."""
    rng = np.random.default_rng(20)
    lengths = np.r_[1, 0, rng.integers(1, 60, 58)]
    word = np.minimum(rng.geometric(0.1, lengths.sum()) - 1, 39).astype(np.int32)
    return Tokens(word, np.r_[0, np.cumsum(lengths)].astype(np.int64)), 40
