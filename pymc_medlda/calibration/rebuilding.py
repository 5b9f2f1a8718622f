"""The model of a part of the documents, from what a run has stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray
from pymc.pytensorf import extract_obs_data
from scipy import sparse

from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.model.gibbs_medlda import GibbsMedLDA
from pymc_medlda.run import record
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws, is_constant
from pymc_medlda.targets.features import WORDS
from pymc_medlda.targets.labels import listing
from pymc_medlda.targets.response import Response

Build = Callable[[NDArray[np.intp]], pm.Model]
"""Returns the model of the documents at some positions."""


def check_complete(topics: TopicDraws) -> None:
    """Raise if a run holds a sample of its documents, of which no fold can be left out."""
    if topics.is_sample:
        raise ValueError(
            f"idata holds {topics.said_of_sample}, as runs of distributed.sample do: it cannot be "
            "calibrated, because chains would learn from these documents alone. Sample a part of "
            "the documents with pm.sample, and calibrate that run"
        )


def corpus_of(topics: TopicDraws) -> Corpus:
    """Return the training documents of a run."""
    return Corpus(
        topics.tokens.word,
        topics.tokens.start,
        vocabulary=None if topics.vocabulary is None else topics.vocabulary.tolist(),
        n_words=topics.n_words,
    )


def rebuild(run: Run, response: ResponseDraws, corpus: Corpus) -> Build:
    """Return what builds a `GibbsMedLDA` of a part of the documents with the priors of the run.

    Raises
    ------
    ValueError
        If the model of the run is another one, or its priors are not stored.
    """
    topics = run.topics(response.topics)
    why = _why_not(run, response, topics)
    if why is not None:
        raise ValueError(
            f"the model cannot be built again from idata, as {why}: give build, a function that "
            "takes the positions of documents and returns the model of these documents"
        )
    parameters, offset = response.fixed_parameters, response.fixed_offset
    assert parameters is not None
    assert offset is not None
    single = response.task_dim is None
    y = response.y[:, 0] if single else response.y

    def build(rows: NDArray[np.intp]) -> GibbsMedLDA:
        own = {key: value[rows] if value.ndim else value for key, value in parameters.items()}
        shift = offset[rows, 0] if single else offset[rows]
        return GibbsMedLDA(
            corpus[rows],
            Response(response.kind, y[rows], response.classes),
            n_topics=topics.n_topics,
            loss=response.loss(**{k: v if v.ndim else v.item() for k, v in own.items()}),
            alpha=topics.alpha(0, 0),
            beta=topics.beta(0, 0),
            nu=response.scale,
            offset=shift if offset.any() else None,  # the mean of standardised values is in it
        )

    return build


def _why_not(run: Run, response: ResponseDraws, topics: TopicDraws) -> str | None:
    """Say why a model cannot be built again, None if it can."""
    if len(run.response_names) > 1:
        return "it has several responses"
    if len(run.assignment_names) > 1:
        return "it has several sets of topics"
    words = {found.words for found in run.topics_records}
    others = [str(name) for name in run.group("observed_data") if name not in words]
    if others != [response.name]:
        return f"it has other observed variables ({', '.join(others)})"
    if not topics.has_fixed_priors:
        return "alpha or beta is random"
    if response.fixed_parameters is None:
        return "a parameter of its loss is random"
    if response.fixed_offset is None:
        return "its offset is random"
    stored = [record.alpha_of(topics.name), record.beta_of(topics.name)]
    stored += [record.offset_of(response.name), *_names_of_parameters(run, response.name)]
    doubtful = find_doubtful(run, stored)
    if doubtful is not None:
        return (
            f"{doubtful!r} may be random, although it is the same in all draws (if it is not, "
            f"remove {doubtful!r} from the posterior)"
        )
    if response.features is not None:
        return "it has features, the prior scale of whose weights is not stored"
    if response.scale is None:
        return (
            "the prior of its weights is not stored as Normal with mean zero and one fixed scale "
            "(nu, where it is one number)"
        )
    return None


def find_doubtful(run: Run, names: list[str]) -> str | None:
    """Return a variable that may be random although no draw differs; None if there is none.

    ``names`` are those of parameters that are the same in all draws. If the posterior holds one of
    them, it was computed from ``pm.Data`` alone, or from a random variable that did not move: a
    discrete one, or any in a run of one draw. Such a variable is in the posterior as well. Nothing
    tells of a variable that moved without any effect on the parameters.
    """
    posterior = run.group("posterior")
    if not any(name in posterior for name in names):
        return None
    ours: set[str | None] = set()
    for z in run.assignment_names:
        ours |= {z, record.alpha_of(z), record.beta_of(z)}
    for found in run.response_records:
        ours |= {found.eta, found.feature_weights, record.offset_of(found.name)}
        ours |= {record.parameter_of(found.name, key) for key in found.parameters}
    others = [
        str(name) for name in posterior
        if name not in ours and {"chain", "draw"} <= set(posterior[name].dims)
    ]  # fmt: skip
    still = (n for n in others if is_constant(posterior[n].transpose("chain", "draw", ...)))
    return next(still, None)


def _names_of_parameters(run: Run, response: str) -> list[str]:
    """Return the names of the variables that hold parameters of the loss."""
    (described,) = [found for found in run.response_records if found.name == response]
    return [value for value in described.parameters.values() if isinstance(value, str)]


def check_built(
    model: Any, corpus: Corpus, rows: NDArray[np.intp], response: ResponseDraws, topics: TopicDraws
) -> None:
    """Raise unless ``build`` returned a model of the documents and topics that it was given."""
    if not isinstance(model, pm.Model):
        raise TypeError(f"build must return a pymc.Model, got {type(model).__name__}")
    for name in (record.length_of(response.topics), response.name):
        if name not in model.named_vars:
            raise ValueError(f"build returned a model without {name!r}, which idata has")
    lengths = model[record.length_of(response.topics)].get_value()
    if not np.array_equal(lengths, corpus.lengths[rows]):
        raise ValueError(
            f"build was given the positions of {rows.size} documents, but returned a model of "
            "others: it must take exactly these documents, in this order"
        )
    n_topics = len(model.coords[topics.topic_dim]) if topics.topic_dim in model.coords else None
    if n_topics != topics.n_topics:
        raise ValueError(
            f"build returned a model with {n_topics} topics along {topics.topic_dim!r}, but idata "
            f"has {topics.n_topics}"
        )
    _check_features(model, rows, response)
    _check_values(model, rows, response)


def _check_features(model: pm.Model, rows: NDArray[np.intp], response: ResponseDraws) -> None:
    """Raise unless a model has the features of these documents, in the same order."""
    name, own = response.name, response.features
    is_of_words = record.idf_of(name) in model.named_vars
    stored = [record.features_of(name), record.features_of(name, "count")]
    dims = [model.named_vars_to_dims[key][-1] for key in stored if key in model.named_vars]
    came = list(model.coords[dims[0]]) if dims else WORDS if is_of_words else None
    wanted = None if own is None else WORDS if own.idf is not None else own.names.tolist()
    if came != wanted:
        raise ValueError(
            f"build returned a model of {name!r} with {_describe(came)}, but idata has "
            f"{_describe(wanted)}: they must be the same, in the same order"
        )
    given = None if own is None else own.given
    if given is not None:
        expected = FeatureMatrix(given.by_columns.tocsr()[rows])
        if _features_in(model, name, expected.shape) != expected:
            raise ValueError(
                f"build returned a model of {name!r} with other values of the features than idata "
                "has for the documents at these positions: it must take their own rows"
            )


def _features_in(model: pm.Model, name: str, shape: tuple[int, int]) -> FeatureMatrix:
    """Return the features that a model of as many documents and features was given."""
    dense = model.named_vars.get(record.features_of(name))
    if dense is not None:
        return FeatureMatrix(dense.get_value())
    parts = (
        model[record.features_of(name, part)].get_value() for part in ("value", "column", "start")
    )
    return FeatureMatrix(sparse.csr_array(tuple(parts), shape=shape))


def _check_values(model: pm.Model, rows: NDArray[np.intp], response: ResponseDraws) -> None:
    """Raise unless a model has the y and the offset of these documents.

    An offset that is computed in the model cannot be compared, and must only be there in the run.
    """
    name, shape = response.name, response.y[rows].shape
    y = np.asarray(extract_obs_data(model.rvs_to_values[model[name]]), np.float64)
    same = np.array_equal(y if y.ndim == 2 else y[:, None], response.y[rows], equal_nan=True)
    if not same:
        raise ValueError(
            f"build returned a model of other values of {name!r} than idata has for the documents "
            "at these positions: it must take their own values, coded with all classes"
        )
    stored = model.named_vars.get(record.offset_of(name))
    if hasattr(stored, "get_value"):
        offset = stored.get_value()
    else:
        offset = np.zeros(shape) if stored is None else None
    known = response.fixed_offset if response.has_offset else None
    expected = np.zeros(shape) if known is None else (known - response.location)[rows]
    # The mean of standardised values was added to what is expected, and is taken away again.
    size = np.abs(expected).max(initial=0.0) + np.abs(response.location).max(initial=0.0)
    same = (
        known is not None
        if offset is None
        else np.allclose(offset.reshape(shape), expected, rtol=0.0, atol=1e-9 * size)
    )
    if not same:
        raise ValueError(
            f"build returned a model whose offset of {name!r} differs from that in idata: it must "
            "take the offset of the documents at these positions, and none if idata has none"
        )


def _describe(features: list[Any] | str | None) -> str:
    """Return the features of a model in words."""
    if features is None:
        return "no features"
    if isinstance(features, str):
        return f"features={features!r}"
    return f"the features {listing(features)}"
