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


@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
@pytest.mark.parametrize("assumed", [0.4, 0.65])
def test_another_power_is_noticed(toy, path, n_tasks, assumed):
    given = {**laws.setting("soft", n_tasks, seed=2), "power": 0.5}
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


@pytest.mark.parametrize("name", ["refusals", "medium"])
def test_bounds_serve_a_tempered_target(corpus, name):
    """Also where draws are refused again and again."""
    given = {**replays.given_parameters(name, corpus, 22, 1), "power": 0.5}
    found, _ = replays.replayed(corpus, "sparse", given)
    assert min(found.values()) > replays.LEVEL, found


@pytest.mark.parametrize(
    ("path", "n_topics"),
    [("dense", 7), ("dense", 8), ("dense", 100), ("sparse", 250), ("sparse", 300)],
)
def test_any_number_of_topics_has_its_law(corpus, path, n_topics):
    given = {**replays.given_parameters("soft", corpus, n_topics, 1), "power": 0.7}
    found, _ = replays.replayed(corpus, path, given, n_sweeps=12)
    assert min(found.values()) > replays.LEVEL, found


@pytest.mark.parametrize("changed", ["a", "b", "alpha", "beta", "eta", "power"])
@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_a_wrong_parameter_is_noticed(corpus, path, changed):
    given = {**replays.given_parameters("soft", corpus, 22, 1), "power": 0.6}
    given["alpha"] = np.repeat([0.1, 0.6], 11)  # powers are tabulated by the values of alpha
    wrong = {**given, changed: 1.5 * given[changed]}
    found, _ = replays.replayed(corpus, path, wrong, assumed=given, n_sweeps=80)
    assert min(found.values()) < replays.LEVEL


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


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
@pytest.mark.parametrize("scale", [3.0, 60.0])
def test_a_power_next_to_one_draws_what_a_plain_sweep_draws(medium, path, n_tasks, scale):
    """From the same random numbers: the plain loop is a twin of the tempered one."""
    given = parameters(medium[0].start.size - 1, 12, n_tasks, scale=scale)
    drawn = []
    for power in (1.0, 1.0 - 1e-15):
        sampler, rng = loaded(medium, 12, path), np.random.default_rng(8)
        drawn.append(
            [(sampler.sweep(rng, **given, power=power), sampler.z.tolist()) for _ in range(5)]
        )
    assert drawn[0] == drawn[1]
    assert drawn[0][-1][0] > 100


@pytest.mark.parametrize("scale", [3.0, 60.0])
@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_interpreted_sweep_equals_the_compiled_one(medium, path, n_tasks, scale, monkeypatch):
    given = parameters(medium[0].start.size - 1, 12, n_tasks, scale=scale)
    results = []
    for interpreted in (False, True):
        if interpreted:
            for module in MODULES:
                interpret(module, monkeypatch)
        sampler, rng = loaded(medium, 12, path), np.random.default_rng(8)
        with np.errstate(over="ignore"):  # bits of exponents that wrap around, as they may
            results.append(
                [(sampler.sweep(rng, **given, power=p), sampler.z.tolist()) for p in (0.5, 0.5, 1)]
            )
    assert results[0] == results[1]


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_counts_and_draws_follow_from_z_whatever_was_swept_before(medium, path, n_tasks):
    """The powers that are kept from sweep to sweep are a cache of z and the parameters."""

    def sampler_of(z):
        sampler = TopicSampler(medium[0], n_words=medium[1], n_topics=12, path=path)
        sampler.load(z)
        return sampler

    given = parameters(medium[0].start.size - 1, 12, n_tasks)
    first = {**given, "alpha": 2.0 * given["alpha"]}
    other = {**first, "beta": 0.2}
    turns = [(given, 0.5), (given, 0.5), (given, 1.0), (given, 0.5), (given, 0.8)]
    turns += [(first, 0.8), (other, 0.8)]
    kept = loaded(medium, 12, path)
    for seed, (parameter, power) in enumerate(turns):
        fresh = sampler_of(kept.z)
        for sampler in (kept, fresh):
            sampler.sweep(np.random.default_rng(seed), **parameter, power=power)
        np.testing.assert_array_equal(kept.z, fresh.z)
        recounted = sampler_of(kept.z)
        for name in ("document_topic", "topic"):
            np.testing.assert_array_equal(getattr(kept, name), getattr(recounted, name))
        np.testing.assert_array_equal(kept.tally[1:], recounted.tally[1:])  # see `tally_table`
        np.testing.assert_array_equal(kept.method.word_topic(), recounted.method.word_topic())
    kept.load(kept.z[::-1].copy())
    fresh = sampler_of(kept.z)
    for sampler in (kept, fresh):
        sampler.sweep(np.random.default_rng(9), **other, power=0.8)
    np.testing.assert_array_equal(kept.z, fresh.z)


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_the_powers_of_large_counts_are_computed_as_those_of_small_ones_are_read(
    medium, path, n_tasks, monkeypatch
):
    given = parameters(medium[0].start.size - 1, 12, n_tasks)
    drawn = []
    for most in (None, 10):
        if most:
            monkeypatch.setattr(tempering, "MOST_TABULATED", most)
            monkeypatch.setattr(tempering, "MOST_IN_DOCUMENTS", most)
        sampler, rng = loaded(medium, 12, path), np.random.default_rng(4)
        assert sampler.topic.min() > 10
        assert (sampler.document_topic >= 5).sum() > 50  # two rows of five are in the table
        drawn.append([(sampler.sweep(rng, **given, power=0.6), sampler.z.tolist()) for _ in "abc"])
    assert drawn[0] == drawn[1]


def test_powers_that_are_not_allowed(medium):
    given = parameters(medium[0].start.size - 1, 12, 1)
    for power in (0.0, -0.5, 1.5, np.nan):
        with pytest.raises(ValueError, match="power must be above 0 and at most 1, got"):
            loaded(medium, 12, "dense").sweep(np.random.default_rng(1), **given, power=power)


def test_the_path_of_a_tempered_sweep():
    paths = {2: "dense", 56: "dense", 57: "sparse", 64: "sparse", 65: "sparse", 2**16: "sparse"}
    assert {k: quickest_tempered_path(k) for k in paths} == paths
    assert quickest_tempered_path(2**16 + 1) == "plain"
