"""Models with features of the documents, for the law of the log joint."""

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
from pymc.model.fgraph import clone_model
from pymc.model.transform.optimization import freeze_dims_and_data
from scipy import sparse

import pymc_medlda as med
from tests.compositions.table import (
    CORPUS,
    HINGE,
    LABELS,
    REAL,
    RNG,
    SEVERAL,
    D,
    K,
    X,
    Z,
    assignments,
    composition,
    respond,
)

TABLE = RNG.normal(size=(D, 4))
SPARSE = sparse.csr_array(np.eye(D, 70) + np.eye(D, 70, 20))


def featured(weights=None, *, features=TABLE, y=LABELS, **more):
    """Add a response with features; ``weights`` makes their variable, Normal by default."""
    shape = (*np.shape(y)[1:], features.shape[1])
    w = pm.Normal("w", 0.0, 0.7, shape=shape) if weights is None else weights(shape)
    return respond(y=y, features=features, feature_weights=w, **more)


def model_with(weights=None, **settings):
    with pm.Model() as model:
        featured(weights, **settings)
    return model


@composition
def features_of_words():
    return med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, features="words")


@composition
def features_of_words_for_several_labels():
    return med.GibbsMedLDA(CORPUS, SEVERAL, n_topics=K, loss=HINGE, features="words", tau=0.4)


@composition
def features_with_names():
    frame = pd.DataFrame(TABLE, columns=list("abcd"))
    return med.GibbsMedLDA(CORPUS, REAL, n_topics=K, features=frame, offset=X)


@composition
def features_sparse():
    return model_with(features=SPARSE)


@composition
def features_sparse_for_several_labels():
    return model_with(features=SPARSE, y=SEVERAL)


@composition
def features_with_a_prior_each():
    mean, scale = RNG.normal(size=70), RNG.gamma(2.0, size=70)
    return model_with(lambda shape: pm.Normal("w", mean, scale, shape=shape), features=SPARSE)


@composition
def features_with_a_prior_for_each_task():
    scale = np.array([[0.3], [1.4]])
    return model_with(
        lambda shape: pm.Normal("w", 0.2, scale, shape=shape), features=SPARSE, y=SEVERAL
    )


@composition
def features_with_a_random_scale():
    with pm.Model() as model:
        tau = pm.HalfNormal("tau")
        featured(lambda shape: pm.Normal("w", 0.0, tau, shape=shape), features=SPARSE)
    return model


@composition
def features_with_a_random_scale_in_the_whole_model():
    with pm.Model() as model:
        tau = pm.HalfCauchy("tau", 1.0)
        med.GibbsMedLDA(CORPUS, SEVERAL, n_topics=K, features="words", tau=tau, name="inner")
    return model


@composition
def features_left_to_nuts():
    return model_with(lambda shape: pm.Laplace("w", 0.0, 0.5, shape=shape))


@composition
def features_with_weights_that_are_an_expression():
    return model_with(lambda shape: pt.exp(pm.Normal("log_w", shape=shape)), y=SEVERAL)


@composition
def features_with_weights_that_are_numbers():
    return model_with(lambda shape: np.full(shape, 0.3))


@composition
def features_with_observed_weights():
    return model_with(lambda shape: pm.Normal("w", 0.0, 1.0, observed=np.ones(shape)))


@composition
def features_whose_weights_concern_another_factor():
    with pm.Model() as model:
        featured()
        pm.Normal("sum", model["w"].sum(), 1.0, observed=0.5)
    return model


@composition
def features_beside_weights_left_to_nuts():
    with pm.Model() as model:
        featured(eta=pm.Laplace("eta", 0.0, 1.0, shape=K))
    return model


@composition
def features_of_two_responses():
    with pm.Model() as model:
        z, _, _ = featured(offset=X)
        w = pm.Normal("other", 0.0, 0.2, shape=70)
        loss = med.Gaussian(sigma=0.6)
        respond(z=z, y=REAL, name="rating", loss=loss, features=SPARSE, feature_weights=w)
    return model


@composition
def features_in_single_precision():
    weights = {"w": lambda shape: pm.Normal("w", 0.0, 0.7, shape=shape, dtype="float32")}
    return model_with(weights["w"], features=SPARSE)


@composition
def features_frozen():
    return freeze_dims_and_data(model_with(features=SPARSE))


@composition
def features_cloned():
    return clone_model(model_with(y=SEVERAL))


@composition
def features_with_topics_observed():
    return pm.observe(model_with(), {"z": Z})


@composition
def features_replaced_by_do():
    return pm.do(model_with(), {"w": np.ones(4)})


@composition
def features_with_losses_of_all_kinds():
    with pm.Model() as model:
        z = assignments()
        losses = {
            "a": (LABELS, med.Logistic(c=2.0)),
            "b": (REAL, med.EpsilonInsensitive(c=1.6, epsilon=0.2)),
            "c": (REAL, med.Gaussian(sigma=0.6)),
        }
        for name, (y, loss) in losses.items():
            w = pm.Normal(f"w_{name}", 0.0, 0.5, shape=4)
            respond(z=z, y=y, name=name, loss=loss, features=TABLE, feature_weights=w)
    return model
