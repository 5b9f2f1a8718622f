"""The order of elimination against a graph of Python sets, and the draw at the size it is made for.

`test_weights` compares the mean and the covariance of the draw with those of the conditional.
"""

import numpy as np
import pytest

from pymc_medlda.kernels import elimination, weights_by_elimination
from pymc_medlda.kernels.counts import Tokens, list_present
from pymc_medlda.kernels.elimination import plan_elimination
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.kernels.weights import draw_weights
from pymc_medlda.kernels.weights_by_elimination import draw_by_elimination
from pymc_medlda.sampling.compiling import compile_kernels


def sparse_documents(n_documents, n_topics, seed):
    """Documents of few topics each, some of which are in many documents."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((n_documents, n_topics), np.int32)
    frequency = 1.0 / (1.0 + np.arange(n_topics))
    for d in range(n_documents):
        held = rng.choice(n_topics, rng.integers(1, 5), p=frequency / frequency.sum())
        counts[d, held] = rng.integers(1, 30, held.size)
    return counts


def eliminate_with_sets(counts, labelled, one_in):
    """Return the topics in the order of their elimination, each with its neighbours then."""
    n_topics = counts.shape[1]
    graph = {k: set() for k in range(n_topics)}
    for d in np.flatnonzero(labelled):
        held = set(np.flatnonzero(counts[d]).tolist())
        for k in held:
            graph[k] |= held - {k}
    order = []
    while graph:
        chosen = min(graph, key=lambda k: (len(graph[k]), k))
        if len(graph[chosen]) * one_in > len(graph):
            break
        neighbours = graph.pop(chosen)
        for k in neighbours:
            graph[k] = (graph[k] | neighbours) - {k, chosen}
        order.append((chosen, neighbours))
    return order, sorted(graph)


@pytest.mark.parametrize("one_in", [1, 3, 5])
@pytest.mark.parametrize("n_topics", [5, 64, 150])
def test_the_order_is_that_of_fewest_neighbours(n_topics, one_in, monkeypatch):
    monkeypatch.setattr(elimination, "ONE_IN", one_in)
    counts = sparse_documents(2 * n_topics, n_topics, seed=n_topics)
    a = np.ones((2 * n_topics, 2))
    a[:7] = 0.0
    a[7:20, 0] = 0.0  # only the second task knows of these
    plan = plan_elimination(list_present(counts), a, n_topics)
    order, rest = eliminate_with_sets(counts, a.any(axis=1), one_in)
    expected = [k for k, _ in order] + rest
    assert plan.number.tolist() == np.argsort(expected).tolist()
    assert plan.first.size == len(order) + 1
    for p, (_, neighbours) in enumerate(order):
        own = plan.column[plan.first[p] : plan.first[p + 1]]
        assert own.tolist() == sorted(plan.number[k] for k in neighbours)
        rows = slice(plan.into[p], plan.into[p + 1])
        earlier = [q for q in range(p) if expected[p] in order[q][1]]
        assert plan.row[rows].tolist() == earlier
        assert (plan.column[plan.place[rows]] == p).all()


def test_compiled_kernels_are_their_python_functions():
    counts = sparse_documents(60, 70, seed=3)
    present, a = list_present(counts), np.ones((60, 1))
    graphs = np.zeros((2, 70, 2), np.uint64)
    elimination.link_topics(present.start, present.topic, a, graphs[0])
    elimination.link_topics.py_func(present.start, present.topic, a, graphs[1])
    np.testing.assert_array_equal(*graphs)
    results = []
    for graph, order in zip(
        graphs, (elimination.order_topics, elimination.order_topics.py_func), strict=True
    ):
        number, first = np.empty(70, np.int32), np.empty(71, np.int64)
        room = np.zeros(2500, np.int32)
        n = order(graph, 5, number, first, room)
        results.append((n, number.tolist(), first[: n + 1].tolist(), room.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_a_draw_for_many_topics_is_that_of_the_dense_factor_in_the_same_order(n_tasks):
    """Given the noise, both are one linear map, if topics are taken in the same order."""
    rng = np.random.default_rng(7)
    counts = sparse_documents(600, 400, seed=8)
    counts = np.ascontiguousarray(counts[:, counts.any(axis=0)])
    n_topics = counts.shape[1]
    a, b = rng.gamma(1.0, 50.0, (600, n_tasks)), rng.normal(0.0, 90.0, (600, n_tasks))
    a[:30, 0] = b[:30, 0] = 0.0
    mean, precision = rng.normal(size=(n_tasks, n_topics)), rng.gamma(2.0, 1.0, (n_tasks, n_topics))
    noise = rng.normal(size=(n_tasks, n_topics))
    present = list_present(counts)
    drawn = draw_by_elimination(present, a, b, mean=mean, precision=precision, noise=noise)
    order = np.argsort(plan_elimination(present, a, n_topics).number)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    for i in range(n_tasks):
        matrix = np.diag(precision[i]) + (share * a[:, i : i + 1]).T @ share
        centre = np.linalg.solve(matrix, precision[i] * mean[i] + b[:, i] @ share)
        lower = np.linalg.cholesky(matrix[np.ix_(order, order)])
        expected = centre[order] + np.linalg.solve(lower.T, noise[i, order])
        np.testing.assert_allclose(drawn[i, order], expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("one_in", [1, 5], ids=["one by one", "together"])
def test_topics_that_rounding_cannot_tell_apart_are_an_error(one_in, monkeypatch):
    """Topics that are always together, in so certain a document that the prior is lost."""
    monkeypatch.setattr(elimination, "ONE_IN", one_in)
    counts = np.zeros((1, 300), np.int32)
    counts[0, :4] = 5
    one, prior = np.ones((1, 1)), np.full((1, 300), 1e-30)
    plan = plan_elimination(list_present(counts), one, 300)
    assert plan.first.size - 1 == (300 if one_in == 1 else 296)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite in floating point"):
        # The shares are 1/4 and the roots are whole, so that the difference is exactly zero.
        draw_by_elimination(
            list_present(counts), 2.0**50 * one, one, mean=prior, precision=prior, noise=prior
        )


def test_nothing_is_left_to_compile_for_a_chain():
    """The number of topics decides on the way, so that the tiny sampler takes it as well."""
    tokens = Tokens(np.zeros(2, np.int32), np.array([0, 2]))
    compile_kernels(TopicSampler(tokens, n_words=1, n_topics=300), n_tasks=1)
    names = "fill_shares", "add_linear", "eliminate", "add_documents", "subtract_eliminated"
    kernels = [getattr(weights_by_elimination, name) for name in (*names, "substitute")]
    kernels += [elimination.link_topics, elimination.order_topics, elimination.arrange]
    before = [len(kernel.signatures) for kernel in kernels]
    assert min(before) > 0
    counts = sparse_documents(200, 300, seed=4)
    one, prior = np.ones((200, 1)), np.ones((1, 300))
    given = list_present(counts), one, one
    draw_weights(np.random.default_rng(0), counts, *given, mean=prior, precision=prior)
    assert [len(kernel.signatures) for kernel in kernels] == before
