"""Random streams of new documents: seeds, threads, blocks, draws."""

import numpy as np

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.kernels.new_documents import BLOCK
from pymc_medlda.prediction import predicting
from pymc_medlda.prediction.new_documents import iterate_topic_frequencies
from pymc_medlda.prediction.predicting import predict
from tests.prediction.comparing import assert_same, predicted
from tests.sampled import planted, sample


def test_same_seed_same_answer_whatever_the_cores():
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
    assert_same(thinned, predicted(idata, corpus, thin=5, cores=2))
    last = predicted(idata, corpus, single_draw=True, cores=1)
    assert last["draw"].values.tolist() == [11]
    assert_same(last, predicted(idata, corpus, single_draw=True, cores=2))


def first_draws(idata, n_draws):
    return with_group(idata, "posterior", get_group(idata, "posterior").isel(draw=slice(n_draws)))


def test_a_draw_depends_on_those_before_it_and_not_on_those_after_it():
    idata, corpus = sample("binary"), planted().corpus
    options = {"n_samples": 1, "cores": 2}
    whole = predicted(idata, corpus, **options)["theta"].values
    for n in (1, 2, 7):
        part = predicted(first_draws(idata, n), corpus, **options)["theta"].values
        np.testing.assert_array_equal(part, whole[:, :n])
    posterior = get_group(idata, "posterior")
    later = with_group(idata, "posterior", posterior.isel(draw=slice(1, None)))
    assert not np.array_equal(predicted(later, corpus, **options)["theta"], whole[:, 1:])


def test_the_draws_of_a_chain_share_the_samples(monkeypatch):
    """Every draw has one at the least, and the burn-in between two draws is that of thinning."""
    schedules = []

    def note(*args, schedule, **options):
        schedules.append((schedule.n_samples, schedule.max_between))
        return iterate_topic_frequencies(*args, schedule=schedule, **options)

    monkeypatch.setattr(predicting, "iterate_topic_frequencies", note)
    idata, corpus = sample("binary"), planted().corpus[:3]
    for options in ({}, {"thin": 4}, {"single_draw": True}, {"n_samples": 25}, {"n_samples": 1}):
        predicted(idata, corpus, **options)
    assert schedules == [(1, 1), (4, 4), (10, 1), (3, 1), (1, 1)]


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


def longest(idata, corpus, **options):
    options = {"random_seed": 1, "progressbar": False, "var_names": ["theta"], **options}
    found = get_group(predict(idata, corpus, **options), "predictions")
    return found.attrs["longest_burn_in"]


def test_the_longest_burn_in_is_that_of_a_first_draw():
    """A chain burns in under its first draw; between draws it takes ``thin`` sweeps at the most."""
    idata = sample("binary")
    posterior = get_group(idata, "posterior")
    alone = []
    for chain in (0, 1):
        run = with_group(idata, "posterior", posterior.isel(chain=slice(chain + 1), draw=[0]))
        alone.append(longest(run, planted().corpus, tolerance=1e-4))
    assert min(alone) > 1  # otherwise the other draws would do
    for cores in (1, 3):
        assert longest(idata, planted().corpus, tolerance=1e-4, cores=cores) == alone[-1]


def test_the_longest_burn_in_is_that_of_the_slowest_block():
    """A block of documents without words, or of one word each, is done at once."""
    idata, words = sample("binary"), planted().corpus.vocabulary
    slow = np.random.default_rng(1).poisson(0.5, (BLOCK, 40))
    nothing = np.zeros((BLOCK, 40), int)
    options = {"single_draw": True, "tolerance": 1e-4}

    def of(*blocks, **more):
        corpus = med.Corpus.from_dtm(np.concatenate(blocks), vocabulary=words)
        return longest(idata, corpus, **options, **more)

    assert of(nothing, cores=1) < of(slow, cores=1)
    for cores in (1, 2, 3):
        assert of(slow, nothing, cores=cores) == of(slow, cores=cores)
        assert of(slow, nothing, nothing, nothing, cores=cores) == of(slow, cores=cores)


def test_the_burn_in_has_the_bounds_that_were_given():
    idata, corpus = sample("binary"), planted().corpus
    for most in (0, 1, 7):
        assert longest(idata, corpus, max_burn_in=most, tolerance=0.0) == most
    assert 0 < longest(idata, corpus, max_burn_in=100, tolerance=1e-2) < 100
