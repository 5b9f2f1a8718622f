"""Write a stored run of this release: ``python -m tests.golden.write FILE.nc.gz``.

The files beside this script were written by release 0.1.0, one with PyMC 5 and one with PyMC 6.
They are kept as that release wrote them, compressed, so that every later release proves that it
can read them. Do not write them again: a new layout gets a new file.
"""

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np
import pymc as pm

import pymc_medlda as med

TEXTS = [
    ["good", "food", "wine"],
    ["rude", "slow", "service"],
    ["wine", "food", "nice"],
    ["slow", "rude", "waiter"],
    ["nice", "good", "wine", "food"],
    ["service", "rude"],
] * 2
LABELS = ["up", "down", "up", "down", "up", None] * 2
RATINGS = np.linspace(-1, 1, 12)


def build() -> pm.Model:
    """Return a model with two responses, random alpha, an offset, missing labels and names."""
    corpus = med.Corpus.from_tokens(TEXTS, document_names=[f"review {d}" for d in range(12)])
    with pm.Model() as model:
        alpha = pm.Gamma("alpha", 2.0, 1.0)
        z = med.TopicAssignments("z", corpus, n_topics=3, alpha=alpha)
        eta = pm.Normal("eta", 0, 2.0, dims="topic")
        w = pm.Normal("w", 0, 1.0, dims="topic")
        hinge = med.Hinge(c={"up": 2.0}, margin=3.0)
        med.MaxMargin("y", z, eta, observed=LABELS, loss=hinge)
        loss = med.EpsilonInsensitive(c=2.0)
        med.MaxMargin("rating", z, w, observed=RATINGS, loss=loss, offset=0.1 * RATINGS)
    return model


def sample(model: pm.Model):
    """Return two chains of three draws, with their warm-up."""
    with model:
        return pm.sample(
            draws=3,
            tune=3,
            chains=2,
            cores=1,
            random_seed=7,
            progressbar=False,
            compute_convergence_checks=False,
            discard_tuned_samples=False,
        )


def main(target: str) -> None:
    """Sample and write the compressed file."""
    if Path(target).exists():
        raise FileExistsError(f"{target} is there already: a new layout gets a new file")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.nc")
        sample(build()).to_netcdf(str(path))
        Path(target).write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
