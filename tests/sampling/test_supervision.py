"""Responses in the step: an offset is part of the response, and tasks may be told apart."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from tests.sampling.small import model_of

N_TOPICS = 3


def take(planted, responses, *, seed=2, n_draws=4):
    """Return the draws of a model with Gaussian responses, given as (y, offset, weights' shape)."""
    with pm.Model() as model:
        z = med.TopicAssignments("z", planted.corpus, n_topics=N_TOPICS)
        for i, (y, offset) in enumerate(responses):
            shape = N_TOPICS if y.ndim == 1 else (y.shape[1], N_TOPICS)
            eta = pm.Normal(f"eta{i}", 0.0, 1.0, shape=shape)
            med.MaxMargin(f"y{i}", z, eta, observed=y, loss=med.Gaussian(0.5), offset=offset)
        step = med.GibbsMedLDAStep(rng=seed)
        logp = model.compile_logp()
        point, drawn = model.initial_point(1), []
        for _ in range(n_draws):
            point, (statistics,) = step.step(point)
            drawn.append((point, statistics))
    assert statistics["log_joint"] == pytest.approx(logp(point), rel=1e-9)
    return drawn


def values(planted):
    return np.array(planted.discriminant, float).ravel()


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_an_offset_is_the_same_as_a_shifted_response(planted, n_tasks, rng):
    """y ~ N(F + offset, sigma) and y - offset ~ N(F, sigma) are one model: equal draws."""
    y = values(planted)
    if n_tasks == 2:
        y = np.stack([y, np.roll(y, 1)], axis=1)
    offset = rng.normal(size=y.shape)
    with_offset = take(planted, [(y, offset)])
    shifted = take(planted, [(y - offset, None)])
    for (one, its), (other, theirs) in zip(with_offset, shifted, strict=True):
        np.testing.assert_array_equal(one["z"], other["z"])
        np.testing.assert_allclose(one["eta0"], other["eta0"], rtol=1e-6, atol=1e-8)
        assert its["loss"] == pytest.approx(theirs["loss"], rel=1e-6)
        assert its["log_joint"] == pytest.approx(theirs["log_joint"], rel=1e-9)
    # Negative control: the offset matters.
    plain = take(planted, [(y, None)])
    assert not np.array_equal(plain[-1][0]["z"], with_offset[-1][0]["z"])


@pytest.mark.parametrize("name", ["z", "eta"])
def test_what_changed_alone_at_a_point_is_seen(planted, name):
    """A step that has been at another point goes on as one that has not."""
    with model_of(planted) as model:
        steps = [med.GibbsMedLDAStep([model["z"]], rng=0) for _ in range(2)]
        point, _ = steps[0].step(model.initial_point(7))
        point = {**point, "eta": np.array([1.0, -2.0, 0.5])}
        point, _ = steps[0].step(point)
        changed = {**point, name: point[name][::-1].copy()}
        assert not np.array_equal(changed[name], point[name])
        results = []
        for step in steps:
            step.rng = np.random.default_rng(4)
            results.append(step.step(changed))
    (one, its), (other, theirs) = results
    np.testing.assert_array_equal(one["z"], other["z"])
    assert its == theirs


def test_two_responses_are_the_same_as_two_tasks(planted):
    """Responses with equal losses, one by one or as columns of a matrix: equal draws."""
    first, second = values(planted), np.roll(values(planted), 5)
    apart = take(planted, [(first, None), (second, None)])
    together = take(planted, [(np.stack([first, second], axis=1), None)])
    for (one, its), (other, theirs) in zip(apart, together, strict=True):
        np.testing.assert_array_equal(one["z"], other["z"])
        np.testing.assert_allclose([one["eta0"], one["eta1"]], other["eta0"], rtol=1e-6, atol=1e-8)
        assert its["loss"] == pytest.approx(theirs["loss"], rel=1e-6)
