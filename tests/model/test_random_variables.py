"""Responses that the model draws: offsets and batches of parameters."""

import numpy as np
import pymc as pm
import pytest
from pytensor.tensor.random.op import RandomVariable

import pymc_medlda as med

CORPUS = med.Corpus.from_tokens([["a", "b"], ["b", "b", "c"], ["c"], []])
Z = np.array([0, 1, 1, 2, 0, 2], np.uint8)
# Shares of the topics in the four documents; the last one is empty.
FREQUENCY = np.array([[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])


def draw(y, eta, offset, *, sigma=1.0, seed=3):
    """Draw a Gaussian response by the model's own random variable."""
    model = med.GibbsMedLDA(CORPUS, y, n_topics=3, loss=med.Gaussian(sigma))
    op, start = model["y"].owner.op, CORPUS.starts
    return op.rng_fn(np.random.default_rng(seed), Z, start, eta, offset, np.array(sigma), None)


@pytest.mark.parametrize("n_tasks", [1, 2])
def test_an_offset_shifts_what_is_drawn(n_tasks, rng):
    shape = (4,) if n_tasks == 1 else (4, 2)
    y, offset = rng.normal(size=shape), rng.normal(size=shape)
    eta = rng.normal(size=3 if n_tasks == 1 else (2, 3))
    without = draw(y, eta, np.zeros(shape))
    np.testing.assert_allclose(draw(y, eta, offset), without + offset, rtol=1e-12)
    exact = draw(y, eta, offset, sigma=1e-12)
    np.testing.assert_allclose(exact, FREQUENCY @ eta.T + offset, atol=1e-9)


def test_every_entry_of_a_batch_has_parameters_of_its_own(rng):
    y, eta, offset = rng.normal(size=4), rng.normal(size=(5, 3)), rng.normal(size=(5, 4))
    found = draw(y, eta, offset, sigma=1e-12)
    np.testing.assert_allclose(found, eta @ FREQUENCY.T + offset, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", [np.inf, 1.0, 1.0]),
        ("alpha", [-1.0, 1.0, 1.0]),
        ("alpha", np.ones(9)),
        ("beta", -0.5),
        ("beta", np.nan),
        ("beta", np.inf),
    ],
)
def test_no_prior_out_of_range_is_drawn_from(name, value):
    corpus = med.Corpus.from_tokens([[0, 1, 2, 1]], n_words=3)
    right = {"alpha": np.ones(3), "beta": 0.1}
    with pm.Model() as model:
        given = {key: pm.Data(key, right[key]) for key in right}
        med.TopicAssignments("z", corpus, n_topics=3, **given)
    pm.set_data({name: value}, model=model)
    with pytest.raises(ValueError, match=rf"{name} (must be positive|has shape)"):
        pm.draw(model["words"], random_seed=1)


@pytest.mark.parametrize("n_tasks", [1, 2])
@pytest.mark.parametrize("name", ["z", "words", "y"])
def test_the_shape_of_constants_is_known_and_that_which_pytensor_infers(name, n_tasks, rng):
    y = rng.normal(size=(4, n_tasks)[: 1 + (n_tasks > 1)])
    model = med.GibbsMedLDA(CORPUS, y, n_topics=3, loss=med.Gaussian(np.full(y.shape, 2.0)))
    variable = model[name]
    assert variable.type.shape == (y.shape if name == "y" else (CORPUS.n_tokens,))
    op, parameters = variable.owner.op, variable.owner.inputs[2:]
    if name != "z":  # its length is a value, and not the shape of a parameter
        slow = RandomVariable._supp_shape_from_params(op, parameters)
        assert tuple(int(length.eval()) for length in slow) == variable.type.shape


@pytest.mark.parametrize("n_documents", [4, 1])
def test_a_length_that_no_type_tells_is_inferred(n_documents):
    corpus = CORPUS[:n_documents]
    with pm.Model() as model:
        offset = pm.Data("offset", np.zeros(n_documents))
        z = med.TopicAssignments("z", corpus, n_topics=3)
        eta = pm.Normal("eta", shape=3)
        med.MaxMargin(
            "y", z, eta, observed=np.ones(n_documents), offset=offset, loss=med.Gaussian(1.0)
        )
    assert model["y"].shape.eval().tolist() == [n_documents]
