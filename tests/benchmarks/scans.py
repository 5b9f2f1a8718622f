"""How the cost of a step grows: with topics, tasks, tokens and the length of documents.

    python -m tests.benchmarks.scans {topics,tasks,tokens,lengths} [--burn-in 60]

Printed are million tokens per second of whole steps after burn-in, on corpora drawn from LDA (see
`tests.benchmarks.sweeps`). All settings of a scan run in turns; the least processor time of each
counts.
"""

from __future__ import annotations

import argparse

import numpy as np

import pymc_medlda as med
from tests.benchmarks.sweeps import Chain, draw_corpus, in_turns


def topics(options):
    """20 to 2 000 topics, one task, 300 000 tokens."""
    corpus, label = draw_corpus(np.random.default_rng(0))
    return {f"K = {k}": (corpus, label, k) for k in (20, 50, 100, 200, 500, 1000, 2000)}


def tasks(options):
    """1 to 100 tasks, 40 topics, 300 000 tokens; a tenth of the labels are ones."""
    corpus, label = draw_corpus(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    settings = {"L = 1": (corpus, label, 40)}
    for n_tasks in (2, 5, 10, 20, 50, 100):
        labels = rng.random((corpus.n_documents, n_tasks)) < 0.1
        labels[:2] = [[True], [False]]
        settings[f"L = {n_tasks}"] = corpus, labels, 40
    return settings


def tokens(options):
    """A hundred thousand to ten million tokens, 100 topics."""
    settings = {}
    for n_documents in (667, 6_667, 66_667):
        corpus, label = draw_corpus(
            np.random.default_rng(0), n_documents=n_documents, n_words=50_000
        )
        settings[f"{corpus.n_tokens} tokens"] = corpus, label, 100
    return settings


def lengths(options):
    """Documents of 10 to 3 000 tokens, 300 000 tokens in all, 100 topics."""
    settings = {}
    for length in (10, 30, 100, 300, 1000, 3000):
        corpus, label = draw_corpus(
            np.random.default_rng(0), n_documents=300_000 // length, length=length
        )
        settings[f"length {length}"] = corpus, label, 100
    return settings


SCANS = {scan.__name__: scan for scan in (topics, tasks, tokens, lengths)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scan", choices=SCANS)
    parser.add_argument("--burn-in", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    chains = {}
    for name, (corpus, label, n_topics) in SCANS[options.scan](options).items():
        loss = med.Hinge(c=1.0, margin=64.0) if label.ndim > 1 else None
        chains[name] = Chain(corpus, label, n_topics, loss=loss)
        chains[name].run(options.burn_in)
    best = in_turns({name: lambda c=c: c.run(2) for name, c in chains.items()}, options.rounds)
    print(SCANS[options.scan].__doc__)
    for name, chain in chains.items():
        rate = 2 * chain.n_tokens / best[name] / 1e6
        print(
            f"{name:>18}: {rate:6.2f} million tokens per second, moved {chain.stats['moved']:.3f}"
        )


if __name__ == "__main__":
    main()
