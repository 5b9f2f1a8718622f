"""The draw of the weights of features against the joint density, noise for noise.

Given the random numbers, a draw is a linear map of them and of the present weights. Laws are
therefore compared without Monte Carlo error.
"""

import pickle

import numpy as np
import pytest
from scipy import sparse

from pymc_medlda.kernels import features as feature_matrices
from pymc_medlda.kernels.feature_weights import (
    draw_feature_weights,
    sweep_one_task,
    sweep_tasks,
)
from pymc_medlda.kernels.features import FeatureMatrix
from tests.kernels.test_weights import Noise

D, J = 13, 6


def problem(n_tasks, *, shared=False, seed=3):
    """Return X with a column of zeros, a and b with missing labels, weights and their prior."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(D, J)) * (rng.random((D, J)) < 0.6)
    x[:, 2] = 0.0
    a, b = rng.gamma(1.0, 2.0, (D, n_tasks)), rng.normal(0.0, 3.0, (D, n_tasks))
    missing = rng.random((D, n_tasks)) < 0.2
    a[missing] = b[missing] = 0.0
    shape = (1 if shared else J, n_tasks)
    mean, precision = rng.normal(size=shape), rng.gamma(2.0, 1.0, shape)
    return x, a, b, rng.normal(size=(J, n_tasks)), mean, precision


def log_joint(x, a, b, w, mean, precision):
    """Return the log density of all weights of one task, written out."""
    f = x @ w
    return (b * f - 0.5 * a * f**2).sum() - 0.5 * (precision * (w - mean) ** 2).sum()


def one_by_one(x, a, b, w, mean, precision, noise):
    """Draw every weight given the others, from differences of the log joint, which is quadratic."""
    w = w.copy()
    mean, precision = (np.broadcast_to(array, w.shape) for array in (mean, precision))
    for i in range(w.shape[1]):
        own = a[:, i], b[:, i]
        for j in range(w.shape[0]):
            values = []
            for step in (-1.0, 0.0, 1.0):
                moved = w[:, i].copy()
                moved[j] += step
                values.append(log_joint(x, *own, moved, mean[:, i], precision[:, i]))
            slope, bend = (values[2] - values[0]) / 2, 2 * values[1] - values[0] - values[2]
            w[j, i] += slope / bend + noise[j, i] / np.sqrt(bend)
    return w


def draw(parts, noise, together):
    x, a, b, w, mean, precision = parts
    matrix = FeatureMatrix(x)
    if not together:
        matrix.dense = None
    rng = Noise(np.ravel(noise))
    return draw_feature_weights(rng, matrix, a, b, w, mean=mean, precision=precision)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("n_tasks", [1, 2, 11])
def test_each_weight_is_drawn_from_the_ratio_of_joints(n_tasks, shared):
    parts = problem(n_tasks, shared=shared)
    noise = np.random.default_rng(1).normal(size=(J, n_tasks))
    np.testing.assert_allclose(draw(parts, noise, False), one_by_one(*parts, noise), rtol=1e-10)


def law_of_task(parts, i):
    """Return the mean and the covariance of the weights of a task given (a, b)."""
    x, a, b, w, mean, precision = parts
    mean, precision = (np.broadcast_to(array, w.shape)[:, i] for array in (mean, precision))
    covariance = np.linalg.inv(np.diag(precision) + x.T @ (a[:, i, None] * x))
    return covariance @ (precision * mean + x.T @ b[:, i]), covariance


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_together_weights_have_the_mean_and_the_covariance_of_their_law(n_tasks):
    parts = problem(n_tasks)
    middle = draw(parts, np.zeros((J, n_tasks)), True)
    for i in range(n_tasks):
        columns = []
        for j in range(J):
            noise = np.zeros((J, n_tasks))
            noise[j, i] = 1.0
            columns.append((draw(parts, noise, True) - middle)[:, i])
        factor = np.array(columns).T
        mean, covariance = law_of_task(parts, i)
        np.testing.assert_allclose(middle[:, i], mean, rtol=1e-9)
        np.testing.assert_allclose(factor @ factor.T, covariance, atol=1e-12)


def moved_law(parts, mean, covariance):
    """Return the law of a drawn task 0 if the weights before had this mean and covariance."""
    x, a, b, _, *prior = parts
    n_tasks = a.shape[1]
    nothing = np.zeros((J, n_tasks))

    def from_point(w, noise=nothing):
        start = nothing.copy()
        start[:, 0] = w
        return draw((x, a, b, start, *prior), noise, False)[:, 0]

    middle = from_point(np.zeros(J))
    turn = np.array([from_point(unit) - middle for unit in np.eye(J)]).T
    spread = []
    for j in range(J):
        noise = nothing.copy()
        noise[j, 0] = 1.0
        spread.append(from_point(np.zeros(J), noise) - middle)
    spread = np.array(spread).T
    return middle + turn @ mean, turn @ covariance @ turn.T + spread @ spread.T


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_one_by_one_weights_keep_their_law(n_tasks):
    parts = problem(n_tasks)
    mean, covariance = law_of_task(parts, 0)
    new_mean, new_covariance = moved_law(parts, mean, covariance)
    np.testing.assert_allclose(new_mean, mean, rtol=1e-9)
    np.testing.assert_allclose(new_covariance, covariance, atol=1e-12)
    # The negative control: a law with another prior is not kept.
    wrong = law_of_task((*parts[:5], 1.3 * parts[5]), 0)
    assert np.abs(moved_law(parts, *wrong)[1] - wrong[1]).max() > 1e-3


@pytest.mark.parametrize("together", [False, True])
def test_features_that_no_labelled_document_has_follow_their_prior(together):
    parts = problem(2)
    parts[1][:, 1] = parts[2][:, 1] = 0.0  # the second task has no label at all
    noise = np.random.default_rng(2).normal(size=(J, 2))
    drawn, mean, precision = draw(parts, noise, together), *parts[4:]
    prior = mean + noise / np.sqrt(precision)
    np.testing.assert_allclose(drawn[2], prior[2])
    np.testing.assert_allclose(drawn[:, 1], prior[:, 1])
    assert np.abs(drawn[[0, 1], 0] - prior[[0, 1], 0]).min() > 1e-3


@pytest.mark.parametrize(("kernel", "n_tasks"), [(sweep_one_task, 1), (sweep_tasks, 11)])
def test_compiled_kernels_are_their_definitions_bit_for_bit(kernel, n_tasks):
    x, a, b, w, mean, precision = problem(n_tasks)
    matrix, width = FeatureMatrix(x), 1 if n_tasks == 1 else 16
    noise = np.random.default_rng(1).normal(size=w.shape)
    results = []
    for function in (kernel, kernel.py_func):
        arrays = [np.zeros((D, width)) for _ in range(2)]
        arrays[0][:, :n_tasks], arrays[1][:, :n_tasks] = a, b
        flat = [array.reshape(-1) for array in arrays]
        own = [array.copy() for array in (mean, precision, noise, w)]
        if n_tasks == 1:
            own = [array.reshape(-1) for array in own]
        function(matrix.start, matrix.row, matrix.value, *flat, *own)
        results.append((flat[1], own[3]))
    for compiled, interpreted in zip(*results, strict=True):
        np.testing.assert_array_equal(compiled, interpreted)
    assert not np.array_equal(results[0][1].reshape(w.shape), w)


def test_present_weights_and_arguments_are_left_alone():
    parts = problem(2)
    before = [part.copy() for part in parts]
    draw(parts, np.ones((J, 2)), False)
    for part, kept in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part, kept)


def test_how_weights_are_drawn_depends_on_the_features(monkeypatch):
    rng = np.random.default_rng(0)
    assert FeatureMatrix(rng.normal(size=(5, 64))).dense is not None
    assert FeatureMatrix(rng.normal(size=(5, 65))).dense is None
    assert FeatureMatrix(np.eye(30)).dense is None
    monkeypatch.setattr(feature_matrices, "TOGETHER", 0)
    assert FeatureMatrix(np.ones((2, 1))).dense is None


@pytest.mark.parametrize("argument", range(1, 6))
def test_arrays_of_other_shapes_are_refused(argument):
    parts = list(problem(2))
    parts[argument] = parts[argument][:-1]
    with pytest.raises(ValueError, match="must have shape"):
        draw(parts, np.zeros((J, 2)), False)


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_weights_that_are_not_finite_are_noticed(n_tasks):
    parts = list(problem(n_tasks))
    parts[4] = np.full(parts[4].shape, 1e300)
    parts[5] = np.full(parts[5].shape, 1e100)
    with pytest.raises(np.linalg.LinAlgError, match="the weights of the features are not finite"):
        draw(parts, np.zeros((J, n_tasks)), False)


def test_a_matrix_multiplies_and_is_equal_to_a_copy_of_itself():
    x = problem(1)[0]
    rng = np.random.default_rng(5)
    w, v = rng.normal(size=(J, 2)), rng.normal(size=(D, 2))
    matrix = FeatureMatrix(sparse.coo_matrix(x))
    np.testing.assert_allclose(matrix.project(w), x @ w)
    np.testing.assert_allclose(matrix.project_back(v), x.T @ v)
    same = pickle.loads(pickle.dumps(FeatureMatrix(x)))
    other = x.copy()
    other[0, 0] += 1e-9
    assert matrix == same
    assert hash(matrix) == hash(same)
    assert matrix != FeatureMatrix(other)
    assert matrix != FeatureMatrix(np.c_[x, np.zeros(D)])
    assert matrix != x.tolist()
    assert repr(matrix).startswith("FeatureMatrix(13 x 6")


def test_entries_given_twice_are_added_and_the_source_is_left_alone():
    # By columns: the first holds a zero, the second the same entry twice.
    parts = (np.array([0.0, 1.0, 2.0]), np.array([1, 0, 0]), np.array([0, 1, 3]))
    entries = sparse.csc_array(parts, shape=(2, 2))
    matrix = FeatureMatrix(entries)
    np.testing.assert_array_equal(matrix.by_columns.toarray(), [[0, 3], [0, 0]])
    assert matrix.value.size == 1
    assert entries.nnz == 3
