"""A simulated Wikipedia: a million documents with 20 overlapping labels, fitted from end to end.

    python -m tests.benchmarks.wikipedia [--scale 0.01] [--topics 40] [--sweeps 40] [--cores 2]
    python -m tests.benchmarks.wikipedia --data wiki_multilabel_5k --sweeps 400

At scale 1 there are 1.1 million documents of 100 tokens on average, and 900 000 words with Zipf
frequencies. The generator is our own: a document mixes a few of 60 subjects, theta ~ Dir(0.05); a
third of its words are common to all subjects, and a subject ranks all words in an order of its own.
A label belongs to three subjects, which labels share, and is set where these have more than a third
of the document. So labels overlap, and a topic model can find what they mean.

With ``--data`` the documents are those of a data set with several labels, and its test part is held
out: ``wiki_multilabel_5k`` has 5000 real documents of Wikipedia with 20 labels.

Each way runs in a process of its own, which opens the corpus from a folder: ``threads`` is
`pm.sample` with several threads, ``dask`` is `distributed.sample` on as many workers, and ``LDA and
SVM`` is a linear SVM on the topics of an LDA that has sampled for about as long as ``threads`` did.
The C of the SVM is the best of four on held-out training documents. ``--only dask`` runs only one
way.

Printed are the seconds per sweep, the peak memory of all processes of a way in bytes per token,
beyond what these processes have after importing and compiling everything, and the micro F1 of the
labels of held-out documents.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from pymc_medlda.corpus.mapped import N_WORDS as N_WORDS_FILE
from pymc_medlda.corpus.mapped import STARTS, WORDS, make_folder, new_array
from tests.benchmarks.data import load

N_DOCUMENTS, N_WORDS, LENGTH, N_LABELS, N_SUBJECTS = 1_100_000, 900_000, 100, 20, 60
COMMON, AT_ONCE = 1 / 3, 10_000
WAYS = ("threads", "dask", "LDA and SVM")


def write_corpus(folder, scale, seed=1):
    """Write a corpus and its labels, (n_documents, n_labels), a few documents at a time."""
    rng = np.random.default_rng(seed)
    n_documents, n_words = int(N_DOCUMENTS * scale), int(N_WORDS * min(1.0, 10 * scale))
    cumulated = np.cumsum(1.0 / np.arange(1, n_words + 1))
    cumulated /= cumulated[-1]
    # Subject k has word (rank * step + shift) mod V at a rank: an order of its own, without tables.
    steps = np.array([s for s in rng.integers(1, n_words, 1000) if np.gcd(s, n_words) == 1])
    step, shift = steps[:N_SUBJECTS], rng.integers(n_words, size=N_SUBJECTS)
    of_label = np.stack([rng.choice(N_SUBJECTS, 3, replace=False) for _ in range(N_LABELS)])
    lengths = rng.poisson(LENGTH, n_documents)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    place = make_folder(folder)
    np.save(place / STARTS, starts)
    words = new_array(place / WORDS, np.int32, int(starts[-1]))
    labels = np.empty((n_documents, N_LABELS), np.int8)
    for first in range(0, n_documents, AT_ONCE):
        last = min(first + AT_ONCE, n_documents)
        theta = rng.dirichlet(np.full(N_SUBJECTS, 0.05), last - first)
        labels[first:last] = theta[:, of_label].sum(axis=2) > 1 / 3
        document = np.repeat(np.arange(last - first), lengths[first:last])
        draw = rng.random(document.size)
        subject = (np.cumsum(theta, axis=1)[document] < draw[:, None]).sum(axis=1)
        subject = np.minimum(subject, N_SUBJECTS - 1)
        rank = np.searchsorted(cumulated, rng.random(document.size))
        own = (rank * step[subject] + shift[subject]) % n_words
        is_common = rng.random(document.size) < COMMON
        words[starts[first] : starts[last]] = np.where(is_common, rank, own)
    words.flush()
    (place / N_WORDS_FILE).write_text(str(n_words))
    np.save(place / "labels.npy", labels)


def write_data(folder, name):
    """Write both parts of a data set and its labels; return how many documents to hold out."""
    import pymc_medlda as med

    train, y = load(name)
    test, y_test = load(name, "test")
    med.Corpus(
        np.concatenate([train.words, test.words]),
        np.concatenate([train.starts, train.starts[-1] + test.starts[1:]]),
        vocabulary=train.vocabulary,
    ).to_folder(folder)
    np.save(folder / "labels.npy", np.concatenate([y, y_test]).astype(np.int8))
    return test.n_documents


def f1(truth, decided):
    hits = np.count_nonzero((truth == 1) & (decided == 1))
    return 2 * hits / max(np.count_nonzero(truth == 1) + np.count_nonzero(decided == 1), 1)


def status(pid, field):
    """Return a field of the memory of a process, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


class Memory:
    """The memory of some processes together, beyond what they have now."""

    def __init__(self, pids):
        self.pids = pids
        self.base = sum(status(pid, "VmRSS") for pid in pids)
        for pid in pids:  # forget the peaks so far
            Path(f"/proc/{pid}/clear_refs").write_text("5")

    def peak(self):
        return sum(status(pid, "VmHWM") for pid in self.pids) - self.base


class Problem:
    """The corpus of a folder: all documents, or a few to compile everything with."""

    def __init__(self, options):
        import pymc_medlda as med

        corpus = med.Corpus.from_folder(options.folder)
        labels = np.load(Path(options.folder) / "labels.npy")
        n = corpus.n_documents - options.held_out
        self.train, self.new = corpus[:n], corpus[n:]
        self.y, self.y_new = labels[:n], labels[n:]
        self.options = options

    def first(self, n):
        """Return a problem with few documents and words, whose tables are small."""
        few, some = object.__new__(Problem), self.train[:n]
        small = type(some)(some.words % 1000, some.starts, n_words=1000)
        few.__dict__ |= vars(self) | {"train": small, "new": small[:10]}
        few.y, few.y_new = self.y[:n], self.y[:10]
        return few


def with_threads(problem, n_sweeps, *, labelled=True):
    """Sample in this process; only two draws are stored, with the sweeps between them."""
    import pymc as pm

    import pymc_medlda as med

    options = problem.options
    y = problem.y if labelled else None
    loss = {"loss": med.Hinge(margin=20.0)} if labelled else {}
    with med.GibbsMedLDA(problem.train, y, n_topics=options.topics, **loss):
        step = med.GibbsMedLDAStep(threads=options.cores, sweeps_per_draw=n_sweeps // 2)
        run = pm.sample(
            2, tune=0, chains=1, cores=1, step=step, random_seed=1, progressbar=False, quiet=True
        )
    return run, run["posterior"].attrs["sampling_time"] / (2 * (n_sweeps // 2))


def load_part(folder, first, last):
    """Return some documents with their labels; workers call it."""
    import pymc_medlda as med

    labels = np.load(Path(folder) / "labels.npy", mmap_mode="r")
    corpus = med.Corpus.from_folder(folder, documents=slice(first, last))
    return corpus, np.array(labels[first:last])


def on_workers(problem, n_sweeps, client):
    """Sample on the workers of a cluster, which load their own documents from the folder."""
    import pymc_medlda as med

    options, n = problem.options, problem.train.n_documents
    edges = np.linspace(0, n, options.cores + 1).astype(int).tolist()
    parts = med.distributed.from_loaders(
        [partial(load_part, options.folder, *pair) for pair in pairwise(edges)]
    )
    begin = time.perf_counter()
    run = med.distributed.sample(
        parts,
        n_topics=problem.options.topics,
        loss=med.Hinge(margin=20.0),
        tune=n_sweeps - 2,
        draws=2,
        chains=1,
        client=client,
        random_seed=1,
        progressbar=False,
    )
    return run, (time.perf_counter() - begin) / n_sweeps


def score(problem, run):
    """Return the F1 of the labels of held-out documents."""
    import pymc_medlda as med

    found = med.predict(run, problem.new, random_seed=1, var_names=["decision"], progressbar=False)
    return f1(problem.y_new, found["predictions"]["decision"].values)


def score_with_svm(problem, run):
    """Return the F1 of linear SVMs on topics, with the best C."""
    from sklearn.svm import LinearSVC

    import pymc_medlda as med

    def topics(documents):
        found = med.predict(run, documents, random_seed=1, var_names=["theta"], progressbar=False)
        return found["predictions"]["theta"].values.mean(axis=(0, 1))

    def decide(x, y, new, C):
        return np.stack([LinearSVC(C=C).fit(x, own).predict(new) for own in y.T], axis=1)

    some = np.arange(0, problem.train.n_documents, max(problem.train.n_documents // 20_000, 1))
    x, y, half = topics(problem.train[some]), problem.y[some], some.size // 2
    best = max(
        (1.0, 10.0, 100.0, 1000.0),
        key=lambda C: f1(y[half:], decide(x[:half], y[:half], x[half:], C)),
    )
    return f1(problem.y_new, decide(x, y, topics(problem.new), best))


def child(options):
    """Run one way in this process, and print the results as JSON."""
    problem = Problem(options)
    few, n_sweeps = problem.first(500), options.sweeps
    if options.way == "dask":
        import distributed

        import pymc_medlda as med

        with (
            distributed.LocalCluster(
                n_workers=options.cores, threads_per_worker=1, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            med.distributed.sample(
                med.distributed.partition(few.train, few.y, n_partitions=options.cores),
                n_topics=options.topics,
                draws=2,
                tune=2,
                chains=1,
                client=client,
                progressbar=False,
            )
            pids = [*(worker.pid for worker in cluster.workers.values()), os.getpid()]
            memory = Memory(pids)
            run, seconds = on_workers(problem, n_sweeps, client)
            peak, found = memory.peak(), score(problem, run)
    elif options.way == "threads":
        score(few, with_threads(few, 4)[0])
        memory = Memory([os.getpid()])
        run, seconds = with_threads(problem, n_sweeps)
        peak, found = memory.peak(), score(problem, run)
    else:
        with_threads(few, 4, labelled=False)
        memory = Memory([os.getpid()])
        run, seconds = with_threads(problem, n_sweeps, labelled=False)
        while n_sweeps * seconds < 0.9 * options.budget:  # later sweeps take less time
            n_sweeps = int(options.budget / seconds)
            run, seconds = with_threads(problem, n_sweeps, labelled=False)
        peak, found = memory.peak(), score_with_svm(problem, run)
    report = {"sweeps": n_sweeps, "seconds": seconds, "F1": found}
    print(json.dumps(report | {"bytes": peak / problem.train.n_tokens}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--data", default=None, help="a data set instead of the simulated one")
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--sweeps", type=int, default=40)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--held-out", type=int, default=2000)
    parser.add_argument(
        "--only", nargs="+", choices=WAYS, default=WAYS, help="the ways to run, all by default"
    )
    parser.add_argument("--place", default=None, help="a folder on a disk, for the corpus")
    parser.add_argument("--way", default="", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    parser.add_argument("--budget", type=float, default=0.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        child(options)
        return
    with tempfile.TemporaryDirectory(dir=options.place) as place:
        begin, folder, held_out = time.perf_counter(), Path(place) / "corpus", options.held_out
        if options.data is None:
            write_corpus(folder, options.scale)
        else:
            held_out = write_data(folder, options.data)
        print(f"corpus written in {time.perf_counter() - begin:.0f} s", flush=True)
        print("way           sweeps  s per sweep  bytes per token     F1", flush=True)
        budget = 0.0
        for way in options.only:
            command = [sys.executable, "-m", "tests.benchmarks.wikipedia", "--way", way]
            command += ["--folder", str(folder), "--budget", str(budget)]
            for name in ("topics", "sweeps", "cores"):
                command += [f"--{name}", str(getattr(options, name))]
            command += ["--held-out", str(held_out)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{way}: failed\n{done.stderr[-2000:]}")
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            if way == "threads":
                budget = found["sweeps"] * found["seconds"]
            print(
                f"{way:12s} {found['sweeps']:7d} {found['seconds']:12.2f} {found['bytes']:16.1f}"
                f" {found['F1']:6.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
