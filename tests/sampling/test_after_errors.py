"""A step that raised once is no other step afterwards: it stays a function of its point."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from tests.compositions.table import CORPUS, HINGE, LABELS, REAL, D, K, X, respond
from tests.compositions.test_log_joint import log_density


@pytest.mark.parametrize("wrong", [{"x": np.full(D, np.inf)}, {"nu": -1.0, "x": X + 5.0}])
def test_what_was_refused_once_is_refused_again(wrong):
    with pm.Model() as model:
        respond(offset=pm.Data("x", X), scale=pm.Data("nu", 1.0))
        step = med.GibbsMedLDAStep(rng=1)
    point, _ = step.step(model.initial_point(1))
    pm.set_data(wrong, model=model)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"offset of y|prior scale of y"):
            step.step(point)
    pm.set_data({"x": X, "nu": 1.0}, model=model)
    point, (statistics,) = step.step(point)
    assert statistics["log_joint"] == pytest.approx(log_density(model, step)(point), abs=1e-8)


def test_a_step_that_never_succeeded_can_succeed():
    with pm.Model() as model:
        respond(offset=pm.Data("x", np.full(D, np.inf)))
        step = med.GibbsMedLDAStep(rng=1)
    for _ in range(2):
        with pytest.raises(ValueError, match="offset of y is inf"):
            step.step(model.initial_point(1))
    pm.set_data({"x": X}, model=model)
    point, (statistics,) = step.step(model.initial_point(1))
    assert statistics["log_joint"] == pytest.approx(log_density(model, step)(point), abs=1e-8)


def test_the_second_response_sees_the_topics_that_the_first_refused():
    with pm.Model() as model:
        z, _, _ = respond(offset=pm.Data("x", X))
        respond(z=z, y=REAL, name="rating", loss=med.Gaussian(sigma=0.5))
        step = med.GibbsMedLDAStep([model["y_weights"]], rng=1)
    point = model.initial_point(1)
    point["rating_weights"] = np.array([1.0, -2.0, 3.0])
    point, _ = step.step(point)
    other = {**point, "z": ((point["z"] + 1) % K).astype(point["z"].dtype)}
    pm.set_data({"x": np.full(D, np.inf)}, model=model)
    with pytest.raises(ValueError, match="offset of y is inf"):
        step.step(other)
    pm.set_data({"x": X}, model=model)
    other, (statistics,) = step.step(other)
    assert statistics["log_joint"] == pytest.approx(log_density(model, step)(other), abs=1e-8)


def test_an_interrupt_while_topics_are_counted():
    with med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, loss=HINGE) as model:
        step, same = (med.GibbsMedLDAStep(rng=1) for _ in range(2))
    sampler = step.conditionals.sampler
    recount = sampler.method.recount

    def interrupt(state):
        sampler.method.recount = recount
        raise KeyboardInterrupt

    sampler.method.recount = interrupt
    point = model.initial_point(1)
    with pytest.raises(KeyboardInterrupt):
        step.step(point)
    (after, statistics), (expected, true) = step.step(point), same.step(point)
    assert statistics == true
    np.testing.assert_array_equal(after["z"], expected["z"])


def test_weights_that_overflow_are_an_error():
    with pm.Model() as model:
        respond(mean=pm.Data("m", 1e200), scale=pm.Data("s", 1e-100))
        step = med.GibbsMedLDAStep([model["y_weights"]], rng=1)
    with pytest.raises(np.linalg.LinAlgError, match="the mean of their prior"):
        step.step(model.initial_point(1))
