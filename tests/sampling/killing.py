"""Kill runs at random moments, read what is left, go on, and compare; run as a program.

Children are forked from one process that has imported and compiled everything, so that a kill
costs a fraction of a second. Prints one line of JSON per kill.
"""

import errno
import json
import os
import random
import signal
import sys
import warnings
from pathlib import Path

import numpy as np
import pymc as pm
import zarr
from pymc.backends.zarr import ZarrTrace

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.files import open_trace
from pymc_medlda.run.joining import read_chains

TUNE, DRAWS, LONGER = 5, 20, 60
WRITES = 10  # for each block of draws: z, eta, six statistics, the state, the number of draws
OPTIONS = {
    "chains": 2,
    "cores": 1,
    "random_seed": 3,
    "progressbar": False,
    "compute_convergence_checks": False,
    "discard_tuned_samples": False,
    "quiet": True,
}


class FailingStore(zarr.DirectoryStore):
    """A folder in which a block of the draws cannot be written.

    ``when`` is "half" (a part of the temporary file is written), "before" (the file is written and
    not renamed) or "after" (renamed). ``how`` is "kill" for ``kill -9`` and "full" for a full disk.
    """

    def __init__(self, path, number, when="before", how="kill"):
        super().__init__(path)
        self.left, self.when, self.how, self.begun = number, when, how, False

    def fail(self):
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, "No space left on device")

    def __setitem__(self, key, value):
        self.begun |= key.startswith("posterior/") and key.endswith("/0.0.0")
        self.left -= self.begun
        super().__setitem__(key, value)
        if self.begun and self.left < 0:
            self.fail()

    def _tofile(self, content, path):
        if self.begun and self.left < 0 and self.when != "after":
            content = bytes(memoryview(content).cast("B"))
            written = len(content) // 2 if self.when == "half" else len(content)
            Path(path).write_bytes(content[:written])
            self.fail()
        super()._tofile(content, path)


def build():
    planted = med.datasets.make_planted(15, n_topics=3, n_words=30, length=12, seed=2)
    loss = med.Hinge(c=0.8, margin=4.0)
    return med.GibbsMedLDA(planted.corpus, planted.y, n_topics=3, loss=loss)


def sample(store, *, draws_per_chunk=1, resume=None, **options):
    with build():
        trace = ZarrTrace(store=store, draws_per_chunk=draws_per_chunk)
        step = med.GibbsMedLDAStep(resume=resume)
        options = {"tune": TUNE, "draws": DRAWS, **OPTIONS, **options}
        return pm.sample(step=step, trace=trace, **options)


def sample_whole():
    """Return the draws of every chain of a longer run with the same seed, never stopped."""
    with build():
        return draws_of(pm.sample(tune=TUNE, draws=LONGER, step=med.GibbsMedLDAStep(), **OPTIONS))


def draws_of(*runs):
    """Return for each chain (z, eta) of all draws of one run after the other, warm-up first."""
    found = [[] for _ in range(2)]
    for stored in map(read_chains, runs):
        for groups, n in ((stored.warm_up, stored.n_warm_up), (stored.draws, stored.n_draws)):
            for chain, parts in enumerate(found):
                own = groups["posterior"].isel(chain=chain, draw=slice(int(n[chain])))
                parts.append((own["z"].values, own["eta"].values))
    return [[np.concatenate(values) for values in zip(*parts, strict=True)] for parts in found]


def same_draws(expected, found):
    """Tell whether chains agree with longer ones, as far as they go."""
    return all(
        np.array_equal(whole[: own.shape[0]], own)
        for a, b in zip(expected, found, strict=True)
        for whole, own in zip(a, b, strict=True)
    )


def lengths(found):
    return [z.shape[0] for z, _ in found]


def kill_one(folder, number, chance, expected):
    """Kill a run at a random moment, go on, and return what was found."""
    store, rest = f"{folder}/{number}", f"{folder}/{number}-rest"
    chunk = (1, 1, 4)[number % 3]
    moment = chance.randrange(WRITES, 2 * WRITES * -(-(TUNE + DRAWS) // chunk))
    when = chance.choice(["half", "before", "after"])
    child = os.fork()
    if not child:
        try:
            sample(FailingStore(store, moment, when), draws_per_chunk=chunk)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    trace = open_trace(store)
    left = draws_of(store)
    points = med.last_points(store)
    sample(rest, tune=0, resume=store, initvals=points)
    went_on = draws_of(store, rest)
    return {
        "killed": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL,
        "moment": (moment // WRITES, moment % WRITES, when, chunk),
        "recorded": trace.recorded.tolist(),
        "left": lengths(left),
        "kept": same_draws(expected, left),
        "after": [b - a for a, b in zip(lengths(left), lengths(went_on), strict=True)],
        "equal": same_draws(expected, went_on),
        "read": get_group(med.read_run(store), "posterior").sizes["draw"],
    }


def main(folder, n_kills):
    warnings.simplefilter("ignore")
    chance = random.Random(14)
    expected = sample_whole()
    for number in range(n_kills):
        print(json.dumps(kill_one(folder, number, chance, expected)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
