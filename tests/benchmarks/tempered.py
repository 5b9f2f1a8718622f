"""How much longer a tempered sweep takes than a plain one that draws from the same law.

    python -m tests.benchmarks.tempered [--topics 10 20 100] [--data NAME ... | drawn]

A tempered sweep whose power is next to one draws from the law of a plain sweep, so as many tokens
move. Both begin at the same topics after burn-in, with the same weights and auxiliary variables,
and run in turns; the least processor time of each counts. The plain sweep is the fastest for its
number of topics. Sources are those of `tests.benchmarks.sweeps`.
"""

from __future__ import annotations

import argparse

import numpy as np

from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler, quickest_tempered_path
from pymc_medlda.sampling.supervision import join_tasks
from tests.benchmarks import data
from tests.benchmarks.sweeps import REAL, Chain, in_turns, read_corpus

ALMOST_ONE = 1.0 - 1e-12


class Sweeps:
    """Sweeps of one kind, which start at the topics of a chain and at its last draw of the rest."""

    def __init__(self, chain, path, power):
        held = chain.step.conditionals
        self.sampler = TopicSampler(
            held.sampler.tokens,
            n_words=held.sampler.n_words,
            n_topics=held.sampler.n_topics,
            path=path,
        )
        self.sampler.load(held.sampler.z)
        eta, a, b = join_tasks(held.responses, held.sampler.document_topic.shape)
        self.given = {"alpha": held.alpha, "beta": held.beta, "eta": eta, "a": a, "b": b}
        self.given["power"] = power
        self.rng = np.random.default_rng(1)
        self.moved = 0

    def run(self, n):
        for _ in range(n):
            self.moved = self.sampler.sweep(self.rng, **self.given)


def measure(source, options):
    """Print one line for each number of topics of one corpus."""
    corpus, label = read_corpus(source)
    n = corpus.n_tokens
    print(f"{source}: {corpus.n_documents} documents, {n} tokens, {corpus.n_words} words")
    print("   K  plain tempered  ratio | moved", flush=True)
    for n_topics in options.topics:
        chain = Chain(corpus, label, n_topics)
        chain.run(options.burn_in)
        kinds = {
            "plain": Sweeps(chain, "auto", 1.0),
            "tempered": Sweeps(chain, quickest_tempered_path(n_topics), ALMOST_ONE),
        }
        runs = {name: lambda s=s: s.run(options.sweeps) for name, s in kinds.items()}
        in_turns(runs, 2)
        best = in_turns(runs, options.rounds)
        rate = {name: n * options.sweeps / seconds / 1e6 for name, seconds in best.items()}
        print(
            f"{n_topics:4d} {rate['plain']:6.2f} {rate['tempered']:8.2f}"
            f" {best['tempered'] / best['plain']:6.2f}"
            f" | {kinds['plain'].moved / n:5.3f} {kinds['tempered'].moved / n:5.3f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, nargs="+", default=[10, 20, 100])
    parser.add_argument("--data", nargs="+", help="data sets, an .npz file, or drawn")
    parser.add_argument("--burn-in", type=int, default=60)
    parser.add_argument("--sweeps", type=int, default=3, help="sweeps per turn")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    for source in options.data or [*filter(data.available, REAL), "drawn"]:
        measure(source, options)


if __name__ == "__main__":
    main()
