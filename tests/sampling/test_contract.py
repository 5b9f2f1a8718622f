"""The step behind PyMC's contract: seeds, processes, points, state, statistics."""

import itertools
import logging
import pickle
import sys

import cloudpickle
import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda.sampling import graph
from tests.sampling.small import QUIET, draws, model_of, sample


def test_same_seed_same_draws_other_seed_other_draws(planted):
    one, again, other = (sample(planted, seed=s) for s in (1, 1, 2))
    assert np.array_equal(draws(one), draws(again))
    assert np.array_equal(draws(one, "eta"), draws(again, "eta"))
    assert not np.array_equal(draws(one), draws(other))
    assert not np.array_equal(draws(one)[0], draws(one)[1])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_give_the_draws_of_one_core(planted, method):
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("this start method does not exist on Windows")
    alone = sample(planted, seed=5)
    together = sample(planted, seed=5, cores=2, mp_ctx=method)
    assert np.array_equal(draws(alone), draws(together))
    assert np.array_equal(draws(alone, "eta"), draws(together, "eta"))


def test_step_is_a_function_of_point_and_generator(planted):
    """One instance over two chains: what it remembers of the first must not colour the second."""
    with model_of(planted) as model:
        step, fresh = med.GibbsMedLDAStep(rng=0), med.GibbsMedLDAStep(rng=0)
        point = model.initial_point(7)
        for _ in range(3):  # another chain before
            other, _ = step.step(model.initial_point(8))
            step.step(other)
        step.rng, fresh.rng = np.random.default_rng(4), np.random.default_rng(4)
        one, stats = step.step(point)
        two, stats_again = fresh.step(point)
    assert np.array_equal(one["z"], two["z"])
    assert np.array_equal(one["eta"], two["eta"])
    assert stats == stats_again


@pytest.mark.parametrize("names", [["z", "eta"], ["z"]])
def test_a_point_may_be_changed_in_place(planted, names):
    """Also one the step gave away, and weights that it does not draw."""
    with model_of(planted) as model:
        variables = [model[name] for name in names]
        step, fresh = (med.GibbsMedLDAStep(variables, rng=0) for _ in range(2))
        point, _ = step.step(model.initial_point(7))
        point["eta"] += np.arange(point["eta"].size)
        point["z"][:5] = 0
        step.rng, fresh.rng = np.random.default_rng(4), np.random.default_rng(4)
        (one, stats), (_, stats_again) = step.step(point), fresh.step(point)
        one["eta"] *= -2.0
        again, _ = step.step(one)
        other = med.GibbsMedLDAStep(variables, rng=0)
        other.rng = np.random.default_rng(4)
        other.step(point)
        expected, _ = other.step(one)
    assert stats == stats_again
    assert np.array_equal(again["z"], expected["z"])
    assert np.array_equal(again["eta"], expected["eta"])


def test_point_is_left_alone_and_draws_are_apart(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3)
        start = model.initial_point(1)
        kept = {name: value.copy() for name, value in start.items()}
        points = [start]
        for _ in range(3):
            points.append(step.step(points[-1])[0])
    assert all(np.array_equal(start[name], kept[name]) for name in kept)
    assert len({p["z"].tobytes() for p in points}) == 4
    assert not any(np.shares_memory(a["z"], b["z"]) for a, b in itertools.pairwise(points))


def test_pickled_step_goes_on_as_the_original(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3)
        point, _ = step.step(model.initial_point(1))
    twin = cloudpickle.loads(cloudpickle.dumps(step))
    one, two = step.step(point)[0], twin.step(point)[0]
    assert np.array_equal(one["z"], two["z"])
    assert np.array_equal(one["eta"], two["eta"])


def test_sampling_state_makes_a_round_trip(planted):
    with model_of(planted) as model:
        step, other = med.GibbsMedLDAStep(rng=3), med.GibbsMedLDAStep(rng=99)
        different = med.GibbsMedLDAStep(sweeps_per_draw=2)
        point, _ = step.step(model.initial_point(1))
    state = pickle.loads(pickle.dumps(step.sampling_state))
    other.sampling_state = state
    assert np.array_equal(step.step(point)[0]["z"], other.step(point)[0]["z"])
    with pytest.raises(ValueError, match="sweeps_per_draw"):
        different.sampling_state = state


def test_rounds_draw_the_weights_as_often_as_so_many_steps(planted):
    with model_of(planted) as model:
        start = model.initial_point(1)
        thrice = med.GibbsMedLDAStep([model["eta"]], weight_rounds=3, rng=4)
        once = med.GibbsMedLDAStep([model["eta"]], rng=4)
        point = start
        for _ in range(3):
            assert not np.array_equal(point["eta"], thrice.step(start)[0]["eta"])
            point, _ = once.step(point)
        thrice.rng = np.random.default_rng(4)
        np.testing.assert_array_equal(thrice.step(start)[0]["eta"], point["eta"])


def test_rounds_come_before_the_topics(planted):
    with model_of(planted) as model:
        start = model.initial_point(1)
        expected, _ = med.GibbsMedLDAStep([model["eta"]], weight_rounds=2, rng=4).step(start)
        drawn, _ = med.GibbsMedLDAStep(weight_rounds=2, rng=4).step(start)
    np.testing.assert_array_equal(drawn["eta"], expected["eta"])
    assert not np.array_equal(drawn["z"], start["z"])


def test_statistics_are_what_they_say(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3)
        before, _ = step.step(model.initial_point(1))
        after, (stats,) = step.step(before)
        log_words = model.compile_logp([model["words"]])(after)
    assert stats["log_joint"] == pytest.approx(model.compile_logp()(after), rel=1e-10)
    assert stats["moved"] == np.mean(before["z"] != after["z"])
    frequency = np.stack(
        [
            np.bincount(after["z"][a:b], minlength=3) / max(b - a, 1)
            for a, b in zip(planted.corpus.starts[:-1], planted.corpus.starts[1:], strict=True)
        ]
    )
    signs = np.where(planted.y == np.unique(planted.y)[1], 1.0, -1.0)
    margin = signs * (frequency @ after["eta"])
    assert stats["loss"] == pytest.approx(np.maximum(0, 4.0 - margin).sum())
    assert stats["score"] == np.mean(margin > 0)
    assert stats["log_likelihood"] * planted.corpus.n_tokens == pytest.approx(float(log_words))


def test_plain_sample_finds_the_step(planted, caplog):
    with caplog.at_level(logging.INFO, logger="pymc"), model_of(planted):
        idata = pm.sample(draws=4, tune=2, chains=1, random_seed=1, **QUIET)
    assert "GibbsMedLDAStep: [z, eta]" in caplog.text
    assert draws(idata).dtype == np.uint8


def test_laplace_weights_are_left_to_nuts(planted, caplog):
    with pm.Model(), caplog.at_level(logging.INFO, logger="pymc"):
        z = med.TopicAssignments("z", planted.corpus, n_topics=3)
        eta = pm.Laplace("eta", 0, 1, shape=3)
        med.MaxMargin("y", z, eta, observed=planted.y, loss=med.Hinge(margin=2.0))
        idata = pm.sample(draws=20, tune=20, chains=1, random_seed=1, **QUIET)
        with pytest.raises(ValueError, match="Leave it to PyMC"):
            med.GibbsMedLDAStep([z, eta])
        alone = med.GibbsMedLDAStep()
    assert "NUTS: [eta]" in caplog.text
    assert "GibbsMedLDAStep: [z]" in caplog.text
    assert [v.name for v in alone.vars] == ["z"]
    assert len(np.unique(draws(idata, "eta")[0, :, 0])) > 5


def test_the_graph_is_read_once_and_its_refusals_are_logged_once(planted, caplog, monkeypatch):
    read = []
    original = graph._read_block
    monkeypatch.setattr(graph, "_read_block", lambda *a: read.append(a) or original(*a))
    with pm.Model(), caplog.at_level(logging.INFO, logger="pymc"):
        z = med.TopicAssignments("z", planted.corpus, n_topics=3)
        eta = pm.Laplace("eta", 0, 1, dims="topic")
        med.MaxMargin("y", z, eta, observed=planted.y, loss=med.Hinge(margin=4.0))
        step = med.GibbsMedLDAStep()
    assert len(read) == 1
    assert caplog.text.count("are left to PyMC") == 1
    pickle.loads(cloudpickle.dumps(step))
    assert len(read) == 1


def test_a_pickled_step_leaves_its_model_behind(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep()
    assert not any(value is model for value in vars(pickle.loads(cloudpickle.dumps(step))).values())
    assert len(cloudpickle.dumps(step)) < len(cloudpickle.dumps(model))
