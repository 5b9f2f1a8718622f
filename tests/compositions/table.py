"""Models made of everything that the package accepts, for the law of the log joint.

Each function builds a model. Some return a change beside it, to be made after the step was built.
"""

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
from pymc.model.fgraph import clone_model
from pymc.model.transform.optimization import freeze_dims_and_data

import pymc_medlda as med
from tests.compositions.losses import Hinge as OtherHinge
from tests.compositions.losses import SquaredHinge

K = 3
RNG = np.random.default_rng(11)
CORPUS = med.Corpus.from_tokens(
    [RNG.integers(7, size=n).tolist() for n in (5, 1, 8, 0, 4, 6)], n_words=7
)
D = CORPUS.n_documents
LABELS = np.array([1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
REAL = np.array([0.3, -1.2, 2.0, 0.1, -0.4, 0.9])
SEVERAL = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [np.nan, 1], [0, np.nan]])
X = RNG.normal(size=D)
Z = RNG.integers(K, size=CORPUS.n_tokens).astype(np.uint8)
HINGE = med.Hinge(c=0.7, margin=1.5)

COMPOSITIONS = {}


def composition(build):
    """Add a model to the table, under the name of its function."""
    COMPOSITIONS[build.__name__.strip("_")] = build
    return build


def assignments(**settings):
    return med.TopicAssignments("z", CORPUS, n_topics=K, **settings)


def respond(
    eta=None, *, z=None, y=LABELS, loss=HINGE, name="y", mean=0.0, scale=1.0, topics=None, **more
):
    """Add topics, weights and a response; return all three."""
    z = assignments(**(topics or {})) if z is None else z
    if eta is None:
        shape = (K,) if np.ndim(y) == 1 else (np.shape(y)[1], K)
        eta = pm.Normal(f"{name}_weights", mean, scale, shape=shape)
    return z, eta, med.MaxMargin(name, z, eta, observed=y, loss=loss, **more)


def model_of(**settings):
    """Return a model with one response."""
    with pm.Model() as model:
        respond(**settings)
    return model


# The model as it is delivered, with every kind of response.


@composition
def binary():
    return med.GibbsMedLDA(CORPUS, LABELS, n_topics=K)


@composition
def classes():
    return med.GibbsMedLDA(CORPUS, list("abcabc"), n_topics=K, loss=med.Hinge(c=2.0, margin=3.0))


@composition
def several_labels_some_missing():
    return med.GibbsMedLDA(CORPUS, SEVERAL, n_topics=K, loss=HINGE)


@composition
def real_values_some_missing():
    y = np.where(np.arange(D) == 2, np.nan, REAL)
    loss = med.EpsilonInsensitive(c=1.6, epsilon=0.2)
    return med.GibbsMedLDA(CORPUS, y, n_topics=K, loss=loss)


@composition
def real_values_by_default():
    return med.GibbsMedLDA(CORPUS, 500.0 + 80.0 * REAL, n_topics=K)


@composition
def standardised_tasks_some_missing():
    y = np.stack([REAL, 1e3 * REAL[::-1] + 70.0], axis=1)
    y[1, 0] = y[3, 1] = np.nan
    c = np.linspace(0.5, 2.0, D)
    loss = med.Standardised(med.EpsilonInsensitive(c=c, epsilon=0.1))
    return med.GibbsMedLDA(CORPUS, y, n_topics=K, loss=loss, nu=0.4)


@composition
def standardised_with_a_random_noise_scale_and_offset():
    with pm.Model() as model:
        sigma, slope = pm.HalfNormal("sigma", 1.0), pm.Normal("slope", 0.0, 1.0)
        loss = med.Standardised(med.Gaussian(sigma=sigma))
        respond(y=30.0 + 9.0 * REAL, loss=loss, offset=slope * X)
    return model


@composition
def gaussian():
    return med.GibbsMedLDA(CORPUS, REAL, n_topics=K, loss=med.Gaussian(sigma=0.6))


@composition
def logistic():
    return med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, loss=med.Logistic(c=3.0))


@composition
def plain_lda():
    return med.GibbsMedLDA(CORPUS, n_topics=K)


@composition
def no_weight_of_the_loss():
    return med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, loss=med.Hinge(c=0.0, margin=1.0))


@composition
def wide_prior():
    return med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, nu=1e6, alpha=1e-3, beta=50.0)


# Offsets.


@composition
def offset_of_numbers():
    return model_of(offset=X)


@composition
def offset_for_each_task():
    return model_of(y=SEVERAL, offset=[0.5, -0.3])


@composition
def offset_observed():
    with pm.Model() as model:
        respond(offset=pm.Normal("x", 0, 10, observed=X))
    return model


@composition
def offset_observed_times_a_slope():
    with pm.Model() as model:
        x = pm.Normal("x", 0, 10, observed=X)
        respond(offset=pm.Deterministic("effect", pm.Normal("slope") * x))
    return model


@composition
def offset_partly_observed():
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, observed=np.ma.masked_invalid(np.where(X > 1, np.nan, X)))
        respond(offset=2.0 * x)
    return model


@composition
def offset_of_data():
    with pm.Model() as model:
        respond(offset=pm.Data("x", X))
    return model, lambda: pm.set_data({"x": X[::-1]}, model=model)


@composition
def offset_of_data_and_a_slope():
    with pm.Model() as model:
        respond(offset=pm.Normal("slope") * pm.Data("x", X))
    return model, lambda: pm.set_data({"x": X + 1.0}, model=model)


@composition
def offset_of_data_alone_in_an_expression():
    with pm.Model() as model:
        respond(offset=pt.exp(pm.Data("x", X)))
    return model, lambda: pm.set_data({"x": -X}, model=model)


@composition
def offset_is_a_free_variable():
    with pm.Model() as model:
        respond(offset=pm.Laplace("effect", 0, 1, shape=D))
    return model


@composition
def offset_is_positive():
    with pm.Model() as model:
        respond(offset=pm.Exponential("effect", 1, shape=D))
    return model


@composition
def offset_of_groups():
    with pm.Model(coords={"group": ["a", "b"]}) as model:
        spread = pm.HalfNormal("spread")
        group = pm.Data("group_of", np.arange(D) % 2)
        respond(offset=pm.Normal("group_effect", 0, spread, dims="group")[group])
    return model, lambda: pm.set_data({"group_of": 1 - np.arange(D) % 2}, model=model)


@composition
def offset_replaced_by_do():
    with pm.Model() as model:
        respond(offset=pm.Normal("effect", shape=D))
    return pm.do(model, {"effect": X})


@composition
def offset_observed_later():
    with pm.Model() as model:
        respond(offset=pm.Normal("effect", shape=D))
    return pm.observe(model, {"effect": X})


# Priors of topics and words.


@composition
def alpha_for_each_topic():
    return model_of(topics={"alpha": np.array([0.2, 1.0, 3.0])})


@composition
def alpha_free():
    with pm.Model() as model:
        respond(topics={"alpha": pm.Gamma("a", 2, 1), "beta": pm.Gamma("b", 1, 10)})
    return model


@composition
def alpha_free_for_each_topic():
    with pm.Model() as model:
        concentration, share = pm.Gamma("a", 2, 1), pm.Dirichlet("share", np.ones(K))
        respond(topics={"alpha": concentration * share})
    return model


@composition
def alpha_and_beta_observed():
    with pm.Model() as model:
        alpha, beta = pm.Gamma("a", 1, 1, observed=3.0), pm.Gamma("b", 1, 1, observed=0.2)
        respond(topics={"alpha": alpha, "beta": beta})
    return model


@composition
def alpha_and_beta_of_data():
    with pm.Model() as model:
        respond(topics={"alpha": pm.Data("a", 3.0), "beta": pm.Data("b", 0.2)})
    return model, lambda: pm.set_data({"a": 0.5, "b": 0.01}, model=model)


@composition
def alpha_of_data_for_each_topic():
    with pm.Model() as model:
        respond(topics={"alpha": pm.Data("a", [0.1, 0.2, 0.3])})
    return model, lambda: pm.set_data({"a": [3.0, 2.0, 1.0]}, model=model)


@composition
def alpha_and_beta_in_single_precision():
    with pm.Model() as model:
        alpha, beta = (pytensor.shared(np.float32(x)) for x in (0.7, 0.13))
        respond(topics={"alpha": alpha, "beta": beta})
    return model


@composition
def alpha_and_beta_whole_numbers():
    with pm.Model() as model:
        respond(topics={"alpha": pt.constant(3), "beta": pt.constant(2)})
    return model


# Priors of the weights.


@composition
def scale_is_a_whole_number():
    return model_of(scale=7)


@composition
def scale_is_a_small_whole_number_for_each_topic():
    return model_of(mean=1, scale=np.array([2, 3, 100], np.int16))


@composition
def scale_free():
    with pm.Model() as model:
        respond(scale=pm.HalfNormal("nu"))
    return model


@composition
def scale_and_mean_for_each_topic():
    with pm.Model() as model:
        respond(mean=pm.Normal("mean", shape=K), scale=pm.HalfCauchy("nu", 1, shape=K))
    return model


@composition
def mean_and_scale_observed():
    with pm.Model() as model:
        mean = pm.Normal("mean", observed=[1.0, -2.0, 0.5])
        respond(mean=mean, scale=pm.HalfNormal("nu", observed=0.3))
    return model


@composition
def mean_and_scale_of_data():
    with pm.Model() as model:
        respond(mean=pm.Data("mean", [1.0, -2.0, 0.5]), scale=pm.Data("nu", 2.0))
    change = {"mean": [0.0, 0.0, 1.0], "nu": 0.5}
    return model, lambda: pm.set_data(change, model=model)


@composition
def hierarchy_over_tasks():
    with pm.Model() as model:
        common = pm.Normal("common", 0, 1, shape=K)
        nu = pm.HalfNormal("nu", 1, shape=(2, 1))
        respond(y=SEVERAL, eta=pm.Normal("eta", common, nu, shape=(2, K)))
    return model


@composition
def everything_random():
    with pm.Model() as model:
        topics = {"alpha": pm.Gamma("a", 2, 1, shape=K), "beta": pm.Beta("b", 1, 9)}
        loss = med.Hinge(c=pm.Exponential("c", 1), margin=pm.Exponential("margin", 1))
        offset = pm.Normal("effect", pm.Normal("level"), pm.HalfNormal("spread"), shape=D)
        mean, scale = pm.Normal("mean"), pm.HalfNormal("nu")
        respond(mean=mean, scale=scale, loss=loss, offset=offset, topics=topics)
    return model


# Weights that the step does not draw.


@composition
def weights_observed():
    return pm.observe(model_of(), {"y_weights": [0.3, -1.0, 2.0]})


@composition
def weights_replaced_by_do():
    return pm.do(model_of(), {"y_weights": [0.3, -1.0, 2.0]})


@composition
def weights_of_data():
    with pm.Model() as model:
        respond(pm.Data("eta", [0.3, -1.0, 2.0]))
    return model, lambda: pm.set_data({"eta": [1.0, 1.0, -1.0]}, model=model)


@composition
def weights_laplace():
    with pm.Model() as model:
        respond(pm.Laplace("eta", 0, 1, shape=K))
    return model


@composition
def weights_positive():
    with pm.Model() as model:
        respond(pm.HalfNormal("eta", shape=K))
    return model


@composition
def weights_deterministic():
    with pm.Model() as model:
        raw = pm.Normal("raw", shape=K)
        respond(pm.Deterministic("eta", 2.0 * raw - 1.0))
    return model


@composition
def weights_transformed():
    with pm.Model() as model:
        transform = pm.distributions.transforms.Interval(-3.0, 3.0)
        respond(pm.Normal("eta", shape=K, transform=transform))
    return model


@composition
def weights_with_a_potential():
    with pm.Model() as model:
        _, eta, _ = respond()
        pm.Potential("sum_to_zero", -5.0 * eta.sum() ** 2)
    return model


@composition
def weights_in_another_likelihood():
    with pm.Model() as model:
        _, eta, _ = respond()
        pm.Normal("measured", eta, 0.1, observed=[0.1, 0.2, 0.3])
    return model


# Losses.


@composition
def sigma_free():
    with pm.Model() as model:
        respond(y=REAL, loss=med.Gaussian(sigma=pm.HalfNormal("sigma")))
    return model


@composition
def sigma_observed():
    with pm.Model() as model:
        respond(y=REAL, loss=med.Gaussian(sigma=pm.HalfNormal("sigma", observed=0.4)))
    return model


@composition
def epsilon_free_and_c_of_data():
    with pm.Model() as model:
        epsilon, c = pm.Exponential("epsilon", 5), pm.Data("c", 1.5)
        respond(y=REAL, loss=med.EpsilonInsensitive(c=c, epsilon=epsilon))
    return model, lambda: pm.set_data({"c": 0.5}, model=model)


@composition
def c_for_each_document():
    return model_of(loss=med.Hinge(c=np.linspace(0.5, 2.0, D), margin=1.0))


@composition
def c_for_each_document_and_task():
    c = np.linspace(0.5, 2.0, 2 * D).reshape(D, 2)
    return model_of(y=SEVERAL, loss=med.Hinge(c=c, margin=1.0))


@composition
def c_for_each_class():
    return model_of(loss=med.Hinge(c={-1.0: 0.5, 1.0: 3.0}, margin=1.0))


@composition
def margin_observed_for_each_document():
    with pm.Model() as model:
        respond(loss=med.Hinge(c=1.3, margin=pm.HalfNormal("m", observed=np.abs(X))))
    return model


@composition
def loss_of_a_user():
    return model_of(loss=SquaredHinge(weight=0.8))


@composition
def loss_of_a_user_that_is_called_hinge():
    return model_of(loss=OtherHinge(c=0.8, margin=2.0))


# Several responses, several sets of topics, nested and transformed models.


@composition
def two_responses():
    with pm.Model() as model:
        z, _, _ = respond()
        loss = med.EpsilonInsensitive(c=2.0, epsilon=0.1)
        respond(z=z, y=REAL, name="rating", loss=loss)
    return model


@composition
def first_response_in_the_offset_of_the_second():
    with pm.Model() as model:
        z, _, first = respond()
        respond(z=z, y=REAL, name="rating", loss=med.Gaussian(sigma=0.5), offset=0.5 * first)
    return model


@composition
def two_responses_share_their_weights():
    with pm.Model() as model:
        z, eta, _ = respond()
        respond(eta, z=z, y=REAL, name="rating", loss=med.Gaussian(sigma=0.5))
    return model


@composition
def weights_of_one_response_are_the_mean_of_another():
    with pm.Model() as model:
        z, eta, _ = respond()
        respond(z=z, y=REAL, name="rating", loss=med.Gaussian(sigma=0.5), mean=eta)
    return model


@composition
def two_sets_of_topics():
    with pm.Model() as model:
        nu = pm.HalfNormal("nu")
        respond(scale=nu)
        other = med.TopicAssignments("z2", CORPUS, n_topics=5, words="words2")
        respond(pm.Normal("eta2", 0, nu, shape=5), z=other, name="y2")
    return model


@composition
def nested_models():
    with pm.Model() as model:
        nu = pm.HalfNormal("nu", 1.0)
        med.GibbsMedLDA(CORPUS, LABELS, n_topics=2, nu=nu, name="left")
        loss = med.Gaussian(sigma=pm.HalfNormal("sigma"))
        med.GibbsMedLDA(CORPUS, REAL, n_topics=K, loss=loss, name="right")
    return model


@composition
def frozen():
    with pm.Model() as model:
        respond(offset=pm.Normal("slope") * pm.Data("x", X), topics={"alpha": pm.Data("a", 2.0)})
    return freeze_dims_and_data(model)


@composition
def cloned():
    return clone_model(everything_random())


@composition
def topics_observed():
    return pm.observe(model_of(offset=X), {"z": Z})


@composition
def topics_replaced_by_do():
    return pm.do(model_of(offset=X), {"z": Z})


@composition
def topics_have_names():
    with pm.Model(coords={"topic": ["sport", "music", "food"]}) as model:
        z = assignments()
        respond(pm.Normal("eta", dims="topic"), z=z)
    return model


@composition
def coordinates_changed():
    model = med.GibbsMedLDA(CORPUS, LABELS, n_topics=K)
    return model, lambda: model.set_dim("topic", K, coord_values=["sport", "music", "food"])
