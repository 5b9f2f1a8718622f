"""Sweeps in blocks draw from the full conditionals given the masses, whatever the threads."""

import numpy as np
import pytest

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.simd.uniform import uniform
from pymc_medlda.kernels.sweeps import blocked
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from tests.kernels.blocks import blocked_conditionals, blocked_sweep_law, visiting_order
from tests.kernels.conftest import QUICK, parameters
from tests.kernels.replay import Sums, functions_of_the_draw
from tests.kernels.test_compiled_sweeps import MODULES, interpret
from tests.kernels.test_replayed_sweeps import LEVEL, corpus, given_parameters  # noqa: F401
from tests.kernels.test_sweep_laws import level_of_law, setting

PATHS = [(path, n_tasks) for path in ("plain", "dense", "sparse") for n_tasks in (1, 2)]


def loaded(corpus, n_topics, path, blocks, threads=1):  # noqa: F811
    """Return a sampler that holds random topics, and is used by as many threads as it says."""
    tokens, n_words = corpus
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path, blocks=blocks)
    sampler.team.threads = threads  # also where the machine has fewer cores
    sampler.load(np.random.default_rng(0).integers(0, n_topics, tokens.word.size).astype(np.uint8))
    return sampler


@pytest.fixture
def toy():
    """Two documents and five tokens: each document is the first one of its block."""
    return Tokens(np.array([0, 1, 0, 2, 1], np.int32), np.array([0, 3, 5], np.int64)), 3


@pytest.fixture
def masses(monkeypatch):
    """Hold the masses of all sweeps in a list; if there is one in it already, draw none."""
    held = []

    def draw(*arguments):
        if not held:
            held.append(drawn(*arguments))
        return held[-1]

    drawn = blocked.draw_log_masses
    monkeypatch.setattr(blocked, "draw_log_masses", draw)
    return held


def chi_square_level(toy, path, given, start, n_blocks, log_mass, assumed, n_sweeps=3000):
    """Level of the chi-square test that a sweep has its law if ``assumed`` are the masses."""
    tokens, n_words = toy
    n_topics = given["alpha"].size
    sampler = loaded(toy, n_topics, path, n_blocks)
    law = blocked_sweep_law(tokens, n_words, start, sampler.method.blocks, assumed, **given)
    return level_of_law(sampler, given, start, law, n_sweeps)


@pytest.mark.parametrize("n_blocks", [2, 3])
@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
@pytest.mark.parametrize("name", ["medium", "first label missing"])
def test_a_sweep_has_the_law_of_the_enumerated_conditionals(
    toy, path, n_tasks, name, n_blocks, masses
):
    rng = np.random.default_rng(n_blocks)
    log_mass = np.log(rng.dirichlet(np.ones(n_blocks), 3).T)
    masses.append(log_mass)
    given = setting("medium", n_tasks, n_documents=2)
    if name == "first label missing":
        given["a"] *= [[0.0], [4.0]]
        given["b"] *= [[0.0], [4.0]]
    # Both documents have the same topics: what is held of one must not serve the other.
    start = np.array([1, 2, 1, 1, 2], np.uint8)
    level = chi_square_level(toy, path, given, start, n_blocks, log_mass, log_mass)
    assert level > 1e-4


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_wrong_masses_are_noticed(toy, path, masses):
    rng = np.random.default_rng(1)
    masses.append(np.log(rng.dirichlet(np.ones(2), 3).T))
    given, start = setting("soft", 1, n_documents=2), np.array([2, 1, 0, 1, 2], np.uint8)
    assumed = 1.5 * masses[0]
    assert chi_square_level(toy, path, given, start, 2, masses[0], assumed) < 1e-6


@pytest.mark.parametrize("name", ["soft", "refusals", "steep, with ties"])
@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
@pytest.mark.parametrize("n_blocks", [5])
def test_every_draw_has_the_law_of_its_conditional(corpus, path, n_tasks, name, n_blocks, masses):  # noqa: F811
    """With masses that are drawn, in a corpus with many documents (see `replay`)."""
    given = given_parameters(name, corpus, 22, n_tasks)
    sampler, rng, sums = loaded(corpus, 22, path, n_blocks), np.random.default_rng(7), Sums()
    order, least = visiting_order(sampler.method.blocks), 0.0
    for _ in range(25):
        before = sampler.z.copy()
        masses.clear()
        sampler.sweep(rng, **given)
        logs, seen = blocked_conditionals(
            corpus, before, sampler.z, sampler.method.blocks, masses[0], **given
        )
        drawn = sampler.z[order]
        sums.add(drawn, logs, functions_of_the_draw(before[order], logs, seen, given["eta"]))
        least = min(least, logs[np.arange(drawn.size), drawn].min())
    found = sums.levels()
    assert min(found.values()) > LEVEL, found
    assert least > np.log(1e-10), "a topic was drawn that is all but impossible"


@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
@pytest.mark.parametrize("n_blocks", [2, 3, 7])
def test_all_counts_are_those_of_z_after_every_sweep(medium, path, n_tasks, n_blocks):
    tokens, n_words = medium
    sampler, rng = loaded(medium, 12, path, n_blocks, threads=2), np.random.default_rng(1)
    given = parameters(tokens.start.size - 1, 12, n_tasks)
    for _ in range(4):
        before = sampler.z.copy()
        moved = sampler.sweep(rng, **given)
        assert moved == np.count_nonzero(before != sampler.z) > 0
        fresh = TopicSampler(tokens, n_words=n_words, n_topics=12, path=path)
        fresh.load(sampler.z)
        np.testing.assert_array_equal(sampler.method.word_topic(), fresh.method.word_topic())
        np.testing.assert_array_equal(sampler.document_topic, fresh.document_topic)
        np.testing.assert_array_equal(sampler.topic, fresh.topic)
        np.testing.assert_array_equal(sampler.tally[1:], fresh.tally[1:])
        own = sampler.method
        for number, words in enumerate(own.blocks.words):
            expected = fresh.method.word_topic()[words].sum(axis=0)
            np.testing.assert_array_equal(own.totals[number], expected)


@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
def test_draws_depend_on_blocks_and_not_on_threads(medium, path, n_tasks):
    given = parameters(medium[0].start.size - 1, 12, n_tasks)
    drawn = {}
    for blocks, threads in ((3, 1), (3, 2), (3, 5), (2, 2)):
        sampler, rng = loaded(medium, 12, path, blocks, threads), np.random.default_rng(5)
        for _ in range(4):
            sampler.sweep(rng, **given)
        drawn[blocks, threads] = sampler.z.tolist()
    assert drawn[3, 1] == drawn[3, 2] == drawn[3, 5]
    assert drawn[3, 1] != drawn[2, 2]


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_a_sweep_is_a_function_of_topics_and_generator(medium, path):
    """Whether its counts were kept from the sweep before or counted again makes no difference."""
    given = parameters(medium[0].start.size - 1, 12, 1)
    kept = loaded(medium, 12, path, 3)
    kept.sweep(np.random.default_rng(1), **given)
    fresh = loaded(medium, 12, path, 3)
    fresh.load(kept.z)
    for sampler in (kept, fresh):
        sampler.sweep(np.random.default_rng(2), **given)
    np.testing.assert_array_equal(kept.z, fresh.z)


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_interpreted_sweep_equals_the_compiled_one(medium, path, n_tasks, monkeypatch):
    given = parameters(medium[0].start.size - 1, 12, n_tasks)
    results = []
    for interpreted in (False, True):
        if interpreted:
            for module in MODULES:
                interpret(module, monkeypatch)
        sampler, rng = loaded(medium, 12, path, 3), np.random.default_rng(8)
        with np.errstate(over="ignore"):
            results.append([(sampler.sweep(rng, **given), sampler.z.tolist()) for _ in range(2)])
    assert results[0] == results[1]


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_no_two_cells_use_the_same_random_number(medium, path, n_tasks, monkeypatch):
    given = parameters(medium[0].start.size - 1, 12, n_tasks)
    for module in MODULES:
        interpret(module, monkeypatch)
    taken, drawn = [], uniform.py_func

    def record(counter):
        taken.append(int(counter))
        return drawn(counter)

    for module in MODULES:
        if hasattr(module, "uniform") and ".sweeps." in module.__name__:
            monkeypatch.setattr(module, "uniform", record)
    with np.errstate(over="ignore"):
        loaded(medium, 12, path, 3).sweep(np.random.default_rng(8), **given)
    assert len(taken) >= medium[0].word.size
    assert len(set(taken)) == len(taken)


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_that_are_not_finite_are_refused_and_what_follows_is_right(medium, threads):
    given = parameters(medium[0].start.size - 1, 12, 1)
    sampler = loaded(medium, 12, "dense", 3, threads)
    start = sampler.z.copy()
    wrong = {**given, "b": np.full_like(given["b"], 1e300), "eta": np.full((1, 12), 1e10)}
    with pytest.raises(ValueError, match="finite"):
        sampler.sweep(np.random.default_rng(0), **wrong)
    again = loaded(medium, 12, "dense", 3, threads)
    for one in (sampler, again):
        one.load(start)
        one.sweep(np.random.default_rng(3), **given)
    np.testing.assert_array_equal(sampler.z, again.z)


def test_an_interrupt_between_cells_leaves_no_counts_behind(medium, monkeypatch):
    """A cell has moved tokens, and its topics are not written yet: z is still that of the point."""
    given = parameters(medium[0].start.size - 1, 12, 1)
    sampler, again = loaded(medium, 12, "sparse", 3), loaded(medium, 12, "sparse", 3)
    start = sampler.z.copy()

    def interrupted(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(blocked, "put_back", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sampler.sweep(np.random.default_rng(1), **given)
    for one in (sampler, again):
        one.load(start)
        one.sweep(np.random.default_rng(3), **given)
    np.testing.assert_array_equal(sampler.z, again.z)


def test_a_tempered_sweep_takes_one_block(medium):
    given = parameters(medium[0].start.size - 1, 12, 1)
    with pytest.raises(ValueError, match="a tempered sweep takes one block, got blocks = 3"):
        loaded(medium, 12, "dense", 3).sweep(np.random.default_rng(0), power=0.5, **given)
