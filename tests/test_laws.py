"""Statistical laws: the chain's frequencies against enumeration and quadrature.

Every case compares the frequency of all 64 assignments and two moments of every weight with the
oracle, in units of the Monte Carlo error, and has a negative control: the same draws must refuse
an oracle that is wrong in one constant.
"""

import dataclasses

import numpy as np
import pytest

import pymc_medlda as med
from tests.oracle import Toy, threshold, z_scores
from tests.toy import build, run

pytestmark = pytest.mark.law

CASES = {
    "hinge": (Toy(), {"parameters": {"c": 1.0, "margin": 1.5}}),
    "hinge, labels always violated": (
        Toy(parameters={"c": 0.7, "margin": 164.0}),
        {"parameters": {"c": 1.0, "margin": 164.0}},
    ),
    "hinge, steep": (
        Toy(parameters={"c": 4.0, "margin": 0.5}),
        {"parameters": {"c": 2.0, "margin": 0.5}},
    ),
    "hinge, asymmetric prior": (
        Toy(prior_mean=(0.5, -0.3), prior_scale=(1.2, 0.8)),
        {"prior_mean": 0.0},
    ),
    "hinge, class weights": (
        Toy(parameters={"c": np.array([1.4, 0.5, 1.4]), "margin": 1.5}),
        {"parameters": {"c": 1.0, "margin": 1.5}},
    ),
    "epsilon-insensitive": (
        Toy(
            loss="EpsilonInsensitive",
            parameters={"c": 1.6, "epsilon": 0.2},
            y=(1.2, -0.7, 0.4),
        ),
        {"parameters": {"c": 1.0, "epsilon": 0.2}},
    ),
    "gaussian": (
        Toy(loss="Gaussian", parameters={"sigma": 0.6}, y=(1.2, -0.7, 0.4)),
        {"parameters": {"sigma": 0.8}},
    ),
    "logistic": (
        Toy(loss="Logistic", parameters={"c": 3.0}),
        {"parameters": {"c": 1.0}},
    ),
    "two tasks": (
        Toy(y=((1.0, -1.0), (-1.0, -1.0), (1.0, 1.0))),
        {"y": ((1.0, 1.0), (-1.0, -1.0), (1.0, 1.0))},
    ),
    "missing labels": (
        Toy(y=((1.0, np.nan), (-1.0, -1.0), (np.nan, 1.0))),
        {"y": ((1.0, -1.0), (-1.0, -1.0), (1.0, 1.0))},
    ),
    "offset": (Toy(offset=(0.8, -0.5, 0.3)), {"offset": 0.0}),
}
N_DRAWS = 20_000
# A steep loss holds its documents for long: batches must be longer than that to tell their error.
LONGER = {"hinge, steep": 6}


def draws_of(toy, path="auto", n_draws=N_DRAWS, **step_arguments):
    with build(toy) as model:
        step = med.GibbsMedLDAStep(rng=20, path=path, **step_arguments)
        return run(step, model.initial_point(1), n_draws)


def statistics(toy, z, eta):
    """Return indicators of every assignment, and eta and eta² beside them."""
    index = z.astype(int) @ toy.n_topics ** np.arange(z.shape[1])[::-1]
    visits = np.zeros((len(z), toy.n_topics ** z.shape[1]))
    visits[np.arange(len(z)), index] = 1
    return np.concatenate([visits, eta, eta**2], axis=1)


def expectations(toy):
    p, first, second = toy.posterior()
    return np.concatenate([p, first.ravel(), second.ravel()])


@pytest.mark.slow
@pytest.mark.parametrize("path", ["dense", "sparse"])
@pytest.mark.parametrize("name", CASES)
def test_chain_visits_the_enumerated_posterior(name, path):
    toy, wrong = CASES[name]
    n_draws = N_DRAWS * LONGER.get(name, 1)
    samples = statistics(toy, *draws_of(toy, path, n_draws))
    expected = expectations(toy)
    # Assignments so rare that fewer than 40 visits are expected have no normal error.
    tested = np.concatenate([expected[:64] * N_DRAWS > 40, np.ones(expected.size - 64, bool)])
    scores = z_scores(samples[:, tested], expected[tested])
    limit = threshold(tested.sum())
    assert np.abs(scores).max() < limit, name
    control = z_scores(samples[:, tested], expectations(dataclasses.replace(toy, **wrong))[tested])
    assert np.abs(control).max() > 1.5 * limit, f"negative control of {name} passed"


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"sweeps_per_draw": 3}, {"weight_rounds": 3}])
def test_several_sweeps_or_rounds_a_draw_leave_the_law_unchanged(settings):
    toy = Toy()
    samples = statistics(toy, *draws_of(toy, n_draws=6000, **settings))
    expected = expectations(toy)
    tested = np.concatenate([expected[:64] * 6000 > 40, np.ones(4, bool)])
    scores = z_scores(samples[:, tested], expected[tested])
    assert np.abs(scores).max() < threshold(tested.sum())
