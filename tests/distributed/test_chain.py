"""A chain in partitions: the counts follow the topics, and every sweep equals that of its twin."""

import pickle

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda.distributed import weights as of_weights
from pymc_medlda.distributed.cells import count_words
from pymc_medlda.distributed.settings import CELL, generator
from pymc_medlda.kernels.simd.uniform import first_counter
from pymc_medlda.kernels.sweeps import blocked
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from tests.distributed.small import Alone, planted

LOSSES = {
    "binary": (med.Hinge(c=0.7, margin=3.0), lambda y: y),
    "two tasks": (med.Hinge(c=0.7, margin=3.0), lambda y: np.stack([y, -y], axis=1)),
    "real": (med.EpsilonInsensitive(c=1.3, epsilon=0.1), lambda y: y + 0.25 * np.arange(y.size)),
}


class Counters:
    """Stands in for a generator, and hands out the counters of the cells of a sweep."""

    def __init__(self, given, sweep):
        P = given.n_partitions
        cells = [(i, (i + e) % P) for e in range(P) for i in range(P)]
        rngs = [generator(given.seed, 0, CELL, sweep, i, B) for i, B in cells]
        self.counters = np.array([first_counter(rng) for rng in rngs], np.uint64)

    def bytes(self, n):
        assert n == self.counters.nbytes
        return self.counters.tobytes()


@pytest.mark.parametrize("path", ["plain", "dense"])
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("P", [1, 2, 3])
def test_a_sweep_equals_the_blocked_sweep_of_one_process(name, P, path, monkeypatch):
    """The twin holds all documents and has no tasks; it is given the same masses and counters.

    The path "sparse" keeps sums from cell to cell there, which rounds a few draws differently.
    """
    loss, code = LOSSES[name]
    corpus, y = planted().corpus, code(planted().y)
    alone = Alone(corpus, y, P, n_topics=4, loss=loss, path=path)
    for sweep in (1, 2):
        z = alone.z()
        augmented, weights = alone.augmented, alone.next_weights
        # Copies, because a sweep writes the next ones to the same arrays.
        a, b = (np.concatenate([getattr(own, key) for own in augmented]) for key in "ab")
        alone.sweep(sweep)
        monkeypatch.setattr(blocked, "draw_log_masses", lambda *_: weights.log_mass)  # noqa: B023
        twin = TopicSampler(
            corpus.tokens, n_words=corpus.n_words, n_topics=4, path=path, blocks=max(P, 2)
        )
        if P == 1:  # a sampler of one block draws no masses: build the blocked one by hand
            twin.blocks = 1
            shape = {"n_words": corpus.n_words, "n_topics": 4}
            kind = type(alone.blocks[0].sweep)
            twin.method = blocked.BlockedSweep(
                kind, twin.tokens, **shape, n_blocks=1, team=twin.team
            )
        twin.load(z)
        options = {"alpha": alone.given.alpha, "beta": alone.given.beta, "eta": weights.eta}
        moved = twin.sweep(Counters(alone.given, sweep), a=a, b=b, **options)
        np.testing.assert_array_equal(alone.z(), twin.z)
        assert sum(own.moved for own in alone.topics) == moved


def two_values(y):
    first = y + 0.25 * np.arange(y.size)
    return np.stack([first, 7.0 - 3.0 * first], axis=1)


STANDARDISED = {
    "standardised": (med.Standardised(), LOSSES["real"][1]),
    "two standardised": (med.Standardised(med.Gaussian(sigma=0.5)), two_values),
}


# Partitions of several groups of documents, which have unequal sizes, and of one document each.
@pytest.mark.parametrize(("P", "at_once"), [(3, 7), (40, 100)])
@pytest.mark.parametrize("with_offset", [False, True])
@pytest.mark.parametrize("name", [*LOSSES, *STANDARDISED])
def test_counts_and_statistics_are_those_of_the_topics(name, with_offset, P, at_once, monkeypatch):
    monkeypatch.setattr(of_weights, "AT_ONCE", at_once)
    loss, code = {**LOSSES, **STANDARDISED}[name]
    corpus, y = planted().corpus, code(planted().y)
    more = {"offset": np.linspace(-1.0, 2.0, y.size).reshape(y.shape)} if with_offset else {}
    alone = Alone(corpus, y, P, n_topics=4, loss=loss, nu=0.8, **more)
    alone.sweep(1)
    alone.sweep(2)
    weights, found = alone.part.weights, alone.seen[2].statistics
    table = np.zeros((corpus.n_words, 4), int)
    np.add.at(table, (corpus.words, alone.z()), 1)
    for words, block in zip(alone.plan.words, alone.blocks, strict=True):
        np.testing.assert_array_equal(block.sweep.word_topic(), table[words])
        np.testing.assert_array_equal(block.topic, table[words].sum(axis=0))
    eta = weights.eta if np.ndim(y) == 2 else weights.eta[0]
    with med.GibbsMedLDA(corpus, y, n_topics=4, loss=loss, nu=0.8, **more) as model:
        step = med.GibbsMedLDAStep()
        step.conditionals.load({"z": alone.z(), "eta": eta})
        expected = step.conditionals.statistics()
        log_joint = model.compile_logp()({"z": alone.z(), "eta": eta})
    for key in ("loss", "score", "log_likelihood", "log_joint"):
        assert found[key] == pytest.approx(expected[key], rel=1e-10), key
    assert found["log_joint"] == pytest.approx(float(log_joint), rel=1e-10)


def test_plain_lda_and_documents_without_words():
    corpus = med.Corpus.from_tokens([[0, 1], [], [2, 2], [], [1]], n_words=4)
    alone = Alone(corpus, None, 3, n_topics=3)
    for sweep in range(1, 20):
        alone.sweep(sweep)
    assert sum(own.document_topic.sum() for own in alone.topics) == 5
    assert not alone.part.weights.eta.any()
    with med.GibbsMedLDA(corpus, n_topics=3) as model:
        log_joint = pm.Model.compile_logp(model)({"z": alone.z()})
    found = alone.seen[19].statistics
    assert found["log_joint"] == pytest.approx(float(log_joint), rel=1e-10)


def test_what_comes_together_does_not_grow_with_the_documents():
    sizes = []
    for n in (40, 400):
        data = med.datasets.make_planted(n, n_topics=3, n_words=40, seed=1)
        alone = Alone(data.corpus, data.y, 2, n_topics=3)
        letters = (alone.augmented[0].sums, alone.next_weights)
        sizes.append([len(pickle.dumps(own)) for own in letters])
    assert np.abs(np.subtract(*sizes)).max() < 64


def test_no_two_tasks_share_random_numbers():
    keys = [(0, role, s, *place) for role in range(4) for s in (0, 1) for place in ((0, 1), (1, 0))]
    keys += [(1, 3, 0, 0, 1), (0, 3, 0), (0, 3, 0, 0)]
    first = {float(generator(3, *key).random()) for key in keys}
    assert len(first) == len(keys)


@pytest.mark.parametrize("n_topics", [2, 200])
def test_words_are_counted_in_a_table_or_in_a_list(n_topics):
    """There are more tokens than words times topics, and fewer."""
    corpus = planted().corpus
    alone = Alone(corpus, planted().y, 3, n_topics=n_topics)
    pairs = list(zip(alone.station.documents.values(), alone.topics, strict=True))
    table = np.zeros((corpus.n_words, n_topics), int)
    np.add.at(table, (corpus.words, alone.z()), 1)
    for B, words in enumerate(alone.plan.words):
        found = count_words(pairs, B, alone.plan, alone.given)
        np.testing.assert_array_equal(found.toarray(), table[words])
        assert (found.data > 0).all()
