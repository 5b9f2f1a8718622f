"""The candidates of annealed starts: their weights against enumeration, and the choice by them."""

import dataclasses

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.sampling.annealing import AnnealedChain, Step, choose_candidates
from pymc_medlda.sampling.assigning import assign_variables
from tests.oracle import threshold, z_scores
from tests.sampling.small import model_of
from tests.sampling.test_annealed_starts import QUICK, equal
from tests.sampling.test_tempered_laws import CASES
from tests.toy import build


def chain_of(toy, seed=1):
    model = build(toy)
    rng = np.random.default_rng(seed)
    return AnnealedChain(model, assign_variables(model), model.initial_point(seed), rng)


def tempered(toy, power):
    """Return the toy at a power; the logistic loss is not tempered, as its c must be whole."""
    loss_power = 1.0 if toy.loss == "Logistic" else power
    return dataclasses.replace(toy, power=power, loss_power=loss_power)


@pytest.mark.parametrize("name", CASES)
def test_the_log_ratio_is_that_of_the_tempered_joint_densities(name):
    toy = CASES[name]
    chain, found, expected = chain_of(toy), [], []
    for _ in range(20):
        chain.advance(Step(0.6, 1))
        found.append(chain.blocks[0].log_ratio(0.6, 0.9))
        point = chain.drawn_values()
        eta = point["eta"].reshape(-1, toy.n_topics)
        joint = [tempered(toy, power).log_joint(point["z"], eta) for power in (0.6, 0.9)]
        expected.append(joint[1] - joint[0])
    # Constants are left out of the ratio of a Gaussian.
    np.testing.assert_allclose(np.diff(found), np.diff(expected), rtol=1e-9, atol=1e-9)
    assert np.ptp(found) > 0.01


@pytest.mark.law
@pytest.mark.slow
@pytest.mark.parametrize("name", ["hinge", "two tasks, missing labels", "logistic"])
def test_weighted_chains_have_the_law_of_the_posterior(name):
    """The mean of the weight times an indicator of z is P(z) times a ratio of constants.

    Each run begins where the last one ended, so it first needs enough sweeps to forget that. The
    control weighs every point after the sweeps at the new power, and not before them.
    """
    toy, n_runs, powers = CASES[name], 2500, (0.4, 0.7, 1.0)
    start, end = (tempered(toy, power).summed() for power in (powers[0], 1.0))
    expected = np.r_[end[0], 1.0]
    log_constant = end[3] - start[3]
    chain = chain_of(toy)
    digits = toy.n_topics ** np.arange(toy.words.size)[::-1]
    samples = {"right": np.zeros((n_runs, 65)), "control": np.zeros((n_runs, 65))}
    for run in range(n_runs):
        chain.log_weight, chain.power, wrong = 0.0, None, 0.0
        for power, n_sweeps in zip(powers, (25, 1, 1), strict=True):
            before = chain.power
            chain.advance(Step(power, n_sweeps), weighed=True)
            if before is not None:
                wrong += chain.blocks[0].log_ratio(before, power)
        z = int(chain.drawn_values()["z"] @ digits)
        for key, log_weight in (("right", chain.log_weight), ("control", wrong)):
            samples[key][run, [z, 64]] = np.exp(log_weight - log_constant)
    tested = expected > 40 / n_runs
    worst = {
        key: np.abs(z_scores(values[:, tested], expected[tested])).max() / threshold(tested.sum())
        for key, values in samples.items()
    }
    assert worst["right"] < 1.0
    assert worst["control"] > 1.5


def test_candidates_are_drawn_in_proportion_to_their_weights():
    class Weighed:
        def __init__(self, weight, rng):
            self.log_weight, self.rng = 900.0 + np.log(weight), rng

    weights, n = np.array([1.0, 2.0, 5.0]), 4000
    rng = np.random.default_rng(1)
    running = [Weighed(weight, rng) for _ in range(n) for weight in weights]
    chosen = choose_candidates(running, 3)
    assert [running.index(chain) // 3 for chain in chosen[:20]] == list(range(20))
    places = [running[3 * i : 3 * i + 3].index(chain) for i, chain in enumerate(chosen)]
    share = weights / weights.sum()
    error = (np.bincount(places, minlength=3) / n - share) / np.sqrt(share * (1 - share) / n)
    assert np.abs(error).max() < 3.5


def test_points_are_those_of_the_seed_whatever_the_cores(planted):
    with model_of(planted):
        points = med.annealed_starts(candidates=3, random_seed=3, cores=1, **QUICK)
        again = med.annealed_starts(candidates=3, random_seed=3, cores=2, **QUICK)
        one = med.annealed_starts(candidates=1, random_seed=3, **QUICK)
        assert equal(one, med.annealed_starts(random_seed=3, **QUICK))
    assert len(points) == QUICK["chains"]
    assert equal(points, again)


def test_the_candidate_with_the_weight_goes_on(planted, monkeypatch):
    """After half of the sweeps one candidate of each chain is left, and it is the heavy one."""
    swept, sweep = [], AnnealedChain.advance

    def record(chain, step, weighed=False):
        swept.append((step.power, chain))
        sweep(chain, step, weighed)
        # The second candidate of each chain is by far the heaviest.
        heavy = [c for p, c in swept if p == swept[0][0]].index(chain) % 3 == 1
        chain.log_weight = 1e6 * heavy

    monkeypatch.setattr(AnnealedChain, "advance", record)
    med.annealed_starts(
        8, chains=2, candidates=3, cores=1, model=model_of(planted), progressbar=False
    )
    powers = sorted({power for power, _ in swept})
    at = {power: [chain for p, chain in swept if p == power] for power in powers}
    assert [len(at[power]) for power in powers] == [6] * 5 + [2] * 4
    assert at[1.0] == [at[0.5][1], at[0.5][4]]
