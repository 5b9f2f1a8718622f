"""Toy corpora as PyMC models, for tests that compare the package with the oracle."""

import numpy as np
import pymc as pm

import pymc_medlda as med
from tests.oracle import Toy


def build(toy: Toy) -> pm.Model:
    """Return the PyMC model of a toy, with eta owned by the Gibbs step."""
    corpus = med.Corpus.from_tokens([list(d) for d in toy.documents], n_words=toy.n_words)
    y = np.asarray(toy.y, float)
    shape = (toy.n_topics,) if y.ndim == 1 else (y.shape[1], toy.n_topics)
    with pm.Model() as model:
        z = med.TopicAssignments(
            "z", corpus, n_topics=toy.n_topics, alpha=np.array(toy.alpha), beta=toy.beta
        )
        eta = pm.Normal(
            "eta",
            np.broadcast_to(toy.prior_mean, shape),
            np.broadcast_to(toy.prior_scale, shape),
            shape=shape,
        )
        offset = np.asarray(toy.offset, float)
        features = {}
        if toy.features is not None:
            own = (*y.shape[1:], np.shape(toy.features)[1])
            prior = [np.broadcast_to(p, own) for p in (toy.feature_mean, toy.feature_scale)]
            w = pm.Normal("w", *prior, shape=own)
            features = {"features": np.asarray(toy.features), "feature_weights": w}
        med.MaxMargin(
            "y",
            z,
            eta,
            observed=y,
            loss=getattr(med, toy.loss)(**toy.parameters),
            offset=offset if offset.any() else None,
            classes=None,
            **features,
        )
    return model


def run(step, point, n_draws):
    """Take draws from a step, outside pm.sample: z as a row of digits, eta flat.

    The weights of features, if there are any, stand behind those of topics, task by task.
    """
    names = [name for name in ("eta", "w") if name in point]
    z = np.empty((n_draws, point["z"].size), np.uint8)
    weights = np.empty((n_draws, sum(point[name].size for name in names)))
    for draw in range(n_draws):
        point, _ = step.step(point)
        z[draw] = point["z"]
        weights[draw] = np.concatenate([point[name] for name in names], axis=-1).ravel()
    return z, weights
