"""The report of ``20ng_religion``: the size of the file, and the time it takes to write it.

Run ``python -m tests.benchmarks.report``. The model has 20 topics and four chains of 100 draws, and
is calibrated. The report scores it on the test part. Times are processor times, without sampling.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pymc as pm

import pymc_medlda as med
from tests.benchmarks import data


def name_classes(y):
    return np.where(np.asarray(y) > 0, "religion", "atheism")


def sample(topics, draws):
    """Return a calibrated run of the training part."""
    corpus, y = data.load("20ng_religion")
    quiet = {"progressbar": False, "random_seed": 1}
    with med.GibbsMedLDA(corpus, name_classes(y), n_topics=topics):
        idata = pm.sample(
            tune=50,
            draws=draws,
            chains=4,
            cores=1,
            compute_convergence_checks=False,
            discard_tuned_samples=False,
            **quiet,
        )
    return med.calibrate(idata, **quiet)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("report.html"))
    options = parser.parse_args()
    if not data.available():
        parser.exit(message=f"{data.MISSING}\n")
    idata = sample(options.topics, options.draws)
    test, y = data.load("20ng_religion", "test")
    for what in ("first", "second"):  # the first one also loads compiled code
        begin = time.process_time()
        med.report(idata, options.out, test=test, test_y=name_classes(y), title="20ng_religion")
        seconds = time.process_time() - begin
        size = options.out.stat().st_size / 1e6
        print(f"{what} report: {size:.2f} MB, {seconds:.1f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
