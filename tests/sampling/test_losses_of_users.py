"""What a user's loss returns or overwrites cannot make a step wrong."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from tests.compositions.losses import SquaredHinge
from tests.compositions.table import LABELS, SEVERAL, D, Z, model_of

TWO_TASKS = np.where(np.isnan(SEVERAL), 1.0, SEVERAL)


class OfOneColumn(SquaredHinge):
    """Returns the quadratic term of the documents, the same for all tasks."""

    def quadratic(self, y, auxiliary):
        return 2.0 * self.weight, 2.0 * self.weight * y


class OfTooMany(SquaredHinge):
    """Returns the quadratic term of one document too many."""

    def quadratic(self, y, auxiliary):
        return np.ones((y.shape[0] + 1, y.shape[1])), y


class Overwriting(SquaredHinge):
    """Writes to what it is given."""

    def draw_auxiliary(self, rng, y, discriminant):
        discriminant *= y
        y *= 3.0
        return {}

    def quadratic(self, y, auxiliary):
        twice = np.full(y.shape, 2.0 * self.weight)
        return twice, twice * np.sign(y)


def weights_of(loss, y, n=200):
    model = pm.observe(model_of(y=y, loss=loss), {"z": Z})
    step = med.GibbsMedLDAStep(model=model, rng=3)
    point, draws = model.initial_point(1), []
    for _ in range(n):
        point, _ = step.step(point)
        draws.append(point["y_weights"])
    return np.array(draws)


@pytest.mark.parametrize("weight", [0.8, np.linspace(0.5, 2.0, D)])
def test_terms_of_fewer_dims_are_broadcast(weight):
    np.testing.assert_allclose(
        weights_of(OfOneColumn(weight=weight), TWO_TASKS, 5),
        weights_of(SquaredHinge(weight=weight), TWO_TASKS, 5),
    )


def test_terms_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"OfTooMany.quadratic returned a of shape \(7, 1\)"):
        weights_of(OfTooMany(weight=1.0), LABELS, 1)


def test_a_loss_that_overwrites_its_arguments_changes_nothing():
    np.testing.assert_allclose(
        weights_of(Overwriting(weight=0.8), LABELS, 5),
        weights_of(SquaredHinge(weight=0.8), LABELS, 5),
    )
