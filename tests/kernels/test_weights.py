"""The Gaussian draw of the weights against dense linear algebra, noise for noise.

Given the random numbers, a draw is a linear map of them. Its mean is therefore what it returns for
zeros, and its covariance follows from unit vectors: both are compared without Monte Carlo error.
"""

import numpy as np
import pytest

from pymc_medlda.kernels import (
    elimination,
    weights,
    weights_by_documents,
    weights_by_elimination,
    weights_by_topics,
)
from pymc_medlda.kernels.counts import list_present
from pymc_medlda.kernels.weights import draw_weights


class Noise:
    """A generator that returns given numbers, and zeros after them."""

    def __init__(self, numbers):
        self.numbers, self.used = np.asarray(numbers, float), 0

    def standard_normal(self, shape):
        n = int(np.prod(shape))
        block = self.numbers[self.used : self.used + n]
        self.used += n
        return np.r_[block, np.zeros(n - block.size)].reshape(shape)


@pytest.fixture
def problem():
    rng = np.random.default_rng(4)
    document_topic = rng.poisson(0.8, (37, 9)).astype(np.int32)
    document_topic[5] = 0  # an empty document
    document_topic[6] = 1  # every topic present
    a, b = rng.gamma(1.0, 2.0, (37, 3)), rng.normal(0.0, 5.0, (37, 3))
    mean, precision = rng.normal(size=(3, 9)), rng.gamma(2.0, 1.0, (3, 9))
    return document_topic, a, b, mean, precision


@pytest.fixture
def sparse_problem(monkeypatch):
    """Twelve documents, of which tasks know different parts, and forty topics, not all used."""
    monkeypatch.setattr(weights, "ALL_TOGETHER", 0)  # so that absent topics are found
    rng = np.random.default_rng(5)
    document_topic = rng.poisson(0.1, (12, 40)).astype(np.int32)
    document_topic[:, [3, 17, 39]] = 0  # topics that occur nowhere
    document_topic[:, 20] = 0
    document_topic[11, 20] = 4  # a topic that occurs only in a document without any label
    document_topic[4] = 0
    a, b = rng.gamma(1.0, 2.0, (12, 3)), rng.normal(0.0, 5.0, (12, 3))
    a[:, 0] = b[:, 0] = 0.0  # a task without labels
    a[2, 1] = b[2, 1] = 0.0
    a[[0, 1], 2] = b[[0, 1], 2] = 0.0
    a[11] = b[11] = 0.0
    a[7, 1] = 0.0  # here document 7 has a linear term and no quadratic one
    document_topic[:, 30] = 0
    document_topic[10, 30] = 3  # a topic that only a linear term knows of
    a[10], b[10] = 0.0, [0.0, 2.0, 0.0]
    mean, precision = rng.normal(size=(3, 40)), rng.gamma(2.0, 1.0, (3, 40))
    return document_topic, a, b, mean, precision


def law_of(problem, n_noise):
    """Return the mean of a draw, and its covariance between all weights of all tasks."""
    document_topic, a, b, mean, precision = problem
    counts = document_topic, list_present(document_topic)

    def draw(noise):
        return draw_weights(Noise(noise), *counts, a, b, mean=mean, precision=precision).ravel()

    centre = draw(np.zeros(n_noise))
    columns = np.array([draw(unit) - centre for unit in np.eye(n_noise)])
    return centre.reshape(mean.shape), columns.T @ columns


def true_law(problem):
    """Return the same from K × K matrices and their inverses."""
    document_topic, a, b, mean, precision = problem
    share = document_topic / np.maximum(document_topic.sum(axis=1, keepdims=True), 1)
    n_tasks, n_topics = mean.shape
    centre, covariance = np.empty_like(mean), np.zeros((mean.size, mean.size))
    for i in range(n_tasks):
        matrix = np.diag(precision[i]) + (share * a[:, i : i + 1]).T @ share
        centre[i] = np.linalg.solve(matrix, precision[i] * mean[i] + b[:, i] @ share)
        own = slice(i * n_topics, (i + 1) * n_topics)
        covariance[own, own] = np.linalg.inv(matrix)
    return centre, covariance


def assert_same_law(problem, n_noise, tolerance=1e-9):
    (centre, covariance), (true_centre, true_covariance) = (
        law_of(problem, n_noise),
        true_law(problem),
    )
    np.testing.assert_allclose(centre, true_centre, rtol=tolerance, atol=tolerance)
    scale = np.sqrt(np.diag(true_covariance))
    error = (covariance - true_covariance) / (scale[:, None] * scale)
    assert np.abs(error).max() < tolerance


@pytest.mark.parametrize("n_topics", [8, 13, 24])
def test_all_pairs_give_what_those_that_occur_give_bit_for_bit(n_topics, monkeypatch):
    """Also where documents do not fill a block, and where some have no label or no tokens."""
    rng = np.random.default_rng(n_topics)
    document_topic = rng.poisson(0.8, (600, n_topics)).astype(np.int32)
    document_topic[[5, 599]] = 0
    a, b = rng.gamma(1.0, 2.0, (600, 1)), rng.normal(0.0, 5.0, (600, 1))
    a[7:10] = b[7:10] = 0.0
    prior = {"mean": rng.normal(size=(1, n_topics)), "precision": np.ones((1, n_topics))}
    counts = document_topic, list_present(document_topic)
    drawn, used = [], []
    accumulate = weights_by_topics.accumulate
    note = lambda *given: used.append(given[-1]) or accumulate(*given)  # noqa: E731
    monkeypatch.setattr(weights_by_topics, "accumulate", note)
    monkeypatch.setattr(weights_by_topics, "SPARSE", 2.0)
    for dense in (0.0, 2.0):
        monkeypatch.setattr(weights_by_topics, "DENSE", dense)
        drawn.append(draw_weights(np.random.default_rng(1), *counts, a, b, **prior))
    assert used == [True, False]
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize("below", [1.0, 0.0], ids=["pair by pair", "by blocks"])
def test_draw_is_mean_plus_factor_times_noise(problem, below, monkeypatch):
    monkeypatch.setattr(weights_by_topics, "SPARSE", below)
    monkeypatch.setattr(weights_by_topics, "BLOCK", 16)
    document_topic, a, b, mean, precision = problem
    counts = document_topic, list_present(document_topic)
    prior = {"mean": mean, "precision": precision}
    drawn = draw_weights(np.random.default_rng(9), *counts, a, b, **prior)
    noise = np.random.default_rng(9).standard_normal((3, 9))
    share = document_topic / np.maximum(document_topic.sum(axis=1, keepdims=True), 1)
    for i in range(3):
        matrix = np.diag(precision[i]) + (share * a[:, i : i + 1]).T @ share
        centre = np.linalg.solve(matrix, precision[i] * mean[i] + b[:, i] @ share)
        lower = np.linalg.cholesky(matrix)
        np.testing.assert_allclose(drawn[i], centre + np.linalg.solve(lower.T, noise[i]), rtol=1e-9)


# The share of counts below which they are taken one by one; the numbers of topics from which the
# weights are drawn by documents, and by elimination; and `elimination.ONE_IN`.
NEVER = 10**9
WAYS = {
    "pair by pair": (1.0, NEVER, NEVER, 5),
    "by blocks": (0.0, NEVER, NEVER, 5),
    "by documents": (1.0, 1, NEVER, 5),
    "by elimination": (1.0, NEVER, 1, 2),
    "by elimination of all topics": (1.0, NEVER, 1, 1),
    "by elimination of no neighbours": (1.0, NEVER, 1, 1000),
}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Each way to draw the weights of the topics that occur."""
    below, many, very_many, one_in = WAYS[request.param]
    monkeypatch.setattr(weights_by_topics, "SPARSE", below)
    monkeypatch.setattr(weights_by_topics, "BLOCK", 5)
    monkeypatch.setattr(weights_by_documents, "MANY_TOPICS", many)
    monkeypatch.setattr(weights_by_elimination, "MANY_TOPICS", very_many)
    monkeypatch.setattr(elimination, "ONE_IN", one_in)
    taken = []

    def draw_by_documents(*arguments, **more):
        taken.append("by documents")
        return weights_by_documents.draw_by_documents(*arguments, **more)

    def draw_by_elimination(*arguments, **more):
        taken.append("by elimination")
        return weights_by_elimination.draw_by_elimination(*arguments, **more)

    monkeypatch.setattr(weights, "draw_by_documents", draw_by_documents)
    monkeypatch.setattr(weights, "draw_by_elimination", draw_by_elimination)
    yield request.param
    assert set(taken) == {way for way in ("by documents", "by elimination") if way in request.param}


def test_mean_and_covariance_are_those_of_the_conditional(sparse_problem, way):
    assert_same_law(sparse_problem, n_noise=3 * 40 + 3 * 12)


@pytest.mark.parametrize("task", [1, 2])
def test_the_weights_of_a_single_task_have_their_law(sparse_problem, way, task):
    """The sums over documents are written out separately where there is one task."""
    document_topic, a, b, mean, precision = sparse_problem
    own = slice(task, task + 1)
    factors = a[:, own].copy(), b[:, own].copy()
    assert_same_law((document_topic, *factors, mean[own], precision[own]), n_noise=40 + 12)


@pytest.mark.parametrize(
    ("a", "precision"),
    [(1e-300, 1.0), (1e-12, 1.0), (1e6, 1.0), (1.0, 1e-6), (1.0, 1e6), (1e-6, 1e-6), (1e6, 1e6)],
)
def test_extreme_losses_and_priors_keep_the_law(sparse_problem, way, a, precision):
    """Only some documents are extreme; the linear term b is not: b/a is then up to 1e300."""
    sparse_problem[1][2:6] *= a
    sparse_problem[4][:, ::2] *= precision
    assert_same_law(sparse_problem, n_noise=3 * 40 + 3 * 12, tolerance=1e-7)


def test_an_almost_certain_discriminant_is_met(sparse_problem, monkeypatch):
    """With a = 1e30 the discriminant is b/a; a factorisation of P would lose the prior."""
    monkeypatch.setattr(weights_by_documents, "MANY_TOPICS", 1)
    document_topic, a, b, mean, precision = sparse_problem
    a[a > 0.0] = 1e30
    b[:] = np.where(a > 0.0, 164.0 * a * np.sign(b), 0.0)
    counts = document_topic, list_present(document_topic)
    drawn = draw_weights(np.random.default_rng(1), *counts, a, b, mean=mean, precision=precision)
    share = document_topic / np.maximum(document_topic.sum(axis=1, keepdims=True), 1)
    given = (a > 0.0) & (document_topic.sum(axis=1, keepdims=True) > 0)
    discriminant = (share @ drawn.T)[given]
    np.testing.assert_allclose(discriminant, 164.0 * np.sign(b[given]), rtol=1e-9)


def test_a_wrong_linear_term_or_quadratic_term_is_noticed(sparse_problem, way):
    """The negative control of the comparisons above."""
    document_topic, a, b, mean, precision = sparse_problem
    centre, covariance = law_of(sparse_problem, 3 * 40 + 3 * 12)
    for wrong in (
        (document_topic, a, 1.001 * b, mean, precision),
        (document_topic, a, b, 1.001 * mean, precision),
    ):
        assert np.abs(true_law(wrong)[0] - centre).max() > 1e-5
    wrong = document_topic, 1.001 * a, b, mean, precision
    assert np.abs(true_law(wrong)[1] - covariance).max() > 1e-6


def test_documents_of_equal_topics_fall_back_to_the_factorisation(sparse_problem, monkeypatch):
    """Certain documents of the same topics would give equations that are nearly dependent."""
    document_topic, a = sparse_problem[:2]
    document_topic[2:4] = document_topic[8]
    a[[2, 3, 8], 2] = 1e11
    expected = law_of(sparse_problem, 1)[0]
    monkeypatch.setattr(weights_by_documents, "MANY_TOPICS", 1)
    trusted = []

    def draw_by_documents(*arguments, **more):
        drawn = weights_by_documents.draw_by_documents(*arguments, **more)
        trusted.append(drawn is not None)
        return drawn

    monkeypatch.setattr(weights, "draw_by_documents", draw_by_documents)
    centre = law_of(sparse_problem, 1)[0]
    assert trusted == 2 * [True, True, False]
    np.testing.assert_allclose(centre[:2], expected[:2], rtol=1e-10)
    np.testing.assert_array_equal(centre[2], expected[2])


def test_topics_without_tokens_follow_their_prior(sparse_problem):
    document_topic, a, b, mean, precision = sparse_problem
    counts = document_topic, list_present(document_topic)
    prior = {"mean": mean, "precision": precision}
    drawn = draw_weights(np.random.default_rng(2), *counts, a, b, **prior)
    noise = np.random.default_rng(2).standard_normal((3, 40))
    for k in (3, 17, 20, 39):
        np.testing.assert_array_equal(
            drawn[:, k], mean[:, k] + noise[:, k] / np.sqrt(precision[:, k])
        )
    nothing = draw_weights(np.random.default_rng(2), *counts, 0 * a, 0 * b, **prior)
    np.testing.assert_array_equal(nothing, mean + noise / np.sqrt(precision))


def test_no_table_of_all_topics_is_allocated():
    """A table of 40 000 × 40 000 numbers would take 12.8 GB."""
    n_topics = 40_000
    document_topic = np.zeros((3, n_topics), np.int32)
    document_topic[[0, 1, 1, 2], [7, 7, 39_999, 100]] = 2
    one = np.ones((3, 1))
    prior = {"mean": np.zeros((1, n_topics)), "precision": np.ones((1, n_topics))}
    counts = document_topic, list_present(document_topic)
    drawn = draw_weights(np.random.default_rng(0), *counts, one, one, **prior)
    assert np.isfinite(drawn).all()


@pytest.mark.parametrize(
    ("n_documents", "n_topics", "expected"),
    [
        (100, 255, False),
        (100, 256, True),
        (10, 5000, True),
        (2600, 5000, True),
        (2700, 5000, False),
    ],
)
def test_the_way_is_chosen_by_counted_costs(n_documents, n_topics, expected):
    labelled = np.zeros((6000, 2))
    labelled[:n_documents, 1] = 1.0
    assert weights_by_documents.costs_less(labelled, n_topics) is expected


@pytest.mark.parametrize("bad", [-1.0, 0.0, np.inf, np.nan])
def test_improper_prior_is_named(problem, bad):
    document_topic, a, b, mean, precision = problem
    counts = document_topic, list_present(document_topic)
    precision[1, 4] = bad
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        draw_weights(np.random.default_rng(0), *counts, 0 * a, b, mean=mean, precision=precision)


def test_documents_without_labels_may_hold_more_topics_than_all_others():
    """Their rows are longer than the list of topics that labels know of."""
    n_topics = 300
    document_topic = np.zeros((40, n_topics), np.int32)
    document_topic[:39, 0] = 1
    document_topic[39] = 1
    a = np.r_[np.ones(39), 0.0][:, None]
    counts = document_topic, list_present(document_topic)
    prior = {"mean": np.zeros((1, n_topics)), "precision": np.ones((1, n_topics))}
    drawn = draw_weights(np.random.default_rng(1), *counts, a, a, **prior)
    noise = np.random.default_rng(1).standard_normal(n_topics)
    np.testing.assert_array_equal(drawn[0, 1:], noise[1:])
    assert drawn[0, 0] == pytest.approx(39.0 / 40.0 + noise[0] / np.sqrt(40.0))
    _, *listed = weights.renumber(counts[1], np.array([0]), n_topics)
    with np.errstate(all="raise"):
        weights_by_topics.accumulate.py_func(
            counts[0], counts[1].start, *listed, a, a, np.zeros((1, 1, 1)), np.zeros((1, 1)), False
        )


@pytest.mark.parametrize("argument", ["a", "b", "mean", "precision"])
def test_arrays_of_other_shapes_are_refused(sparse_problem, argument):
    document_topic, a, b, mean, precision = sparse_problem
    given = {"a": a, "b": b, "mean": mean, "precision": precision}
    given[argument] = given[argument][:, :1]
    with pytest.raises(ValueError, match="must have shape"):
        draw_weights(
            np.random.default_rng(1), document_topic, list_present(document_topic), **given
        )


@pytest.mark.parametrize("layout", ["int64", "int16", "by columns", "every second"])
def test_counts_may_lie_in_memory_in_any_way(layout):
    counts = np.random.default_rng(0).integers(0, 3, (50, 8)).astype(np.int32)
    ones, mean = np.ones((50, 1)), np.zeros((1, 8))
    wide = np.zeros((50, 16), np.int32)
    wide[:, ::2] = counts
    other = {
        "int64": counts.astype(np.int64),
        "int16": counts.astype(np.int16),
        "by columns": np.asfortranarray(counts),
        "every second": wide[:, ::2],
    }[layout]

    def draw(given):
        rng, present = np.random.default_rng(1), list_present(given)
        return draw_weights(rng, given, present, ones, ones, mean=mean, precision=mean + 1.0)

    np.testing.assert_array_equal(draw(other), draw(counts))
