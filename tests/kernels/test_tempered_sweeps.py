"""Tempered sweeps draw from the tempered conditional, and plain ones do not notice them."""

import itertools

import numpy as np
import pytest

from pymc_medlda.kernels.sweeps import tempering
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler, quickest_tempered_path
from tests.kernels import test_replayed_sweeps as replays
from tests.kernels import test_sweep_laws as laws
from tests.kernels.conftest import QUICK, loaded, log_target, parameters
from tests.kernels.replay import conditionals
from tests.kernels.test_compiled_sweeps import MODULES, interpret

PATHS = [("plain", 1), *QUICK]
corpus = replays.corpus  # a fixture


@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
@pytest.mark.parametrize("power", [0.5, 0.8])
@pytest.mark.parametrize("name", ["soft", "steep"])
def test_a_sweep_has_the_law_of_the_enumerated_conditionals(toy, path, n_tasks, power, name):
    given = {**laws.setting(name, n_tasks), "power": power}
    for start in ([0, 0, 0, 0, 0], [2, 1, 0, 1, 2]):
        start = np.array(start, np.uint8)
        assert laws.chi_square_level(*toy, path, given, given, start) > 1e-4


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
@pytest.mark.parametrize("assumed", [0.4, 0.65])
def test_another_power_is_noticed(toy, path, assumed):
    given = {**laws.setting("soft", 1, seed=2), "power": 0.5}
    start, wrong = np.array([2, 1, 0, 1, 2], np.uint8), {**given, "power": assumed}
    level = laws.chi_square_level(*toy, path, given, wrong, start, n_sweeps=12_000)
    assert level < 1e-6


@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
@pytest.mark.parametrize("power", [0.5, 0.8])
@pytest.mark.parametrize("name", ["no labels", "soft", "very steep, with ties"])
def test_every_draw_has_the_law_of_its_conditional(corpus, path, n_tasks, power, name):
    given = {**replays.given_parameters(name, corpus, 22, n_tasks), "power": power}
    found, least = replays.replayed(corpus, path, given)
    assert min(found.values()) > replays.LEVEL, found
    assert least > np.log(1e-10), "a topic was drawn that is all but impossible"


@pytest.mark.parametrize("n_topics", [7, 8, 100])
def test_any_number_of_topics_has_its_law(corpus, n_topics):
    given = {**replays.given_parameters("soft", corpus, n_topics, 1), "power": 0.7}
    found, _ = replays.replayed(corpus, "dense", given, n_sweeps=12)
    assert min(found.values()) > replays.LEVEL, found


@pytest.mark.parametrize("changed", ["a", "b", "alpha", "beta", "eta", "power"])
@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_a_wrong_parameter_is_noticed(corpus, path, changed):
    given = {**replays.given_parameters("soft", corpus, 22, 1), "power": 0.7}
    given["alpha"] = np.repeat([0.1, 0.6], 11)  # powers are tabulated by the values of alpha
    wrong = {**given, changed: 1.3 * given[changed]}
    assert min(replays.replayed(corpus, path, wrong, assumed=given)[0].values()) < replays.LEVEL


def test_replayed_conditionals_are_ratios_of_the_joint(toy):
    tokens, n_words = toy
    rng = np.random.default_rng(2)
    before, after = rng.integers(0, 3, (2, 5))
    given = {**laws.setting("medium", 2), "power": 0.6}
    logs, _ = conditionals(toy, before, after, **given)
    for n, k in itertools.product(range(5), range(3)):
        z, base = (np.r_[after[:n], topic, before[n + 1 :]] for topic in (k, 0))
        ratio = log_target(tokens, n_words, z, **given) - log_target(tokens, n_words, base, **given)
        assert logs[n, k] - logs[n, 0] == pytest.approx(ratio, abs=1e-9)


@pytest.mark.parametrize("scale", [3.0, 60.0])
@pytest.mark.parametrize("n_tasks", [1, 2])
def test_interpreted_sweep_equals_the_compiled_one(medium, n_tasks, scale, monkeypatch):
    given = parameters(medium[0].start.size - 1, 12, n_tasks, scale=scale)
    results = []
    for interpreted in (False, True):
        if interpreted:
            for module in MODULES:
                interpret(module, monkeypatch)
        sampler, rng = loaded(medium, 12, "dense"), np.random.default_rng(8)
        with np.errstate(over="ignore"):  # bits of exponents that wrap around, as they may
            results.append(
                [(sampler.sweep(rng, **given, power=p), sampler.z.tolist()) for p in (0.5, 0.5, 1)]
            )
    assert results[0] == results[1]


def test_counts_and_draws_follow_from_z_whatever_was_swept_before(medium):
    """The powers that are kept from sweep to sweep are a cache of z and the parameters."""
    given = parameters(medium[0].start.size - 1, 12, 1)
    first = {**given, "alpha": 2.0 * given["alpha"]}
    other = {**first, "beta": 0.2}
    turns = [(given, 0.5), (given, 0.5), (given, 1.0), (given, 0.5), (given, 0.8)]
    turns += [(first, 0.8), (other, 0.8)]
    kept = loaded(medium, 12, "dense")
    for seed, (parameter, power) in enumerate(turns):
        fresh = TopicSampler(medium[0], n_words=medium[1], n_topics=12, path="dense")
        fresh.load(kept.z)
        for sampler in (kept, fresh):
            sampler.sweep(np.random.default_rng(seed), **parameter, power=power)
        np.testing.assert_array_equal(kept.z, fresh.z)
        recounted = TopicSampler(medium[0], n_words=medium[1], n_topics=12, path="dense")
        recounted.load(kept.z)
        for name in ("document_topic", "topic", "tally"):
            np.testing.assert_array_equal(getattr(kept, name), getattr(recounted, name))
        np.testing.assert_array_equal(kept.method.word_topic(), recounted.method.word_topic())
    kept.load(kept.z[::-1].copy())
    fresh = TopicSampler(medium[0], n_words=medium[1], n_topics=12, path="dense")
    fresh.load(kept.z)
    for sampler in (kept, fresh):
        sampler.sweep(np.random.default_rng(9), **other, power=0.8)
    np.testing.assert_array_equal(kept.z, fresh.z)


def test_powers_of_many_tokens_are_computed_as_those_of_few_are_read(medium, monkeypatch):
    given = parameters(medium[0].start.size - 1, 12, 1)
    drawn = []
    for most in (tempering.MOST_TABULATED, 100):
        monkeypatch.setattr(tempering, "MOST_TABULATED", most)
        sampler, rng = loaded(medium, 12, "dense"), np.random.default_rng(4)
        n_below, n_above = (sampler.topic < most).sum(), (sampler.topic > 100).sum()
        drawn.append([(sampler.sweep(rng, **given, power=0.6), sampler.z.tolist()) for _ in "abc"])
        assert n_above > 3
        assert n_below == 12 or most == 100
    assert drawn[0] == drawn[1]


def test_powers_that_are_not_allowed(medium):
    given = parameters(medium[0].start.size - 1, 12, 1)
    for power in (0.0, -0.5, 1.5, np.nan):
        with pytest.raises(ValueError, match="power must be above 0 and at most 1, got"):
            loaded(medium, 12, "dense").sweep(np.random.default_rng(1), **given, power=power)
    with pytest.raises(ValueError, match='path "sparse" has no tempered sweep'):
        loaded(medium, 12, "sparse").sweep(np.random.default_rng(1), **given, power=0.5)
    assert [quickest_tempered_path(k) for k in (2, 256, 257)] == ["dense", "dense", "plain"]
