"""The test-time sampler against enumeration, a slow twin and its own Python source."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln

from pymc_medlda.kernels import new_document_sweeps, new_documents
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.new_document_sweeps import ROWS, WordTopics, empty_workspace
from pymc_medlda.kernels.new_documents import BLOCK, Schedule, padded_size

BOTH_SWEEPS = pytest.mark.parametrize("by_lists", [False, True], ids=["rows", "lists"])
CALLED = {
    new_documents: ["start_uniformly", "sample_blocks", "_burn_in", "_average", "sweep_document"],
    new_document_sweeps: ["sweep_by_rows", "sweep_by_lists", "add_probabilities", "add_up"],
}


def make_topics(phi, alpha):
    alpha = np.asarray(alpha, np.float64)
    padded = np.zeros((len(phi), padded_size(alpha.size)))
    padded[:, : alpha.size] = phi
    return WordTopics(padded, alpha, np.asarray(phi) @ alpha)


def begin(seed, tokens, n_topics, by_lists=False):
    """Return random topics for the sweep by rows, or with the lists that the other sweep needs."""
    n_blocks = -(-(tokens.start.size - 1) // BLOCK)
    counter = np.random.SeedSequence(seed).generate_state(n_blocks, np.uint64)
    state = new_documents.start_uniformly(counter, tokens.start, n_topics)
    assert state.listed.shape[1] == 0
    return with_lists(state) if by_lists else state


def with_lists(state):
    listed = np.full(state.counts.shape, -1, np.int32)
    for row, count in zip(listed, state.counts, strict=True):
        row[: np.sum(count > 0)] = np.flatnonzero(count)
    return state._replace(listed=listed, n_listed=np.sum(state.counts > 0, axis=1, keepdims=True))


def sweep(tokens, topics, state, d=0, averaged=False):
    """Sweep over a document; return its log likelihood and what was added up."""
    work = empty_workspace(topics.phi.shape[1])
    found = new_documents.sweep_document(tokens, topics, state, d, work, averaged)
    return found, work.total[: topics.alpha.size]


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
        weight = topics.phi[word[n], : topics.alpha.size] * (count + topics.alpha)
        z[n] = rng.choice(weight.size, p=weight / weight.sum())


def largest_z_score(frequency, p):
    """Compare visits of states (batches, states) with p, by the spread of the batches."""
    error = frequency.std(axis=0, ddof=1) / np.sqrt(frequency.shape[0])
    return np.max(np.abs(frequency.mean(axis=0) - p) / np.maximum(error, 1e-4))


def visit(tokens, topics, by_lists, n_batches=50, n_sweeps=2000):
    """Return how often each assignment of the only document is met, batch by batch.

    The second result is the average of z that the sweeps themselves add up, batch by batch.
    """
    n_topics = topics.alpha.size
    digits = n_topics ** np.arange(tokens.word.size)[::-1]
    state = begin(5, tokens, n_topics, by_lists)
    frequency = np.zeros((n_batches, n_topics**tokens.word.size))
    work = empty_workspace(topics.phi.shape[1])
    totals = []
    for batch in range(n_batches):
        work.total[:] = 0.0
        for _ in range(n_sweeps):
            new_documents.sweep_document(tokens, topics, state, 0, work, True)
            frequency[batch, state.z @ digits] += 1 / n_sweeps
        totals.append(work.total[:n_topics] / (n_sweeps * tokens.word.size))
    return frequency, np.array(totals)


@BOTH_SWEEPS
def test_visits_follow_the_enumerated_law(by_lists):
    tokens = Tokens(np.array([0, 1, 0, 2], np.int32), np.array([0, 4]))
    topics = make_topics([[0.6, 0.1, 0.3], [0.1, 0.5, 0.2], [0.3, 0.4, 0.5]], [0.2, 0.5, 0.9])
    frequency, mean = visit(tokens, topics, by_lists)
    states, p = enumerate_document(tokens.word, topics)
    # 81 states with t-distributed scores: 4.5 is passed by chance less than once in a hundred.
    assert largest_z_score(frequency, p) < 4.5
    expected = p @ (states[:, :, None] == np.arange(3)).mean(axis=1)
    assert largest_z_score(mean, expected) < 4.5
    wrong_topics = topics._replace(alpha=topics.alpha + 0.05)
    _, wrong = enumerate_document(tokens.word, wrong_topics)
    assert largest_z_score(frequency, wrong) > 6.0
    wrong_mean = wrong @ (states[:, :, None] == np.arange(3)).mean(axis=1)
    assert largest_z_score(mean, wrong_mean) > 6.0


@BOTH_SWEEPS
def test_frequencies_equal_those_of_the_slow_twin(rng, by_lists):
    tokens, topics = make_problem(rng, [6])
    out = np.empty((400, 5))
    schedule = Schedule(n_samples=5, max_burn_in=20, tolerance=0.0, max_between=0)
    for seed, row in enumerate(out):
        state = begin([7, seed], tokens, 5, by_lists)
        new_documents.sample_blocks(tokens, topics, schedule, state, 0, 1, row[None])
    slow = np.zeros((400, 5))
    for row in slow:
        z = rng.integers(0, 5, 6)
        for step in range(12):
            sweep_slowly(rng, tokens.word, z, topics)
            if step >= 7:
                row += np.bincount(z, minlength=5) / 30
    error = np.sqrt((out.var(axis=0) + slow.var(axis=0)) / 400)
    assert np.max(np.abs(out.mean(axis=0) - slow.mean(axis=0)) / error) < 4.0


def replay_slowly(counter, word, z, topics):
    """Do a sweep by rows token by token, with weights computed afresh; return the expected z."""
    n_topics = topics.alpha.size
    expected = np.zeros(n_topics)
    for n in range(word.size):
        weight = topics.phi[word[n], :n_topics] * (
            np.bincount(np.delete(z, n), minlength=n_topics) + topics.alpha
        )
        expected += weight / weight.sum()
        order = np.r_[z[n], np.delete(np.arange(n_topics), z[n])]  # the present topic is first
        x = new_document_sweeps.uniform(counter) * weight.sum()
        z[n] = order[np.searchsorted(np.cumsum(weight[order]), x, side="right")]
        counter += new_document_sweeps.STRIDE
    return expected


@pytest.mark.parametrize("length", [1, 5, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS])
def test_rows_draw_and_expect_what_an_obvious_sweep_does(rng, length):
    """Documents of all lengths, also those that fill the buffer of probabilities exactly."""
    tokens, topics = make_problem(rng, [length], n_topics=11)
    state = begin(length, tokens, 11)
    for _ in range(3):
        z, counter = state.z.copy(), state.counter[0]
        with np.errstate(over="ignore"):
            expected = replay_slowly(counter, tokens.word, z, topics)
        _, total = sweep(tokens, topics, state, averaged=True)
        np.testing.assert_array_equal(state.z, z)
        np.testing.assert_allclose(total, expected, rtol=1e-10, atol=1e-12)


def run_everything(by_lists):
    tokens, topics = make_problem(np.random.default_rng(3), [30, 0, 1, 80], n_topics=20)
    z = np.random.default_rng(5).integers(0, 20, tokens.word.size).astype(np.uint8)
    row = np.where(np.arange(12) % 3 == 0, -1, np.cumsum(np.arange(12) % 3 > 0) - 1)
    fitted = WordTopics(np.empty((8, 24)), np.empty(20), np.empty(8))
    estimate = new_documents.estimate_topics
    estimate(tokens.word, z, row, 12, topics.alpha, 0.1, fitted)
    state = begin(5, tokens, 20, by_lists)
    out = np.empty((2, 4, 20))
    schedule = Schedule(3, 30, 1e-3, 2)
    burn_in = [
        new_documents.sample_blocks(tokens, topics, schedule, state, 0, 1, each) for each in out
    ]
    return [np.array(burn_in), out, *fitted, *state]


@BOTH_SWEEPS
def test_compiled_kernels_equal_their_source_bit_for_bit(monkeypatch, by_lists):
    jitted = run_everything(by_lists)
    names = {**CALLED, new_documents: [*CALLED[new_documents], "estimate_topics"]}
    for module, functions in names.items():
        for name in [*functions, "empty_workspace", "uniform", "add_up", "choose"]:
            function = getattr(module, name, None)
            if function is not None:
                monkeypatch.setattr(module, name, getattr(function, "py_func", function))
    for name in ("sweep_by_rows", "sweep_by_lists"):
        monkeypatch.setattr(new_documents, name, getattr(new_document_sweeps, name))
    for name in ("_log_normaliser", "_find_by_prior"):
        function = getattr(new_document_sweeps, name)
        monkeypatch.setattr(new_document_sweeps, name, getattr(function, "py_func", function))
    with np.errstate(over="ignore"):
        source = run_everything(by_lists)
    for mine, theirs in zip(jitted, source, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@BOTH_SWEEPS
def test_lists_and_counts_stay_those_of_z(rng, by_lists):
    tokens, topics = make_problem(rng, [40, 0, 7], n_topics=9)
    state = begin(1, tokens, 9, by_lists)
    for _ in range(30):
        for d in range(3):
            sweep(tokens, topics, state, d)
            z = state.z[tokens.start[d] : tokens.start[d + 1]]
            np.testing.assert_array_equal(state.counts[d], np.bincount(z, minlength=9))
            if by_lists:
                listed = state.listed[d, : state.n_listed[d, 0]]
                assert sorted(listed.tolist()) == np.unique(z).tolist()


def test_many_topics_are_drawn_by_lists():
    start = np.array([0, 50, 90])
    state = new_documents.start_uniformly(np.array([3], np.uint64), start, 200)
    again = with_lists(state)
    np.testing.assert_array_equal(state.n_listed, again.n_listed)
    for d in range(2):
        n = state.n_listed[d, 0]
        assert sorted(state.listed[d, :n].tolist()) == again.listed[d, :n].tolist()


@BOTH_SWEEPS
def test_likelihood_met_on_the_way_is_that_of_the_conditionals(by_lists):
    """With one topic every token's probability is known: phi, whatever the counts."""
    tokens = Tokens(np.array([0, 1, 1, 2] * 100, np.int32), np.array([0, 400]))
    topics = make_topics([[0.5], [0.2], [0.3]], [0.7])
    state = begin(1, tokens, 1, by_lists)
    log_likelihood, total = sweep(tokens, topics, state, averaged=True)
    expected = np.log(topics.phi[tokens.word, 0]).sum()
    assert log_likelihood == pytest.approx(expected, rel=1e-12)
    assert total == pytest.approx([400.0])
    assert set(state.z.tolist()) == {0}


def test_estimated_topics_are_the_posterior_mean(rng):
    word = rng.integers(0, 6, 200).astype(np.int32)
    z = rng.integers(0, 3, 200).astype(np.uint8)
    alpha = np.array([0.1, 0.2, 0.3])
    row = np.array([1, -1, 0, 2, -1, 3])
    out = WordTopics(np.full((4, 8), np.nan), np.empty(3), np.empty(4))
    new_documents.estimate_topics(word, z, row, 6, alpha, 0.5, out)
    table = np.zeros((6, 3))
    np.add.at(table, (word, z), 1)
    phi = (table + 0.5) / (table.sum(axis=0) + 6 * 0.5)
    np.testing.assert_allclose(phi.sum(axis=0), 1.0)
    np.testing.assert_allclose(out.phi[:, :3], phi[[2, 0, 3, 5]], rtol=1e-14)
    np.testing.assert_array_equal(out.phi[:, 3:], 0.0)
    np.testing.assert_allclose(out.prior, out.phi[:, :3] @ alpha, rtol=1e-14)


def test_empty_documents_get_the_prior_and_burn_in_stops(rng):
    tokens, topics = make_problem(rng, [0, 200, 0])
    out = np.full((3, 5), np.nan)

    def burn_in(schedule, state):
        return new_documents.sample_blocks(tokens, topics, schedule, state, 0, 1, out)

    state = begin(1, tokens, 5)
    assert 2 <= burn_in(Schedule(2, 500, 1e-2, 3), state) < 500
    prior = topics.alpha / topics.alpha.sum()
    np.testing.assert_allclose(out[[0, 2]], [prior, prior])
    np.testing.assert_allclose(out.sum(axis=1), 1.0)
    # The next draw goes on from there, with a limit of its own, and with that of the first draw.
    assert burn_in(Schedule(2, 500, 0.0, 3), state) == 3
    assert burn_in(Schedule(2, 500, 1.0, 3), state) == 1
    assert burn_in(Schedule(2, 1, 0.0, 3), state) == 1
    assert burn_in(Schedule(2, 7, 0.0, 3), begin(1, tokens, 5)) == 7
    assert burn_in(Schedule(1, 0, 0.0, 3), begin(1, tokens, 5)) == 0


def test_documents_take_random_numbers_of_their_own(rng):
    """Every token takes one number, so the same document twice is drawn differently."""
    tokens, topics = make_problem(rng, [50])
    twice = Tokens(np.tile(tokens.word, 2), np.array([0, 50, 100]))
    state = begin(1, twice, 5)
    state.z[50:] = state.z[:50]
    state.counts[1] = state.counts[0]
    before = state.counter[0]
    for d in range(2):
        sweep(twice, topics, state, d)
    assert not np.array_equal(state.z[:50], state.z[50:])
    taken = (int(state.counter[0]) - int(before)) % 2**64
    assert taken == 100 * int(new_documents.STRIDE) % 2**64


def test_blocks_read_and_write_their_own_documents_only(rng):
    """A block gives the same answer alone as among others, and leaves the others untouched."""
    tokens, topics = make_problem(rng, rng.integers(0, 9, 3 * BLOCK - 5))
    schedule = Schedule(2, 10, 0.0, 1)
    whole, part = np.full((2, 3 * BLOCK - 5, 5), -1.0)
    new_documents.sample_blocks(tokens, topics, schedule, begin(2, tokens, 5), 0, 3, whole)
    state, untouched = begin(2, tokens, 5), begin(2, tokens, 5)
    new_documents.sample_blocks(tokens, topics, schedule, state, 1, 2, part)
    own = slice(BLOCK, 2 * BLOCK)
    np.testing.assert_array_equal(whole[own], part[own])
    assert (np.delete(part, np.r_[own], axis=0) == -1.0).all()
    assert (state.counter == untouched.counter).tolist() == [True, False, True]
    np.testing.assert_array_equal(state.counts[:BLOCK], untouched.counts[:BLOCK])
    np.testing.assert_array_equal(state.counts[2 * BLOCK :], untouched.counts[2 * BLOCK :])


@BOTH_SWEEPS
def test_extreme_weights_stay_finite(by_lists):
    """Words of hardly any probability, and topics that own their word."""
    phi = np.full((4, 3), 1e-12)
    phi[[0, 1, 2], [0, 1, 2]] = 1.0
    tokens = Tokens(np.repeat([0, 1, 2, 3], 200).astype(np.int32), np.array([0, 800]))
    out = np.empty((1, 3))
    topics = make_topics(phi, [1e-8, 1e-8, 1e-8])
    state = begin(1, tokens, 3, by_lists)
    for _ in range(5):
        assert np.isfinite(sweep(tokens, topics, state)[0])
    assert (state.z[:600] == np.repeat([0, 1, 2], 200)).all()
    new_documents.sample_blocks(tokens, topics, Schedule(4, 20, 1e-3, 1), state, 0, 1, out)
    assert out.sum() == pytest.approx(1.0)
