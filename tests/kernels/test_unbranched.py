"""Visits without branches: compiled as defined, with the law that they state, and where used."""

import numpy as np
import pytest

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.simd import unbranched
from pymc_medlda.kernels.simd.uniform import STRIDE, uniform
from pymc_medlda.kernels.sweeps import products_state
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler


@kernel
def visit(
    vectors: tuple[int, ...],
    first: int,
    last: int,
    counter: np.uint64,
    word: np.ndarray,
    z: np.ndarray,
    table: np.ndarray,
    alpha: np.ndarray,
    factor: np.ndarray,
    in_document: np.ndarray,
    in_corpus: np.ndarray,
    lift: np.ndarray,
    lower: np.ndarray,
    left: np.ndarray,
    entered: np.ndarray,
) -> int:
    return unbranched.visit_unbranched(
        vectors, word, z, first, last, counter, table, 0.3, 2.5, alpha, factor, in_document,
        in_corpus, lift, lower, left, entered,
    )  # fmt: skip


def arrays(n_vectors, n_topics, n_tokens=200, n_words=6):
    """All that a visit works with: words often follow themselves, and padding has no weight."""
    rng, size = np.random.default_rng(n_vectors), 8 * n_vectors
    word = np.sort(rng.integers(0, n_words, n_tokens)).astype(np.int32)
    word[::3] = rng.integers(0, n_words, word[::3].size)
    z = rng.integers(0, n_topics, n_tokens).astype(np.uint8)
    table = np.zeros((n_words, size), np.int32)
    np.add.at(table, (word, z), 1)
    alpha = np.where(np.arange(size) < n_topics, rng.uniform(0.1, 1.0, size), 0.0)
    in_corpus = table.sum(axis=0).astype(float)
    # The document is the second half of the corpus.
    in_document = np.bincount(z[n_tokens // 2 :], minlength=size).astype(np.int32)
    exponent = rng.uniform(-0.4, 0.4, (size, size))
    factor = rng.uniform(0.5, 1.0, size)
    rows = np.exp(exponent).reshape(-1), np.exp(-exponent).reshape(-1)
    left, entered = np.zeros((2, n_tokens), np.int32)
    return [
        word, z, table.reshape(-1), alpha, factor, in_document, in_corpus, *rows, left, entered
    ]  # fmt: skip


@pytest.mark.parametrize("last", [107, 199, 200])
@pytest.mark.parametrize(("n_vectors", "n_topics"), [(1, 5), (2, 16), (3, 20), (4, 27)])
def test_visits_are_compiled_as_they_are_defined(n_vectors, n_topics, last):
    given = arrays(n_vectors, n_topics)
    compiled, interpreted = ([x.copy() for x in given] for _ in range(2))
    vectors, counter = (0,) * n_vectors, np.uint64(12345)
    moved = visit(vectors, 100, last, counter, *compiled)
    with np.errstate(over="ignore"):
        assert visit.py_func(vectors, 100, last, counter, *interpreted) == moved
    for x, y in zip(compiled[:-2], interpreted[:-2], strict=True):
        np.testing.assert_array_equal(x, y)
    for x, y in zip(compiled[-2:], interpreted[-2:], strict=True):
        np.testing.assert_array_equal(x[:moved], y[:moved])
    word, z, table, _, _, in_document, in_corpus, *_ = compiled
    assert moved == (z != given[1]).sum() > (last - 100) / 3
    counted = np.zeros((6, 8 * n_vectors), np.int32)
    np.add.at(counted, (word, z), 1)
    np.testing.assert_array_equal(table, counted.reshape(-1))
    np.testing.assert_array_equal(in_corpus, counted.sum(axis=0))
    np.testing.assert_array_equal(in_document, np.bincount(z[100:], minlength=in_document.size))
    assert z.max() < n_topics


def test_a_topic_is_drawn_by_its_share_of_the_weights():
    """A token is drawn from the weights that the definition states, computed here in one line."""
    word, z, table, alpha, factor, in_document, in_corpus, lift, *rest = arrays(3, 20)
    t, j = int(word[150]), int(z[150])
    own = np.arange(24) == j
    weight = factor * lift[unbranched.place_of(j, 3) * 24 :][:24] * (in_document - own + alpha)
    weight *= (table[t * 24 :][:24] - own + 0.3) / (in_corpus - own + 2.5)
    drawn = []
    for m in range(20_000):
        copies = [x.copy() for x in (z, table, alpha, factor, in_document, in_corpus, lift, *rest)]
        visit((0, 0, 0), 150, 151, np.uint64(m * int(STRIDE) % 2**64), word, *copies)
        drawn.append(copies[0][150])
    share = weight / weight.sum()
    error = np.sqrt(share / 20_000) + 1e-9
    assert (np.abs(np.bincount(drawn, minlength=24) / 20_000 - share) < 4.5 * error).all()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.0])
def test_weights_without_a_finite_sum_are_refused(wrong):
    given = arrays(2, 10)
    given[4][:] = wrong
    for function in (visit, visit.py_func):
        copies = [x.copy() for x in given]
        with np.errstate(all="ignore"):
            assert function((0, 0), 100, 120, np.uint64(1), *copies) == -1
        for x, y in zip(copies[:-2], given[:-2], strict=True):
            np.testing.assert_array_equal(x, y)


def test_the_order_of_the_places():
    for n in (1, 2, 5):
        order = [unbranched.topic_at(place, n) for place in range(8 * n)]
        assert sorted(order) == list(range(8 * n))
        assert [unbranched.place_of(topic, n) for topic in order] == list(range(8 * n))


def test_a_draw_past_the_last_sum_stays():
    """Where rounding leaves all sums passed, the token keeps its topic."""
    assert unbranched._choose([1.0] * 8, 1, 1.0) == 8
    assert unbranched._choose([0.0] * 7 + [1.0], 1, 0.999) == 7
    assert float(uniform(np.uint64(3))) < 1.0


@pytest.mark.parametrize(("steepness", "is_used"), [(0.3, True), (30.0, False)])
def test_documents_in_which_many_tokens_move_are_visited_in_runs(steepness, is_used, monkeypatch):
    """From random topics most tokens move. Steep documents are visited with branches."""
    rng = np.random.default_rng(4)
    start = np.r_[0, np.cumsum([150, 150, 20, 150])]
    word = rng.integers(0, 40, start[-1]).astype(np.int32)
    topics = rng.integers(0, 10, word.size).astype(np.uint8)
    eta = np.linspace(-1.0, 1.0, 10)[None]
    a = steepness * np.diff(start)[:, None] ** 2.0
    given = {"alpha": np.ones(10), "beta": 0.1, "eta": eta, "a": a, "b": 0.0 * a}
    found = {}
    for name, runs in (
        ("default", products_state.Runs()),
        ("never", products_state.Runs(np.inf, 1)),
    ):
        monkeypatch.setattr(products_state, "RUNS", runs)
        sampler = TopicSampler(Tokens(word, start), n_words=40, n_topics=10, path="dense")
        sampler.load(topics)
        moved = sampler.sweep(np.random.default_rng(1), **given)
        assert moved == (sampler.z != topics).sum() > word.size / 2
        counts = sampler.method.word_topic()
        np.testing.assert_array_equal(
            sampler.tally[1:], np.bincount(counts.ravel(), minlength=sampler.tally.size)[1:]
        )
        found[name] = sampler.z
    same = found["default"] == found["never"]
    assert same[:150].all()  # before the first document nothing is known of the moves
    assert same[150:300].all() == (not is_used)
