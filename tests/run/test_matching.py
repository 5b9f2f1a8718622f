"""The matching of topics by their word distributions."""

from itertools import permutations

import numpy as np
import pytest
import xarray as xr

from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.matching import _match_chains, cosine, exchangeable, match_topics
from pymc_medlda.run.run import Run
from pymc_medlda.run.topics import topic_words
from tests.sampled import planted, sample

EVERYTHING = np.ones((4, 4), bool)


def gain_of(phi, target, permutation):
    return np.diag(cosine(phi[list(permutation)], target)).sum()


def best_allowed(phi, target, allowed):
    """Return the best permutation by trying all that use allowed pairs only."""
    n = len(phi)
    fitting = [p for p in permutations(range(n)) if allowed[np.arange(n), p].all()]
    return max(fitting, key=lambda p: gain_of(phi, target, p)) if fitting else None


def test_matching_is_the_best_of_all_permutations():
    rng = np.random.default_rng(5)
    for _ in range(20):
        phi, target = rng.dirichlet(np.ones(6), 4), rng.dirichlet(np.ones(6), 4)
        assert tuple(match_topics(phi, target, EVERYTHING)) == best_allowed(phi, target, EVERYTHING)


def test_matching_is_the_best_of_the_allowed_permutations():
    """However much a forbidden pair would gain."""
    rng = np.random.default_rng(6)
    constrained = 0
    for _ in range(60):
        phi, target = rng.dirichlet(np.full(6, 0.2), 4), rng.dirichlet(np.full(6, 0.2), 4)
        allowed = rng.random((4, 4)) < 0.6
        best = best_allowed(phi, target, allowed)
        if best is not None:
            assert tuple(match_topics(phi, target, allowed)) == best
            constrained += best != best_allowed(phi, target, EVERYTHING)
    assert constrained > 10


def test_no_gain_outweighs_a_forbidden_pair():
    """Topics equal to the reference, of which one may not stay: all have to move."""
    for n in (2, 3, 6, 20):
        phi = np.eye(n)
        shift = np.roll(np.eye(n, dtype=bool), 1, axis=1)
        allowed = np.eye(n, dtype=bool) | shift
        allowed[0, 0] = False
        assert match_topics(phi, phi, allowed).tolist() == [*range(1, n), 0]


def noisy_chains(rng, n_chains=5, n_topics=4, n_words=8):
    """Return chains whose topics are alike, but hardly more than those of one chain."""
    truth = rng.dirichlet(np.full(n_words, 2.0), n_topics)
    phi = np.stack([[rng.dirichlet(30.0 * p) for p in truth] for _ in range(n_chains)])
    return np.stack([p[rng.permutation(n_topics)] for p in phi])


def matched_again(phi, found):
    """Match chains with the mean of the matched chains."""
    mean = np.take_along_axis(phi, found[:, :, None], axis=1).mean(axis=0)
    return np.stack([match_topics(p, mean, EVERYTHING) for p in phi])


def test_chains_match_the_mean_of_the_matched_chains():
    """The reference is refined until nothing changes: the result is a fixed point."""
    rng = np.random.default_rng(7)
    refined = 0
    for _ in range(40):
        phi = noisy_chains(rng)
        found = _match_chains(phi, None, EVERYTHING)
        assert found[0].tolist() == [0, 1, 2, 3]  # the labels of the first chain
        np.testing.assert_array_equal(matched_again(phi, found), found)
        first = np.stack([match_topics(p, phi[0], EVERYTHING) for p in phi])
        refined += not np.array_equal(first, found)
    assert refined > 5  # otherwise nothing had to be refined


def test_the_labels_are_those_of_the_first_chain():
    """Even if it has topics of its own, and the mean of the others moves away from it."""
    rng = np.random.default_rng(7)
    for _ in range(150):
        truth, chains = rng.dirichlet(np.ones(8), 4), [rng.dirichlet(np.ones(8), 4)]
        for _ in range(7):
            like = np.stack([rng.dirichlet(10.0 * p + 0.01) for p in truth])
            chains.append(like[rng.permutation(4)])
        phi = np.stack(chains)
        found = _match_chains(phi, None, EVERYTHING)
        assert found[0].tolist() == [0, 1, 2, 3]
        np.testing.assert_array_equal(matched_again(phi, found), found)


def test_draws_are_matched_where_no_single_draw_would_be_enough():
    """Most topics of tokens are noise: the mean of the draws tells what a draw does not."""
    rng, n_draws, truth = np.random.default_rng(1), 80, planted().z
    labels = np.array([rng.permutation(3) for _ in range(n_draws)])
    is_noise = rng.random((n_draws, truth.size)) < 0.87
    z = np.where(is_noise, rng.integers(0, 3, is_noise.shape), truth)
    z = np.take_along_axis(labels, z, axis=1).astype(np.uint8)
    idata = sample(None)
    posterior = get_group(idata, "posterior").isel(chain=[0], draw=np.zeros(n_draws, int))
    posterior = posterior.assign_coords(draw=np.arange(n_draws)).copy(deep=True)
    posterior["z"].values[0] = z
    run = Run(with_group(idata, "posterior", posterior))
    found = run.matching(run.topics(), within_chain=True).of_draw[0]
    # Where labels are recovered, topic k of the truth has one new label in all draws.
    assert len({tuple(np.argsort(p)[own]) for p, own in zip(found, labels, strict=True)}) == 1
    phi = topic_words(run, per_draw=True).values[0]
    by_first = [match_topics(p, phi[0], EVERYTHING[:3, :3]) for p in phi]
    assert len({tuple(np.argsort(p)[own]) for p, own in zip(by_first, labels, strict=True)}) > 1


def test_matched_chains_do_not_depend_on_the_labels_of_the_others():
    rng = np.random.default_rng(8)
    for _ in range(10):
        phi = noisy_chains(rng)
        found = _match_chains(phi, None, EVERYTHING)
        order = rng.permutation(4)
        relabelled = phi.copy()
        relabelled[2] = phi[2][order]
        other = _match_chains(relabelled, None, EVERYTHING)
        np.testing.assert_array_equal(order[other[2]], found[2])
        np.testing.assert_array_equal(np.delete(other, 2, 0), np.delete(found, 2, 0))


def test_topics_are_exchangeable_if_all_constant_data_are_equal():
    topics = Run(sample()).topics()
    values = {"flat": [1.0, 1.0, 1.0], "pair": [[0.0, 1.0], [0.0, 2.0], [0.0, 1.0]]}
    for names, expected in (
        (["flat"], np.ones((3, 3), bool)),
        (["pair"], np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]], bool)),
        (["flat", "pair"], np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]], bool)),
    ):
        constant = xr.Dataset(
            {name: (("topic", "side")[: np.ndim(values[name])], values[name]) for name in names}
        )
        np.testing.assert_array_equal(exchangeable(topics, constant), expected)
        turned = constant.transpose(..., "topic")
        np.testing.assert_array_equal(exchangeable(topics, turned), expected)
    with pytest.raises(ValueError, match="'flat' has 2 topics; 3 are allowed"):
        exchangeable(topics, xr.Dataset({"flat": ("topic", [1.0, 1.0])}))
