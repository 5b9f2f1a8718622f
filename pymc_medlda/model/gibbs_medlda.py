"""`GibbsMedLDA`: the whole model as a PyMC model that stands alone or nests in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm

from pymc_medlda._arguments import check_name, check_positive, is_symbolic
from pymc_medlda.corpus import Corpus
from pymc_medlda.losses import Loss, Standardised
from pymc_medlda.model.assignments import TopicAssignments, check_corpus
from pymc_medlda.model.dims import add_dim, task_labels
from pymc_medlda.model.max_margin import add_response, check_loss
from pymc_medlda.model.recording import topic_dim
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.defaults import choose_loss, choose_n_topics
from pymc_medlda.targets.documents import align_to_documents
from pymc_medlda.targets.response import Response


class GibbsMedLDA(pm.Model):
    r"""The max-margin supervised topic model, as a PyMC model that stands alone or nests in one.

    .. math:: posterior \propto \prod_{ik} N(\eta_{ik}; 0, \nu^2) \, p(W, Z \mid \alpha, \beta)
       \prod_{d,i} \exp(-2 c \, loss(\eta_i \cdot \bar z_d, y_d^i))

    Parameters
    ----------
    corpus : Corpus
        The documents.
    y : array-like, optional
        Labels, real values, lists of labels or a matrix with one column per task; see
        `MaxMargin`, also for how a pandas object is matched with the documents. Without y the
        model is plain LDA.
    n_topics : int, optional
        K; by default 20 with one discriminant or without y, and 40 with several tasks.
    loss : Loss, optional
        Chosen from y if absent: the hinge loss for labels, ``Standardised()`` for real values.
    alpha, beta : float, array or PyTensor variable
        Priors of topics and words; see `TopicAssignments`.
    nu : float, array or PyTensor variable, default 1
        Prior scale of the weights, in units of the standard deviation of y with a `Standardised`
        loss.
    offset : array or PyTensor variable, optional
        Added to the discriminant; see `MaxMargin`.
    classes : sequence, optional
        Allowed classes, labels or task names, in order.
    name : str
        Prefix of the variables' names when nested in another model.
    **model_arguments
        ``coords``, ``model`` and others, as for `pymc.Model`.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> corpus = med.Corpus.from_tokens([["good", "food"], ["bad", "service", "bad"]])
    >>> with med.GibbsMedLDA(corpus, [1, -1], n_topics=2, loss=med.Hinge(margin=1.0)) as model:
    ...     pass
    >>> sorted(v.name for v in model.observed_RVs)
    ['words', 'y']
    """

    def __init__(
        self,
        corpus: Corpus,
        y: Any = None,
        *,
        n_topics: int | None = None,
        loss: Loss | Standardised | None = None,
        alpha: Any = 1.0,
        beta: Any = 0.01,
        nu: Any = 1.0,
        offset: Any = None,
        classes: Sequence[Any] | None = None,
        name: str = "",
        **model_arguments: Any,
    ) -> None:
        check_positive("nu", nu)
        if name:
            check_name("name", name)
        check_loss(loss)
        super().__init__(name=name, **model_arguments)
        check_corpus(corpus)
        coded = None if y is None else _code(y, corpus, loss, classes)
        if n_topics is None:
            n_topics = choose_n_topics(coded)
        z = TopicAssignments("z", corpus, n_topics=n_topics, alpha=alpha, beta=beta)
        if coded is None:
            _check_plain(loss=loss, offset=offset, classes=classes)
            return
        dims: tuple[str, ...] = (topic_dim(self, z),)
        _check_scale(nu, (n_topics,) if coded.values.ndim == 1 else (coded.n_tasks, n_topics))
        if coded.values.ndim == 2:
            dims = (add_dim(self, "task", task_labels(coded), "y"), *dims)
        loss = loss or choose_loss(coded)
        # PyTensor would keep a number in float32, and take its logarithm in float32 too.
        scale = nu if is_symbolic(nu) else np.asarray(nu, np.float64)
        if isinstance(loss, Standardised):
            spread = loss.measure(coded.values).scale
            scale = scale * spread.reshape(*coded.values.shape[1:], 1)
        eta = pm.Normal("eta", 0.0, scale, dims=dims)
        add_response(self, "y", z, eta, coded, loss=loss, offset=offset, task="task")


def _code(
    y: Any, corpus: Corpus, loss: Loss | Standardised | None, classes: Sequence[Any] | None
) -> Response:
    """Return the response as numbers; the estimators hand over one that they have coded already."""
    if isinstance(y, Response):
        return y
    return code_response(
        align_to_documents(y, corpus.document_labels, "y"),
        n_documents=corpus.n_documents,
        takes_labels=None if loss is None else loss.takes_labels,
        classes=classes,
    )


def _check_plain(**given: Any) -> None:
    """Raise if a model without response was given what only a response can use."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} was given, but there is no y to use it for")


def _check_scale(nu: Any, shape: tuple[int, ...]) -> None:
    """Raise unless a scale, or an array of scales, fits the weights."""
    own = () if is_symbolic(nu) else np.shape(nu)
    fits = len(own) <= len(shape) and all(
        n in (1, size) for n, size in zip(reversed(own), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(f"nu has shape {own}; a number, or an array like the weights {shape}")
