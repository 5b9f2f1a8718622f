"""Topics that go on from draw to draw, against a random start and a long burn-in for every draw."""

from functools import cache

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda.kernels.new_documents import Schedule
from pymc_medlda.prediction.new_documents import NewDocuments, iterate_topic_frequencies
from pymc_medlda.run.run import Run
from tests.sampled import OPTIONS, planted

N_DRAWS, N_REPEATS = 60, 16


@cache
def run():
    truth = planted()
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3, loss=med.Hinge(margin=2.0)):
        return Run(pm.sample(**{**OPTIONS, "tune": 40, "draws": N_DRAWS, "chains": 1}))


@cache
def new_documents():
    """Return documents that the run has not seen."""
    other = med.datasets.make_planted(12, n_topics=3, n_words=40, length=25, seed=4)
    mixed = np.random.default_rng(1).permutation(other.corpus.words)
    return NewDocuments.from_corpus(med.Corpus(mixed, other.corpus.starts, n_words=40))


def frequencies(draws, schedule, seed):
    seed = np.random.SeedSequence(seed)
    arguments = run().topics(), new_documents(), draws
    found = iterate_topic_frequencies(*arguments, schedule=schedule, seed=seed, cores=1)
    return np.array([frequency for frequency, _ in found])


def continued(seed, thin=1):
    draws = [(0, draw) for draw in range(0, N_DRAWS, thin)]
    return frequencies(draws, Schedule(1, 100, 1e-3, max_between=thin), seed)


def separately(schedule, seed, thin):
    """Start anew under every draw."""
    draws = range(0, N_DRAWS, thin)
    return np.concatenate([frequencies([(0, draw)], schedule, [seed, draw]) for draw in draws])


def slow(seed, thin=1):
    return separately(Schedule(5, 40, 0.0, max_between=0), seed, thin)


def restarted(seed, thin=1):
    return separately(Schedule(1, 1, 0.0, max_between=0), seed, thin)


WAYS = [continued, slow, restarted]


@cache
def averages(way, thin=1):
    """Return z̄ and the discriminants averaged over draws, repeat by repeat."""
    weights = [run().response().weights(0, draw)[0] for draw in range(0, N_DRAWS, thin)]
    found = []
    for repeat in range(N_REPEATS):
        z = way(WAYS.index(way) * 1000 + repeat, thin)
        f = np.einsum("sdk,sk->d", z, weights) / len(weights)
        found.append(np.column_stack([z.mean(axis=0), f]))
    return np.array(found)


def largest_score(one, other):
    error = np.sqrt((one.var(axis=0, ddof=1) + other.var(axis=0, ddof=1)) / N_REPEATS)
    return np.max(np.abs(one.mean(axis=0) - other.mean(axis=0)) / error)


# The largest of 48 t variables with some 25 degrees of freedom: P(|t| > 5.5) is 1e-5 each.
FAR = 5.5


@pytest.mark.parametrize("thin", [1, 6])
def test_averages_over_draws_are_those_of_the_slow_way(thin):
    assert largest_score(averages(continued, thin), averages(slow, thin)) < FAR


def test_as_few_sweeps_from_a_random_start_would_be_noticed():
    """Negative control: the same number of sweeps, but topics that do not go on."""
    assert largest_score(averages(restarted), averages(slow)) > 2 * FAR
