"""A step of a nested model knows what the models around it make of its variables."""

import pymc as pm
import pytest

import pymc_medlda as med
from tests.compositions.table import CORPUS, HINGE, LABELS, K
from tests.compositions.test_log_joint import largest_difference


def nested(scale=1.0):
    """Build a model inside the one in context, with a scale of its weights."""
    return med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, name="inner", loss=HINGE, nu=scale)


def test_weights_that_the_outer_model_uses_are_left_to_pymc():
    with pm.Model():
        inner = nested()
        pm.Potential("near_three", -50.0 * ((inner["eta"] - 3.0) ** 2).sum())
    step = med.GibbsMedLDAStep(model=inner)
    assert [value.name for value in step.vars] == ["inner::z"]
    with pytest.raises(ValueError, match="near_three depends on inner::eta too"):
        med.GibbsMedLDAStep([inner["eta"]], model=inner)


def test_a_scale_of_the_outer_model_is_read():
    with pm.Model() as outer:
        inner = nested(scale=pm.HalfNormal("nu"))
        other = med.GibbsMedLDA(CORPUS, n_topics=2, name="other")
    step = med.GibbsMedLDAStep(model=inner, rng=2)
    assert {value.name for value in step.vars} == {"inner::z", "inner::eta"}
    assert other["z"].name == "other::z"
    assert largest_difference(outer, lambda: None) < 1e-8
    point = outer.initial_point(1)
    assert step.step(point)[0].keys() == point.keys()
