"""Counts, logarithms of Dirichlet integrals, exponentials and sums, against slow twins."""

import math

import numpy as np
import pytest
from scipy import stats

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Tokens, list_present, project, tabulate_prior
from pymc_medlda.kernels.simd import lanes
from pymc_medlda.kernels.simd.exponential import LOWEST, exponential
from pymc_medlda.kernels.simd.uniform import STRIDE, choose, first_counter, uniform
from pymc_medlda.kernels.sweeps.sampler import TopicSampler
from tests.kernels.conftest import log_target


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
@pytest.mark.parametrize("alpha", [np.full(4, 0.3), np.array([0.1, 0.5, 2.0, 0.3])])
def test_log_words_and_assignments_are_the_dirichlet_integrals(medium, path, alpha):
    tokens, n_words = medium
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=4, path=path)
    z = (np.arange(tokens.word.size) ** 2 % 4).astype(np.uint8)
    sampler.load(z)
    zero = np.zeros((tokens.start.size - 1, 1))
    expected = log_target(tokens, n_words, z, alpha, 0.01, np.zeros((1, 4)), zero, zero)
    assert sampler.log_words(0.01) + sampler.log_assignments(alpha) == pytest.approx(expected)


def test_counts_beyond_the_table_of_the_prior_are_computed():
    """With so many values of alpha that no table holds all counts of a long document."""
    tokens = Tokens(np.zeros(700, np.int32), np.array([0, 0, 690, 700]))
    alpha = np.linspace(0.1, 2.0, 600)
    z = np.r_[np.zeros(640), np.arange(60)].astype(np.uint16)
    sampler = TopicSampler(tokens, n_words=1, n_topics=600, path="plain")
    sampler.load(z)
    prior = tabulate_prior(tokens.start, alpha)
    assert prior.rising.shape == (600, 64)
    zero = np.zeros((3, 1))
    words = sampler.log_words(0.5)
    expected = log_target(tokens, 1, z, alpha, 0.5, np.zeros((1, 600)), zero, zero)
    assert sampler.log_assignments(alpha) + words == pytest.approx(expected)


def test_projection_is_the_mean_of_the_weights(medium):
    tokens, n_words = medium
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=4)
    sampler.load((np.arange(tokens.word.size) % 4).astype(np.uint8))
    eta = np.arange(8.0).reshape(2, 4)
    length = np.maximum(np.diff(tokens.start), 1)[:, None]
    expected = sampler.document_topic @ eta.T / length
    np.testing.assert_allclose(sampler.project(eta), expected)
    from_tokens = np.empty(expected.shape)
    project(tokens, sampler.z, eta, from_tokens)
    np.testing.assert_allclose(from_tokens, expected)


@pytest.mark.parametrize("n_topics", [1, 7, 8, 9, 40])
@pytest.mark.parametrize("rate", [0.2, 3.0])
def test_topics_that_occur_are_listed(n_topics, rate):
    """Also where nearly all occur, and the guess of the room needed is too small."""
    counts = np.random.default_rng(n_topics).poisson(rate, (50, n_topics)).astype(np.int32)
    listed = list_present(counts)
    for d in range(50):
        entries = slice(listed.start[d], listed.start[d + 1])
        assert listed.topic[entries].tolist() == np.flatnonzero(counts[d]).tolist()
        assert listed.n_tokens[entries].tolist() == counts[d][counts[d] > 0].tolist()


def test_exponential_is_within_two_units_of_the_last_place():
    x = np.r_[np.linspace(LOWEST + 1e-9, 700.0, 20_001), np.linspace(-1, 1, 2001), 0.0]
    exact = np.array([math.exp(v) for v in x])
    ours = np.array([exponential(v) for v in x])
    assert (np.abs(ours - exact) <= 2 * np.spacing(exact)).all()
    assert exponential(LOWEST - 1e-9) == exponential(-math.inf) == 0.0
    assert [exponential.py_func(v) for v in x[::97]] == ours[::97].tolist()


@pytest.mark.parametrize("n", [8, 32, 72])
def test_lanes_are_their_own_definition(n):
    x, y = np.random.default_rng(1).normal(size=(2, n + 8))

    @kernel
    def reduce(x: np.ndarray, y: np.ndarray) -> float:
        return lanes.dot(x, 8, y, 3, x.size - 8)

    assert reduce(x, y) == reduce.py_func(x, y)
    assert lanes.dot(x, 8, y, 3, n) == pytest.approx(x[8:] @ y[3 : n + 3])


def test_rows_are_combined_and_weighed_in_lanes():
    rng = np.random.default_rng(6)
    x, rows, prior = rng.normal(size=3), rng.normal(size=(3, 24)), rng.random(24)

    @kernel
    def fill(rows: np.ndarray, out: np.ndarray) -> None:
        lanes.combine(x, rows, out, 8, 24)
        lanes.weigh(500.0 * out[8:32], prior, out, 32, 24)

    compiled, interpreted = np.zeros((2, 64))
    fill(rows.ravel(), compiled)
    fill.py_func(rows.ravel(), interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    exponent = x @ rows
    np.testing.assert_allclose(compiled[8:32], exponent)
    weights = np.exp(500.0 * (exponent - exponent.max())) * prior
    np.testing.assert_allclose(compiled[32:56], weights, rtol=1e-10, atol=1e-170)


def test_exponentials_in_lanes_are_those_of_one_number():
    x = np.r_[np.linspace(-500.0, 500.0, 61), LOWEST, -1e300, 0.0]
    ends, mass, prior = np.random.default_rng(1).normal(size=(3, 64))

    @kernel
    def fill(out: np.ndarray) -> float:
        lanes.exponentials(x, 0, out, 8, 64)
        lanes.supervise(ends, 3.0, 0.5, 1.0, prior, out[80:144], out[144:208], 64)
        return lanes.bound_groups(2.0, ends, 3, 0.7, mass, out, 72)

    compiled, interpreted = np.zeros((2, 208))
    assert fill(compiled) == fill.py_func(interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    assert compiled[8:72].tolist() == [exponential(v) for v in x]
    bound = np.exp(2.0 * np.r_[ends[3:10], 0.7])
    np.testing.assert_allclose(compiled[72:80], bound, rtol=1e-15)
    assert fill(compiled) == pytest.approx(bound @ mass[:8])
    np.testing.assert_allclose(compiled[80:144], np.exp(ends * (3.0 - 0.5 * ends) - 1.0))
    np.testing.assert_allclose(compiled[144:208], compiled[80:144] * prior)


def test_a_list_is_summed_in_lanes_without_its_own_topic():
    rng = np.random.default_rng(2)
    weight, bound = rng.random(24), rng.random(40)
    entry = (rng.integers(1, 9, 30) << 16) | rng.integers(0, 24, 30)
    entry[:22] = (rng.integers(1, 9, 22) << 16) | np.arange(22)
    single = np.array([3, 19, 6, 23, 2, -1])

    @kernel
    def each(end: int, j: int, share: np.ndarray) -> tuple[float, int]:
        return lanes.sum_listed(entry, 2, end, j, bound, 5, share)

    @kernel
    def grouped(end: int, j: int, share: np.ndarray) -> tuple[float, int]:
        return lanes.sum_grouped(entry, 2, end, j, weight, single, bound, 5, share)

    group = np.full(24, lanes.SHARED)
    group[single[:5]] = np.arange(5)
    for total, weights in ((each, bound[5:29]), (grouped, weight * bound[5 + group])):
        for end in range(3, 23):
            for j in (2, end - 1, 23):
                share = np.zeros(40)
                assert total(end, j, share) == total.py_func(end, j, np.zeros(40))
                k, count = entry[2:end] & 65535, entry[2:end] >> 16
                expected = weights[k] * count * (k != j)
                np.testing.assert_allclose(share[: end - 2], expected)
                listed, own = total(end, j, share)
                assert listed == pytest.approx(expected.sum())
                assert j == 23 or k[own] == j


def test_a_row_of_counts_is_summed_in_lanes():
    rng = np.random.default_rng(5)
    weight, counts = rng.random(48), rng.integers(0, 2**31 - 1, 40).astype(np.int32)

    @kernel
    def counted(n: int) -> float:
        return lanes.sum_counted(weight, 3, counts, 5, n)

    for n in (8, 24, 32):
        assert counted(n) == counted.py_func(n)
        assert counted(n) == pytest.approx(weight[3 : 3 + n] @ counts[5 : 5 + n])


def test_a_row_is_multiplied_in_lanes_without_its_own_topic():
    x, y = np.random.default_rng(3).normal(size=(2, 32))

    @kernel
    def multiply(j: int, out: np.ndarray) -> float:
        return lanes.multiply(x, y, 8, out, 4, j, 24)

    for j in (0, 7, 8, 23):
        compiled, interpreted = np.ones((2, 32))
        assert multiply(j, compiled) == multiply.py_func(j, interpreted)
        np.testing.assert_array_equal(compiled, interpreted)
        expected = x[:24] * y[8:] * (np.arange(24) != j)
        np.testing.assert_allclose(compiled, np.r_[np.ones(4), expected, np.ones(4)])
        assert multiply(j, compiled) == pytest.approx(expected.sum())


def test_occupied_topics_are_bits():
    counts = np.random.default_rng(4).poisson(0.5, (3, 20)).astype(np.int32)

    @kernel
    def bits(d: int, first: int) -> int:
        return lanes.occupied(counts, d, first)

    for d in range(3):
        for first in range(13):
            assert bits(d, first) == bits.py_func(d, first)
            listed = [k for k in range(8) if bits(d, first) >> k & 1]
            assert listed == np.flatnonzero(counts[d, first : first + 8]).tolist()


def test_uniform_numbers_of_a_counter():
    """Against SplitMix64 in whole numbers, whose first output from zero is published."""

    def mix(counter):
        bits = (counter ^ counter >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
        return bits ^ bits >> 31

    assert mix(int(STRIDE)) == 0xE220A8397B1DCDAF
    counters = [int(STRIDE) * n % 2**64 for n in range(1, 20_001)]
    drawn = np.array([uniform(np.uint64(n)) for n in counters])
    assert drawn.tolist() == [(mix(n) >> 11) * 2.0**-53 for n in counters]
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    with np.errstate(over="ignore"):
        assert uniform.py_func(np.uint64(counters[7])) == drawn[7]
    assert first_counter(np.random.default_rng(1)) != first_counter(np.random.default_rng(2))


@pytest.mark.parametrize("chosen", [choose, choose.py_func])
def test_weights_choose(chosen):
    weight = np.array([9.0, 0.0, 2.0, 0.0, 3.0, 0.0])
    assert [chosen(x, weight, 1, 5) for x in (0.0, 1.9, 2.0, 4.9)] == [1, 1, 3, 3]
    assert chosen(5.0 + 1e-9, weight, 1, 5) == 3
    assert chosen(0.0, weight, 5, 1) == -1
