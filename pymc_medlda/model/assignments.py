"""`TopicAssignments`: the topics of all tokens and the observed words, as part of a PyMC model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor.tensor as pt
from pymc.model import modelcontext
from pytensor.graph.basic import Variable
from pytensor.tensor.variable import TensorVariable

from pymc_medlda._arguments import (
    check_name,
    check_positive,
    check_scalar,
    check_whole,
    is_symbolic,
)
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.sweeps.topic_sampler import check_topics_fit
from pymc_medlda.model.dims import add_dim, add_length, word_labels
from pymc_medlda.model.expressions import check_expression
from pymc_medlda.model.random_variables import make_assignments, make_words
from pymc_medlda.model.recording import TopicsParts, record_topics


def TopicAssignments(
    name: str,
    corpus: Corpus,
    *,
    n_topics: int,
    alpha: Any = 1.0,
    beta: Any = 0.01,
    words: str = "words",
) -> TensorVariable:
    r"""Add the topics of all tokens, and the observed words, to the model in context.

    .. math:: \theta_d \sim Dir(\alpha), \quad \phi_k \sim Dir(\beta), \quad
       z_{dn} \sim \theta_d, \quad w_{dn} \sim \phi_{z_{dn}}

    with theta and phi integrated out. A draw of z takes one byte per token (K ≤ 256). It is the
    smallest complete record of a draw: topics and predictions follow from it. PyMC's convergence
    checks leave it out, as one R-hat per token would take longer than the sampling.

    Parameters
    ----------
    name : str
        Name of the assignments in the posterior.
    corpus : Corpus
        The documents.
    n_topics : int
        K.
    alpha : float, array or PyTensor variable, default 1
        A scalar is the total: every topic gets alpha / K. A vector gives each topic its own. Either
        may be a random variable of the model.
    beta : float or PyTensor variable, default 0.01
        Prior of the topic-word distributions, the same for each word (``lda`` and tomotopy call
        it eta).
    words : str, default "words"
        Name of the observed variable of the words.

    Returns
    -------
    TensorVariable
        z, of shape (n_tokens,), for `MaxMargin` and for step methods.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> corpus = med.Corpus.from_tokens([["good", "food"], ["bad", "service", "bad"]])
    >>> with pm.Model() as model:
    ...     z = med.TopicAssignments("z", corpus, n_topics=3)
    >>> [v.name for v in model.free_RVs], [v.name for v in model.observed_RVs]
    (['z'], ['words'])
    """
    model = modelcontext(None)
    check_name("name", name)
    check_name("words", words)
    check_corpus(corpus)
    check_whole("n_topics", n_topics, at_least=1)
    check_topics_fit(
        n_tokens=corpus.n_tokens,
        n_documents=corpus.n_documents,
        n_words=corpus.n_words,
        n_topics=n_topics,
    )
    check_positive("alpha", alpha)
    check_positive("beta", beta)
    check_scalar("beta", beta)
    check_expression("alpha", alpha, model)
    check_expression("beta", beta, model)
    alpha_of_topic = _alpha_of_topic(alpha, n_topics)

    parts = TopicsParts(
        name=name,
        words=words,
        corpus=corpus,
        alpha=alpha_of_topic,
        beta=beta,
        topic=add_dim(model, "topic", np.arange(n_topics), name),
        document=add_dim(model, "document", corpus.document_labels, name),
        word=add_dim(model, "word", word_labels(corpus), name),
        token=add_length(model, "token", corpus.n_tokens, name),
    )
    record_topics(model, parts)

    start = pt.constant(corpus.starts, name=model.name_for(f"{name}_start"))
    z = model.register_rv(
        make_assignments(alpha_of_topic, start, n_topics), name, dims=(parts.token,)
    )
    model.register_rv(
        make_words(
            z, pt.as_tensor(beta, dtype="float64"), n_words=corpus.n_words, n_topics=n_topics
        ),
        words,
        observed=corpus.words,
        dims=(parts.token,),
    )
    return z


def check_corpus(corpus: Any) -> None:
    """Raise unless ``corpus`` is one that has tokens."""
    if not isinstance(corpus, Corpus):
        raise TypeError(f"corpus must be a pymc_medlda.Corpus, got {type(corpus).__name__}")
    if corpus.n_tokens == 0:
        raise ValueError("corpus has no tokens: at least one document must have a word")


def _alpha_of_topic(alpha: Any, n_topics: int) -> Variable:
    """Return alpha_k: alpha / K of a scalar, the vector itself otherwise."""
    tensor = pt.as_tensor(alpha, dtype=None if is_symbolic(alpha) else "float64")
    if tensor.type.ndim == 0:
        if not is_symbolic(alpha):
            return pt.constant(np.full(n_topics, float(alpha) / n_topics))
        return pt.full((n_topics,), tensor / n_topics)
    if tensor.type.ndim != 1 or tensor.type.shape[0] not in (None, n_topics):
        raise ValueError(
            f"alpha has shape {tensor.type.shape}; a scalar or one value for each of the "
            f"{n_topics} topics is allowed"
        )
    return tensor
