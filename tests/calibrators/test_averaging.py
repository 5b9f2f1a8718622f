"""Averages over chains against labels that are drawn from a known law."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import norm

from pymc_medlda.calibrators.averaging import LARGEST_GAIN, average_log_odds, gain_of_averaging
from pymc_medlda.calibrators.sigmoid import fit_sigmoid


def draw(rng, n_chains, noise, slope=2.0, n=200_000):
    """Return labels of a common signal, and what chains see of it: the signal with noise."""
    signal = rng.normal(size=n)
    positive = rng.random(n) < expit(slope * signal)
    return positive, signal + noise * rng.normal(size=(n_chains, n))


def cross_entropy(log_odds, positive):
    return float(np.mean(np.logaddexp(0.0, log_odds) - positive * log_odds))


def calibrate(chains, positive):
    """Return the log odds of every chain, from a sigmoid that was fitted to the first one."""
    slope, intercept = fit_sigmoid(chains[0], positive)
    variance, between = chains.var(axis=1).mean(), chains.var(axis=0, ddof=1).mean()
    return slope * gain_of_averaging(variance, between, len(chains)) * chains + intercept


@pytest.mark.parametrize("n_chains", [1, 2, 4, 10])
def test_the_gain_makes_up_for_averaging(n_chains):
    positive, chains = draw(np.random.default_rng(1), n_chains, 0.5, slope=1.0)
    single = fit_sigmoid(chains[0], positive)
    average = fit_sigmoid(chains.mean(axis=0), positive)
    gain = gain_of_averaging(1.25, 0.25, n_chains)
    # The formula is that of a linear regression, which a sigmoid follows closely.
    assert single.slope * gain == pytest.approx(average.slope, rel=0.05)
    if n_chains > 1:
        assert single.slope < 0.93 * average.slope


@pytest.mark.parametrize("n_chains", [2, 4, 10])
def test_probabilities_are_cautious_rather_than_too_certain(n_chains):
    positive, chains = draw(np.random.default_rng(n_chains), n_chains, 0.5)
    log_odds = average_log_odds(calibrate(chains, positive))
    # Calibrated log odds have the slope 1 in a sigmoid that is fitted to them, and too certain
    # ones a smaller slope.
    assert 1.0 < fit_sigmoid(log_odds, positive).slope < 1.25


def test_documents_about_which_chains_disagree_are_less_certain():
    """If the noise of documents differs by factors, it pays to look at their disagreement."""
    rng = np.random.default_rng(3)
    noise = 0.4 * np.exp(0.8 * rng.normal(size=200_000))
    positive, chains = draw(rng, 4, noise, slope=3.0)
    each = calibrate(chains, positive)
    looked = cross_entropy(average_log_odds(each), positive)
    assert looked < cross_entropy(each.mean(axis=0), positive) - 0.003
    # The same formula with the mean disagreement for all documents.
    common = np.pi / 8 * each.var(axis=0, ddof=1).mean() / 4
    assert looked < cross_entropy(each.mean(axis=0) / np.sqrt(1 + common), positive) - 0.003


def test_the_mean_over_the_uncertainty_is_approximated():
    for mean, spread in [(0.5, 0.5), (2.0, 1.0), (-3.0, 2.0)]:
        each = np.array([mean - spread, mean + spread])  # the variance of their mean is spread²
        exact = quad(lambda x, m=mean, s=spread: expit(x) * norm.pdf(x, m, s), -30, 30)[0]
        assert average_log_odds(each) == pytest.approx(logit(exact), abs=0.1)


def test_one_chain_and_equal_chains_are_left_alone():
    x = np.array([-1.0, 0.0, 3.0])
    np.testing.assert_array_equal(average_log_odds(x[None]), x)
    np.testing.assert_array_equal(average_log_odds(np.stack([x, x, x])), x)


def test_no_decision_changes():
    each = np.random.default_rng(0).normal(size=(4, 1000))
    np.testing.assert_array_equal(np.sign(average_log_odds(each)), np.sign(each.mean(axis=0)))


def test_the_gain_is_limited():
    assert gain_of_averaging(1.0, 5.0, 4) == LARGEST_GAIN
    assert gain_of_averaging(1.0, 0.0, 4) == 1.0
    assert gain_of_averaging(0.0, 0.0, 4) == 1.0
    assert gain_of_averaging(0.0, 1.0, 4) == 1.0
