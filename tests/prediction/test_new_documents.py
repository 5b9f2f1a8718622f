"""Random streams of new documents: seeds, threads, blocks, draws."""

import numpy as np

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.prediction.new_documents import BLOCK
from tests.prediction.comparing import assert_same, predicted
from tests.sampled import planted, sample


def test_same_seed_same_answer_whatever_the_cores_and_the_thinning():
    idata = sample("multiclass")
    corpus = med.Corpus.from_dtm(
        np.random.default_rng(1).poisson(0.5, (3 * BLOCK + 5, 40)),
        vocabulary=planted("multiclass").corpus.vocabulary,
    )
    one = predicted(idata, corpus, cores=1)
    assert_same(one, predicted(idata, corpus, cores=3))
    assert_same(one, predicted(idata, corpus))
    other = predicted(idata, corpus, random_seed=2)
    assert not np.array_equal(one["discriminant"], other["discriminant"])
    thinned = predicted(idata, corpus, thin=5)
    assert thinned["draw"].values.tolist() == [0, 5, 10]
    np.testing.assert_array_equal(thinned["theta"], one["theta"][:, ::5])
    last = predicted(idata, corpus, single_draw=True, cores=2)
    np.testing.assert_array_equal(last["discriminant"], one["discriminant"][:1, -1:])


def test_blocks_chains_and_draws_have_streams_of_their_own():
    """The same block of documents again, and the same draw again, are sampled differently."""
    idata = sample("binary")
    posterior = get_group(idata, "posterior")
    twice = posterior.isel(chain=[0, 0], draw=[0, 0]).assign_coords(chain=[0, 1], draw=[0, 1])
    words = planted().corpus.vocabulary
    again = med.Corpus.from_dtm(np.ones((2 * BLOCK, 40), int), vocabulary=words)
    theta = predicted(with_group(idata, "posterior", twice), again)["theta"].values
    samples = theta.reshape(2, 2, 2, BLOCK, 3)
    assert not np.array_equal(samples[:, :, 0], samples[:, :, 1])
    assert not np.array_equal(samples[0], samples[1])
    assert not np.array_equal(samples[:, 0], samples[:, 1])


def test_seeds_of_every_kind():
    idata, corpus = sample("binary"), planted().corpus
    made = predicted(idata, corpus, random_seed=None, single_draw=True)
    again = predicted(idata, corpus, random_seed=int(made.attrs["random_seed"]), single_draw=True)
    assert_same(made, again)
    one = predicted(idata, corpus, random_seed=np.random.default_rng(3), single_draw=True)
    other = predicted(idata, corpus, random_seed=np.random.default_rng(3), single_draw=True)
    assert_same(one, other)
    assert_same(
        predicted(idata, corpus, random_seed=[1, 2]), predicted(idata, corpus, random_seed=[1, 2])
    )
