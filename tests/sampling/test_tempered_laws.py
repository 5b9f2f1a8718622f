"""The tempered target of annealed starts: the frequencies of a chain against enumeration.

Every case compares the frequency of all assignments and two moments of every weight with the
oracle, as `tests.test_laws` does. Its negative controls are targets of which only the words and
topics, or only the labels, are tempered.
"""

import dataclasses

import numpy as np
import pytest

from pymc_medlda.sampling.assigning import assign_variables
from pymc_medlda.sampling.conditionals import Conditionals
from tests.oracle import Toy, threshold, z_scores
from tests.test_laws import expectations, statistics
from tests.toy import build

pytestmark = pytest.mark.law

HINGE = {"c": 1.5, "margin": 1.5}
CASES = {
    "hinge": Toy(parameters=HINGE),
    "class weights, offset": Toy(
        parameters={"c": np.array([2.4, 0.8, 2.4]), "margin": 1.5}, offset=(0.8, -0.5, 0.3)
    ),
    "epsilon-insensitive": Toy(
        loss="EpsilonInsensitive", parameters={"c": 2.0, "epsilon": 0.2}, y=(1.2, -0.7, 0.4)
    ),
    "gaussian": Toy(loss="Gaussian", parameters={"sigma": 0.6}, y=(1.2, -0.7, 0.4)),
    "logistic": Toy(loss="Logistic", parameters={"c": 3.0}),
    "two tasks, missing labels": Toy(
        parameters=HINGE, y=((1.0, np.nan), (-1.0, -1.0), (np.nan, 1.0))
    ),
}
N_DRAWS = 15_000


def draws_of(toy, power, n_draws=N_DRAWS):
    """Return z and eta of tempered sweeps, one after the other."""
    with build(toy) as model:
        (assignment,) = assign_variables(model)
        conditionals = Conditionals(model, assignment.block, assignment.drawn, "dense")
        point = model.initial_point(1)
    rng = np.random.default_rng(20)
    z = np.empty((n_draws, point["z"].size), np.uint8)
    eta = np.empty((n_draws, point["eta"].size))
    for draw in range(n_draws):
        conditionals.load(point)
        conditionals.sweep(rng, power)
        point = {**point, **conditionals.drawn_values()}
        z[draw], eta[draw] = point["z"], point["eta"].ravel()
    return z, eta


def worst(samples, toy):
    """Return the largest difference from the oracle, in units of its threshold."""
    expected = expectations(toy)
    tested = np.r_[expected[:64] * N_DRAWS > 40, np.ones(expected.size - 64, bool)]
    scores = z_scores(samples[:, tested], expected[tested])
    return np.abs(scores).max() / threshold(tested.sum())


@pytest.mark.slow
@pytest.mark.parametrize("power", [0.5, 0.8])
@pytest.mark.parametrize("name", CASES)
def test_a_tempered_chain_visits_the_tempered_posterior(name, power):
    toy = CASES[name]
    samples = statistics(toy, *draws_of(toy, power))
    loss_power = 1.0 if toy.loss == "Logistic" else power  # its c must be whole
    assert worst(samples, dataclasses.replace(toy, power=power, loss_power=loss_power)) < 1.0
    if power == 0.5:
        other = power if toy.loss == "Logistic" else 1.0
        words_only = dataclasses.replace(toy, power=power, loss_power=other)
        labels_only = dataclasses.replace(toy, power=1.0, loss_power=loss_power)
        assert worst(samples, words_only) > 1.5, "the power of the loss makes no difference"
        assert worst(samples, labels_only) > 1.5, "the power of words makes no difference"


def test_power_one_makes_the_draws_of_a_plain_chain():
    toy = CASES["hinge"]
    with build(toy) as model:
        (assignment,) = assign_variables(model)
        made = [Conditionals(model, assignment.block, assignment.drawn, "dense") for _ in range(2)]
        point = model.initial_point(1)
    drawn = []
    for conditionals, power in zip(made, [(), (1.0,)], strict=True):
        conditionals.load(point)
        rng = np.random.default_rng(3)
        for _ in range(20):
            conditionals.sweep(rng, *power)
        drawn.append(conditionals.drawn_values())
    for name in ("z", "eta"):
        np.testing.assert_array_equal(drawn[0][name], drawn[1][name])
