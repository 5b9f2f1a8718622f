"""Products of topic shares in lanes: compiled code equals its definition bit for bit."""

import numpy as np
import pytest

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.grams import accumulate_densely, add_products, scale_counts, sum_counts


@pytest.mark.parametrize("n_topics", [8, 11, 15, 16, 20])
def test_counts_are_summed_and_scaled(n_topics):
    counts = np.random.default_rng(n_topics).integers(0, 9, (3, n_topics)).astype(np.int32)

    @kernel
    def fill(counts: np.ndarray, shares: np.ndarray, scaled: np.ndarray) -> int:
        scale_counts(counts, 1, 0.1, 3.0, shares, scaled, 5, counts.shape[1])
        return sum_counts(counts, 1, counts.shape[1])

    compiled, interpreted = np.zeros((2, 2, 40))
    assert fill(counts, *compiled) == fill.py_func(counts, *interpreted) == counts[1].sum()
    np.testing.assert_array_equal(compiled, interpreted)
    np.testing.assert_array_equal(compiled[0, 5 : 5 + n_topics], counts[1] * 0.1)
    assert np.count_nonzero(compiled[0]) == np.count_nonzero(counts[1])


def test_products_are_added_over_documents():
    scaled, shares = np.random.default_rng(2).normal(size=(2, 7, 16))
    start = np.random.default_rng(3).normal(size=(16, 16))

    @kernel
    def add(scaled: np.ndarray, shares: np.ndarray, out: np.ndarray) -> None:
        add_products(scaled, shares, 7, 16, 4, 8, out)

    compiled, interpreted = start.copy(), start.copy()
    add(scaled.ravel(), shares.ravel(), compiled.ravel())
    add.py_func(scaled.ravel(), shares.ravel(), interpreted.ravel())
    np.testing.assert_array_equal(compiled, interpreted)
    expected = start.copy()
    expected[4:8, 8:] += scaled[:, 4:8].T @ shares[:, 8:]
    np.testing.assert_allclose(compiled, expected)


@pytest.mark.parametrize("n_documents", [1, 256, 300])
def test_sums_are_those_of_numpy(n_documents):
    rng = np.random.default_rng(n_documents)
    counts = rng.poisson(1.0, (n_documents, 11)).astype(np.int32)
    a, b = rng.gamma(1.0, 2.0, (n_documents, 1)), rng.normal(size=(n_documents, 1))
    gram, linear = np.zeros((16, 16)), np.zeros((1, 16))
    accumulate_densely(counts, a, b, gram, linear)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    np.testing.assert_allclose(np.tril(gram[:11, :11]), np.tril((share * a).T @ share))
    np.testing.assert_allclose(linear[0, :11], b[:, 0] @ share, atol=1e-12)
