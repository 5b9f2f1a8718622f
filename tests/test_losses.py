"""Every loss: its augmentation against its factor, its draws, its missing entries."""

import dataclasses
import sys

import cloudpickle
import numpy as np
import pytest
from scipy import integrate, stats

import pymc_medlda as med
from pymc_medlda.losses import Loss, find_loss
from tests.oracle import LOG_FACTORS

PARAMETERS = {
    "Hinge": {"c": 0.7, "margin": 1.5},
    "EpsilonInsensitive": {"c": 1.6, "epsilon": 0.2},
    "Gaussian": {"sigma": 0.6},
    "Logistic": {"c": 3.0},
}
RESPONSES = {"Hinge": -1.0, "EpsilonInsensitive": 0.9, "Gaussian": 0.4, "Logistic": -1.0}


LOSSES = {name: getattr(med, name)(**values) for name, values in PARAMETERS.items()}


def test_the_table_covers_every_loss():
    ours = {name for name in med.__all__ if isinstance(getattr(med, name), type(Loss))}
    ours = {name for name in ours if issubclass(getattr(med, name), Loss)}
    assert set(PARAMETERS) == ours == set(LOG_FACTORS)


@pytest.mark.parametrize("name", LOSSES)
def test_factor_agrees_with_its_definition(name):
    loss, y = LOSSES[name], np.array([[RESPONSES[name]]])
    f = np.linspace(-3, 3, 25)[:, None]
    expected = LOG_FACTORS[name](y, f, **PARAMETERS[name])
    np.testing.assert_allclose(loss.log_factor_of(loss.value(y, f)), expected)
    symbolic = loss.log_factor(y, f)
    np.testing.assert_allclose(symbolic.eval() if hasattr(symbolic, "eval") else symbolic, expected)


@pytest.mark.parametrize("name", ["Hinge", "EpsilonInsensitive", "Logistic"])
def test_mixture_of_gaussians_is_the_factor(name, rng):
    """E exp(b (F' - F) - a (F'² - F²)/2) over the auxiliary variables at F is factor(F')/factor(F).

    An identity of the augmented density: it holds for the right (a, b) and the right conditional
    only, and shows a wrong power of c at once.
    """
    loss, y0 = LOSSES[name], RESPONSES[name]
    n = 400_000
    for f0, f1 in ((0.3, 0.5), (-0.6, -0.4), (1.2, 1.0)):
        y, f = np.full((n, 1), y0), np.full((n, 1), f0)
        a, b = loss.augment(rng, y, f, given=True)
        ratio = np.exp(b * (f1 - f0) - 0.5 * a * (f1**2 - f0**2))
        expected = np.exp(
            LOG_FACTORS[name](y0, f1, **PARAMETERS[name])
            - LOG_FACTORS[name](y0, f0, **PARAMETERS[name])
        )
        error = ratio.std() / np.sqrt(n)
        assert abs(ratio.mean() - expected) < 4.5 * error
        wrong = {**PARAMETERS[name], "c": 1.0}
        refused = np.exp(LOG_FACTORS[name](y0, f1, **wrong) - LOG_FACTORS[name](y0, f0, **wrong))
        assert abs(ratio.mean() - refused) > 10 * error


def test_gaussian_is_its_own_quadratic():
    y, f = np.array([[0.4]]), np.linspace(-2, 2, 9)[:, None]
    a, b = med.Gaussian(0.6).augment(np.random.default_rng(0), y, f[:1], given=True)
    quadratic = b * f - 0.5 * a * f**2
    factor = LOG_FACTORS["Gaussian"](y, f, sigma=0.6)
    np.testing.assert_allclose(np.diff(quadratic - factor, axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_missing_response_weighs_nothing(name, rng):
    y = np.array([[RESPONSES[name]], [np.nan]])
    a, b = LOSSES[name].augment(rng, y, np.zeros((2, 1)), given=~np.isnan(y))
    assert a[0, 0] > 0
    assert (a[1, 0], b[1, 0]) == (0.0, 0.0)


@pytest.mark.parametrize("name", ["Hinge", "EpsilonInsensitive", "Logistic"])
def test_an_entry_of_weight_zero_counts_as_missing(name, rng):
    """With c = 0 in one row of two, that row has neither a slope nor a curvature."""
    c = np.array([[PARAMETERS[name]["c"]], [0.0]])
    loss = type(LOSSES[name])(**{**PARAMETERS[name], "c": c})
    y = np.full((2, 1), RESPONSES[name])
    for discriminant in (0.0, 0.4, -3.0):
        a, b = loss.augment(rng, y, np.full((2, 1), discriminant), given=True)
        assert (a[1, 0], b[1, 0]) == (0.0, 0.0)
        assert a[0, 0] > 0


@pytest.mark.parametrize("name", ["Hinge", "Logistic"])
def test_drawn_labels_have_the_odds_of_the_factor(name, rng):
    draws = LOSSES[name].draw_response(rng, np.full(100_000, 0.4))
    up, down = (LOG_FACTORS[name](s, 0.4, **PARAMETERS[name]) for s in (1.0, -1.0))
    p = 1 / (1 + np.exp(down - up))
    assert abs((draws > 0).mean() - p) < 4.5 * np.sqrt(p * (1 - p) / draws.size)
    assert set(np.unique(draws)) == {-1.0, 1.0}


@pytest.mark.parametrize("name", ["EpsilonInsensitive", "Gaussian"])
def test_drawn_values_follow_the_normalised_factor(name, rng):
    draws = LOSSES[name].draw_response(rng, np.full(20_000, 0.4))

    def density(y):
        return np.exp(LOG_FACTORS[name](y, 0.4, **PARAMETERS[name]))

    grid = np.linspace(-8, 9, 20_001)
    cumulated = integrate.cumulative_trapezoid(density(grid), grid, initial=0)
    law = lambda y: np.interp(y, grid, cumulated / cumulated[-1])  # noqa: E731
    assert stats.kstest(draws, law).pvalue > 1e-3
    assert stats.kstest(draws + 0.1, law).pvalue < 1e-6


def test_losses_are_values():
    assert repr(med.Hinge(margin=2.0)) == "Hinge(c=1.0, margin=2.0)"
    assert med.Hinge(2.0) == med.Hinge(c=2.0)
    assert med.Hinge(2.0) != med.Hinge(1.0)
    assert med.Hinge(np.ones(3)) == med.Hinge(np.ones(3))
    assert med.Hinge(np.ones(3)) != med.Hinge(np.zeros(3))
    assert med.Hinge() != med.Logistic()
    assert len({med.Hinge(2.0), med.Hinge(c=2.0), med.Gaussian()}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        med.Hinge().c = 3.0


def test_a_vector_over_documents_is_a_column_where_there_are_tasks():
    vector, matrix, number = np.ones(3), np.ones((3, 2)), np.array(1.0)
    for n_dims, shape in ((1, (3,)), (2, (3, 1))):
        assert med.Hinge.from_values([vector, number], n_dims=n_dims).c.shape == shape
    assert med.Hinge.from_values([matrix, number]).c.shape == (3, 2)


class Hinge(med.Hinge):
    """A loss of a user's own that bears the name of one of ours."""

    power: float = 1.0


def test_a_subclass_is_registered_and_replaces_none_of_ours():
    assert Hinge.parameter_names() == ("c", "margin", "power")
    assert Hinge.key() == f"{__name__}.Hinge"
    assert find_loss(Hinge.key()) is Hinge
    assert find_loss("Hinge") is med.Hinge
    with pytest.raises(ValueError, match=r"'nowhere.Loss' is not known here: import the module"):
        find_loss("nowhere.Loss")


def test_a_loss_that_was_pickled_by_value_replaces_nothing():
    """cloudpickle rebuilds a class of a script as an empty one before it finds the original."""

    class Local(med.Hinge):
        def value(self, y, discriminant):
            return 7.0 * discriminant

    for loss in (Local, Hinge):
        cloudpickle.register_pickle_by_value(sys.modules[__name__])
        try:
            again = cloudpickle.loads(cloudpickle.dumps(loss(c=2.0)))
        finally:
            cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
        assert again == loss(c=2.0)
        assert find_loss(loss.key()) is loss


def test_a_setting_that_is_annotated_is_refused():
    with pytest.raises(TypeError, match="takes_labels is annotated"):
        type("Bad", (med.Hinge,), {"__annotations__": {"takes_labels": bool}, "takes_labels": True})
