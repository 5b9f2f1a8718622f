"""What the step does not draw, and what a model refuses: said, and never wrong in silence."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest

import pymc_medlda as med
from tests.compositions.table import (
    COMPOSITIONS,
    CORPUS,
    LABELS,
    D,
    K,
    X,
    Z,
    model_of,
    respond,
)


def gibbs_variables(model):
    """Return the names of what plain ``pm.sample`` would give to the Gibbs step."""
    _, assigned = pm.sampling.mcmc.assign_step_methods(model)
    return {v.name for v in assigned.get(med.GibbsMedLDAStep, [])}


ASSIGNED = {
    "binary": {"z", "eta"},
    "frozen": {"z", "y_weights"},
    "cloned": {"z", "y_weights"},
    "offset_replaced_by_do": {"z", "y_weights"},
    "topics_observed": {"y_weights"},
    "topics_replaced_by_do": {"y_weights"},
    "weights_observed": {"z"},
    "weights_replaced_by_do": {"z"},
    "weights_with_a_potential": {"z"},
    "weights_in_another_likelihood": {"z"},
    "weights_transformed": {"z"},
    "two_responses_share_their_weights": {"z"},
    "weights_of_one_response_are_the_mean_of_another": {"z", "rating_weights"},
    "nested_models": {"left::z", "left::eta", "right::z", "right::eta"},
}


@pytest.mark.parametrize("name", ASSIGNED)
def test_what_the_gibbs_step_is_given_by_itself(name):
    # Without the model in context, as in pm.sample(model=model).
    assert gibbs_variables(COMPOSITIONS[name]()) == ASSIGNED[name]


def test_what_is_left_to_pymc_is_said_with_the_reason(caplog):
    model = COMPOSITIONS["weights_with_a_potential"]()
    with caplog.at_level("INFO", logger="pymc.medlda"):
        gibbs_variables(model)
    said = [record.getMessage() for record in caplog.records if record.name == "pymc.medlda"]
    assert said == [
        "the weights of y are left to PyMC: sum_to_zero depends on y_weights too",
    ]


@pytest.mark.parametrize("name", ["topics_observed", "topics_replaced_by_do", "frozen"])
def test_transformed_models_are_sampled(name):
    model = COMPOSITIONS[name]()
    options = {"tune": 5, "draws": 4, "chains": 1, "cores": 1, "random_seed": 1}
    with model:
        idata = pm.sample(**options, progressbar=False, compute_convergence_checks=False)
    weights = idata["posterior"]["y_weights"].values
    assert np.ptp(weights, axis=1).min() > 0
    assert np.isfinite(idata["sample_stats"]["log_joint"].values).all()


def loose(**settings):
    with pm.Model():
        respond(**settings)


MINIBATCH = {
    "offset": lambda: loose(offset=pm.Minibatch(X, batch_size=D)),
    "alpha": lambda: loose(topics={"alpha": pm.Gamma.dist(1, 1)}),
    "beta": lambda: loose(topics={"beta": pm.Gamma.dist(1, 1)}),
    "eta": lambda: loose(eta=pm.Normal.dist(shape=K)),
    "margin": lambda: loose(loss=med.Hinge(c=1.0, margin=2.0 + pm.Gamma.dist(1, 1))),
}


@pytest.mark.parametrize("argument", MINIBATCH)
def test_draws_that_are_no_variables_of_the_model_are_refused(argument):
    with pytest.raises(ValueError, match=f"^{argument} depends on random draws"):
        MINIBATCH[argument]()


def test_an_input_without_a_value_is_refused():
    with pytest.raises(ValueError, match=r"offset depends on v, which has no value in the model"):
        loose(offset=pt.dvector("v"))


def test_a_loose_prior_of_the_weights_is_refused_by_the_step():
    with pm.Model() as model:
        respond(scale=pm.HalfNormal.dist())
    with pytest.raises(ValueError, match="prior scale of y depends on random draws"):
        med.GibbsMedLDAStep(model=model)


INTRUDERS = {
    "a potential": lambda z, eta: pm.Potential("penalty", -0.1 * (z > 1).sum()),
    "another likelihood": lambda z, eta: pm.Normal("penalty", z.mean(), 1, observed=0.3),
    "the prior of other weights": lambda z, eta: pm.Normal("penalty", z.mean(), 1),
    "an offset": lambda z, eta: med.MaxMargin(
        "penalty", z, eta, observed=LABELS, offset=z[:D] * 1.0
    ),
}


@pytest.mark.parametrize("what", INTRUDERS)
def test_topics_that_something_else_depends_on_are_refused(what):
    with pm.Model() as model:
        z, eta, _ = respond()
        INTRUDERS[what](z, eta)
    with pytest.raises(ValueError, match="cannot draw z: penalty depends on it"):
        med.GibbsMedLDAStep(model=model)
    with pytest.raises(ValueError, match="cannot draw z: penalty depends on it"), model:
        pm.sample(draws=1, tune=0, chains=1, progressbar=False)


def test_nothing_to_draw_is_said():
    model = pm.do(COMPOSITIONS["topics_observed"](), {"y_weights": np.ones(K)})
    with pytest.raises(ValueError, match="nothing for GibbsMedLDAStep to draw: z is observed; the"):
        med.GibbsMedLDAStep(model=model)


def test_topics_that_do_not_exist_have_density_zero():
    model = model_of(offset=X)
    logp = model.compile_logp()
    point = model.initial_point(1)
    assert np.isfinite(logp(point))
    for topic in (K, 255):
        point["z"][0] = topic
        assert logp(point) == -np.inf
    point["z"][0] = 0
    assert np.isfinite(logp(point))


def test_parameters_out_of_their_range_have_density_zero():
    with pm.Model() as model:
        alpha, c = pm.Normal("a", 1.0), pm.Normal("c", 1.0)
        respond(topics={"alpha": alpha}, loss=med.Hinge(c=c, margin=1.0))
    logp, point = model.compile_logp(), model.initial_point(1)
    assert np.isfinite(logp(point))
    for name in ("a", "c"):
        assert logp({**point, name: np.array(-1.0)}) == -np.inf


STRAY = {
    "alpha of z": ("a", -1.0, "alpha of z is -0.333"),
    "beta of z": ("b", np.nan, "beta of z is nan"),
    "c": ("c", -2.0, "loss parameter c of y is -2.0"),
    "offset": ("effect", np.inf, "offset of y is inf"),
    "mean": ("mean", np.nan, "prior mean of y is nan"),
    "scale": ("nu", 0.0, "prior scale of y is 0.0"),
}


@pytest.mark.parametrize("what", STRAY)
def test_a_value_that_leaves_its_range_is_refused_before_anything_is_drawn(what):
    name, value, message = STRAY[what]
    with pm.Model() as model:
        variables = {n: pm.Normal(n, 1.0) for n in ("a", "b", "c", "effect", "mean", "nu")}
        respond(
            topics={"alpha": variables["a"], "beta": variables["b"]},
            loss=med.Hinge(c=variables["c"], margin=1.0),
            offset=variables["effect"] * np.ones(D),
            mean=variables["mean"],
            scale=variables["nu"],
        )
    step = med.GibbsMedLDAStep(model=model)
    point = model.initial_point(1)
    step.step(point)
    with pytest.raises(ValueError, match=message):
        step.step({**point, name: np.array(value)})


def test_data_of_another_length_are_refused():
    with pm.Model() as model:
        respond(offset=pm.Data("x", X))
    step = med.GibbsMedLDAStep(model=model)
    pm.set_data({"x": np.ones(D + 1)}, model=model)
    with pytest.raises(ValueError, match=r"cannot evaluate offset of y at this point.*shape 7"):
        step.step(model.initial_point(1))


@pytest.fixture
def float32():
    import pytensor

    with pytensor.config.change_flags(floatX="float32"):
        yield


@pytest.mark.usefixtures("float32")
def test_single_precision():
    """PyMC computes the prior of the weights in float32, so the law holds to its precision."""
    with pm.Model() as model:
        respond(scale=pm.HalfNormal("nu"), offset=pm.Normal("effect", shape=D))
    point = model.initial_point(1)
    step = med.GibbsMedLDAStep(model=model, rng=1)
    logp = model.compile_logp(vars=[model[n] for n in ("z", "y_weights", "words", "y")])
    for _ in range(3):
        point, (statistics,) = step.step(point)
        assert point["y_weights"].dtype == np.float32
        assert statistics["log_joint"] == pytest.approx(float(logp(point)), rel=1e-6)


def test_observed_topics_leave_the_law_of_the_weights():
    """With z fixed the weights are Gaussian for the Gaussian loss: compare mean and spread."""
    loss, y = med.Gaussian(sigma=0.5), np.array([0.3, -1.2, 2.0, 0.1, -0.4, 0.9])
    model = pm.observe(model_of(y=y, loss=loss), {"z": Z})
    step = med.GibbsMedLDAStep(model=model, rng=2)
    point, draws = model.initial_point(1), []
    for _ in range(4000):
        point, _ = step.step(point)
        draws.append(point["y_weights"])
    document = np.repeat(np.arange(D), CORPUS.lengths)
    frequency = np.zeros((D, K))
    np.add.at(frequency, (document, Z), 1.0)
    frequency /= np.maximum(CORPUS.lengths, 1)[:, None]
    covariance = np.linalg.inv(np.eye(K) + frequency.T @ frequency / 0.25)
    mean = covariance @ frequency.T @ y / 0.25
    error = np.sqrt(np.diag(covariance) / 4000)
    assert (np.abs(np.mean(draws, axis=0) - mean) < 4.5 * error).all()
    assert np.cov(np.transpose(draws)) == pytest.approx(covariance, abs=0.08)
    wrong = mean + 0.2  # negative control
    assert not (np.abs(np.mean(draws, axis=0) - wrong) < 4.5 * error).all()


@pytest.mark.parametrize(("n_topics", "error"), [(10**9, MemoryError), (2**40, ValueError)])
def test_topics_that_no_memory_holds_are_refused_before_anything_is_allocated(n_topics, error):
    with pm.Model(), pytest.raises(error, match=f"^n_topics.* {n_topics}"):
        med.TopicAssignments("z", CORPUS, n_topics=n_topics)
