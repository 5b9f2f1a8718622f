"""The weights by which `annealed_starts` chooses among its candidates."""

import dataclasses

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.sampling.annealing import AnnealedChain, Choice, Step
from pymc_medlda.sampling.assigning import assign_variables
from tests.sampling.small import model_of
from tests.sampling.test_tempered_laws import CASES
from tests.toy import build

STEPS = [Step(0.4, 20), Step(0.6, 2), Step(0.8, 2), Step(1.0, 2)]


def chain_of(toy, seed=1):
    """Return an annealed chain of a toy, and its model."""
    with build(toy) as model:
        return AnnealedChain(
            model, assign_variables(model), model.initial_point(1), np.random.default_rng(seed)
        )


@pytest.mark.parametrize("power", [1.0, 0.3])
@pytest.mark.parametrize("name", CASES)
def test_the_tempered_density_is_that_of_the_oracle(name, power):
    """Up to a constant, so differences between points are compared."""
    toy = CASES[name]
    loss_power = 1.0 if toy.loss == "Logistic" else power
    tempered = dataclasses.replace(toy, power=power, loss_power=loss_power)
    chain, (block,) = (made := chain_of(toy)), made.blocks
    found, expected = [], []
    for _ in range(6):
        chain.advance(Step(power, 1))
        point = block.drawn_values()
        eta = np.reshape(point["eta"], (-1, toy.n_topics))
        found.append(block.log_tempered(power))
        expected.append(tempered.log_joint(point["z"], eta) - tempered.log_prior(eta))
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(np.diff(found), np.diff(expected), atol=1e-9)


@pytest.mark.slow
def test_the_mean_weight_is_the_ratio_of_normalising_constants():
    """This is the law of annealed importance sampling, whatever the number of sweeps."""
    toy = CASES["hinge"]
    at_first = dataclasses.replace(toy, power=STEPS[0].power, loss_power=STEPS[0].power)
    expected = toy.summed()[3] - at_first.summed()[3]
    chain, weights = chain_of(toy), []
    for _ in range(1500):
        chain.power, chain.log_weight = None, 0.0
        for step in STEPS:
            chain.advance(step)
        weights.append(np.exp(chain.log_weight - expected))
    error = np.std(weights) / np.sqrt(len(weights))
    assert error < 0.05
    assert abs(np.mean(weights) - 1.0) < 4 * error
    # The control: the constant of another first power.
    other = dataclasses.replace(toy, power=0.5, loss_power=0.5).summed()[3] - at_first.summed()[3]
    assert abs(np.mean(weights) - np.exp(-other)) > 4 * error


def test_points_are_chosen_in_proportion_to_their_weights():
    rng = np.random.default_rng(1)
    log_weights = np.log([1.0, 6.0, 3.0]) - 1000.0
    chosen = []
    for _ in range(4000):
        choice = Choice(rng)
        for i, log_weight in enumerate(log_weights):
            choice.consider({"z": i}, log_weight)
        chosen.append(choice.point["z"])
    share = np.bincount(chosen, minlength=3) / len(chosen)
    np.testing.assert_allclose(share, [0.1, 0.6, 0.3], atol=4 * np.sqrt(0.25 / len(chosen)))


def test_one_of_the_candidates_is_returned(planted):
    quick = {"chains": 2, "random_seed": 3, "progressbar": False}
    with model_of(planted):
        alone = med.annealed_starts(20, **quick)
        among = [med.annealed_starts(20, candidates=n, **quick) for n in (1, 2, 2, 8)]
        on_two = med.annealed_starts(20, candidates=2, cores=2, **quick)
    same = [[np.array_equal(p["z"], q["z"]) for p, q in zip(alone, a, strict=True)] for a in among]
    assert same[0] == [True, True]  # a single candidate is the point
    assert same[1] == same[2]
    assert not all(same[3])
    assert all(np.array_equal(p["z"], q["z"]) for p, q in zip(among[1], on_two, strict=True))
