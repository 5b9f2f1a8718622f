"""Annealed starts: valid, reproducible, independent points, on which chains agree better."""

import itertools
import threading
import time

import numpy as np
import pymc as pm
import pytest
from scipy.optimize import linear_sum_assignment

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.sampling import annealing
from tests.sampling.small import QUIET, model_of

QUICK = {"n_sweeps": 20, "chains": 2, "progressbar": False}


def equal(left, right):
    """Say whether two lists of points are equal bit for bit."""
    return all(
        sorted(p) == sorted(q) and all(np.array_equal(p[name], q[name]) for name in p)
        for p, q in zip(left, right, strict=True)
    )


def test_points_are_starts_of_pm_sample(planted):
    with model_of(planted) as model:
        points = med.annealed_starts(random_seed=1, **QUICK)
        for point in points:
            assert sorted(point) == ["eta", "z"]
            assert point["z"].dtype == np.uint8
            assert point["z"].shape == (planted.corpus.n_tokens,)
            assert point["eta"].dtype == model["eta"].dtype
            assert np.isfinite(model.compile_logp()(point))
        starts = pm.initial_point.make_initial_point_fns_per_chain(
            model=model, overrides=points, jitter_rvs=set(), chains=2
        )
        for point, function in zip(points, starts, strict=True):
            assert equal([point], [function(0)])
        idata = pm.sample(
            draws=5, tune=0, chains=2, cores=1, initvals=points, random_seed=2, **QUIET
        )
    kept = get_group(idata, "posterior")["z"].values[:, 0] == [p["z"] for p in points]
    assert kept.mean() > 0.6  # two random assignments to three topics have a third in common


def test_a_seed_gives_the_same_points_whatever_the_cores(planted):
    with model_of(planted):
        points = med.annealed_starts(random_seed=3, cores=1, **QUICK)
        assert equal(points, med.annealed_starts(random_seed=3, cores=2, **QUICK))
        generator = np.random.default_rng(3)
        assert equal(points, med.annealed_starts(random_seed=generator, **QUICK))
        assert not equal(points, med.annealed_starts(random_seed=generator, **QUICK))
        assert not equal(points, med.annealed_starts(random_seed=4, **QUICK))
        assert not equal(points[:1], points[1:])
        more = med.annealed_starts(random_seed=3, **{**QUICK, "chains": 3})
        assert equal(points, more[:2])


def test_the_model_may_be_given_and_is_left_as_it_is(planted):
    model = model_of(planted)
    before = model.initial_point(1)
    first = med.annealed_starts(model=model, random_seed=3, **QUICK)
    assert equal(first, med.annealed_starts(model=model, random_seed=3, **QUICK))
    assert equal([before], [model.initial_point(1)])
    with pytest.raises(TypeError, match="annealed_starts was called outside a model"):
        med.annealed_starts(**QUICK)


def test_the_power_rises_to_one(planted):
    for n_sweeps in (1, 7, 250, 4000):
        steps = annealing.schedule(n_sweeps, 0.4)
        powers = [step.power for step in steps]
        assert steps[0] == (0.4, 30)
        assert sum(step.n_sweeps for step in steps[1:]) == n_sweeps
        assert powers == sorted(powers)
        assert powers[-1] == 1.0
        assert max(step.n_sweeps for step in steps[1:]) <= 10
        assert len(steps) > min(n_sweeps, 100)
        middle = np.repeat(powers[1:], [step.n_sweeps for step in steps[1:]])
        line = 0.4 + 0.6 * np.arange(1, n_sweeps + 1) / n_sweeps
        assert np.abs(middle - line).max() <= 0.6 / 100
    assert {step.power for step in annealing.schedule(50, 1.0)} == {1.0}


def test_every_sweep_has_the_power_of_the_schedule(planted, monkeypatch):
    seen = []
    sweep = annealing.Conditionals.sweep

    def record(self, rng, power):
        seen.append(power)
        sweep(self, rng, power)

    monkeypatch.setattr(annealing.Conditionals, "sweep", record)
    med.annealed_starts(3, chains=1, start=0.4, model=model_of(planted), progressbar=False)
    np.testing.assert_allclose(seen, [0.4] * 30 + [0.6, 0.8, 1.0])


def test_a_model_without_labels(planted):
    with med.GibbsMedLDA(planted.corpus, n_topics=3):
        points = med.annealed_starts(random_seed=1, **QUICK)
        pm.sample(draws=2, tune=0, chains=2, cores=1, initvals=points, **QUIET)
    assert [sorted(point) for point in points] == [["z"], ["z"]]


def test_several_responses_and_variables_of_other_steps(planted):
    """What PyMC draws stays at its initial value, and is no part of the points."""
    n = planted.corpus.n_documents
    rating = np.random.default_rng(1).normal(size=n)
    with pm.Model() as model:
        alpha = pm.Gamma("alpha", 2.0, 1.0, shape=3)
        intercept = pm.Normal("intercept", 0.0, 1.0)
        z = med.TopicAssignments("z", planted.corpus, n_topics=3, alpha=alpha)
        eta = pm.Normal("eta", 0.0, 1.0, shape=3)
        weights = pm.Laplace("weights", 0.0, 1.0, shape=3)
        offset = intercept * np.ones(n)
        med.MaxMargin("y", z, eta, observed=planted.y, loss=med.Hinge(margin=2.0), offset=offset)
        med.MaxMargin("rating", z, weights, observed=rating, loss=med.Gaussian(0.5))
        points = med.annealed_starts(random_seed=1, **QUICK)
        assert [sorted(point) for point in points] == [["eta", "z"]] * 2
        (start,) = pm.initial_point.make_initial_point_fns_per_chain(
            model=model, overrides=points[:1], jitter_rvs=set(), chains=1
        )
        assert np.isfinite(model.compile_logp()(start(0)))
        options = {"draws": 2, "tune": 2, "chains": 2, "cores": 1, "init": "adapt_diag"}
        pm.sample(initvals=points, **options, **QUIET)


def test_two_sets_of_topics(planted):
    n = planted.corpus.n_documents
    with pm.Model():
        for name, y in (("first", planted.y), ("second", np.arange(n) / n)):
            z = med.TopicAssignments(f"z {name}", planted.corpus, n_topics=3, words=f"w {name}")
            eta = pm.Normal(f"eta {name}", 0.0, 1.0, shape=3)
            med.MaxMargin(f"y {name}", z, eta, observed=y)
        points = med.annealed_starts(random_seed=1, **QUICK)
    assert sorted(points[0]) == ["eta first", "eta second", "z first", "z second"]
    assert not np.array_equal(points[0]["z first"], points[0]["z second"])


def test_many_topics(planted):
    """More than a table of powers is made for."""
    with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=260):
        (point,) = med.annealed_starts(2, chains=1, random_seed=1, progressbar=False)
    assert point["z"].dtype == np.uint16
    assert point["z"].max() > 255


def test_an_interrupt_stops_all_chains_and_leaves_the_model_as_it_is(planted, monkeypatch):
    model = model_of(planted)
    points = med.annealed_starts(model=model, random_seed=3, **QUICK)
    swept, before = [], set(threading.enumerate())
    sweep = annealing.Conditionals.sweep

    def interrupted(pool, function, *arguments):
        for each in zip(*arguments, strict=True):
            pool.submit(function, *each)
        while len(swept) < 4:  # both chains are in the middle of their first step
            time.sleep(0.001)
        raise KeyboardInterrupt

    def record(self, rng, power):
        swept.append(power)
        time.sleep(0.05)  # long enough for the interrupt to come before the end of the step
        sweep(self, rng, power)

    with monkeypatch.context() as patched:
        patched.setattr(annealing.ThreadPoolExecutor, "map", interrupted)
        patched.setattr(annealing.Conditionals, "sweep", record)
        with pytest.raises(KeyboardInterrupt):
            med.annealed_starts(model=model, cores=2, **QUICK)
    assert len(swept) < 30  # of the sixty sweeps of the first step
    assert set(threading.enumerate()) <= before
    assert equal(points, med.annealed_starts(model=model, random_seed=3, **QUICK))


def agreement(points, corpus, n_topics):
    """Return the smallest mean cosine, over pairs of chains, of topics that are matched."""
    topics = []
    for point in points:
        counts = np.zeros((n_topics, corpus.n_words))
        np.add.at(counts, (point["z"], corpus.tokens.word), 1)
        topics.append(counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9))
    cosines = (left @ right.T for left, right in itertools.combinations(topics, 2))
    return min(c[linear_sum_assignment(-c)].mean() for c in cosines)


@pytest.mark.parametrize(("n_topics", "seed"), [(6, 1), (8, 2)])
def test_annealed_chains_agree_where_plain_ones_are_stuck(n_topics, seed):
    """The same number of sweeps at power one, the control, leaves chains in several modes."""
    planted = med.datasets.make_planted(
        10 * n_topics, n_topics=n_topics, n_words=10 * n_topics, length=40, seed=seed
    )
    found = {}
    with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=n_topics, loss=med.Hinge(margin=4.0)):
        for start in (0.5, 1.0):
            points = med.annealed_starts(
                600, chains=6, start=start, random_seed=seed, progressbar=False
            )
            found[start] = agreement(points, planted.corpus, n_topics)
    assert found[0.5] > 0.98
    assert found[1.0] < 0.9
