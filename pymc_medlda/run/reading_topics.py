"""Read a set of topic assignments: its tokens, words and priors, each of them checked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.run import record
from pymc_medlda.run.checking import (
    check_distinct,
    check_integers,
    check_positive,
    check_shape,
)
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.record import TopicsRecord
from pymc_medlda.run.stored import (
    Groups,
    arrange,
    draw_shape,
    find_constant,
    find_draws,
    find_observed,
    find_parameter,
)
from pymc_medlda.run.stored_counts import read_counts
from pymc_medlda.run.topic_draws import TopicDraws


class Layout(NamedTuple):
    """The documents and topics of a set of topic assignments: what stored arrays must fit."""

    length: xr.DataArray  # tokens of each document
    alpha: xr.DataArray
    document: str  # names of the dims
    topic: str
    n_documents: int
    n_topics: int


def read_topics(described: TopicsRecord, groups: Groups) -> TopicDraws:
    """Return the topic assignments that a record describes."""
    name = described.z
    z = read_assignments(name, groups)
    layout = read_layout(name, groups)
    word_count = find_constant(groups, record.word_count_of(name))
    check_shape(str(word_count.name), word_count.shape, [(word_count.size,)], "one per word")
    word_dim = str(word_count.dims[0])
    words = find_observed(groups, described.words).values
    check_shape(described.words, words.shape, [z.shape[2:]], f"one word per token of {name!r}")
    check_integers(described.words, words, below=word_count.size, meaning="one for each word")
    tokens = Tokens(np.ascontiguousarray(words, np.int32), _starts(layout.length, words.size))
    counted = np.bincount(tokens.word, minlength=word_count.size)
    if word_count.dtype.kind not in "iu" or not np.array_equal(word_count.values, counted):
        raise ValueError(
            f"the stored {word_count.name!r} does not hold how often each word occurs in the "
            f"stored {described.words!r}: one of them is damaged"
        )
    beta = find_parameter(groups, record.beta_of(name))
    check_shape(str(beta.name), beta.shape, [draw_shape(beta)], "one number")
    check_positive(str(beta.name), beta.values)
    return TopicDraws(
        name=name,
        z=z,
        tokens=tokens,
        vocabulary=_read_vocabulary(word_count, word_dim, described.has_vocabulary),
        documents=labels_of(layout.length, layout.document),
        n_words=word_count.size,
        n_topics=layout.n_topics,
        topic_dim=layout.topic,
        document_dim=layout.document,
        word_dim=word_dim,
        topic_labels=labels_of(layout.alpha, layout.topic),
        _alpha=layout.alpha,
        _beta=beta,
        _texts=described.texts,
        counts=read_counts(name, groups, z.shape[:2], word_count.size * layout.n_topics),
    )


def read_assignments(name: str, groups: Groups) -> xr.DataArray:
    """Return z, (chain, draw, token). Its values are checked where they are read."""
    z = find_draws(
        groups,
        name,
        f"the posterior has no {name!r}: sample with it among var_names, it is the record from "
        "which topics and predictions follow",
    )
    if z.dtype.kind not in "ui":
        raise ValueError(
            f"{name!r} is of dtype {z.dtype}, where integers are allowed. If draws are missing in "
            "some chain, keep the same draws of every chain (idata.sel(draw=...) does)"
        )
    check_shape(name, z.shape, [(*z.shape[:2], z.shape[-1])], "(chain, draw, token)")
    if 0 in z.shape[:2]:
        raise ValueError(
            f"the posterior is empty, with {z.shape[0]} chains of {z.shape[1]} draws of {name!r}: "
            "it holds no draws to continue from, and none to read"
        )
    if z.shape[2] == 0:
        raise ValueError(f"the stored {name!r} has no tokens; at least one is needed")
    return z


def read_layout(z: str, groups: Groups) -> Layout:
    """Return what the documents and topics of z are called, and how many there are."""
    length = find_constant(groups, record.length_of(z))
    check_shape(str(length.name), length.shape, [(length.size,)], "one per document")
    alpha = arrange(find_parameter(groups, record.alpha_of(z)))
    drawn = draw_shape(alpha)
    n_topics = alpha.shape[-1] if alpha.ndim else 0
    check_shape(str(alpha.name), alpha.shape, [(*drawn, max(n_topics, 1))], "one per topic")
    check_positive(str(alpha.name), alpha.values)
    document, topic = str(length.dims[0]), str(alpha.dims[-1])
    check_distinct(topic, labels_of(alpha, topic), "one per topic")
    in_posterior = groups("posterior").sizes.get(topic, n_topics)
    if in_posterior != n_topics:
        raise ValueError(
            f"the stored {alpha.name!r} has {n_topics} topics, but {topic!r} of the posterior has "
            f"{in_posterior}"
        )
    return Layout(length, alpha, document, topic, length.size, n_topics)


def _starts(length: xr.DataArray, n_tokens: int) -> NDArray[np.int64]:
    """Return where documents of these lengths begin, and the number of tokens."""
    check_integers(
        str(length.name), length.values, below=n_tokens + 1, meaning="the lengths of documents"
    )
    start = np.zeros(length.size + 1, np.int64)
    np.cumsum(length.values.astype(np.int64), out=start[1:])
    if start[-1] != n_tokens:
        raise ValueError(
            f"the stored {length.name!r} adds up to {start[-1]} tokens, but {n_tokens} are stored"
        )
    return start


def _read_vocabulary(
    word_count: xr.DataArray, word_dim: str, has_vocabulary: bool
) -> NDArray[Any] | None:
    """Return the words, None if they have no names."""
    labels = labels_of(word_count, word_dim)
    if not has_vocabulary:
        if not np.array_equal(labels, np.arange(labels.size)):
            raise ValueError(
                f"the coordinate {word_dim!r} holds {labels.tolist()[0]!r} and others, but the "
                "description of the model says that the words have no names: one of them is damaged"
            )
        return None
    wrong = [label for label in labels.tolist() if not isinstance(label, str)]
    if wrong:
        raise ValueError(
            f"the coordinate {word_dim!r} holds {wrong[0]!r} or is missing; the names of the words "
            "are allowed"
        )
    check_distinct(word_dim, labels, "one per word")
    return labels
