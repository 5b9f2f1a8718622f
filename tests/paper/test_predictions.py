"""Predictions of vMedLDA and sLDA for new documents, and what their regression learns from."""

import numpy as np
import pytest

import pymc_medlda as med
from paper.rivals import mean_field, slda, vmedlda
from paper.rivals.collapsed import Prior
from paper.rivals.gaussian import GaussianPosterior
from tests.paper import oracle

N_TOPICS, N_WORDS = 4, 12
PUBLISHED = mean_field.STOPS["published"]
LENGTHS = (1, 2, 5, 12, 40)


@pytest.fixture
def corpus():
    """Documents of several lengths, in which words occur more than once."""
    rng = np.random.default_rng(7)
    return med.Corpus.from_tokens(
        [rng.integers(N_WORDS, size=n).tolist() for n in LENGTHS], n_words=N_WORDS
    )


@pytest.fixture
def topics():
    """λ of topics that differ, but share their words."""
    return 0.2 + 6.0 * np.random.default_rng(8).random((N_WORDS, N_TOPICS)) ** 3


def slow_frequencies(corpus, topics, alpha, **settings):
    """Return E z̄ of documents by the slow twin, from tokens that are spread evenly over topics."""
    n_topics = topics.shape[1]
    gamma = np.full((corpus.n_documents, n_topics), alpha)
    gamma += corpus.lengths[:, None] / n_topics
    state = oracle.update_documents(corpus, topics, gamma, alpha, **settings)
    return oracle.frequencies(corpus, state.shares)


@pytest.mark.parametrize("alpha", [0.05, 0.4, 3.0])
def test_topics_of_new_documents_are_those_of_the_slow_twin(corpus, topics, alpha):
    """At first with the same rule of stopping, and then with one that leaves nothing to gain."""
    found = mean_field.infer(corpus, topics, Prior(alpha, 0.01))
    np.testing.assert_allclose(found, slow_frequencies(corpus, topics, alpha), atol=1e-7)
    converged = slow_frequencies(corpus, topics, alpha, tolerance=1e-12, most=100_000)
    np.testing.assert_allclose(found, converged, atol=3e-3)


@pytest.mark.parametrize("alpha", [0.05, 0.4, 3.0])
def test_rounds_stop_where_the_published_settings_stop(corpus, topics, alpha):
    """After 20 rounds, or when the bound of a document grows by a ten-thousandth or less."""
    found = mean_field.infer(corpus, topics, Prior(alpha, 0.01), PUBLISHED)
    expected = slow_frequencies(corpus, topics, alpha, relative=1e-4, most=20)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    for other in ({"relative": 1e-3, "most": 20}, {"relative": 1e-6, "most": 20}):
        differs = slow_frequencies(corpus, topics, alpha, **other)
        assert np.abs(differs - found).max() > 1e-5


def test_topics_of_new_documents_depend_on_alpha_and_on_more_than_one_round(corpus, topics):
    """Otherwise the comparison above would compare nothing."""
    right = slow_frequencies(corpus, topics, 0.05)
    assert np.abs(slow_frequencies(corpus, topics, 1.0) - right).max() > 0.1
    assert np.abs(slow_frequencies(corpus, topics, 0.05, most=1) - right).max() > 0.1


def test_a_new_document_without_words_has_even_topics(topics):
    corpus = med.Corpus.from_tokens([[0, 1], []], n_words=N_WORDS)
    found = mean_field.infer(corpus, topics, Prior(0.4, 0.01))
    np.testing.assert_allclose(found[1], 1.0 / N_TOPICS)
    alone = med.Corpus.from_tokens([[0, 1]], n_words=N_WORDS)
    np.testing.assert_allclose(found[:1], slow_frequencies(alone, topics, 0.4), atol=1e-7)


def test_inference_leaves_the_topics_alone(corpus, topics):
    before = topics.copy()
    mean_field.infer(corpus, topics, Prior(0.4, 0.01))
    np.testing.assert_array_equal(topics, before)


@pytest.fixture(scope="module")
def rated():
    return med.datasets.make_planted(60, n_topics=3, n_words=40, length=20, response="real", seed=4)


def column(rated):
    return np.asarray(rated.y, float).reshape(-1, 1)


@pytest.mark.parametrize("alpha", [0.6, 6.0])
@pytest.mark.parametrize("fit", [vmedlda.fit, vmedlda.fit_values, slda.fit])
def test_models_predict_by_their_weights_topics_and_alpha(rated, fit, alpha):
    """The alpha of a fit is spread over its topics, in predictions too."""
    y = column(rated)
    y = np.sign(y - np.median(y)) if fit is vmedlda.fit else y
    model = fit(rated.corpus[:45], y[:45], n_topics=3, seed=1, alpha=alpha, iterations=4)
    new = rated.corpus[45:]
    rule = {"relative": 1e-4, "most": 20} if fit is vmedlda.fit else {}
    expected = slow_frequencies(new, model.topics, alpha / 3, **rule) @ model.weights.T
    assert expected.shape == (15, 1)
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(model.discriminants(new, seed=5), expected, atol=1e-5)


def follow(rated, monkeypatch, *, change=None, **settings):
    """Fit the regression of vMedLDA; return it, and the pulls before updates and after machines.

    ``change`` is done to the posterior after each machine.
    """
    before, after = [], []
    documents, regress = GaussianPosterior.update_documents, vmedlda.regress

    def update_documents(self):
        before.append(self.pull.copy())
        documents(self)

    def solve(posterior, **own):
        regress(posterior, **own)
        after.append(posterior.pull.copy())
        if change is not None:
            change(posterior)

    with monkeypatch.context() as patch:
        patch.setattr(GaussianPosterior, "update_documents", update_documents)
        patch.setattr(vmedlda, "regress", solve)
        own = {"n_topics": 3, "seed": 1, "tolerance": 0.0} | settings
        model = vmedlda.fit_values(rated.corpus, column(rated), **own)
    return model, before, after


def wipe(posterior):
    posterior.pull = np.zeros_like(posterior.pull)


@pytest.mark.parametrize("c", [0.05, 0.2])
def test_the_regression_has_the_c_that_was_given(rated, monkeypatch, c):
    """With a c so small, documents outside the tube pull with all their strength, which is 2c."""
    _, _, after = follow(rated, monkeypatch, c=c, iterations=3)
    for pull in after:
        assert np.abs(pull).max() == pytest.approx(2.0 * c)
        assert np.mean(np.isclose(np.abs(pull), 2.0 * c)) > 0.5


def test_the_regression_has_the_tube_that_was_given(rated, monkeypatch):
    wide = float(np.ptp(rated.y))
    _, _, after = follow(rated, monkeypatch, c=0.2, epsilon=wide, iterations=2)
    assert not np.any(after)


def test_the_pull_of_one_round_moves_the_documents_of_the_next(rated, monkeypatch):
    model, before, after = follow(rated, monkeypatch, c=4.0, iterations=4)
    assert len(before) == len(after) == 4
    assert not before[0].any()
    np.testing.assert_array_equal(before[1:], after[:-1])
    assert all(own.any() for own in after)
    # After one round nothing has been pulled. In the second round, it makes a difference.
    for iterations, differs in ((1, False), (2, True)):
        settings = {"c": 4.0, "iterations": iterations}
        model, *_ = follow(rated, monkeypatch, **settings)
        wiped, *_ = follow(rated, monkeypatch, change=wipe, **settings)
        assert (np.abs(model.topics - wiped.topics).max() > 0.1) == differs
