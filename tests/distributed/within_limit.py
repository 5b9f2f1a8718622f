"""Sample a corpus with a limit of memory: ``python -m tests.distributed.within_limit folder kind``.

The limit is what the process has after importing and compiling everything, plus half of the bytes
of tokens and topics. It is RLIMIT_DATA, which counts the memory that a process allocates, and not
files that it maps: those are dropped when memory is short. RLIMIT_AS would count these as well.
"""

import resource
import sys

import numpy as np
import zarr
from scipy.linalg import blas

import pymc_medlda as med


def allocated():
    """Return how many bytes of private, writeable memory the process has."""
    with open("/proc/self/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["VmData"].split()[0]) * 1024


def sample(corpus, client, **options):
    y = np.arange(corpus.n_documents) % 2
    parts = med.distributed.partition(corpus, y, n_partitions=16)
    settings = {"n_topics": 8, "tune": 1, "draws": 1, "chains": 1, "random_seed": 1, **options}
    return med.distributed.sample(parts, client=client, progressbar=False, **settings)


def use(run, folder):
    """Do what is done with a run that was sampled."""
    run.to_netcdf(f"{folder}/run.nc")
    assert len(med.top_words(f"{folder}/run.nc", n=3)) == 8
    med.diagnose(run)


def main(folder, kind):
    corpus = med.Corpus.from_folder(f"{folder}/corpus")
    client = med.distributed.InProcess(f"{folder}/scratch" if kind == "on disk" else None)
    # Everything is imported and compiled, and both libraries of linear algebra have their buffers.
    np.ones((300, 300)) @ np.ones((300, 300))
    blas.dsyrk(1.0, np.ones((300, 300)))
    run = sample(corpus[:4000], client, draws=4)
    med.predict(run, corpus[:5], progressbar=False, cores=1)
    use(run, folder)
    limit = allocated() + (4 + 1) * corpus.n_tokens // 2
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    files = {"checkpoint": f"{folder}/checkpoint {kind}", "z_store": f"{folder}/z {kind}"}
    run = sample(corpus, client, draws=4, checkpoint_every=2, **files)
    predicted = med.distributed.predict(
        run, med.distributed.partition(corpus[:5000], n_partitions=4), client=client
    )
    assert predicted["predictions"]["decision"].size == 5000
    use(run, folder)
    whole = zarr.open_group(files["z_store"], mode="r")
    assert sum(whole[f"z_{i}"].shape[2] for i in range(16)) == corpus.n_tokens


if __name__ == "__main__":
    main(*sys.argv[1:])
