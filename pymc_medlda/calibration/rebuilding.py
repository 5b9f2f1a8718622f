"""The model of a part of the documents, from what a run has stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from pymc_medlda.corpus import Corpus
from pymc_medlda.model.gibbs_medlda import GibbsMedLDA
from pymc_medlda.run import record
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
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
    if response.features is not None:
        return "it has features, the prior scale of whose weights is not stored"
    if response.scale is None:
        return (
            "the prior of its weights is not stored as Normal with mean zero and one fixed scale "
            "(nu, where it is one number)"
        )
    return None


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
