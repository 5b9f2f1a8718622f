"""A simulated Wikipedia: a million documents with 20 overlapping labels, fitted from end to end.

    python -m tests.benchmarks.wikipedia [--scale 0.01] [--topics 40] [--sweeps 40] [--workers 2]

At scale 1 there are 1.1 million documents of 100 tokens on average, and 900 000 words with Zipf
frequencies. The generator is our own: a document mixes a few of 60 subjects, theta ~ Dir(0.05); a
third of its words are common to all subjects, and a subject ranks all words in an order of its own.
A label belongs to three subjects, which labels share, and is set where these have more than a third
of the document. So labels overlap, and a topic model can find what they mean.

Printed are the seconds of a sweep, the peak memory of all processes in bytes per token beyond what
they have after compiling, the micro F1 of labels of held-out documents, and that of a linear SVM on
the topics of an LDA with as many sweeps. Run it twice: compiling takes memory, and is kept.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import pymc_medlda as med
from pymc_medlda.corpus.mapped import N_WORDS as N_WORDS_FILE
from pymc_medlda.corpus.mapped import STARTS, WORDS, make_folder, new_array

N_DOCUMENTS, N_WORDS, LENGTH, N_LABELS, N_SUBJECTS = 1_100_000, 900_000, 100, 20, 60
COMMON, AT_ONCE = 1 / 3, 10_000


def write_corpus(folder, scale, seed=1):
    """Write a corpus, a few documents at a time; return the labels, (n_documents, n_labels)."""
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
    return labels


def f1(truth, decided):
    hits = np.count_nonzero((truth == 1) & (decided == 1))
    return 2 * hits / max(np.count_nonzero(truth == 1) + np.count_nonzero(decided == 1), 1)


def resident(pids):
    """Return the peak memory of processes together, in bytes."""
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                total += int(line.split()[1]) * 1024
    return total


def fit(parts, client, options, **model):
    begin = time.perf_counter()
    run = med.distributed.sample(
        parts,
        n_topics=options.topics,
        tune=options.sweeps - 10,
        draws=2,
        chains=1,
        client=client,
        random_seed=1,
        progressbar=False,
        **model,
    )
    return run, (time.perf_counter() - begin) / (options.sweeps - 8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--sweeps", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--held-out", type=int, default=2000)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    import distributed
    from sklearn.svm import LinearSVC

    with (
        tempfile.TemporaryDirectory(dir=options.folder) as place,
        distributed.LocalCluster(
            n_workers=options.workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        labels = write_corpus(Path(place) / "all", options.scale)
        corpus = med.Corpus.from_folder(Path(place) / "all")
        n = corpus.n_documents - options.held_out
        train, new = corpus[:n], corpus[n:]
        train.to_folder(Path(place) / "train")
        train = med.Corpus.from_folder(Path(place) / "train")
        print(f"{train.n_documents} documents, {train.n_tokens} tokens, {train.n_words} words")
        parts = med.distributed.partition(train, labels[:n], n_partitions=options.workers)
        pids = [*(worker.pid for worker in cluster.workers.values()), "self"]
        loss = med.Hinge(margin=20.0)
        small = med.distributed.partition(train[:500], labels[:500], n_partitions=options.workers)
        fit(small, client, options, loss=loss)  # compiles
        base = resident(pids)
        run, seconds = fit(parts, client, options, loss=loss)
        peak = (resident(pids) - base) / train.n_tokens
        print(
            f"a sweep with its share of loading: {seconds:.2f} s; peak {peak:.1f} bytes per token"
        )
        predicted = med.predict(run, new, random_seed=1, var_names=["decision"], progressbar=False)
        print(f"F1 {f1(labels[n:], predicted['predictions']['decision'].values):.3f}")
        plain = med.distributed.partition(train, n_partitions=options.workers)
        lda, _ = fit(plain, client, options)
        some = np.arange(0, n, max(n // 20_000, 1))
        theta = [
            med.predict(lda, own, random_seed=1, var_names=["theta"], progressbar=False)[
                "predictions"
            ]["theta"].values.mean(axis=(0, 1))
            for own in (train[some], new)
        ]
        decided = np.stack(
            [LinearSVC().fit(theta[0], y).predict(theta[1]) for y in labels[some].T], axis=1
        )
        print(f"F1 of LDA and a linear SVM {f1(labels[n:], decided):.3f}")


if __name__ == "__main__":
    main()
