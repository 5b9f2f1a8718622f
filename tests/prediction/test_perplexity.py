"""The perplexity of held-out documents, against enumeration."""

from itertools import product

import arviz as az
import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.perplexity import (
    complete_documents,
    draw_topic,
    evaluate_left_to_right,
    resample,
)
from pymc_medlda.prediction.perplexity import perplexity
from pymc_medlda.run.run import Run
from pymc_medlda.run.topics import topic_words
from tests.sampled import planted, sample, sample_general

WORDS = np.array([0, 2, 1, 0, 3], np.int32)


PHI = np.array([[0.7, 0.1, 0.1, 0.1], [0.05, 0.3, 0.6, 0.05], [0.2, 0.2, 0.2, 0.4]])


ALPHA = np.array([0.5, 0.2, 1.1])


def enumerate_probability(words, phi, alpha):
    """p(w | phi, alpha) as a sum over the topics of all words."""
    total = 0.0
    for z in product(range(alpha.size), repeat=len(words)):
        count, p = alpha.copy(), 1.0
        for t, k in zip(words, z, strict=True):
            p *= phi[k, t] * count[k] / count.sum()
            count[k] += 1
        total += p
    return total


def estimate(n_particles, n_repeats, phi=PHI, alpha=ALPHA, seed=1):
    """Estimated probabilities of the toy document, one each repeat."""
    tokens = Tokens(np.tile(WORDS, n_repeats), np.arange(n_repeats + 1) * WORDS.size)
    out = np.empty(n_repeats)
    by_word = np.ascontiguousarray(phi.T)
    evaluate_left_to_right(np.random.default_rng(seed), tokens, by_word, alpha, n_particles, out)
    return np.exp(out)


@pytest.mark.parametrize("n_particles", [1, 2, 5])
def test_left_to_right_is_unbiased(n_particles):
    exact = enumerate_probability(WORDS, PHI, ALPHA)
    found = estimate(n_particles, 20_000)
    error = found.std() / np.sqrt(found.size)
    assert abs(found.mean() - exact) < 4 * error
    assert error < 0.01 * exact


def test_left_to_right_notices_a_wrong_prior():
    exact = enumerate_probability(WORDS, PHI, ALPHA)
    found = estimate(5, 20_000, alpha=ALPHA * 3)
    assert abs(found.mean() - exact) > 8 * found.std() / np.sqrt(found.size)


def test_more_particles_estimate_better():
    assert estimate(20, 2000).std() < 0.5 * estimate(1, 2000).std()


def test_resampling_keeps_particles_in_proportion_to_their_score(rng):
    score = np.array([0.5, 0.0, 2.0, 1.5])
    totals = np.zeros(4)
    for _ in range(4000):
        z = np.arange(4)[:, None].copy()
        count = np.eye(4)
        resample(rng, score, z, count, 1)
        assert (count.argmax(axis=1) == z[:, 0]).all()
        totals += np.bincount(z[:, 0], minlength=4)
    np.testing.assert_allclose(totals / 4000, score, atol=0.05)


def test_completion_scores_the_rest_with_the_exact_posterior_mean(rng):
    # theta-hat averages E(theta | z) over z given the seen words: enumerate it.
    seen, rest = WORDS[:3], WORDS[3:]
    theta, norm = np.zeros(3), 0.0
    for z in product(range(3), repeat=3):
        count, p = ALPHA.copy(), 1.0
        for t, k in zip(seen, z, strict=True):
            p *= PHI[k, t] * count[k]
            count[k] += 1
        theta += p * count / count.sum()
        norm += p
    exact = np.log((theta / norm) @ PHI[:, rest]).sum()
    out = np.empty(1)
    tokens = Tokens(WORDS, np.array([0, 5]))
    by_word = np.ascontiguousarray(PHI.T)
    complete_documents(rng, tokens, np.array([3]), by_word, ALPHA, 10, 100_000, out)
    assert out[0] == pytest.approx(exact, abs=0.01)
    complete_documents(rng, tokens, np.array([0]), by_word, ALPHA, 0, 1, out)
    prior = np.log(ALPHA / ALPHA.sum() @ PHI[:, WORDS]).sum()
    assert out[0] == pytest.approx(prior)


def test_kernels_equal_their_plain_python():
    tokens = Tokens(np.tile(WORDS, 2), np.array([0, 5, 5, 10]))
    by_word = np.ascontiguousarray(PHI.T)
    for kernel, *arguments in (
        (complete_documents, np.array([2, 0, 2]), by_word, ALPHA, 2, 3),
        (evaluate_left_to_right, by_word, ALPHA, 3),
    ):
        fast, plain = np.empty(3), np.empty(3)
        kernel(np.random.default_rng(1), tokens, *arguments, fast)
        getattr(kernel, "py_func", kernel)(np.random.default_rng(1), tokens, *arguments, plain)
        np.testing.assert_allclose(fast, plain, rtol=1e-12)
    assert draw_topic(np.random.default_rng(0), PHI[:, 0], ALPHA, np.zeros(3), np.zeros(3)) in (
        0,
        1,
        2,
    )


def test_one_word_documents_have_their_exact_probability():
    idata = sample_general()
    stored = Run(idata).topics()
    corpus = med.Corpus.from_tokens([[3], [], [17]], n_words=40)
    found = perplexity(idata, corpus, method="left_to_right", n_draws=1000, n_particles=1)
    phi = topic_words(idata, per_draw=True).values
    expected = np.zeros(3)
    for chain in range(2):
        for draw in range(12):
            alpha = stored.alpha(chain, draw)
            theta = alpha / alpha.sum()
            expected += np.array(
                [theta @ phi[chain, draw, :, 3], 1, theta @ phi[chain, draw, :, 17]]
            )
    np.testing.assert_allclose(found.log_likelihood, np.log(expected / 24))
    assert found.perplexity == pytest.approx(np.exp(-np.log(expected / 24).sum() / 2))
    assert found.n_scored.values.tolist() == [1, 0, 1]


@pytest.mark.parametrize("method", ["completion", "left_to_right"])
def test_the_right_words_are_less_perplexing(method, tmp_path):
    idata, truth = sample(), planted()
    rng = np.random.default_rng(3)
    words = np.concatenate([rng.choice(40, 20, p=truth.phi[k]) for k in (0, 1, 2, 0)])
    new = med.Corpus(words, np.arange(0, 81, 20), vocabulary=truth.corpus.vocabulary)
    options = {"method": method, "n_draws": 4, "n_particles": 4}
    found = perplexity(idata, new, **options)
    shuffled = med.Corpus(
        rng.permutation(40)[words], new.starts, vocabulary=truth.corpus.vocabulary
    )
    assert 1 < float(found) < 40
    assert float(perplexity(idata, shuffled, **options)) > 2 * float(found)
    assert float(perplexity(idata, new, **options)) == float(found)
    assert float(perplexity(idata, new, random_seed=1, **options)) != float(found)
    idata.to_netcdf(tmp_path / "run.nc")
    read = az.from_netcdf(tmp_path / "run.nc")
    assert float(perplexity(read, new, **options)) == float(found)
    assert method in repr(found)


def test_the_order_of_the_words_of_a_document_changes_no_perplexity():
    """The seen half is chosen at random: sorted documents are as good as the same reversed."""
    corpus = planted().corpus[:6]
    spans = [corpus.words[i:j] for i, j in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]
    means, errors = [], []
    for step in (1, -1):
        words = np.concatenate([np.sort(span)[::step] for span in spans])
        ordered = med.Corpus(words, corpus.starts, vocabulary=corpus.vocabulary)
        logs = [
            perplexity(sample(), ordered, n_draws=2, n_sweeps=10, random_seed=seed).log_likelihood
            for seed in range(60 + 60 * (step < 0), 120 + 60 * (step < 0))
        ]
        means.append(np.mean(logs, axis=0))
        errors.append(np.std(logs, axis=0, ddof=1) / np.sqrt(60))
    distance = np.abs(means[0] - means[1]) / np.hypot(*errors)
    assert distance.max() < 4.5


def test_words_are_matched_by_name_and_unknown_ones_dropped():
    idata = sample()
    new = med.Corpus.from_tokens([["word0001", "new", "word0005"], ["new"], []])
    found = perplexity(idata, new)
    assert found.n_dropped == 2
    assert found.n_scored.values.tolist() == [1, 0, 0]
    assert "2 of unknown words dropped" in repr(found)
    assert np.isnan(float(perplexity(idata, new[[1]])))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method must be .* got 'magic'"),
        ({"n_draws": 0}, "n_draws must be at least 1, got 0"),
        ({"n_particles": 0}, "n_particles must be at least 1"),
        ({"n_sweeps": 0}, "n_sweeps must be at least 1"),
        ({"n_burn_in": -1}, "n_burn_in must be at least 0"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        perplexity(sample(), planted().corpus, **options)
