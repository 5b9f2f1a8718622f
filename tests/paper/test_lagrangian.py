"""vMedLDA step by step: what each of its updates raises, and by how much labels act on topics.

With dual variables in the place of the losses, the objective is the Lagrangian. Three things never
fall: the Lagrangian, where q(θ) and q(z) are updated with weights and dual variables held fixed;
the Lagrangian again, where q(φ) is updated; and the objective, where the machines are solved with
the topics held fixed. From one iteration to the next the objective itself may fall, because new
topics may turn documents that were on the right side of the margin over to the wrong one. With dual
variables that stay the same, the Lagrangian at its best weights never falls, at any iteration.

Every token of the corpus below is a word of its own, so the expected counts of words are the q(z)
of tokens.
"""

import numpy as np
import pytest

import pymc_medlda as med
from paper.rivals import collapsed, mean_field, vmedlda
from tests.paper import oracle

# Large enough that a token, which is a word of its own, belongs to several topics.
PRIOR = {"alpha": 0.8, "beta": 0.7}
C, MARGIN = 1.0, 4.0


@pytest.fixture(scope="module")
def corpus():
    return med.Corpus.from_tokens(np.arange(40).reshape(10, 4).tolist(), n_words=40)


def label(kind):
    """Return labels of ten documents for two tasks, or for three classes."""
    if kind == "tasks":
        return np.where(np.random.default_rng(4).random((10, 2)) < 0.5, 1.0, -1.0)
    return np.where(np.arange(10)[:, None] % 3 == np.arange(3), 1.0, -1.0)


@pytest.fixture(params=["tasks", "classes"])
def followed(request, corpus, monkeypatch):
    """Fit vMedLDA; return y, its objective, and the states before and after each update."""
    y = label(request.param)
    states, posteriors = [], []
    nothing = np.zeros((y.shape[1], 3)), np.zeros(y.shape)

    def remember(posterior, shares, machines):
        own = shares, posterior.gamma, posterior.topics, *machines
        states.append(oracle.State(*(part.copy() for part in own)))

    def start(self, *given):
        initialise(self, *given)
        posteriors.append(self)
        remember(self, np.full((corpus.n_tokens, 3), 1 / 3), nothing)

    def update_documents(self, exponent):
        rounds = documents(self, exponent)
        remember(self, self.totals[corpus.words], states[-1][3:])
        return rounds

    def update_topics(self):
        topics(self)
        remember(self, states[-1].shares, states[-1][3:])

    def solve_tasks(*given, **settings):
        machines = solve(*given, **settings)
        remember(posteriors[0], states[-1].shares, machines)
        return machines

    own = mean_field.Posterior
    initialise, documents, topics = own.__init__, own.update_documents, own.update_topics
    solve = vmedlda.solve_tasks
    monkeypatch.setattr(collapsed, "paper_prior", lambda *_: collapsed.Prior(**PRIOR))
    monkeypatch.setattr(own, "__init__", start)
    monkeypatch.setattr(own, "update_documents", update_documents)
    monkeypatch.setattr(own, "update_topics", update_topics)
    monkeypatch.setattr(vmedlda, "solve_tasks", solve_tasks)
    model = vmedlda.fit(
        corpus, y, n_topics=3, seed=2, c=C, margin=MARGIN, iterations=12, tolerance=0.0,
        stop="settled",
    )  # fmt: skip
    assert len(states) == 1 + 3 * len(model.objective)
    return y, model.objective, states


def test_no_update_lowers_what_it_should_raise(corpus, followed):
    y, _, states = followed

    def lagrangian(state):
        return oracle.lagrangian(corpus, y, state, margin=MARGIN, **PRIOR)

    def objective(state):
        return oracle.primal(corpus, y, state, c=C, margin=MARGIN, **PRIOR)

    # The machines stop at a violation of a thousandth of the margin.
    slack = 1e-3 * 2.0 * C * MARGIN * y.size
    gains = []
    for i in range(0, len(states) - 1, 3):
        first, documents, topics, machines = states[i : i + 4]
        gains.append(lagrangian(documents) - lagrangian(first))
        assert lagrangian(topics) >= lagrangian(documents) - 1e-9
        assert objective(machines) >= objective(topics) - slack
        assert lagrangian(machines) == pytest.approx(objective(machines), abs=slack)
    assert min(gains) > -1e-9
    assert max(gains[1:]) > 0.1  # the labels had something to move


def test_topics_of_tokens_follow_the_gradient_of_the_lagrangian(corpus, followed):
    """log q(z_dn = k) is the derivative of the Lagrangian, without its entropy, by q(z_dn = k).

    The Lagrangian is linear in the q(z) of each token, so differences are derivatives.
    """
    y, _, states = followed

    def without_entropy(state, shares):
        own = state._replace(shares=shares)
        entropy = -(shares * np.log(shares)).sum()
        return oracle.lagrangian(corpus, y, own, margin=MARGIN, **PRIOR) - entropy

    for state in (states[4], states[-3]):  # after the second update of documents, and the last
        for n in range(0, corpus.n_tokens, 3):
            slopes = np.empty(3)
            for k in range(3):
                moved = state.shares.copy()
                moved[n, k] += 0.01
                difference = without_entropy(state, moved) - without_entropy(state, state.shares)
                slopes[k] = difference / 0.01
            expected = slopes - slopes.mean()
            log_share = np.log(state.shares[n])
            np.testing.assert_allclose(log_share - log_share.mean(), expected, atol=1e-6)
    pulls = states[-3].pull @ states[-3].weights
    assert np.ptp(pulls, axis=1).max() > 1.0  # labels pull at topics


def test_the_objective_is_that_of_the_model(corpus, followed):
    """It is taken with the topics that the documents were updated with, and the new machines."""
    y, objective, states = followed
    for i, value in enumerate(objective):
        documents, _, machines = states[3 * i + 1 : 3 * i + 4]
        own = documents._replace(weights=machines.weights)
        expected = oracle.primal(corpus, y, own, c=C, margin=MARGIN, **PRIOR)
        assert value == pytest.approx(expected, abs=1e-6)


def test_the_objective_never_falls_while_dual_variables_stay(monkeypatch):
    """The best weights given dual variables and topics are κ_i = Σ_d y_di μ_di E z̄_d.

    With these in the Lagrangian, bound + Σ_i |κ_i|²/2 is left, up to a constant. No iteration
    lowers it, because its part in κ is convex in E z̄, and the exponent is its tangent.
    """
    planted = med.datasets.make_planted(120, n_topics=4, n_words=80, length=40, seed=3)
    y = np.where(np.asarray(planted.y, float) > 0, 1.0, -1.0).reshape(-1, 1)
    held = 0.5 * y * np.random.default_rng(2).random(y.shape)
    squares = []

    def keep_duals(frequencies, y, pull, *, c, margin):
        weights = held.T @ frequencies
        squares.append(np.square(weights).sum())
        return weights, held

    monkeypatch.setattr(vmedlda, "solve_tasks", keep_duals)
    # With c = 0, the objective is bound - |κ|²/2.
    settings = {"iterations": 40, "tolerance": 0.0, "stop": "settled"}
    model = vmedlda.fit(planted.corpus, y, n_topics=4, seed=1, c=0.0, **settings)
    values = np.array(model.objective) + squares
    assert len(values) == 40
    assert np.diff(values).min() > -1e-6
    assert squares[-1] > 2.0 * squares[0]


def test_without_supervision_vmedlda_is_a_slow_and_obvious_lda():
    """Also with several tokens of a word in a document, which have one q(z)."""
    planted = med.datasets.make_planted(15, n_topics=3, n_words=12, length=10, seed=5)
    y = np.where(np.asarray(planted.y, float) > 0, 1.0, -1.0).reshape(-1, 1)
    settings = {"n_topics": 3, "seed": 1, "iterations": 30, "tolerance": 0.0, "stop": "settled"}
    model = vmedlda.fit(planted.corpus, y, c=0.0, **settings)
    start = mean_field.start_topics(planted.corpus, 3, 1)
    topics, bounds = oracle.fit_lda(
        planted.corpus, start, alpha=1 / 3, beta=0.01, n_iterations=len(model.objective)
    )
    np.testing.assert_allclose(model.topics, topics, atol=1e-6)
    np.testing.assert_allclose(model.objective, bounds, atol=1e-6)
    assert bounds[-1] > bounds[0] + 10.0  # topics parted
    supervised = vmedlda.fit(planted.corpus, y, c=1.0, margin=16.0, **settings)
    assert np.abs(supervised.topics - model.topics).max() > 1.0


def test_with_the_published_stop_every_iteration_starts_documents_afresh():
    """The slow twin does the same, with the rule of the published settings."""
    planted = med.datasets.make_planted(15, n_topics=3, n_words=12, length=10, seed=5)
    y = np.where(np.asarray(planted.y, float) > 0, 1.0, -1.0).reshape(-1, 1)
    settings = {"n_topics": 3, "seed": 1, "iterations": 8, "tolerance": 0.0}
    model = vmedlda.fit(planted.corpus, y, c=0.0, **settings)
    start = mean_field.start_topics(planted.corpus, 3, 1)
    own = {"alpha": 1 / 3, "beta": 0.01, "n_iterations": 8}
    rule = {"relative": 1e-4, "most": 20}
    topics, bounds = oracle.fit_lda(planted.corpus, start, afresh=True, **own, **rule)
    np.testing.assert_allclose(model.topics, topics, atol=1e-6)
    np.testing.assert_allclose(model.objective, bounds, atol=1e-6)
    for other in (rule | {"afresh": False}, {"afresh": True}):
        differs, _ = oracle.fit_lda(planted.corpus, start, **own, **other)
        assert np.abs(differs - topics).max() > 1e-4
