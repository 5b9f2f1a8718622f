"""Logarithms of Dirichlet integrals, against sums of lgamma."""

import numpy as np
import pytest

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.log_densities import tabulate_prior
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from tests.kernels.conftest import log_target


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
@pytest.mark.parametrize("alpha", [np.full(4, 0.3), np.array([0.1, 0.5, 2.0, 0.3])])
def test_log_words_and_assignments_are_the_dirichlet_integrals(medium, path, alpha):
    tokens, n_words = medium
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=4, path=path)
    z = (np.arange(tokens.word.size) ** 2 % 4).astype(np.uint8)
    sampler.load(z)
    zero = np.zeros((tokens.start.size - 1, 1))
    expected = log_target(tokens, n_words, z, alpha, 0.01, np.zeros((1, 4)), zero, zero)
    assert sampler.log_words(0.01) + sampler.log_assignments(alpha) == pytest.approx(expected)


def test_counts_beyond_the_table_of_the_prior_are_computed():
    """With so many values of alpha that no table holds all counts of a long document."""
    tokens = Tokens(np.zeros(700, np.int32), np.array([0, 0, 690, 700]))
    alpha = np.linspace(0.1, 2.0, 600)
    z = np.r_[np.zeros(640), np.arange(60)].astype(np.uint16)
    sampler = TopicSampler(tokens, n_words=1, n_topics=600, path="plain")
    sampler.load(z)
    prior = tabulate_prior(tokens.start, alpha)
    assert prior.rising.shape == (600, 64)
    zero = np.zeros((3, 1))
    words = sampler.log_words(0.5)
    expected = log_target(tokens, 1, z, alpha, 0.5, np.zeros((1, 600)), zero, zero)
    assert sampler.log_assignments(alpha) + words == pytest.approx(expected)
