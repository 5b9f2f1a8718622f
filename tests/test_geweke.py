"""Geweke's joint test of z, eta and the words, with the responses y held fixed.

Two simulators have the same law, p(z, eta, W | y). One takes independent draws from the prior and
keeps them with the probability of y: the pseudo-likelihood of a loss is at most one, but it is not
normalised in y, so that y cannot be drawn. The other is a chain that alternates the step of the
package with draws of all words given z. In the chain the step meets ever new words, so that an
error in any conditional, also one that is small for every single corpus, changes the law of z and
eta. Nothing of the first simulator comes from the package.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

import pymc_medlda as med
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from tests.oracle import LOG_FACTORS, Toy
from tests.toy import build

pytestmark = pytest.mark.law

N_ITERATIONS = 4_000
N_BATCHES = 40
LEVEL = 1e-4  # that one of all functions is so far from its mean


@dataclass(frozen=True)
class Setting:
    """A small model and what the chain is told of it."""

    loss: str = "Hinge"
    parameters: dict = field(default_factory=lambda: {"c": 0.6, "margin": 0.9})
    y: tuple = (1.0, -1.0, 1.0)
    path: str = "dense"
    n_topics: int = 3
    lengths: tuple = (3, 2, 4)
    n_words: int = 4
    beta: float = 0.4

    @property
    def alpha(self):
        return np.linspace(0.3, 0.9, self.n_topics)

    @property
    def start(self):
        return np.r_[0, np.cumsum(self.lengths)].astype(np.int64)

    @property
    def responses(self):
        return np.reshape(self.y, (len(self.lengths), -1))

    @property
    def shape_of_eta(self):
        return (*np.shape(self.y)[1:], self.n_topics)

    def frequencies(self, z):
        """Return z̄ of every document, (n, n_documents, n_topics)."""
        indicators = np.eye(self.n_topics)[z]
        return (
            np.add.reduceat(indicators, self.start[:-1], axis=1) / np.array(self.lengths)[:, None]
        )

    def discriminants(self, z, eta):
        weights = eta.reshape(len(z), -1, self.n_topics)
        return np.einsum("sdk,sik->sdi", self.frequencies(z), weights)

    def log_factor(self, z, eta):
        factors = LOG_FACTORS[self.loss]
        return factors(self.responses, self.discriminants(z, eta), **self.parameters).sum(
            axis=(1, 2)
        )


def choose_by(rng, probability):
    """Draw an index from each row of probabilities along the last axis."""
    u = rng.random((*probability.shape[:-1], 1))
    return np.minimum((np.cumsum(probability, axis=-1) < u).sum(axis=-1), probability.shape[-1] - 1)


def draw_words_given(rng, setting, z):
    """Draw phi from its prior and the words from phi, for rows of z."""
    phi = rng.dirichlet(np.full(setting.n_words, setting.beta), (len(z), setting.n_topics))
    return choose_by(rng, np.take_along_axis(phi, z[:, :, None].astype(int), axis=1))


@cache
def simulate_independently(name, n_draws=150_000):
    """Return z, eta and words: prior draws, kept with the probability of y."""
    setting, rng = SETTINGS[name], np.random.default_rng(11)
    theta = rng.dirichlet(setting.alpha, (n_draws, len(setting.lengths)))
    z = choose_by(rng, np.repeat(theta, setting.lengths, axis=1))
    eta = rng.standard_normal((n_draws, int(np.prod(setting.shape_of_eta))))
    log_factor = setting.log_factor(z, eta)
    assert log_factor.max() <= 0.0
    kept = np.log(rng.random(n_draws)) < log_factor
    z, eta = z[kept], eta[kept]
    return z, eta, draw_words_given(rng, setting, z)


def make_step(setting):
    documents = tuple(tuple(0 for _ in range(length)) for length in setting.lengths)
    toy = Toy(
        documents=documents,
        n_words=setting.n_words,
        n_topics=setting.n_topics,
        alpha=tuple(setting.alpha),
        beta=setting.beta,
        loss=setting.loss,
        parameters=setting.parameters,
        y=setting.y,
    )
    with build(toy) as model:
        return med.GibbsMedLDAStep(rng=4, path=setting.path), model.initial_point(1)


def simulate_by_the_step(setting, rng, n_iterations=N_ITERATIONS):
    """Return z, eta and words of a chain: a step of the package, then new words given z."""
    step, point = make_step(setting)
    start = setting.start
    z = np.empty((n_iterations, start[-1]), np.uint8)
    eta = np.empty((n_iterations, int(np.prod(setting.shape_of_eta))))
    words = np.empty(z.shape, np.int32)
    size = {"n_words": setting.n_words, "n_topics": setting.n_topics, "path": setting.path}
    for i in range(n_iterations):
        words[i] = draw_words_given(rng, setting, point["z"][None])[0]
        z[i], eta[i] = point["z"], point["eta"].ravel()
        step.conditionals.sampler = TopicSampler(Tokens(words[i].copy(), start), **size)
        point, _ = step.step(point)
    return z, eta, words


def functions_of(setting, z, eta, words):
    """Return functions of the joint draw, one per column."""
    frequency = setting.frequencies(z)
    discriminant = setting.discriminants(z, eta)
    same_topic = z[:, :, None] == z[:, None, :]
    same_word = words[:, :, None] == words[:, None, :]
    weights = eta.reshape(len(z), -1, setting.n_topics)
    columns = [
        *eta.T,
        *(eta**2).T,
        *frequency.reshape(len(z), -1).T,
        *(frequency**2).sum(axis=2).T,
        *discriminant.reshape(len(z), -1).T,
        *(discriminant**2).reshape(len(z), -1).T,
        setting.log_factor(z, eta),
        same_topic.mean(axis=(1, 2)),
        same_word.mean(axis=(1, 2)),
        (same_word & same_topic).mean(axis=(1, 2)),
        np.einsum("sk,sik->s", frequency.mean(axis=1), weights**2),
    ]
    return np.stack(columns, axis=1)


def scores(name):
    """Return the differences of the means in units of their errors, one per function."""
    setting = SETTINGS[name]
    independent = functions_of(setting, *simulate_independently(name))
    chain = functions_of(setting, *simulate_by_the_step(setting, np.random.default_rng(12)))
    batches = chain.reshape(N_BATCHES, -1, chain.shape[1]).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / np.sqrt(N_BATCHES)
    effective = chain.var(axis=0) / error**2
    # Batch means tell their error only if a batch holds several independent draws.
    assert effective.min() > 10 * N_BATCHES
    error = np.sqrt(error**2 + independent.var(axis=0) / len(independent))
    return (chain.mean(axis=0) - independent.mean(axis=0)) / error


def limit(n_functions):
    # The errors have 39 degrees of freedom; a tenth more covers their uncertainty.
    return 1.1 * norm.isf(LEVEL / 2 / n_functions)


SETTINGS = {
    "hinge": Setting(),
    "hinge, two tasks, by lists": Setting(
        y=((1.0, -1.0), (-1.0, -1.0), (1.0, 1.0)),
        parameters={"c": 0.4, "margin": 0.8},
        path="sparse",
    ),
    "epsilon-insensitive, by bounds": Setting(
        loss="EpsilonInsensitive",
        parameters={"c": 0.7, "epsilon": 0.1},
        y=(1.2, -0.7, 0.4),
        path="sparse",
        n_topics=9,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_the_chain_and_the_prior_have_the_same_joint_law(name):
    found = scores(name)
    assert np.abs(found).max() < limit(found.size), found


def paper_without_c(given):
    """Leave out the c that the paper's topic conditional lacks in its linear term."""
    return {**given, "b": given["b"] / SETTINGS["hinge"].parameters["c"]}


WRONG = {
    "linear term without c": paper_without_c,
    "alpha": lambda given: {**given, "alpha": 1.5 * given["alpha"]},
    "beta": lambda given: {**given, "beta": 0.1 * given["beta"]},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_conditional_of_the_topics_is_noticed(name, monkeypatch):
    sweep = TopicSampler.sweep
    monkeypatch.setattr(
        TopicSampler, "sweep", lambda self, rng, **given: sweep(self, rng, **WRONG[name](given))
    )
    found = scores("hinge")
    assert np.abs(found).max() > 1.2 * limit(found.size), found
