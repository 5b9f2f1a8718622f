"""`GibbsMedLDA`: the whole model as a PyMC model that stands alone or nests in another."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm

from pymc_medlda._arguments import check_name, check_positive, is_symbolic
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.losses import Loss, Standardised
from pymc_medlda.model.assignments import TopicAssignments, check_corpus
from pymc_medlda.model.dims import add_dim, task_labels
from pymc_medlda.model.features import WeightedFeatures, find_features
from pymc_medlda.model.max_margin import add_response, check_loss, measure_units
from pymc_medlda.model.offsets import as_offset
from pymc_medlda.model.recording import feature_dim, topic_dim
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.default_scale import choose_tau
from pymc_medlda.targets.defaults import choose_loss, choose_n_topics
from pymc_medlda.targets.documents import align_to_documents
from pymc_medlda.targets.response import Response


class GibbsMedLDA(pm.Model):
    r"""The max-margin supervised topic model, as a PyMC model that stands alone or nests in one.

    .. math:: posterior \propto \prod_{ik} N(\eta_{ik}; 0, \nu^2) \, p(W, Z \mid \alpha, \beta)
       \prod_{d,i} \exp(-2 c \, loss(\eta_i \cdot \bar z_d, y_d^i))

    With features x of the documents, :math:`w_i \cdot x_d` is added to the discriminant, with
    weights :math:`w_{ij} \sim N(0, \tau^2)`, the variable ``w`` of the model.

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
    features : array, sparse matrix, frame or "words", optional
        Features of the documents; see `MaxMargin`. ``"words"`` stands for the tf-idf of the corpus
        itself, so that single words count beside the topics.
    tau : float, array or PyTensor variable, optional
        Prior scale of the weights of the features, in the same units as ``nu``. It decides how much
        the features explain beside the topics, and is best chosen by cross-validation. By default
        it is :math:`\sqrt{m / (4 c)}`, where m is the margin, or the standard deviation of real
        values, divided by the mean length of the rows of the features, which is 1 for ``"words"``.
        The features alone would then be a linear support vector machine with C = 1/2.
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
        features: Any = None,
        tau: Any = None,
        classes: Sequence[Any] | None = None,
        name: str = "",
        **model_arguments: Any,
    ) -> None:
        check_positive("nu", nu)
        _check_tau(features, tau)
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
            _check_plain(loss=loss, offset=offset, features=features, classes=classes)
            return
        dims: tuple[str, ...] = (topic_dim(self, z),)
        tasks = coded.values.shape[1:]
        _check_scale("nu", nu, (*tasks, n_topics))
        if coded.values.ndim == 2:
            dims = (add_dim(self, "task", task_labels(coded), "y"), *dims)
        loss = loss or choose_loss(coded)
        shift = as_offset(align_to_documents(offset, corpus.document_labels, "offset"), coded)
        units = measure_units(loss, coded, shift)
        unit = None if units is None else units.scale.reshape(*tasks, 1)
        eta = pm.Normal("eta", 0.0, _as_scale(nu, unit), dims=dims)
        weighted = None
        if features is not None:
            found = find_features(features, self, z)
            if tau is None:
                tau = choose_tau(loss, coded, found.matrix)
            _check_scale("tau", tau, (*tasks, found.matrix.shape[1]))
            w_dims = (*dims[:-1], feature_dim(self, found, "y", z))
            w = pm.Normal("w", 0.0, _as_scale(tau, unit), dims=w_dims)
            weighted = WeightedFeatures(found, w)
        add_response("y", z, eta, coded, loss=loss, offset=offset, weighted=weighted, task="task")

    # The metaclass of PyMC's models has a call of its own, whose signature is (*args, **kwargs).
    __signature__ = inspect.signature(__init__).replace(
        parameters=list(inspect.signature(__init__).parameters.values())[1:]
    )


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


def _check_tau(features: Any, tau: Any) -> None:
    """Raise if tau is not a valid scale, or is given without features."""
    if features is None and tau is not None:
        raise ValueError("tau was given, but there are no features whose weights it scales")
    if tau is not None:
        check_positive("tau", tau)


def _as_scale(scale: Any, unit: Floats | None) -> Any:
    """Return a scale of a prior in double precision, times the unit of each task."""
    # PyTensor would keep a number in float32, and take its logarithm in float32 too.
    scale = scale if is_symbolic(scale) else np.asarray(scale, np.float64)
    return scale if unit is None else scale * unit


def _check_scale(name: str, scale: Any, shape: tuple[int, ...]) -> None:
    """Raise unless a scale, or an array of scales, fits the weights."""
    own = () if is_symbolic(scale) else np.shape(scale)
    fits = len(own) <= len(shape) and all(
        n in (1, size) for n, size in zip(reversed(own), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(f"{name} has shape {own}; a number, or an array like the weights {shape}")
