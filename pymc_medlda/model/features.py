"""The features of a response and their weights, as parts of a PyMC model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pymc as pm
from pymc.pytensorf import extract_obs_data
from pytensor.graph.basic import Variable
from pytensor.tensor.variable import TensorVariable

from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.model.random_variables import WordsRV
from pymc_medlda.run import record
from pymc_medlda.targets.features import WORDS, Features, read_features
from pymc_medlda.targets.response import Response
from pymc_medlda.targets.word_features import count_words, rarity_of_words, weigh_words


class WeightedFeatures(NamedTuple):
    """Features of the documents, with the variable of the model that holds their weights."""

    features: Features
    weights: Variable


def find_features(given: Any, model: pm.Model, z: TensorVariable) -> Features:
    """Return the features that a user gave, or those of the words that belong to z."""
    start = z.owner.inputs[-1].data
    if isinstance(given, str) and given == WORDS:
        words = next(
            rv
            for rv in model.root.observed_RVs
            if isinstance(rv.owner.op, WordsRV) and rv.owner.inputs[2] is z
        )
        token = np.asarray(extract_obs_data(model.root.rvs_to_values[words]))
        counts = count_words(token, start, words.owner.op.n_words)
        idf = rarity_of_words(counts)
        return Features(FeatureMatrix(weigh_words(counts, idf)), idf=idf)
    documents = model.coords[model.named_vars_to_dims[record.length_of(str(z.name))][0]]
    return read_features(given, range(start.size - 1) if documents is None else documents)


def check_feature_weights(weighted: WeightedFeatures, coded: Response) -> None:
    """Raise unless there is one weight for each feature, and for each task if there are several."""
    weights, expected = (
        weighted.weights,
        (*coded.values.shape[1:], weighted.features.matrix.shape[1]),
    )
    static = weights.type.shape
    fits = len(static) == len(expected) and all(
        own in (None, n) for own, n in zip(static, expected, strict=True)
    )
    if not fits:
        raise ValueError(
            f"feature_weights has shape {static}; {expected} is needed, one weight per "
            + ("task and feature" if len(expected) == 2 else "feature")
        )
