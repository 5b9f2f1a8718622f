"""A corpus on disk, sampled with less memory than its tokens and topics take.

    python -m tests.benchmarks.larger_than_memory [--tokens 10000000] [--topics 20] [--sweeps 3]

Two ways are compared, each in a process of its own: arrays in memory without a limit, and arrays in
files with a limit. The process may use half the bytes of tokens and topics, beyond what it has
after compiling. The limit is RLIMIT_DATA, which counts what a process allocates, but not the files
that it maps. ``a sweep`` is the elapsed time of a sweep: the difference between a long and a short
run, divided by their difference in sweeps.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.mapped import N_WORDS as N_WORDS_FILE
from pymc_medlda.corpus.mapped import STARTS, WORDS, make_folder, new_array

LENGTH, N_WORDS, AT_ONCE = 100, 20_000, 1_000_000


def write_corpus(folder, n_tokens):
    """Write documents of words with Zipf frequencies, a block of tokens at a time."""
    place = make_folder(folder)
    rng = np.random.default_rng(1)
    cumulated = np.cumsum(1.0 / np.arange(11, N_WORDS + 11))  # without stop words
    cumulated /= cumulated[-1]
    words = new_array(place / WORDS, np.int32, n_tokens)
    for first in range(0, n_tokens, AT_ONCE):
        last = min(first + AT_ONCE, n_tokens)
        words[first:last] = np.searchsorted(cumulated, rng.random(last - first))
    words.flush()
    (place / N_WORDS_FILE).write_text(str(N_WORDS))
    np.save(place / STARTS, np.arange(0, n_tokens + 1, LENGTH))


def child(options):
    """Sample in this process, and print seconds and bytes as JSON."""
    import resource

    from scipy.linalg import blas

    import pymc_medlda as med
    from tests.distributed.within_limit import allocated

    corpus = Corpus.from_folder(options.folder)
    scratch = None if options.child == "in memory" else tempfile.mkdtemp(dir=options.scratch)
    client = med.distributed.InProcess(scratch)

    def run(corpus, sweeps):
        y = np.arange(corpus.n_documents) % 2
        parts = med.distributed.partition(corpus, y, n_partitions=options.partitions)
        begin = time.perf_counter()
        med.distributed.sample(
            parts,
            n_topics=options.topics,
            loss=med.Hinge(margin=20.0),
            tune=sweeps,
            draws=1,
            chains=1,
            client=client,
            random_seed=1,
            progressbar=False,
        )
        return time.perf_counter() - begin

    np.ones((300, 300)) @ np.ones((300, 300))
    blas.dsyrk(1.0, np.ones((300, 300)))
    run(corpus[:4000], 1)
    base = allocated()
    if options.child == "on disk":
        limit = base + 5 * corpus.n_tokens // 2
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    short, long = run(corpus, 1), run(corpus, 1 + options.sweeps)
    print(json.dumps({"a sweep": (long - short) / options.sweeps}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--sweeps", type=int, default=3)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--scratch", default=None, help="a folder on a disk, not in memory")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options)
        return
    with tempfile.TemporaryDirectory(dir=options.scratch) as place:
        folder = Path(place) / "corpus"
        write_corpus(folder, options.tokens)
        found = {}
        for kind in ("in memory", "on disk"):
            command = [sys.executable, "-m", "tests.benchmarks.larger_than_memory"]
            command += ["--child", kind, "--folder", str(folder), "--scratch", place]
            for name in ("tokens", "topics", "sweeps", "partitions"):
                command += [f"--{name}", str(getattr(options, name))]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{kind}: failed\n{done.stderr[-2000:]}")
                return
            found[kind] = json.loads(done.stdout.splitlines()[-1])
            print(f"{kind:10s} a sweep {found[kind]['a sweep']:.2f} s", flush=True)
        ratio = found["on disk"]["a sweep"] / found["in memory"]["a sweep"]
        print(f"on disk over in memory: {ratio:.2f}, within {options.tokens * 2.5 / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
