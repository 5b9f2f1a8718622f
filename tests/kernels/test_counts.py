"""Counts, logarithms of Dirichlet integrals, exponentials and sums, against slow twins."""

import math

import numpy as np
import pytest

from pymc_medlda.kernels import lanes
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.exponential import LOWEST, exponential
from pymc_medlda.kernels.sampler import TopicSampler
from pymc_medlda.kernels.sumtree import build_tree, find_leaf, set_leaf, sum_without
from tests.kernels.conftest import log_target


@pytest.mark.parametrize("path", ["plain", "sparse"])
@pytest.mark.parametrize("alpha", [np.full(4, 0.3), np.array([0.1, 0.5, 2.0, 0.3])])
def test_log_words_and_assignments_are_the_dirichlet_integrals(medium, path, alpha):
    tokens, n_words = medium
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=4, path=path)
    z = (np.arange(tokens.word.size) ** 2 % 4).astype(np.uint8)
    sampler.load(z)
    zero = np.zeros((tokens.start.size - 1, 1))
    expected = log_target(tokens, n_words, z, alpha, 0.01, np.zeros((1, 4)), zero, zero)
    assert sampler.log_words(0.01) + sampler.log_assignments(alpha) == pytest.approx(expected)


def test_projection_is_the_mean_of_the_weights(medium):
    tokens, n_words = medium
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=4)
    sampler.load((np.arange(tokens.word.size) % 4).astype(np.uint8))
    eta = np.arange(8.0).reshape(2, 4)
    out = np.empty((tokens.start.size - 1, 2))
    sampler.project(eta, out)
    length = np.maximum(np.diff(tokens.start), 1)[:, None]
    np.testing.assert_allclose(out, sampler.document_topic @ eta.T / length)


def test_exponential_is_within_two_units_of_the_last_place():
    x = np.r_[np.linspace(LOWEST + 1e-9, 700.0, 20_001), np.linspace(-1, 1, 2001), 0.0]
    exact = np.array([math.exp(v) for v in x])
    ours = np.array([exponential(v) for v in x])
    assert (np.abs(ours - exact) <= 2 * np.spacing(exact)).all()
    assert exponential(LOWEST - 1e-9) == exponential(-math.inf) == 0.0
    assert [exponential.py_func(v) for v in x[::97]] == ours[::97].tolist()


def test_tree_of_sums():
    rng = np.random.default_rng(0)
    leaves = rng.gamma(0.2, size=16)
    leaves[3] = 1e20  # a weight that would swallow the others in a difference
    leaves[8] = 0.0
    tree = np.concatenate([np.zeros(16), leaves])
    build_tree(tree)
    rest = np.delete(leaves, 3).sum()
    assert sum_without(tree, 3, 1) == pytest.approx(rest, rel=1e-14)
    set_leaf(tree, 3, 0.0)
    assert tree[1] == pytest.approx(rest, rel=1e-14)
    found = [find_leaf(tree, 0, 1, x) for x in np.linspace(0.0, 1.1, 20_001) * rest]
    share = np.bincount(found, minlength=16) / 20_001
    assert share[3] == share[8] == 0
    np.testing.assert_allclose(np.sort(share)[:-1], np.sort(tree[16:] / rest / 1.1)[:-1], atol=0.1)


def test_lanes_are_their_own_definition():
    x, y = np.random.default_rng(1).normal(size=(2, 40))

    @kernel
    def reduce(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
        return lanes.dot(x, 8, y, 3, 32), lanes.largest(x), lanes.least(x)

    assert reduce(x, y) == reduce.py_func(x, y)
    assert lanes.dot(x, 8, y, 3, 32) == pytest.approx(x[8:] @ y[3:35])


def test_a_list_is_summed_in_lanes_without_its_own_topic():
    rng = np.random.default_rng(2)
    weight, bound = rng.random(12), rng.random(20)
    entry = (rng.integers(1, 9, 15) << 16) | rng.integers(0, 12, 15)
    entry[:11] = (rng.integers(1, 9, 11) << 16) | np.arange(11)

    @kernel
    def total(end: int, j: int, last: int) -> tuple[float, int]:
        return lanes.sum_listed(entry, 2, end, j, weight, bound, 5, last)

    for end in range(2, 12):
        for j, last in ((3, 0), (9, 4), (11, 12)):
            assert total(end, j, last) == total.py_func(end, j, last)
            k, count = entry[2:end] & 65535, entry[2:end] >> 16
            share = weight[k] * count * bound[5 + np.minimum(k, last)] * (k != j)
            assert total(end, j, last)[0] == pytest.approx(share.sum())
