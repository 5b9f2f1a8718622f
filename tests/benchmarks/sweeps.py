"""Time sweeps of the binary model against tomotopy, in one run on one core.

    python tests/benchmarks/sweeps.py [--topics 20 50 100 200] [--data FILE.npz]

Prints million tokens a second after burn-in of the full chain (lambda, eta, z), the ratios to
tomotopy's LDA (no labels) and SLDA (binary response) on the same tokens, the share of tokens that
move, of draws refused, and what the rest of a step adds to its sweep. Times are processor times,
the best of some repetitions, so that other programs on the machine disturb less.

Without ``--data`` the corpus is drawn from LDA: 2 000 documents of about 150 tokens, 10 000 words
of Zipf-like frequency, 20 topics, the label the sign of a linear function of the topic shares.
FILE holds ``train_indptr``, ``train_indices``, ``train_counts`` and ``train_y`` (classes; the
label is the first class against the others).
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from pymc_medlda.kernels.augmentation import draw_scales
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sampler import TopicSampler
from pymc_medlda.kernels.weights import draw_weights

MARGIN = 164.0


def draw_corpus(rng, *, n_documents=2000, n_words=10_000, length=150, n_topics=20):
    """Draw tokens and labels from LDA with a Zipf-like base measure."""
    frequency = rng.permutation(1.0 / (np.arange(n_words) + 2.7))
    shape = np.maximum(500.0 * frequency / frequency.sum(), 1e-3)
    phi = rng.gamma(shape, size=(n_topics, n_words)) + 1e-12
    cumulated = np.cumsum(phi / phi.sum(axis=1, keepdims=True), axis=1)
    lengths = np.maximum(rng.poisson(length, n_documents), 10)
    theta = rng.dirichlet(np.full(n_topics, 0.1), n_documents)
    words, shares = [], np.empty((n_documents, n_topics))
    for d in range(n_documents):
        counts = rng.multinomial(lengths[d], theta[d])
        drawn = [
            np.searchsorted(cumulated[k], rng.random(counts[k])) for k in np.flatnonzero(counts)
        ]
        words.append(rng.permutation(np.concatenate(drawn)))
        shares[d] = counts / lengths[d]
    score = shares @ rng.normal(0.0, 3.0, n_topics)
    word = np.minimum(np.concatenate(words), n_words - 1).astype(np.int32)
    start = np.r_[0, np.cumsum(lengths)].astype(np.int64)
    return Tokens(word, start), n_words, np.where(score > np.median(score), 1.0, -1.0)


def read_corpus(path):
    """Read the training part of a document-term matrix."""
    with np.load(path) as data:
        counts = data["train_counts"].astype(np.int64)
        word = np.repeat(data["train_indices"], counts).astype(np.int32)
        start = np.r_[0, np.cumsum(counts)][data["train_indptr"].astype(np.int64)]
        label = np.where(data["train_y"] == data["train_y"].min(), 1.0, -1.0)
    return Tokens(word, start), int(word.max()) + 1, label


def best_rate(n_tokens, run, *, repetitions, sweeps):
    """Return the best of the million tokens a second over the repetitions."""
    best = np.inf
    for _ in range(repetitions):
        begin = time.process_time()
        run(sweeps)
        best = min(best, time.process_time() - begin)
    return n_tokens * sweeps / best / 1e6


class Chain:
    """The Gibbs chain of the binary hinge loss with c = 1, straight from the kernels."""

    def __init__(self, tokens, n_words, label, n_topics, path="auto", seed=0):
        self.rng = np.random.default_rng(seed)
        self.tokens, self.label = tokens, label[:, None]
        self.sampler = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path)
        dtype = np.uint8 if n_topics <= 256 else np.uint16
        self.sampler.load(self.rng.integers(0, n_topics, tokens.word.size).astype(dtype))
        self.alpha = np.full(n_topics, 1.0 / n_topics)
        self.eta = np.zeros((1, n_topics))
        self.discriminant = np.zeros((label.size, 1))
        self.sweeping = 0.0
        self.moved = 0

    def run(self, n):
        ones, zeros = np.ones_like(self.eta), np.zeros_like(self.eta)
        for _ in range(n):
            self.sampler.project(self.eta, self.discriminant)
            distance = np.abs(MARGIN - self.label * self.discriminant)
            lam = np.empty(distance.size)
            draw_scales(self.rng, distance.ravel(), lam)
            a = 1.0 / lam[:, None]
            b = self.label * (1.0 + MARGIN * a)
            self.eta = draw_weights(
                self.rng, self.sampler.document_topic, a, b, mean=zeros, precision=ones
            )
            begin = time.process_time()
            self.moved = self.sampler.sweep(
                self.rng, alpha=self.alpha, beta=0.01, eta=self.eta, a=a, b=b
            )
            self.sweeping += time.process_time() - begin


def tomotopy_model(tokens, label, n_topics, *, supervised):
    """Load the tokens into tomotopy's LDA or SLDA with a binary response."""
    import tomotopy

    shared = {"k": n_topics, "alpha": 1.0 / n_topics, "eta": 0.01, "min_cf": 0, "seed": 1}
    model = tomotopy.SLDAModel(vars="b", **shared) if supervised else tomotopy.LDAModel(**shared)
    names = tokens.word.astype(str)
    for d in range(label.size):
        words = names[tokens.start[d] : tokens.start[d + 1]]
        if words.size:
            model.add_doc(words, *([[float(label[d] > 0)]] if supervised else []))
    model.optim_interval = 0
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 50, 100, 200])
    parser.add_argument("--data", help="an .npz file; default: a drawn corpus")
    parser.add_argument("--burn-in", type=int, default=30)
    parser.add_argument("--sweeps", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--path", default="auto")
    parser.add_argument("--no-slda", action="store_true")
    arguments = parser.parse_args()
    corpus = (
        read_corpus(arguments.data) if arguments.data else draw_corpus(np.random.default_rng(0))
    )
    tokens, n_words, label = corpus
    n_tokens = tokens.word.size
    timing = {"repetitions": arguments.repetitions, "sweeps": arguments.sweeps}
    print(f"{label.size} documents, {n_tokens} tokens, {n_words} words")
    print("   K  sweep  x LDA x SLDA |  step    LDA   SLDA | moved refused step/sweep")
    for n_topics in arguments.topics:
        chain = Chain(tokens, n_words, label, n_topics, arguments.path)
        chain.run(arguments.burn_in)
        sweeps = []
        begin = time.process_time()
        swept = chain.sweeping
        for _ in range(arguments.repetitions):
            before = chain.sweeping
            chain.run(arguments.sweeps)
            sweeps.append(n_tokens * arguments.sweeps / (chain.sweeping - before) / 1e6)
        overhead = (time.process_time() - begin) / (chain.sweeping - swept)
        ours = max(sweeps)
        rates = []
        for supervised in (False, True):
            if supervised and arguments.no_slda:
                rates.append(np.nan)
                continue
            model = tomotopy_model(tokens, label, n_topics, supervised=supervised)
            model.train(arguments.burn_in, workers=1)
            rates.append(best_rate(n_tokens, lambda n, m=model: m.train(n, workers=1), **timing))
        print(
            f"{n_topics:4d} {ours:6.2f} {ours / rates[0]:6.2f} {ours / rates[1]:6.2f} |"
            f"{ours / overhead:6.2f} {rates[0]:6.2f} {rates[1]:6.2f} |"
            f" {chain.moved / n_tokens:5.3f} {chain.sampler.refusals / n_tokens:7.4f}"
            f" {overhead:10.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
