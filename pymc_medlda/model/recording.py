"""Keep with the results what predictions and diagnostics need, in the layout of `run.record`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.graph.basic import Variable
from pytensor.tensor.elemwise import DimShuffle
from pytensor.tensor.random.basic import NormalRV

from pymc_medlda._arguments import is_symbolic
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.losses import Loss
from pymc_medlda.model.dims import add_dim
from pymc_medlda.model.features import WeightedFeatures
from pymc_medlda.run import record
from pymc_medlda.run.record import Record, ResponseRecord, TopicsRecord
from pymc_medlda.targets.features import Features
from pymc_medlda.targets.response import Response


@dataclass(frozen=True)
class ResponseParts:
    """What a response of the model is made of; ``dims`` are those of y.

    ``location`` is the mean of a response that was standardised; the offset does not hold it.
    """

    name: str
    z: Variable
    eta: Variable
    coded: Response
    loss: Loss
    parameters: Mapping[str, Variable]
    offset: Variable
    location: Floats | None
    dims: tuple[str, ...]
    weighted: WeightedFeatures | None


@dataclass(frozen=True)
class TopicsParts:
    """What a set of topic assignments is made of, and the names of its dims."""

    name: str
    words: str
    corpus: Corpus
    alpha: Variable  # (n_topics,)
    beta: Any
    topic: str
    document: str
    word: str
    token: str


def record_topics(model: pm.Model, parts: TopicsParts) -> None:
    """Keep the lengths of the documents, the counts of the words, the priors, the description."""
    name, corpus = parts.name, parts.corpus
    count = np.bincount(corpus.words, minlength=corpus.n_words).astype(np.int64)
    pm.Data(record.length_of(name), corpus.lengths.astype(np.int64), dims=parts.document)
    pm.Data(record.word_count_of(name), count, dims=parts.word)
    record_value(record.alpha_of(name), parts.alpha, dims=parts.topic)
    record_value(record.beta_of(name), parts.beta)
    described = TopicsRecord(
        z=model.name_for(name),
        words=model.name_for(parts.words),
        has_vocabulary=corpus.vocabulary is not None,
        documents=record.order_of(corpus.document_labels.tolist()),
        token=parts.token,
        texts=None if corpus.recipe is None else corpus.recipe.to_dict(),
    )
    record_description(model, name, described)


def record_response(model: pm.Model, parts: ResponseParts) -> None:
    """Keep the loss's parameters, the offset, the classes and the description of a response."""
    name, eta = parts.name, parts.eta
    if eta not in model.named_vars.values():
        topic = topic_dim(model, parts.z)
        eta = pm.Deterministic(record.weights_of(name), eta, dims=(*parts.dims[1:], topic))
    has_offset = not (hasattr(parts.offset, "data") and not np.any(parts.offset.data))
    parameters = {key: _record_parameter(model, parts, key) for key in parts.parameters}
    if has_offset:
        record_value(record.offset_of(name), parts.offset, parts.dims)
    if parts.coded.kind == "binary":
        dim = add_dim(model, record.class_dim(name), np.asarray(parts.coded.classes), name)
        pm.Data(record.sign_of(name), np.array([-1.0, 1.0]), dims=dim)
    has_features = parts.weighted is not None
    described = ResponseRecord(
        name=model.name_for(name),
        z=str(parts.z.name),
        eta=eta.name,
        loss=parts.loss.key(),
        parameters=parameters,
        kind=parts.coded.kind,
        offset=has_offset,
        location=None if parts.location is None else np.atleast_1d(parts.location).tolist(),
        features=parts.weighted.features.kind if parts.weighted is not None else None,
        feature_weights=record_features(model, parts) if has_features else None,
        scale=_fixed_scale(parts.eta),
    )
    record_description(model, name, described)


def record_features(model: pm.Model, parts: ResponseParts) -> str:
    """Keep the features, or the recipe for them; return the name of their weights.

    The values of words follow from the words themselves and their idf. A sparse matrix is kept by
    rows, as three arrays, with the number of documents that have each feature.
    """
    assert parts.weighted is not None
    features, weights = parts.weighted
    name = parts.name
    dim = feature_dim(model, features, name, parts.z)
    if features.idf is not None:
        pm.Data(record.idf_of(name), features.idf, dims=dim)
    elif features.is_sparse:
        rows = features.matrix.by_columns.tocsr()
        arrays = {"value": rows.data, "column": rows.indices, "start": rows.indptr}
        for part, values in arrays.items():
            pm.Data(record.features_of(name, part), values)
        count = np.diff(features.matrix.start)
        pm.Data(record.features_of(name, "count"), count, dims=dim)
    else:
        values = features.matrix.by_columns.toarray()
        pm.Data(record.features_of(name), values, dims=(parts.dims[0], dim))
    if weights not in model.named_vars.values():
        dims = (*parts.dims[1:], dim)
        weights = pm.Deterministic(record.feature_weights_of(name), weights, dims=dims)
    return str(weights.name)


def feature_dim(model: pm.Model, features: Features, owner: str, z: Variable) -> str:
    """Return the dim of the features of a response; it is that of the words if they are words."""
    if features.idf is not None:
        return str(model.named_vars_to_dims[record.word_count_of(str(z.name))][0])
    n_features = features.matrix.shape[1]
    names = np.arange(n_features) if features.names is None else features.names
    return add_dim(model, "feature", names, owner)


def _fixed_scale(eta: Variable) -> float | None:
    """Return the scale of weights whose prior is Normal with mean zero and one fixed scale."""
    if not isinstance(getattr(eta.owner, "op", None), NormalRV):
        return None
    mean, scale = (_number(v) for v in eta.owner.op.dist_params(eta.owner))
    if mean is None or scale is None or np.size(scale) != 1 or np.any(mean):
        return None
    return float(np.asarray(scale).item())


def _number(value: Variable) -> Any:
    """Return the value of a constant, None for another variable."""
    while value.owner is not None and isinstance(value.owner.op, DimShuffle):
        (value,) = value.owner.inputs  # PyTensor adds dims of length one
    return getattr(value, "data", None)


def _record_parameter(model: pm.Model, parts: ResponseParts, key: str) -> float | str:
    """Return the value of a loss parameter, or the name of the variable that holds it."""
    value = parts.parameters[key]
    if hasattr(value, "data") and value.type.ndim == 0:
        return float(value.data)
    if value in model.named_vars.values():
        return str(value.name)
    dims = parts.dims[: value.type.ndim] or None
    name = record.parameter_of(parts.name, key)
    record_value(name, value, dims)
    return model.name_for(name)


def record_value(name: str, value: Any, dims: Any = None) -> None:
    """Keep a parameter: as data where it is fixed, as a deterministic where it is random."""
    if is_symbolic(value) and not hasattr(value, "data"):
        pm.Deterministic(name, pt.as_tensor(value), dims=dims)
    else:
        data = value.data if hasattr(value, "data") and is_symbolic(value) else value
        pm.Data(name, np.asarray(data, np.float64), dims=dims)


def record_description(model: pm.Model, name: str, described: Record) -> None:
    """Keep the description of z or of a response."""
    dim = record.description_dim(model.name_for(name))
    model.add_coord(dim, values=(record.encode(described),))
    pm.Data(record.description_of(name), np.zeros(1), dims=dim)


def document_dim(model: pm.Model, z: Variable) -> str:
    """Return the dim of the documents of z."""
    return str(model.named_vars_to_dims[record.length_of(str(z.name))][0])


def topic_dim(model: pm.Model, z: Variable) -> str:
    """Return the dim of the topics of z."""
    return str(model.named_vars_to_dims[record.alpha_of(str(z.name))][0])
