"""The test-time sampler against enumeration, a slow twin and its own Python source."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln

from pymc_medlda.kernels import new_documents
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_documents import Assignments, Schedule, WordTopics


def make_topics(phi, alpha):
    phi = np.ascontiguousarray(phi, np.float64)
    return WordTopics(phi, np.asarray(alpha, np.float64), phi @ np.asarray(alpha, np.float64))


def make_problem(rng, lengths, n_words=12, n_topics=5):
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = Tokens(rng.integers(0, n_words, start[-1]).astype(np.int32), start)
    phi = rng.dirichlet(np.full(n_words, 0.3), n_topics).T
    return tokens, make_topics(phi, rng.gamma(1.0, 0.3, n_topics) + 0.05)


def enumerate_document(word, topics):
    """Return every assignment of a document with its probability, by the joint density."""
    n_topics = topics.alpha.size
    states = np.array(list(itertools.product(range(n_topics), repeat=word.size)))
    log_p = np.array(
        [
            np.log(topics.phi[word, z]).sum()
            + gammaln(np.bincount(z, minlength=n_topics) + topics.alpha).sum()
            for z in states
        ]
    )
    p = np.exp(log_p - log_p.max())
    return states, p / p.sum()


def sweep_slowly(rng, word, z, topics):
    """Draw the topics of a document one by one, with weights computed afresh."""
    for n in range(word.size):
        others = np.delete(z, n)
        count = np.bincount(others, minlength=topics.alpha.size)
        weight = topics.phi[word[n]] * (count + topics.alpha)
        z[n] = rng.choice(weight.size, p=weight / weight.sum())


def largest_z_score(frequency, p):
    """Compare visits of states (batches, states) with p, by the spread of the batches."""
    error = frequency.std(axis=0, ddof=1) / np.sqrt(frequency.shape[0])
    return np.max(np.abs(frequency.mean(axis=0) - p) / np.maximum(error, 1e-4))


def visit(rng, tokens, topics, n_batches=50, n_sweeps=2000):
    """Return how often each assignment of the only document is met, batch by batch."""
    n_topics = topics.alpha.size
    digits = n_topics ** np.arange(tokens.word.size)[::-1]
    state = new_documents.start_uniformly(rng, tokens.start, n_topics)
    frequency = np.zeros((n_batches, n_topics**tokens.word.size))
    for batch in range(n_batches):
        for _ in range(n_sweeps):
            new_documents.sweep_document(rng, tokens, topics, state, 0, 0)
            frequency[batch, state.z @ digits] += 1 / n_sweeps
    return frequency


def test_visits_follow_the_enumerated_law(rng):
    tokens = Tokens(np.array([0, 1, 0, 2], np.int32), np.array([0, 4]))
    topics = make_topics([[0.6, 0.1, 0.3], [0.1, 0.5, 0.2], [0.3, 0.4, 0.5]], [0.2, 0.5, 0.9])
    frequency = visit(rng, tokens, topics)
    _, p = enumerate_document(tokens.word, topics)
    # 81 states with t-distributed scores: 4.5 is passed by chance less than once in a hundred.
    assert largest_z_score(frequency, p) < 4.5
    _, wrong = enumerate_document(tokens.word, topics._replace(alpha=topics.alpha + 0.05))
    assert largest_z_score(frequency, wrong) > 6.0


def test_frequencies_equal_those_of_the_slow_twin(rng):
    tokens, topics = make_problem(rng, [6])
    out = np.empty((400, 5))
    schedule = Schedule(n_samples=5, max_burn_in=20, tolerance=0.0)
    for row in out:
        new_documents.sample_documents(rng, tokens, topics, schedule, 0, 1, row[None])
    slow = np.zeros((400, 5))
    for row in slow:
        z = rng.integers(0, 5, 6)
        for sweep in range(12):
            sweep_slowly(rng, tokens.word, z, topics)
            if sweep >= 7:
                row += np.bincount(z, minlength=5) / 30
    error = np.sqrt((out.var(axis=0) + slow.var(axis=0)) / 400)
    assert np.max(np.abs(out.mean(axis=0) - slow.mean(axis=0)) / error) < 4.0


def run_everything(rng, functions):
    tokens, topics = make_problem(np.random.default_rng(3), [30, 0, 1, 80], n_topics=20)
    z = rng.integers(0, 20, tokens.word.size).astype(np.uint8)
    row = np.where(np.arange(12) % 3 == 0, -1, np.cumsum(np.arange(12) % 3 > 0) - 1)
    fitted = WordTopics(np.empty((8, 20)), np.empty(20), np.empty(8))
    functions["estimate_topics"](tokens.word, z, row, 12, topics.alpha, 0.1, fitted)
    out = np.empty((4, 20))
    burn_in = functions["sample_documents"](rng, tokens, topics, Schedule(3, 30, 1e-3), 0, 4, out)
    return burn_in, out, fitted


def test_compiled_kernels_equal_their_source_bit_for_bit(monkeypatch):
    names = ["estimate_topics", "sample_documents"]
    jitted = run_everything(np.random.default_rng(5), {n: getattr(new_documents, n) for n in names})
    for name in ["add_up", "start_uniformly", "sweep_document", "_find_by_prior"]:
        function = getattr(new_documents, name)
        monkeypatch.setattr(new_documents, name, getattr(function, "py_func", function))
    plain = {
        n: getattr(getattr(new_documents, n), "py_func", getattr(new_documents, n)) for n in names
    }
    source = run_everything(np.random.default_rng(5), plain)
    assert jitted[0] == source[0]
    np.testing.assert_array_equal(jitted[1], source[1])
    for mine, theirs in zip(jitted[2], source[2], strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_lists_and_counts_stay_those_of_z(rng):
    tokens, topics = make_problem(rng, [40, 0, 7], n_topics=9)
    state = new_documents.start_uniformly(rng, tokens.start, 9)
    for _ in range(30):
        for d in range(3):
            new_documents.sweep_document(rng, tokens, topics, state, 0, d)
            z = state.z[tokens.start[d] : tokens.start[d + 1]]
            np.testing.assert_array_equal(state.counts[d], np.bincount(z, minlength=9))
            listed = state.listed[d, : state.n_listed[d]]
            assert sorted(listed.tolist()) == np.unique(z).tolist()


def test_likelihood_met_on_the_way_is_that_of_the_conditionals():
    """With one topic every token's probability is known: phi, whatever the counts."""
    tokens = Tokens(np.array([0, 1, 1, 2] * 100, np.int32), np.array([0, 400]))
    topics = make_topics([[0.5], [0.2], [0.3]], [0.7])
    rng = np.random.default_rng(1)
    state = new_documents.start_uniformly(rng, tokens.start, 1)
    log_likelihood = new_documents.sweep_document(rng, tokens, topics, state, 0, 0)
    expected = np.log(topics.phi[tokens.word, 0]).sum()
    assert log_likelihood == pytest.approx(expected, rel=1e-12)
    assert set(state.z.tolist()) == {0}


def test_estimated_topics_are_the_posterior_mean(rng):
    word = rng.integers(0, 6, 200).astype(np.int32)
    z = rng.integers(0, 3, 200).astype(np.uint8)
    alpha = np.array([0.1, 0.2, 0.3])
    row = np.array([1, -1, 0, 2, -1, 3])
    out = WordTopics(np.empty((4, 3)), np.empty(3), np.empty(4))
    new_documents.estimate_topics(word, z, row, 6, alpha, 0.5, out)
    table = np.zeros((6, 3))
    np.add.at(table, (word, z), 1)
    phi = (table + 0.5) / (table.sum(axis=0) + 6 * 0.5)
    np.testing.assert_allclose(phi.sum(axis=0), 1.0)
    np.testing.assert_allclose(out.phi, phi[[2, 0, 3, 5]], rtol=1e-14)
    np.testing.assert_allclose(out.prior, out.phi @ alpha, rtol=1e-14)


def test_empty_documents_get_the_prior_and_burn_in_stops(rng):
    tokens, topics = make_problem(rng, [0, 200, 0])
    out = np.full((3, 5), np.nan)
    burn_in = new_documents.sample_documents(rng, tokens, topics, Schedule(2, 500, 1e-2), 0, 3, out)
    prior = topics.alpha / topics.alpha.sum()
    np.testing.assert_allclose(out[[0, 2]], [prior, prior])
    np.testing.assert_allclose(out.sum(axis=1), 1.0)
    assert 2 <= burn_in < 500
    assert new_documents.sample_documents(rng, tokens, topics, Schedule(2, 7, 0.0), 0, 3, out) == 7
    assert new_documents.sample_documents(rng, tokens, topics, Schedule(1, 0, 0.0), 1, 2, out) == 0


def test_a_block_reads_and_writes_its_own_documents_only(rng):
    tokens, topics = make_problem(rng, [5, 9, 4, 8])
    whole, part = np.full((4, 5), -1.0), np.full((4, 5), -1.0)
    alone = Tokens(tokens.word[5:18], tokens.start[1:4] - 5)
    schedule = Schedule(2, 10, 0.0)
    new_documents.sample_documents(np.random.default_rng(2), tokens, topics, schedule, 1, 3, whole)
    new_documents.sample_documents(np.random.default_rng(2), alone, topics, schedule, 0, 2, part)
    np.testing.assert_array_equal(whole[1:3], part[:2])
    assert (whole[[0, 3]] == -1.0).all()


def test_extreme_weights_stay_finite(rng):
    """Words of hardly any probability, and topics that own their word."""
    phi = np.full((4, 3), 1e-12)
    phi[[0, 1, 2], [0, 1, 2]] = 1.0
    tokens = Tokens(np.repeat([0, 1, 2, 3], 200).astype(np.int32), np.array([0, 800]))
    out = np.empty((1, 3))
    topics = make_topics(phi, [1e-8, 1e-8, 1e-8])
    state = new_documents.start_uniformly(rng, tokens.start, 3)
    for _ in range(5):
        assert np.isfinite(new_documents.sweep_document(rng, tokens, topics, state, 0, 0))
    assert isinstance(state, Assignments)
    assert (state.z[:600] == np.repeat([0, 1, 2], 200)).all()
    new_documents.sample_documents(rng, tokens, topics, Schedule(4, 20, 1e-3), 0, 1, out)
    assert out.sum() == pytest.approx(1.0)
