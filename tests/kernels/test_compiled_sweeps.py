"""Compiled sweeps equal their Python source bit for bit, piece by piece."""

import itertools
import os
import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest

from pymc_medlda import kernels
from pymc_medlda.kernels import simd, sweeps
from pymc_medlda.kernels.simd.exponential import ABOVE
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps import reference, rejection
from pymc_medlda.kernels.sweeps.bounds import reweigh, sweep_by_bounds
from pymc_medlda.kernels.sweeps.products import sweep_by_products
from pymc_medlda.kernels.sweeps.rejection import draw_by_rejection
from pymc_medlda.kernels.sweeps.rows import sweep_by_rows
from pymc_medlda.kernels.sweeps.word_lists import move_token
from tests.kernels.conftest import QUICK, loaded, parameters

MODULES = [
    import_module(f"{package.__name__}.{found.name}")
    for package in (kernels, simd, sweeps)
    for found in iter_modules(package.__path__)
    if not found.ispkg
]


@pytest.mark.parametrize(("path", "n_tasks"), [*QUICK, ("all in runs", 1), ("all in runs", 2)])
@pytest.mark.parametrize("scale", [3.0, 60.0])
def test_interpreted_sweep_equals_the_compiled_one(
    medium, path, n_tasks, scale, monkeypatch, request
):
    """Down to the last piece: nothing that a kernel calls stays compiled."""
    if path == "all in runs":
        request.getfixturevalue("all_in_runs")
        path = "dense"
    given = parameters(medium[0].start.size - 1, 12, n_tasks, scale=scale)
    results = []
    for interpreted in (False, True):
        if interpreted:
            for module in MODULES:
                interpret(module, monkeypatch)
        sampler = loaded(medium, 12, path)
        rng = np.random.default_rng(8)
        with np.errstate(over="ignore"):  # bits of exponents that wrap around, as they may
            results.append([(sampler.sweep(rng, **given), sampler.z.tolist()) for _ in range(3)])
    assert results[0] == results[1]


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_no_random_number_is_used_twice(medium, path, n_tasks, monkeypatch):
    """Also after refusals: what refused a topic says something about the number that did."""
    given = parameters(medium[0].start.size - 1, 24, n_tasks)
    given["a"] *= np.diff(medium[0].start)[:, None] ** 2  # steep enough for refusals
    given["b"] *= np.diff(medium[0].start)[:, None] ** 2
    for module in MODULES:
        interpret(module, monkeypatch)
    taken = []

    def record(counter):
        taken.append(int(counter))
        return drawn(counter)

    drawn = uniform.py_func
    for module in MODULES:
        if hasattr(module, "uniform") and module.__name__.startswith(sweeps.__name__):
            monkeypatch.setattr(module, "uniform", record)
    sampler = loaded(medium, 24, path)
    with np.errstate(over="ignore"):
        sampler.sweep(np.random.default_rng(8), **given)
    assert len(taken) >= medium[0].word.size
    assert len(set(taken)) == len(taken)
    # One after the other, so that a sweep never meets the numbers of another by a short way.
    assert all((y - x) % 2**64 == int(STRIDE) for x, y in itertools.pairwise(taken))
    if (path, n_tasks) == ("sparse", 1):
        assert sampler.method.refusals > 1000


def test_no_weight_exceeds_its_bound(medium, monkeypatch):
    """Neither that of the token's own topic nor that of another, after any moves."""
    given = parameters(medium[0].start.size - 1, 24, 1)
    given["a"] *= np.diff(medium[0].start)[:, None] ** 2 / 10.0
    for module in MODULES:
        interpret(module, monkeypatch)
    sure = rejection.SURE
    monkeypatch.setattr(rejection, "SURE", 0.0)  # so that every draw is seen
    accepted, seen = rejection.is_accepted, {True: [], False: []}

    def record(x, weight, k, lane, visit, topics, work):
        exponent = reference.exponent_at(k, visit.reference, topics) + visit.slope * topics.tilt[k]
        excess = exponent - np.log(work.factor[k] * work.bound[lane])
        seen[k == visit.j].append(excess)
        return accepted(x, weight, k, lane, visit, topics, work)

    monkeypatch.setattr(rejection, "is_accepted", record)
    sampler = loaded(medium, 24, "sparse")
    with np.errstate(over="ignore"):
        moved = sampler.sweep(np.random.default_rng(8), **given)
    assert moved > medium[0].word.size / 10
    assert max(seen[False]) < 1e-12
    assert min(seen[False]) < -0.1  # or the bounds would be no test
    assert max(seen[True]) < 1e-12
    # Its bound is its own. What is below the smallest ratio is accepted without another look.
    assert min(seen[True]) >= np.log(sure) - 1e-12
    assert np.log(sure) >= -2.0 * ABOVE


def interpret(module, monkeypatch):
    """Put the Python function in the place of every kernel that a module names."""
    for name, value in vars(module).copy().items():
        if hasattr(value, "py_func"):
            monkeypatch.setattr(module, name, value.py_func)


def test_every_piece_is_interpreted():
    """The test above would prove little if pieces were not found, or lived elsewhere."""
    found = {f.__module__ for m in MODULES for f in vars(m).values() if hasattr(f, "py_func")}
    assert found <= {module.__name__ for module in MODULES}
    names = {"sweep_by_products", "sweep_by_rows", "sweep_by_bounds", "claim_rows", "move_token"}
    names |= {"draw_by_rejection", "reweigh", "sweep_in_runs", "sweep_by_visits"}
    assert names <= {name for module in MODULES for name in vars(module)}


def test_loops_and_pieces_count_no_references():
    """Counting references makes a sweep five times slower, and no result would show it."""
    if not hasattr(sweep_by_rows, "targetoptions"):
        pytest.skip("numba is switched off")
    for loop in (sweep_by_products, sweep_by_rows, sweep_by_bounds):
        assert loop.targetoptions["_nrt"] is False
    for part in (reweigh, draw_by_rejection, move_token):
        assert part.targetoptions["inline"] == "always"
        assert part.targetoptions["_nrt"] is False


def test_draws_are_the_same_where_numba_is_switched_off():
    script = (
        "import numpy as np\n"
        "from pymc_medlda.kernels.counts import Tokens\n"
        "from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler\n"
        "sampler = TopicSampler(Tokens(np.arange(30, dtype=np.int32) % 7, np.array([0, 12, 30])),"
        " n_words=7, n_topics=3)\n"
        "sampler.load(np.zeros(30, np.uint8))\n"
        "one = np.ones((2, 1))\n"
        "for _ in range(5):\n"
        "    sampler.sweep(np.random.default_rng(1), alpha=np.ones(3), beta=0.1,"
        " eta=np.array([[1.0, -1.0, 0.5]]), a=one, b=one)\n"
        "print(sampler.z.tolist())\n"
    )
    seen = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in ("0", "1")
    ]
    assert seen[0] == seen[1]
    assert seen[0].count("1") > 0
