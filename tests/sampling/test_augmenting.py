"""Auxiliary variables that several threads draw, one block of documents each."""

import numpy as np
import pytest
from scipy import stats

import pymc_medlda as med
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.sampling import augmenting
from tests.sampling.test_threads import drawn_by

N, L = 600, 2
Y = np.where(np.random.default_rng(1).random((N, L)) < 0.5, 1.0, -1.0)
F = 3.0 * np.random.default_rng(2).standard_normal((N, L))
GIVEN = np.random.default_rng(3).random((N, L)) < 0.8
LOSSES = {
    "hinge": med.Hinge(c=1.5, margin=2.0),
    "c per document": med.Hinge(c=np.linspace(0.1, 3.0, N)[:, None], margin=2.0),
    "c per document and task": med.Hinge(c=np.linspace(0.1, 3.0, N * L).reshape(N, L)),
    "epsilon": med.EpsilonInsensitive(c=1.5, epsilon=0.1),
    "gaussian": med.Gaussian(sigma=np.linspace(0.5, 2.0, N)[:, None]),
    "logistic": med.Logistic(),
}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(augmenting, "MANY", 1)


def sampler_of(blocks, threads=1):
    word = np.random.default_rng(4).integers(20, size=3 * N).astype(np.int32)
    tokens = Tokens(word, np.arange(0, 3 * N + 1, 3))
    return TopicSampler(tokens, n_words=20, n_topics=2, blocks=blocks, threads=threads)


@pytest.mark.parametrize("given", [True, GIVEN], ids=["all", "missing"])
@pytest.mark.parametrize("name", LOSSES)
def test_every_block_is_augmented_with_its_own_numbers_and_parameters(name, given):
    """The slow twin: all documents with the generator of a block, of which its own are taken."""
    loss = LOSSES[name]
    rng, twin = np.random.default_rng(5), np.random.default_rng(5)
    sampler = sampler_of(blocks=3, threads=2)
    a, b = augmenting.augment(loss, rng, Y, F, given, sampler)
    seeds = np.frombuffer(twin.bytes(48), np.uint32).reshape(3, 4)
    assert rng.random() == twin.random()
    edges = sampler.document_edges
    assert edges.tolist()[::3] == [0, N]
    for m, seed in enumerate(seeds):
        some = slice(edges[m], edges[m + 1])
        known = True if given is True else given[some]
        values = [getattr(loss, key) for key in loss.parameter_names()]
        whole = [np.broadcast_to(value, (N, L))[some] for value in values]
        own = type(loss)(*whole)
        of_twin = own.augment(np.random.default_rng(seed.tolist()), Y[some], F[some], given=known)
        for found, expected in zip((a, b), of_twin, strict=True):
            np.testing.assert_array_equal(found[some], np.broadcast_to(expected, found[some].shape))


def test_scales_have_their_law_in_every_block():
    """1/λ = a/c² is inverse Gaussian; with the wrong m it is not."""
    y, margin = np.ones((20_000, 1)), 2.0
    discriminant = np.full(y.shape, 0.5)
    sampler = TopicSampler(
        Tokens(np.arange(20_000, dtype=np.int32) % 9, np.arange(20_001)),
        n_words=9,
        n_topics=2,
        blocks=2,
    )
    rng = np.random.default_rng(6)
    loss = med.Hinge(c=1.5, margin=margin)
    a, _ = augmenting.augment(loss, rng, y, discriminant, True, sampler)
    m = 1.5 * (margin - 0.5)
    first, second = a[:10_000, 0] / 1.5**2, a[10_000:, 0] / 1.5**2
    for part in (first, second):
        assert stats.kstest(part, stats.invgauss(1.0 / m).cdf).pvalue > 1e-3
        assert stats.kstest(part, stats.invgauss(1.0 / (1.1 * m)).cdf).pvalue < 1e-6
    assert abs(np.corrcoef(first, second)[0, 1]) < 4.0 / np.sqrt(10_000)


def test_one_block_and_losses_of_users_are_augmented_at_once():
    class Own(med.Hinge):
        pass

    for loss, blocks in ((LOSSES["hinge"], 1), (Own(c=1.5, margin=2.0), 3)):
        rng, twin = np.random.default_rng(5), np.random.default_rng(5)
        found = augmenting.augment(loss, rng, Y, F, True, sampler_of(blocks))
        np.testing.assert_array_equal(found, loss.augment(twin, Y, F, given=True))


def test_draws_of_many_documents_do_not_depend_on_threads(planted, monkeypatch):
    in_blocks = drawn_by(planted, blocks=3)
    assert drawn_by(planted, blocks=3, threads=2) == in_blocks
    assert drawn_by(planted, threads=3) == in_blocks
    monkeypatch.setattr(augmenting, "MANY", 1 << 14)
    assert drawn_by(planted, blocks=3) != in_blocks
