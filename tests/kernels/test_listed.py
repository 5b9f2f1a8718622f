"""Loops over lists and groups: compiled code equals its definition bit for bit."""

import numba
import numpy as np
import pytest

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.simd import listed
from pymc_medlda.kernels.simd.emitter import Emitter
from pymc_medlda.kernels.simd.exponential import ABOVE
from pymc_medlda.kernels.simd.listed import LANES, N_GROUPS, choose_listed, tag
from pymc_medlda.kernels.sweeps.word_lists import MOST_NARROW


def group_of(weight):
    return np.asarray(weight).view(np.int64) & 7


def test_a_tag_is_in_the_lowest_bits():
    weight = np.random.default_rng(1).random(50) * 10.0 ** np.arange(-150, 100, 5)
    tagged = np.array([tag(w, k % 7) for k, w in enumerate(weight)])
    assert tagged.tolist() == [tag.py_func(w, k % 7) for k, w in enumerate(weight)]
    np.testing.assert_array_equal(group_of(tagged), np.arange(50) % 7)
    np.testing.assert_allclose(tagged, weight, rtol=2.0**-49)
    assert tag(0.0, 5) == tag.py_func(0.0, 5) == 0.0


def test_weights_of_a_reference_are_tagged():
    rng = np.random.default_rng(1)
    eta, prior = rng.normal(size=(2, 64))
    prior = np.abs(prior)
    prior[::5] = 0.0
    group = np.repeat(np.arange(8) % 7, 8)

    @kernel
    def fill(factor: np.ndarray, weight: np.ndarray) -> None:
        listed.supervise(eta, 3.0, 0.5, 1.0, prior, group, factor, weight, 64)

    compiled, interpreted = np.zeros((2, 2, 64))
    fill(*compiled)
    fill.py_func(*interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    factor, weight = compiled
    exact = np.exp(eta * (3.0 - 0.5 * eta) - 1.0)
    assert ((factor >= exact) & (factor <= (1.0 + ABOVE) * exact)).all()
    np.testing.assert_allclose(weight, factor * prior, rtol=2.0**-49)
    np.testing.assert_array_equal(group_of(weight), np.where(prior > 0.0, group, 0))


def test_a_weight_that_is_far_too_small_is_zero():
    @kernel
    def fill(factor: np.ndarray, weight: np.ndarray) -> None:
        listed.supervise(eta, -1.0, 0.0, 0.0, prior, group, factor, weight, 8)

    eta, prior, group = np.linspace(399.9, 400.6, 8), np.ones(8), np.zeros(8, np.int64)
    compiled, interpreted = np.zeros((2, 2, 8))
    fill(*compiled)
    fill.py_func(*interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    np.testing.assert_array_equal(compiled[0] > 0.0, eta < 400.0)


@pytest.mark.parametrize("slope", [-2.0, 0.5, 0.0])
def test_bounds_hold_for_all_members_of_a_group(slope):
    ends = np.sort(np.random.default_rng(2).normal(size=16)).reshape(8, 2).T
    own = 0.7

    @kernel
    def fill(bound: np.ndarray) -> None:
        listed.bound_groups(slope, ends.ravel(), own, bound)

    compiled, interpreted = np.zeros((2, 8))
    fill(compiled)
    fill.py_func(interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    members = np.r_[np.linspace(ends[0], ends[1], 5).T[:7], [np.full(5, own)]]
    highest = np.exp((slope * members).max(axis=1))
    assert ((compiled >= highest) & (compiled <= (1.0 + ABOVE) * highest)).all()


@pytest.fixture(scope="module", params=[np.int32, np.int64], ids=["four bytes", "eight bytes"])
def words(request):
    """Entries of lists over 24 topics, and weights in groups."""
    rng = np.random.default_rng(2)
    entry = (rng.integers(1, 9, 40) << 16) | rng.integers(0, 24, 40)
    entry[:22] = (rng.integers(1, 9, 22) << 16) | np.arange(22)
    entry[3] += (MOST_NARROW - 100) << 16  # nearly as many as four bytes can hold
    entry = entry.astype(request.param)
    weight = np.array([tag(w, k % N_GROUPS) for k, w in enumerate(rng.random(24))])
    return entry, weight, rng.random(40)


def test_a_list_is_summed_in_lanes_without_its_own_topic(words):
    entry, weight, bound = words

    @kernel
    def each(end: int, j: int, share: np.ndarray) -> tuple[float, int]:
        return listed.sum_listed(entry, 2, end, j, bound, 5, share)

    @kernel
    def grouped(end: int, j: int, share: np.ndarray) -> tuple[float, int]:
        return listed.sum_grouped(entry, 2, end, j, weight, bound, 5, share)

    @kernel
    def each_gain(end: int, j: int, share: np.ndarray) -> tuple[float, int]:
        return listed.sum_listed_gains(entry, 2, end, j, bound, 5, share, gain)

    @kernel
    def grouped_gains(end: int, j: int, share: np.ndarray) -> tuple[float, int]:
        return listed.sum_grouped_gains(entry, 2, end, j, weight, bound, 5, share, gain)

    gain = np.random.default_rng(3).random(40)
    by_group, counts = weight * bound[5 + group_of(weight)], entry >> 16
    for total, weights, factor in (
        (each, bound[5:29], counts),
        (grouped, by_group, counts),
        (each_gain, bound[5:29], gain),
        (grouped_gains, by_group, gain),
    ):
        for end in range(3, 23):
            for j in (2, end - 1, 23):
                share, interpreted = np.zeros((2, 40))
                assert total(end, j, share) == total.py_func(end, j, interpreted)
                n = -(-(end - 2) // LANES) * LANES
                np.testing.assert_array_equal(share[:n], interpreted[:n])
                k = entry[2:end] & 65535
                terms = np.zeros(n)
                terms[: end - 2] = weights[k] * factor[2:end] * (k != j)
                cumulated = np.cumsum(terms.reshape(-1, LANES), axis=0)
                np.testing.assert_allclose(share[:n], cumulated.ravel())
                found, own = total(end, j, share)
                assert found == pytest.approx(terms.sum())
                assert j == 23 or k[own] == j


@pytest.mark.parametrize("n", [1, 7, 8, 9, 30, 64])
def test_a_place_is_chosen_by_its_weight(n):
    """Of many points between zero and the sum, each place gets its share."""

    @kernel
    def chosen(x: float, share: np.ndarray, n: int) -> int:
        return choose_listed(x, share, n)

    weight = np.random.default_rng(n).integers(0, 9, n)
    weight[n // 2] = 3
    padded = np.zeros(-(-n // LANES) * LANES)
    padded[:n] = weight
    share = np.cumsum(padded.reshape(-1, LANES), axis=0).ravel()
    points = np.arange(weight.sum()) + 0.5
    places = [chosen(x, share, n) for x in points]
    assert places == [choose_listed(x, share, n) for x in points]
    assert np.bincount(places, minlength=n).tolist() == weight.tolist()
    # A border belongs to the next place that has a weight, and there is none after the last.
    borders = [chosen(float(x), share, n) for x in range(weight.sum())]
    assert np.bincount(borders, minlength=n).tolist() == weight.tolist()
    assert chosen(float(weight.sum()), share, n) == -1
    assert choose_listed(float(weight.sum()), share, n) == -1


def test_a_topic_is_found_in_a_list(words):
    entry = words[0]

    @kernel
    def find(begin: int, end: int, k: int) -> int:
        return listed.find_listed(entry, begin, end, k)

    for begin, end in ((0, 22), (3, 4), (2, 11), (4, 4)):
        for k in range(24):
            expected = k - begin if begin <= k < end else -1
            assert find(begin, end, k) == find.py_func(begin, end, k) == expected


def test_numbers_are_added_up_in_lanes():
    x = np.random.default_rng(3).normal(size=200)

    @kernel
    def total(at: int, n: int) -> float:
        return listed.add_up(x, at, n)

    for at, n in ((0, 8), (3, 0), (5, 24), (8, 32), (1, 136)):
        assert total(at, n) == total.py_func(at, n)
        assert total(at, n) == pytest.approx(x[at : at + n].sum())


def test_sums_of_groups_follow_changes_until_rounding_may_show():
    @kernel
    def shift(
        mass: np.ndarray, error: np.ndarray, j: int, by: float, k: int, and_by: float
    ) -> bool:
        return listed.shift_mass(mass, error, j, by, k, and_by)

    mass, error = np.r_[np.arange(1.0, 8.0), 0.0], np.zeros(8)
    twin, error_twin = mass.copy(), error.copy()
    for j, by, k, and_by in ((2, 1.5, 4, -2.0), (3, 0.5, 3, 0.25), (6, -6.9, 0, 0.1)):
        expected = mass.copy()
        expected[j] += by
        expected[k] += and_by
        assert not shift(mass, error, j, by, k, and_by)
        assert not shift.py_func(twin, error_twin, j, by, k, and_by)
        np.testing.assert_allclose(mass, expected, rtol=1e-15)
        np.testing.assert_array_equal(mass, twin)
        np.testing.assert_array_equal(error, error_twin)
    # A weight that leaves takes nearly all of its group: what is left of the sum is its rounding.
    assert shift(mass, error, 1, 1e9, 5, 0.0) is False
    assert shift(mass, error, 1, -1e9, 5, 0.0) is True
    twin[:] = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    error_twin[:] = 0.0
    rounds = 0
    while not shift(twin, error_twin, 0, 0.0, 0, 0.0):
        rounds += 1
    assert 1000 < rounds < 10**5


@pytest.mark.parametrize("has_instruction", [None, False])
def test_bounds_are_looked_up_alike_on_all_processors(words, has_instruction, monkeypatch):
    if has_instruction is not None:
        monkeypatch.setattr(Emitter, "_has", lambda *_: has_instruction)
    entry, weight, bound = words

    def total(share: np.ndarray) -> float:
        return listed.sum_grouped(entry, 0, 22, 23, weight, bound, 5, share)[0]

    share, interpreted = np.zeros((2, 40))
    assert numba.njit(total)(share) == total(interpreted)
    np.testing.assert_array_equal(share, interpreted)
