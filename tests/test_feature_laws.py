"""Statistical laws with features: chains against enumeration of z and quadrature over weights."""

import dataclasses

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.kernels import features as feature_matrices
from tests.oracle import Toy, threshold, z_scores
from tests.test_laws import statistics
from tests.toy import build, run

pytestmark = pytest.mark.law

X = ((0.9,), (-0.4,), (1.3,))
CASES = {
    "hinge": (Toy(features=X, feature_scale=1.3), {"features": ((0.9,), (0.4,), (1.3,))}),
    "prior with a mean": (
        Toy(features=X, feature_mean=0.6, feature_scale=0.8, parameters={"c": 2.0, "margin": 1.0}),
        {"feature_mean": 0.2},
    ),
    "two tasks, missing labels, two priors": (
        Toy(
            features=X,
            feature_scale=((0.7,), (1.6,)),
            y=((1.0, np.nan), (-1.0, -1.0), (np.nan, 1.0)),
            offset=((0.8,), (-0.5,), (0.3,)),
        ),
        {"feature_scale": 1.1},
    ),
    "epsilon-insensitive": (
        Toy(
            features=X,
            loss="EpsilonInsensitive",
            parameters={"c": 1.6, "epsilon": 0.2},
            y=(1.2, -0.7, 0.4),
        ),
        {"parameters": {"c": 1.0, "epsilon": 0.2}},
    ),
}
WAYS = [
    ("hinge", "together"),
    ("prior with a mean", "one by one"),
    ("two tasks, missing labels, two priors", "together"),
    ("two tasks, missing labels, two priors", "one by one"),
    ("epsilon-insensitive", "one by one"),
]
N_DRAWS = 10_000


def expectations(toy):
    p, first, second = toy.posterior(n_grid=45, reach=5.0)
    return np.concatenate([p, first.ravel(), second.ravel()])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "way"), WAYS)
def test_chain_visits_the_enumerated_posterior(name, way, monkeypatch):
    if way == "one by one":
        monkeypatch.setattr(feature_matrices, "TOGETHER", 0)
    toy, wrong = CASES[name]
    with build(toy) as model:
        step = med.GibbsMedLDAStep(rng=21)
        drawn = run(step, model.initial_point(1), N_DRAWS)
    assert [value.name for value in step.vars] == ["z", "eta", "w"]
    samples, expected = statistics(toy, *drawn), expectations(toy)
    tested = np.concatenate([expected[:64] * N_DRAWS > 40, np.ones(expected.size - 64, bool)])
    scores = z_scores(samples[:, tested], expected[tested])
    limit = threshold(tested.sum())
    assert np.abs(scores).max() < limit, name
    control = z_scores(samples[:, tested], expectations(dataclasses.replace(toy, **wrong))[tested])
    assert np.abs(control).max() > 1.5 * limit, f"negative control of {name} passed"
