"""The sampler's tables follow z; its paths agree; extreme losses stay finite."""

import pickle

import numpy as np
import pytest
from scipy.special import gammaln

from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.counts import Tokens, count_topics, list_present
from pymc_medlda.kernels.sweeps import word_lists
from pymc_medlda.kernels.sweeps.bounds import sweep_by_bounds
from pymc_medlda.kernels.sweeps.plain import sweep_plainly
from pymc_medlda.kernels.sweeps.products import sweep_by_products
from pymc_medlda.kernels.sweeps.rows import sweep_by_rows
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.kernels.sweeps.word_lists import MOST_NARROW
from pymc_medlda.kernels.weights import draw_weights
from pymc_medlda.kernels.weights_by_topics import accumulate
from pymc_medlda.sampling.compiling import compile_kernels
from tests.kernels.conftest import QUICK, loaded, parameters

CASES = [
    ("plain", 5, 1),
    ("dense", 5, 1),
    ("dense", 100, 2),
    ("sparse", 5, 1),
    ("sparse", 5, 3),
    ("sparse", 100, 1),
    ("sparse", 300, 2),
]


@pytest.mark.parametrize(("path", "n_topics", "n_tasks"), CASES)
def test_tables_follow_the_assignments(medium, path, n_topics, n_tasks):
    tokens, n_words = medium
    sampler = loaded(medium, n_topics, path)
    rng = np.random.default_rng(1)
    given = parameters(tokens.start.size - 1, n_topics, n_tasks)
    for _ in range(5):
        before = sampler.z.copy()
        moved = sampler.sweep(rng, **given)
        assert moved == np.count_nonzero(before != sampler.z)
    again = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path)
    again.load(sampler.z)
    np.testing.assert_array_equal(sampler.method.word_topic(), again.method.word_topic())
    np.testing.assert_array_equal(sampler.document_topic, again.document_topic)
    np.testing.assert_array_equal(sampler.topic, again.topic)
    assert sampler.method.word_topic().sum() == sampler.topic.sum() == tokens.word.size
    tally = np.bincount(sampler.method.word_topic().ravel(), minlength=sampler.tally.size)
    np.testing.assert_array_equal(sampler.tally[1:], tally[1:])


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_load_copies_and_recounts_only_what_is_new(medium, path):
    sampler = loaded(medium, 5, path)
    held = sampler.z
    sampler.load(held.copy())
    assert sampler.z is held
    other = held.copy()
    other[0] = (other[0] + 1) % 5
    sampler.load(other)
    assert sampler.z is not other
    assert sampler.document_topic[0, other[0]] == 1


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_equal_seeds_give_equal_sweeps_and_others_differ(medium, path):
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, 100, 1)
    results = []
    for seed in (1, 1, 2):
        sampler = loaded(medium, 100, path)
        rng = np.random.default_rng(seed)
        for _ in range(3):
            sampler.sweep(rng, **given)
        results.append(sampler.z)
    np.testing.assert_array_equal(results[0], results[1])
    assert (results[0] != results[2]).any()


@pytest.mark.parametrize(("n_topics", "n_tasks"), [(6, 1), (6, 2), (80, 1)])
@pytest.mark.parametrize("quick", ["dense", "sparse"])
def test_paths_agree_in_law(medium, quick, n_topics, n_tasks):
    """Means after two sweeps from one state, over many seeds, within Monte Carlo error."""
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, n_topics, n_tasks)
    start = loaded(medium, n_topics, "plain").z
    seen = {}
    for path in ("plain", quick):
        sampler = loaded(medium, n_topics, path)
        figures = []
        for seed in range(150):
            sampler.load(start)
            rng = np.random.default_rng(seed)
            moved = [sampler.sweep(rng, **given) for _ in range(2)]
            projected = sampler.project(given["eta"])
            fit = (given["b"] * projected - given["a"] * projected**2 / 2).sum()
            logs = sampler.log_words(0.05), sampler.log_assignments(given["alpha"])
            figures.append([*moved, fit, *logs])
        seen[path] = np.array(figures)
    difference = seen["plain"].mean(axis=0) - seen[quick].mean(axis=0)
    error = np.sqrt((seen["plain"].var(axis=0) + seen[quick].var(axis=0)) / 150)
    assert (np.abs(difference) < 4 * error).all()


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
@pytest.mark.parametrize("n_topics", [6, 80])
@pytest.mark.parametrize(("a", "scale"), [(1e12, 1e3), (1e4, 1e3), (1e-12, 1e-3), (0.0, 1e3)])
def test_extreme_losses_keep_the_tables_right(medium, path, n_topics, n_tasks, a, scale):
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, n_topics, n_tasks, scale=scale)
    given["a"] = np.full_like(given["a"], a)
    given["b"] = given["a"] * 164.0 * np.sign(given["b"])
    sampler = loaded(medium, n_topics, path)
    rng = np.random.default_rng(5)
    for _ in range(3):
        sampler.sweep(rng, **given)
    assert sampler.z.max() < n_topics
    assert sampler.topic.min() >= 0
    assert sampler.topic.sum() == tokens.word.size
    assert np.isfinite(sampler.log_words(0.05))


@pytest.mark.parametrize("path", ["dense", "sparse"])
def test_documents_that_alpha_holds_in_one_topic_are_drawn_all_the_same(path):
    """Nearly all that is proposed for the only token of a document is the topic it has."""
    tokens = Tokens(np.arange(50, dtype=np.int32), np.arange(51))
    given = parameters(50, 4, 1) | {"alpha": np.full(4, 1e-9), "a": np.zeros((50, 1))}
    given["b"] = np.zeros((50, 1))
    sampler = loaded((tokens, 50), 4, path)
    rng = np.random.default_rng(3)
    moved = [sampler.sweep(rng, **given) for _ in range(40)]
    assert np.mean(moved) == pytest.approx(37.5, abs=4 * np.sqrt(50 * 3 / 16 / 40))


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_numbers_that_are_not_finite_are_refused(medium, path, n_tasks):
    given = parameters(medium[0].start.size - 1, 5, n_tasks)
    given["b"][0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        loaded(medium, 5, path).sweep(np.random.default_rng(0), **given)


@pytest.mark.parametrize("n_topics", [7, 8, 20])
def test_logarithms_agree_between_paths(medium, n_topics):
    plain, *quick = (loaded(medium, n_topics, path) for path in ("plain", "dense", "sparse"))
    words = np.zeros((n_topics, 40), int)
    np.add.at(words, (plain.z, medium[0].word), 1)
    expected = (gammaln(0.1 + words) - gammaln(0.1)).sum()
    expected -= (gammaln(4.0 + words.sum(axis=1)) - gammaln(4.0)).sum()
    for sampler in (plain, *quick):
        assert sampler.log_words(0.1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_tokens_that_are_read_only_need_no_kernels_of_their_own(path):
    """A corpus is read-only, and what is compiled ahead of the chains must be what they call."""
    corpus = Corpus.from_tokens([["a", "b", "a"], ["b", "c"]])
    writable = Tokens(*(np.array(x) for x in corpus.tokens))
    sweeps = sweep_plainly, sweep_by_products, sweep_by_rows, sweep_by_bounds
    kernels = count_topics, *sweeps, accumulate
    compile_kernels(TopicSampler(writable, n_words=3, n_topics=4, path=path), n_tasks=1)
    compiled = [len(function.signatures) for function in kernels]
    sampler = loaded((corpus.tokens, 3), 4, path)
    given = parameters(2, 4, 1)
    sampler.sweep(np.random.default_rng(0), **given)
    counts = np.zeros((9, 4), np.int32)
    counts[0, 1] = 1
    one, prior = np.ones((9, 1)), np.ones((1, 4))
    draw_weights(
        np.random.default_rng(0),
        counts,
        list_present(counts),
        one,
        one,
        mean=prior,
        precision=prior,
    )
    assert [len(function.signatures) for function in kernels] == compiled


@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("n", [MOST_NARROW - 1, MOST_NARROW])
def test_lists_of_a_frequent_word_are_compiled_ahead_too(n, blocks):
    word = np.r_[np.zeros(n), 1, 2].astype(np.int32)
    tokens, settings = Tokens(word, np.array([0, n, n + 2])), {"path": "sparse", "blocks": blocks}
    sampler = TopicSampler(tokens, n_words=3, n_topics=70, **settings)
    compile_kernels(sampler, n_tasks=1)
    compiled = len(sweep_by_bounds.signatures)
    sampler.load(np.zeros(n + 2, np.uint8))
    sampler.sweep(np.random.default_rng(0), **parameters(2, 70, 1))
    assert len(sweep_by_bounds.signatures) == compiled


def test_unknown_path_is_refused(toy):
    tokens, n_words = toy
    with pytest.raises(ValueError, match="path must be one of"):
        TopicSampler(tokens, n_words=n_words, n_topics=3, path="quick")


def test_a_list_has_room_for_so_many_topics_and_no_more(toy):
    tokens, n_words = toy
    with pytest.raises(ValueError, match=r'path "sparse" takes at most 65536 topics, .* 70000'):
        TopicSampler(tokens, n_words=n_words, n_topics=70_000, path="sparse")


def test_the_path_follows_the_number_of_topics(toy):
    tokens, n_words = toy
    chosen = [TopicSampler(tokens, n_words=n_words, n_topics=k).path for k in (3, 64, 65, 70_000)]
    assert chosen == ["dense", "dense", "sparse", "plain"]


def test_a_pickled_sampler_leaves_its_tables_behind():
    tokens = Tokens(np.zeros(50_000, np.int32), np.array([0, 50_000]))
    sampler = TopicSampler(tokens, n_words=1, n_topics=300)
    sampler.load(np.zeros(50_000, np.uint16))
    packed = pickle.dumps(sampler)
    assert len(packed) < tokens.word.nbytes + 2000
    twin = pickle.loads(packed)
    assert twin.z is None
    assert (twin.n_words, twin.n_topics, twin.path) == (1, 300, sampler.path)


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_a_tiny_prior_may_outweigh_a_steep_loss(path):
    """The second topic is exp(149) times as likely by the loss, and 1e-50 times by the prior."""
    word, start = np.array([1] * 10 + [0, 0], np.int32), np.array([0, 10, 12])
    sampler = TopicSampler(Tokens(word, start), n_words=2, n_topics=2, path=path)
    given = {
        "alpha": np.array([1.0, 1e-25]),
        "beta": 1e-25,
        "eta": np.array([[1.0, -1.0]]),
        "a": np.array([[0.0], [596.0]]),
        "b": np.array([[0.0], [194.0]]),
    }
    rng = np.random.default_rng(0)
    for _ in range(50):
        sampler.load(np.array([1] * 10 + [0, 0], np.uint8))
        sampler.sweep(rng, **given)
        assert sampler.z[10] == 0


@pytest.mark.parametrize("n_tasks", [1, 2])
@pytest.mark.parametrize("power", [1.0, 0.6])
def test_entries_of_both_widths_give_the_same_draws(medium, n_tasks, power, monkeypatch):
    tokens, _ = medium
    drawn = []
    for narrowest in (word_lists.MOST_NARROW, 0):
        monkeypatch.setattr(word_lists, "MOST_NARROW", narrowest)
        sampler = loaded(medium, 70, "sparse")
        given = parameters(tokens.start.size - 1, 70, n_tasks)
        rng = np.random.default_rng(4)
        for _ in range(3):
            sampler.sweep(rng, **given, power=power)
        drawn.append((sampler.z.copy(), sampler.method.word_topic(), sampler.method.lists.entry))
    (z, table, narrow), (again, same, wide) = drawn
    np.testing.assert_array_equal(z, again)
    np.testing.assert_array_equal(table, same)
    np.testing.assert_array_equal(narrow, wide)
    assert (narrow.dtype, wide.dtype) == (np.int32, np.int64)


@pytest.mark.parametrize(("n", "kind"), [(MOST_NARROW - 1, np.int32), (MOST_NARROW, np.int64)])
def test_a_frequent_word_may_be_in_one_topic(n, kind):
    """Its count is the largest that entries of four bytes hold, or the first that they do not."""
    word = np.r_[np.zeros(n), 1, 2, 2].astype(np.int32)
    tokens, n_topics = Tokens(word, np.array([0, word.size], np.int64)), 70
    sampler = TopicSampler(tokens, n_words=3, n_topics=n_topics, path="sparse")
    sampler.load(np.full(word.size, 69, np.uint8))
    assert sampler.method.lists.entry.dtype == kind
    assert sampler.method.word_topic()[:, 69].tolist() == [n, 1, 2]
    assert sampler.method.entries().n_tokens.tolist() == [n, 1, 2]
    given = parameters(1, n_topics, 1)
    for _ in range(2):
        assert sampler.sweep(np.random.default_rng(1), **given) > 0
        expected = np.zeros((3, n_topics), int)
        np.add.at(expected, (word, sampler.z), 1)
        np.testing.assert_array_equal(sampler.method.word_topic(), expected)
