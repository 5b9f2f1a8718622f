"""Peak memory of one chain of ten million tokens, beyond the interpreter and its libraries.

    python -m tests.benchmarks.memory [--documents 66667] [--topics 100] [--words 50000]

Measured is the peak of a process that takes some steps on a corpus of about 150 tokens per
document, minus the peak after as many steps on a corpus of a few tokens, divided by the number of
tokens. It includes the corpus itself (four bytes per token), the points and all tables, but not the
trace and the result of ``pm.sample``, because the steps are called directly.
"""

from __future__ import annotations

import argparse
import resource

import numpy as np

from tests.benchmarks.sweeps import Chain, corpus_of


def peak():
    """Return the peak memory of this process, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def draw_words(n_documents, n_words):
    """Draw words by Zipf's law and labels at random; memory depends on nothing else."""
    rng = np.random.default_rng(0)
    lengths = np.maximum(rng.poisson(150, n_documents), 10)
    cumulated = np.cumsum(1.0 / (np.arange(n_words) + 2.7))
    word = np.empty(lengths.sum(), np.int32)
    for first in range(0, word.size, 1 << 20):  # in pieces, so that this is not the peak
        part = word[first : first + (1 << 20)]
        part[:] = np.searchsorted(cumulated, rng.random(part.size) * cumulated[-1])
    return corpus_of(word, lengths, n_words), rng.choice([-1, 1], n_documents)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=66_667)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    Chain(*draw_words(20, 100), options.topics).run(options.draws)
    before = peak()
    corpus, label = draw_words(options.documents, options.words)
    drawn = peak()
    chain = Chain(corpus, label, options.topics)
    built = peak()
    chain.run(options.draws)
    sampled = peak()
    n, sampler = corpus.n_tokens, chain.step.conditionals.sampler
    tables = sampler.document_topic.nbytes + sampler.method.lists.entry.nbytes
    print(f"{n} tokens, {options.topics} topics, {options.words} words")
    for name, value in (("corpus drawn", drawn), ("model built", built), ("sampled", sampled)):
        extra = value - before
        print(f"peak, {name}: {extra / 1e6:.0f} MB, {extra / n:.1f} bytes per token")
    print(f"count tables: {tables / 1e6:.0f} MB, {tables / n:.1f} bytes per token")
    print(f"without them: {(sampled - before - tables) / n:.1f} bytes per token")


if __name__ == "__main__":
    main()
