"""One chain on several cores: its speed, what blocks cost, and whether more sweeps are needed.

    python -m tests.benchmarks.threads speed [--topics 20 200] [--data drawn 20ng_bydate_nostop]
        [--margin 20]
    python -m tests.benchmarks.threads blocks [--topics 100] [--data 20ng_bydate_nostop]
    python -m tests.benchmarks.threads sweeps [--topics 20] [--data 20ng_bydate_nostop]

``speed`` measures the elapsed time of whole steps of the binary model on one thread and on several,
and of tomotopy's LDA and SLDA with as many workers. All of them run in turns, and the fastest turn
of each counts. ``over one`` is the time on one thread (and in one block) over the time on several
threads; ``LDA's own`` is the same for tomotopy's LDA. ``x LDA`` and ``x SLDA`` are the times of
tomotopy over ours, with as many workers.

``blocks`` gives the processor time of a step with several blocks on one thread, over that of a step
with one block.

``sweeps`` compares chains with blocks and chains without, from the same starts. It takes the log
joint of chains without blocks at several sweeps up to ``--at``, averaged over the starts, and
counts how many sweeps another chain needs to reach it. Printed is the ratio of these numbers, and
the training score at ``--at``. Each is a mean over the starts, with its standard error. Log joints
are smoothed over five sweeps.

Sources and the loss are those of `tests.benchmarks.sweeps`, except that ``speed`` takes another
margin of the hinge: with a small one, more tokens change their topic, and a sweep takes longer.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import pymc_medlda as med
from tests.benchmarks.sweeps import default_loss, read_corpus, tomotopy_model


class Chain:
    """A chain that goes on from its last point."""

    def __init__(self, corpus, label, n_topics, *, seed=1, loss=None, **settings):
        if loss is None:
            loss = default_loss(label)
        model = med.GibbsMedLDA(corpus, label, n_topics=n_topics, loss=loss)
        self.step = med.GibbsMedLDAStep(model=model, rng=seed, **settings)
        self.point = model.initial_point(seed)
        self.stats = {}

    def run(self, n):
        for _ in range(n):
            self.point, (self.stats,) = self.step.step(self.point)


def in_turns(runs, rounds, clock=time.perf_counter):
    """Run all functions in turns; return the least time of each."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            begin = clock()
            run()
            best[name] = min(best[name], clock() - begin)
    return best


def measure_speed(corpus, label, n_topics, options):
    """Print the times of whole steps on one thread and on several, and those of tomotopy."""
    n, workers = options.sweeps, options.threads
    settings = {"one": {}, "several": {"threads": workers, "blocks": options.blocks}}
    runs = {}
    for name, own in settings.items():
        loss = None if options.margin is None else med.Hinge(margin=options.margin)
        chain = Chain(corpus, label, n_topics, loss=loss, **own)
        chain.run(options.burn_in)
        runs[name] = lambda c=chain: c.run(n)
    peers = {"LDA": (False, workers), "LDA on one": (False, 1), "SLDA": (True, workers)}
    for name, (supervised, own) in peers.items():
        if name.split()[0] not in options.without:
            model = tomotopy_model(corpus, label, n_topics, supervised=supervised)
            model.train(options.burn_in, workers=workers)
            runs[name] = lambda m=model, w=own: m.train(n, workers=w)
    best = {name: seconds / n for name, seconds in in_turns(runs, options.rounds).items()}
    nan = dict.fromkeys(peers, np.nan) | best
    print(
        f"{n_topics:4d} {1e3 * best['one']:8.2f} {1e3 * best['several']:8.2f}"
        f" | {best['one'] / best['several']:9.2f} {nan['LDA on one'] / nan['LDA']:9.2f}"
        f" | {nan['LDA'] / best['several']:6.2f} {nan['SLDA'] / best['several']:6.2f}",
        flush=True,
    )


def measure_blocks(corpus, label, n_topics, options):
    """Print the processor times of steps in several blocks on one thread, over those in one."""
    runs, chains = {}, {}
    for blocks in (1, 2, 4, 8, 16):
        chains[blocks] = Chain(corpus, label, n_topics, blocks=blocks)
        chains[blocks].run(options.burn_in)
        runs[blocks] = lambda c=chains[blocks]: c.run(options.sweeps)
    best = in_turns(runs, options.rounds, time.process_time)
    ratios = " ".join(f"{best[blocks] / best[1]:7.2f}" for blocks in best)
    print(f"{n_topics:4d} {1e3 * best[1] / options.sweeps:8.2f} | {ratios}", flush=True)


def trace_of(corpus, label, n_topics, n, **settings):
    """Return the log joint and the score of every draw."""
    chain = Chain(corpus, label, n_topics, **settings)
    found = []
    for _ in range(n):
        chain.run(1)
        found.append((chain.stats["log_joint"], chain.stats["score"]))
    return np.array(found).T


def time_to_reach(joint, level):
    """Return when a log joint, smoothed over five sweeps, first reaches a level, in sweeps."""
    smooth = np.convolve(joint, np.ones(5) / 5, "valid")  # its first entry is of sweep 5
    place = int(np.argmax(smooth >= level))
    if smooth[place] < level:
        return np.nan
    if place == 0:
        return 5.0
    below, above = smooth[place - 1], smooth[place]
    return place + 4 + (level - below) / (above - below)


def measure_sweeps(corpus, label, n_topics, options):
    """Print how many sweeps with blocks reach the log joint of a chain without."""
    at, seeds = options.at, range(1, options.seeds + 1)
    marks = [at * share // 10 for share in (4, 5, 6, 7, 8, 9, 10)]
    for blocks in (1, 2, 4, 8):
        traces = [
            trace_of(corpus, label, n_topics, 2 * at, seed=seed, blocks=blocks) for seed in seeds
        ]
        if blocks == 1:
            mean = np.mean([joint for joint, _ in traces], axis=0)
            levels = [mean[mark - 5 : mark].mean() for mark in marks]
        ratios = [
            np.mean([time_to_reach(joint, x) / m for x, m in zip(levels, marks, strict=True)])
            for joint, _ in traces
        ]
        scores = [score[at - 5 : at].mean() for _, score in traces]
        found = " | ".join(
            f"{np.mean(x):.4f} ± {np.std(x, ddof=1) / np.sqrt(len(x)):.4f}"
            for x in (ratios, scores)
        )
        print(f"{n_topics:4d} {blocks:6d} | {found}", flush=True)


FIGURES = {
    "speed": (
        measure_speed,
        "   K  one, ms  several | over one LDA's own |  x LDA x SLDA",
        (20, 200),
        ("drawn", "20ng_bydate_nostop"),
    ),
    "blocks": (
        measure_blocks,
        "   K  one, ms | over one block: 1, 2, 4, 8, 16",
        (100,),
        ("20ng_bydate_nostop",),
    ),
    "sweeps": (
        measure_sweeps,
        "   K blocks | sweeps, over those without blocks | score",
        (20,),
        ("20ng_bydate_nostop",),
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--topics", type=int, nargs="+")
    parser.add_argument("--data", nargs="+", help="data sets, an .npz file, or drawn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--blocks", type=int, help="by default chosen for the threads")
    parser.add_argument("--burn-in", type=int, default=50)
    parser.add_argument("--margin", type=float, help="of the hinge; that of the paper by default")
    parser.add_argument("--sweeps", type=int, default=3, help="sweeps per turn")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--at", type=int, default=50, help="the sweep at which chains are compared")
    parser.add_argument("--seeds", type=int, default=12, help="number of starts")
    parser.add_argument("--without", nargs="*", default=[], help="leave out SLDA or LDA")
    options = parser.parse_args()
    measure, head, topics, sources = FIGURES[options.figure]
    for source in options.data or sources:
        corpus, label = read_corpus(source)
        print(f"{source}: {corpus.n_documents} documents, {corpus.n_tokens} tokens", flush=True)
        print(head, flush=True)
        for n_topics in options.topics or topics:
            measure(corpus, label, n_topics, options)


if __name__ == "__main__":
    main()
