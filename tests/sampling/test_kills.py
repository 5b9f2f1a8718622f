"""Whatever stops a run, what was stored is kept, and the run goes on as if nothing had happened."""

import json
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.run.run import Run
from tests.sampling.killing import (
    DRAWS,
    OPTIONS,
    TUNE,
    FailingStore,
    build,
    draws_of,
    lengths,
    same_draws,
    sample,
    sample_whole,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*is unfinished")


@pytest.fixture(scope="module")
def expected():
    return sample_whole()


def assert_goes_on(store, expected, tmp_path, **options):
    """Continue with the stored generators, and compare with the run that was never stopped."""
    left = draws_of(store)
    assert same_draws(expected, left)
    rest = str(tmp_path / "rest.zarr")
    sample(rest, tune=0, resume=store, initvals=med.last_points(store), **options)
    joined = draws_of(store, rest)
    assert lengths(joined) == [n + DRAWS for n in lengths(left)]
    assert same_draws(expected, joined)
    return left


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_twenty_kills_at_random_moments(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.sampling.killing", str(tmp_path), "20"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 20
    for kill in found:
        assert kill["killed"], kill
        assert kill["kept"], kill
        assert kill["equal"], kill
        assert kill["after"] == [DRAWS, DRAWS], kill
        assert all(0 <= n <= TUNE + DRAWS for n in kill["left"])
        # Nothing that PyMC counted as stored is lost.
        assert all(n >= m for n, m in zip(kill["left"], kill["recorded"], strict=True)), kill
    assert len({tuple(kill["left"]) for kill in found}) > 10


def test_other_random_numbers_give_other_draws(expected, tmp_path):
    """The negative control: without the stored generators, the draws after the cut differ."""
    store, rest = str(tmp_path / "run.zarr"), str(tmp_path / "rest.zarr")
    sample(store)
    sample(rest, tune=0, initvals=med.last_points(store))
    assert same_draws(expected, draws_of(store))
    assert not same_draws(expected, draws_of(store, rest))


@pytest.mark.parametrize("number", [73, 78, 79, 80])  # a statistic, the state, the count, z
def test_a_kill_between_state_and_count(expected, number, tmp_path):
    """The state may be one block ahead of the number of draws; the point tells where it belongs."""
    store = tmp_path / "run.zarr"
    child = multiprocessing.get_context("fork").Process(
        target=sample, args=(FailingStore(str(store), number),)
    )
    child.start()
    child.join()
    assert child.exitcode == -9
    left = assert_goes_on(str(store), expected, tmp_path)
    assert lengths(left) == [8 if number >= 79 else 7, 0]


@pytest.mark.slow
def test_a_killed_worker(expected, tmp_path):
    """Two processes, of which one is killed; the draws of both are kept."""
    store = str(tmp_path / "run.zarr")
    killed = []

    def kill(trace, draw):
        if draw.draw_idx == 10 and not killed:
            killed.append(multiprocessing.active_children()[0])
            killed[0].kill()

    with pytest.raises((EOFError, ConnectionError, RuntimeError)):
        sample(store, cores=2, callback=kill)
    assert killed
    left = assert_goes_on(store, expected, tmp_path, cores=2)
    assert max(lengths(left)) >= 10  # the other chain may have been slower


@pytest.mark.parametrize(("number", "chunk"), [(123, 1), (41, 4)])
def test_a_full_disk(expected, number, chunk, tmp_path):
    store = str(tmp_path / "run.zarr")
    with pytest.raises(OSError, match="No space left"):
        sample(FailingStore(store, number, "half", "full"), draws_per_chunk=chunk)
    left = assert_goes_on(store, expected, tmp_path)
    assert lengths(left) == [number // 10 * chunk, 0]


def stop_at(chain, number):
    def stop(trace, draw):
        if (draw.chain, draw.draw_idx) == (chain, number):
            raise KeyboardInterrupt

    return stop


def test_an_interrupt(expected, tmp_path):
    """What pm.sample returns has zeros for draws that were never made; they are not read.

    An interrupt ends the first chain, and PyMC samples the second one.
    """
    store = str(tmp_path / "run.zarr")
    returned = sample(store, callback=stop_at(0, 14))
    assert not get_group(returned, "posterior")["z"].values[0, 15 - TUNE :].any()
    for run in (returned, store):
        posterior = Run(run).group("posterior")
        assert (posterior.sizes["chain"], posterior.sizes["draw"]) == (2, 15 - TUNE)
        for chain, end in enumerate([15, TUNE + DRAWS]):
            z = expected[chain][0]
            np.testing.assert_array_equal(posterior["z"].values[chain], z[TUNE:15])
            np.testing.assert_array_equal(med.last_points(run)[chain]["z"], z[end - 1])
        assert med.diagnose(run).burn_in.shape == (3, 2)
    assert lengths(assert_goes_on(store, expected, tmp_path)) == [15, TUNE + DRAWS]


def test_an_interrupt_in_the_warm_up(expected, tmp_path):
    """A chain without draws after its warm-up is left out, and goes on from there."""
    store = str(tmp_path / "run.zarr")
    sample(store, callback=stop_at(0, 2))
    with pytest.warns(UserWarning, match=r"left out: chain 0 \(3 of warm-up\)"):
        posterior = get_group(med.read_run(store), "posterior")
    assert posterior["chain"].values.tolist() == [1]
    np.testing.assert_array_equal(posterior["z"].values[0], expected[1][0][TUNE : TUNE + DRAWS])
    assert lengths(assert_goes_on(store, expected, tmp_path)) == [3, TUNE + DRAWS]


def test_an_interrupt_in_the_middle_of_a_draw(expected, tmp_path, monkeypatch):
    """The generator has moved on when the interrupt comes; the step sets it back."""
    store = str(tmp_path / "run.zarr")
    sweep, calls = TopicSampler.sweep, []

    def interrupted(self, *arguments, **options):
        result = sweep(self, *arguments, **options)
        calls.append(1)
        if len(calls) == 13 + 1:  # the first call compiles
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(TopicSampler, "sweep", interrupted)
    sample(store)
    monkeypatch.undo()
    assert lengths(assert_goes_on(store, expected, tmp_path)) == [12, TUNE + DRAWS]


def test_draws_that_were_not_written_yet_are_made_again(expected, tmp_path):
    """Blocks of four draws: PyMC drops two of them at an interrupt, and their state is ahead."""
    store = str(tmp_path / "run.zarr")
    sample(store, callback=stop_at(0, 13), draws_per_chunk=4)
    assert lengths(draws_of(store)) == [12, TUNE + DRAWS]
    with build(), pytest.raises(ValueError, match="no state of a generator for z, eta that belong"):
        med.GibbsMedLDAStep(resume=store)
    rest = str(tmp_path / "rest.zarr")
    sample(rest, tune=0, initvals=med.last_points(store), random_seed=8)
    assert lengths(draws_of(store, rest)) == [12 + DRAWS, TUNE + 2 * DRAWS]


def test_joined_parts_are_the_run_that_was_never_stopped(expected, tmp_path):
    store, rest = str(tmp_path / "run.zarr"), str(tmp_path / "rest.zarr")
    sample(store, callback=stop_at(1, 16))
    sample(rest, tune=0, resume=store, initvals=med.last_points(store))
    with pytest.warns(UserWarning, match=r"cut to the 32 draws that all have \(8 of chain 0 more"):
        joined = med.join_runs([store, rest])
    posterior, statistics = get_group(joined, "posterior"), get_group(joined, "sample_stats")
    assert posterior["draw"].values.tolist() == list(range(32))
    assert posterior["z"].dtype == np.uint8
    for chain in range(2):
        z, eta = (values[TUNE : TUNE + 32] for values in expected[chain])
        np.testing.assert_array_equal(posterior["z"].values[chain], z)
        np.testing.assert_array_equal(posterior["eta"].values[chain], eta)
    assert np.isfinite(statistics["log_joint"].values).all()
    assert statistics.sizes == {"chain": 2, "draw": 32}
    warm_up = get_group(joined, "warmup_posterior")
    np.testing.assert_array_equal(warm_up["z"].values[1], expected[1][0][:TUNE])
    assert med.diagnose(joined).burn_in.shape == (3, 2)


def test_what_cannot_be_resumed_is_refused(tmp_path):
    store = str(tmp_path / "run.zarr")
    sample(store)
    with build():
        with pytest.raises(ValueError, match="sweeps_per_draw is 2, but the run to resume was sam"):
            med.GibbsMedLDAStep(resume=store, sweeps_per_draw=2)
        with pytest.raises(ValueError, match="weight_rounds is 7, but the run to resume was sampl"):
            med.GibbsMedLDAStep(resume=store, weight_rounds=7)
        with pytest.raises(ValueError, match="blocks is 2, but the run to resume was sampled"):
            med.GibbsMedLDAStep(resume=store, blocks=2)
        with pytest.raises(ValueError, match="path is 'plain', but the run to resume was sampled"):
            med.GibbsMedLDAStep(resume=store, path="plain")
        med.read_run(store).to_netcdf(str(tmp_path / "run.nc"))
        with pytest.raises(ValueError, match="resume must be the store of a ZarrTrace"):
            med.GibbsMedLDAStep(resume=tmp_path / "run.nc")
        step = med.GibbsMedLDAStep(resume=store)
        with pytest.raises(ValueError, match="a chain begins where no stored chain stopped"):
            pm.sample(draws=2, tune=0, step=step, **OPTIONS)
