"""The model, in parts and whole: `TopicAssignments`, `MaxMargin` and `GibbsMedLDA`.

These functions check what they are given, register variables, coordinates and dims with the PyMC
model, and store beside them what predictions will need. They do not sample.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.model import modelcontext
from pytensor.graph.basic import Variable
from pytensor.tensor.variable import TensorVariable

from pymc_medlda._arguments import check_positive, check_whole, is_symbolic
from pymc_medlda.corpus import Corpus
from pymc_medlda.losses import Loss
from pymc_medlda.model.random_variables import (
    TopicAssignmentsRV,
    make_assignments,
    make_response,
    make_words,
)
from pymc_medlda.targets.class_weights import weigh_classes
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.default_loss import choose_loss
from pymc_medlda.targets.response import Response


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

    with theta and phi integrated out. A draw of z is stored in one byte a token (K ≤ 256): it is
    the smallest complete record, from which topics and predictions follow. PyMC's convergence
    checks pass over it: one R-hat a token would take longer than the sampling.

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
    if not isinstance(corpus, Corpus):
        raise TypeError(f"corpus must be a pymc_medlda.Corpus, got {type(corpus).__name__}")
    if corpus.n_tokens == 0:
        raise ValueError("corpus has no tokens: at least one document must have a word")
    check_whole("n_topics", n_topics, at_least=1)
    check_positive("alpha", alpha)
    check_positive("beta", beta)
    alpha_of_topic = _alpha_of_topic(alpha, n_topics)

    topic = _add_dim(model, "topic", np.arange(n_topics), name)
    document = _add_dim(model, "document", _names(corpus), name)
    word = _add_dim(model, "word", _vocabulary(corpus), name)
    token = _add_length(model, "token", corpus.n_tokens, name)
    pm.Data(f"{name}_length", corpus.lengths.astype(np.int64), dims=document)
    pm.Data(
        f"{name}_word_count",
        np.bincount(corpus.words, minlength=corpus.n_words).astype(np.int64),
        dims=word,
    )
    _store(f"{name}_alpha", alpha_of_topic, dims=topic)
    _store(f"{name}_beta", beta)
    specification = {
        "role": "topics",
        "z": model.name_for(name),
        "words": model.name_for(words),
        "has_vocabulary": corpus.vocabulary is not None,
    }
    _store_specification(model, name, specification)

    start = pt.constant(corpus.starts, name=model.name_for(f"{name}_start"))
    z = model.register_rv(make_assignments(alpha_of_topic, start, n_topics), name, dims=(token,))
    model.register_rv(
        make_words(
            z, pt.as_tensor(beta, dtype="float64"), n_words=corpus.n_words, n_topics=n_topics
        ),
        words,
        observed=corpus.words,
        dims=(token,),
    )
    return z


def MaxMargin(
    name: str,
    z: TensorVariable,
    eta: TensorVariable,
    *,
    observed: Any,
    loss: Loss | None = None,
    offset: Any = None,
    classes: Sequence[Any] | None = None,
    dims: str | None = None,
) -> TensorVariable:
    r"""Add a response of the documents to the model in context: one factor a document and task.

    .. math:: F_d^i = \eta_i \cdot \bar z_d + offset_d^i, \qquad
       \prod_{d,i} \exp(-2 c \, loss(F_d^i, y_d^i))

    Parameters
    ----------
    name : str
        Name of the observed variable.
    z : TensorVariable
        What `TopicAssignments` returned.
    eta : TensorVariable
        Weights, (n_topics,) for two classes or one value a document, (n_tasks, n_topics) for
        several classes, labels or tasks. With a Normal prior the Gibbs step draws them; with any
        other prior (or as an expression of other variables) they are left to NUTS.
    observed : array-like
        Labels (any two or more values, ±1, booleans), real values, lists of labels or a matrix
        with a column a task. NaN or None marks a missing entry.
    loss : Loss, optional
        `Hinge`, `EpsilonInsensitive`, `Gaussian` or `Logistic`; chosen from ``observed`` if absent.
    offset : array or PyTensor variable, optional
        Added to the discriminant; any expression of other variables, shaped (n_documents,) or
        (n_documents, n_tasks) or broadcastable to it.
    classes : sequence, optional
        Allowed classes, labels or task names, in order.
    dims : str, optional
        Name of the dim of the tasks, ``"task"`` by default.

    Returns
    -------
    TensorVariable
        The observed variable.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> corpus = med.Corpus.from_tokens([["good", "food"], ["bad", "service", "bad"]])
    >>> with pm.Model() as model:
    ...     z = med.TopicAssignments("z", corpus, n_topics=3)
    ...     eta = pm.Normal("eta", 0, 1, dims="topic")
    ...     y = med.MaxMargin("y", z, eta, observed=["up", "down"], loss=med.Hinge(margin=1.0))
    >>> model.coords["y_class"]
    ('down', 'up')
    """
    model = modelcontext(None)
    if not isinstance(getattr(z.owner, "op", None), TopicAssignmentsRV):
        raise TypeError("z must be what TopicAssignments returned")
    eta = pt.as_tensor(eta)
    n_topics, start = z.owner.op.n_topics, z.owner.inputs[-1]
    _check_weights(eta, n_topics)
    n_documents = start.data.size - 1
    response = code_response(
        observed,
        n_documents=n_documents,
        takes_labels=None if loss is None else loss.takes_labels,
        single=eta.type.ndim == 1,
        classes=classes,
        name="observed",
    )
    if response.values.ndim != eta.type.ndim:
        raise ValueError(
            f"eta has {eta.type.ndim} dimension(s), but observed has {response.n_tasks} task(s) in "
            f"{response.values.ndim} dimension(s): one task takes eta (topics,), several "
            "(tasks, topics)"
        )
    if eta.type.ndim == 2 and eta.type.shape[0] not in (None, response.n_tasks):
        raise ValueError(
            f"eta has {eta.type.shape[0]} rows, but observed has {response.n_tasks} tasks"
        )
    loss = loss or choose_loss(response)
    parameters = _parameters(loss, response)
    offset_of_document = _offset(offset, response.values.shape)

    z_name = str(z.name)
    document = model.named_vars_to_dims[f"{z_name}_length"][0]
    response_dims = [document]
    if response.values.ndim == 2:
        names = response.classes if response.classes is not None else range(response.n_tasks)
        response_dims.append(_add_dim(model, dims or "task", np.asarray(names), name))
    _store_response(
        model, name, z_name, eta, response, loss, parameters, offset_of_document, response_dims
    )
    if eta in model.free_RVs:
        eta.tag.medlda_weights = True  # so that plain pm.sample() hands eta to the Gibbs step
    return model.register_rv(
        make_response(
            z,
            start,
            eta,
            offset_of_document,
            *parameters.values(),
            loss=type(loss),
            kind=response.kind,
        ),
        name,
        # A constant, as an array with NaN would make PyMC impute the missing entries.
        observed=pt.constant(response.values),
        dims=tuple(response_dims),
    )


class GibbsMedLDA(pm.Model):
    r"""The max-margin supervised topic model, as a PyMC model that stands alone or nests in one.

    .. math:: posterior \propto \prod_{ik} N(\eta_{ik}; 0, \nu^2) \, p(W, Z \mid \alpha, \beta)
       \prod_{d,i} \exp(-2 c \, loss(\eta_i \cdot \bar z_d, y_d^i))

    Parameters
    ----------
    corpus : Corpus
        The documents.
    y : array-like, optional
        Labels, real values, lists of labels or a matrix with a column a task; see `MaxMargin`.
        Without y the model is plain LDA.
    n_topics : int, default 20
        K.
    loss : Loss, optional
        Chosen from y if absent.
    alpha, beta : float, array or PyTensor variable
        Priors of topics and words; see `TopicAssignments`.
    nu : float, array or PyTensor variable, default 1
        Prior scale of the weights.
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
        n_topics: int = 20,
        loss: Loss | None = None,
        alpha: Any = 1.0,
        beta: Any = 0.01,
        nu: Any = 1.0,
        offset: Any = None,
        classes: Sequence[Any] | None = None,
        name: str = "",
        **model_arguments: Any,
    ) -> None:
        check_positive("nu", nu)
        super().__init__(name=name, **model_arguments)
        z = TopicAssignments("z", corpus, n_topics=n_topics, alpha=alpha, beta=beta)
        if y is None:
            return
        response = code_response(
            y,
            n_documents=corpus.n_documents,
            takes_labels=None if loss is None else loss.takes_labels,
            classes=classes,
        )
        topic = self.named_vars_to_dims[self.name_for("z_alpha")][0]
        eta_dims: tuple[str, ...] = (topic,)
        if response.values.ndim == 2:
            names = response.classes if response.classes is not None else range(response.n_tasks)
            eta_dims = (_add_dim(self, "task", np.asarray(names), "y"), topic)
        eta = pm.Normal("eta", 0.0, nu, dims=eta_dims)
        MaxMargin("y", z, eta, observed=y, loss=loss, offset=offset, classes=classes)


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


def _names(corpus: Corpus) -> np.ndarray:
    if corpus.document_names is None:
        return np.arange(corpus.n_documents)
    return np.asarray(corpus.document_names)


def _vocabulary(corpus: Corpus) -> np.ndarray:
    if corpus.vocabulary is None:
        return np.arange(corpus.n_words)
    return np.asarray(corpus.vocabulary)


def _add_dim(model: pm.Model, dim: str, values: np.ndarray, owner: str) -> str:
    """Add a dim with coordinates; one that is taken by other values is prefixed with its owner."""
    taken = model.coords.get(dim)
    if taken is not None and not np.array_equal(np.asarray(taken), values):
        dim = model.name_for(f"{owner}_{dim}").replace("::", "_")
    if dim not in model.coords:
        model.add_coord(dim, values=tuple(values.tolist()))
    return dim


def _add_length(model: pm.Model, dim: str, length: int, owner: str) -> str:
    """Add a dim without coordinates: a token needs no name."""
    if dim in model.coords and int(model.dim_lengths[dim].eval()) != length:
        dim = model.name_for(f"{owner}_{dim}").replace("::", "_")
    if dim not in model.coords:
        model.add_coord(dim, values=None, length=length)
    return dim


def _store(name: str, value: Any, dims: Any = None) -> str:
    """Keep a parameter with the results: data where it is fixed, a deterministic where random."""
    if is_symbolic(value) and not hasattr(value, "data"):
        pm.Deterministic(name, pt.as_tensor(value), dims=dims)
    else:
        data = value.data if hasattr(value, "data") and is_symbolic(value) else value
        pm.Data(name, np.asarray(data, np.float64), dims=dims)
    return name


def _store_specification(model: pm.Model, name: str, specification: Mapping[str, Any]) -> None:
    """Keep a description as the one coordinate of a dim of its own: files hold no other text."""
    dim = f"{model.name_for(name)}_specification".replace("::", "_")
    model.add_coord(dim, values=(json.dumps(dict(specification)),))
    pm.Data(f"{name}_medlda", np.zeros(1), dims=dim)


def _store_response(
    model: pm.Model,
    name: str,
    z_name: str,
    eta: Variable,
    response: Response,
    loss: Loss,
    parameters: Mapping[str, Variable],
    offset: Variable,
    dims: Sequence[str],
) -> None:
    """Keep with the results what predictions and diagnostics need of a response."""
    if eta not in model.named_vars.values():
        topic = model.named_vars_to_dims[f"{z_name}_alpha"][0]
        eta = pm.Deterministic(f"{name}_eta", eta, dims=(*dims[1:], topic))
    stored: dict[str, Any] = {}
    for key, value in parameters.items():
        if hasattr(value, "data") and value.type.ndim == 0:
            stored[key] = float(value.data)
        elif value in model.named_vars.values():
            stored[key] = value.name
        else:
            parameter_dims = tuple(dims[: value.type.ndim])
            stored[key] = model.name_for(_store(f"{name}_{key}", value, parameter_dims or None))
    has_offset = not (hasattr(offset, "data") and not np.any(offset.data))
    if has_offset:
        _store(f"{name}_offset", offset, tuple(dims))
    if response.kind == "binary":
        coded = _add_dim(model, f"{name}_class", np.asarray(response.classes), name)
        pm.Data(f"{name}_sign", np.array([-1.0, 1.0]), dims=coded)
    specification = {
        "role": "response",
        "name": model.name_for(name),
        "z": z_name,
        "eta": eta.name,
        "loss": type(loss).__name__,
        "parameters": stored,
        "kind": response.kind,
        "offset": has_offset,
    }
    _store_specification(model, name, specification)


def _check_weights(eta: Variable, n_topics: int) -> None:
    if eta.type.ndim not in (1, 2):
        raise ValueError(f"eta must have one or two dimensions, got {eta.type.ndim}")
    if eta.type.shape[-1] not in (None, n_topics):
        raise ValueError(
            f"eta has {eta.type.shape[-1]} topics in its last dimension, z has {n_topics}"
        )


def _parameters(loss: Loss, response: Response) -> dict[str, Variable]:
    """Return the parameters of a loss as checked tensors."""
    tensors = {}
    shape = response.values.shape
    for key in loss.parameters:
        value = getattr(loss, key)
        if isinstance(value, Mapping):
            if response.classes is None or key != "c":
                raise ValueError(f"{key} of the loss is a mapping, which needs classes to weigh")
            value = weigh_classes(value, response)
        check_positive(key, value, or_zero=key in ("c", "epsilon"))
        if key in loss.whole and not is_symbolic(value) and np.any(np.mod(value, 1)):
            raise ValueError(
                f"{key} of the {type(loss).__name__} loss must be a whole number, got {value}"
            )
        tensor = pt.as_tensor(value, dtype=None if is_symbolic(value) else "float64")
        allowed = ((), shape[:1], shape)
        if not any(
            len(tensor.type.shape) == len(s)
            and all(t in (None, n) for t, n in zip(tensor.type.shape, s, strict=True))
            for s in allowed
        ):
            raise ValueError(
                f"{key} of the loss has shape {tensor.type.shape}; a scalar, or one value a "
                f"document {shape[:1]}"
                + (f", or one a document and task {shape}" if len(shape) == 2 else "")
                + " is allowed"
            )
        tensors[key] = tensor
    return tensors


def _offset(offset: Any, shape: tuple[int, ...]) -> Variable:
    """Return the offset shaped as the response."""
    if offset is None:
        return pt.constant(np.zeros(shape))
    tensor = pt.as_tensor(offset, dtype=None if is_symbolic(offset) else "float64")
    static = tensor.type.shape
    fits = len(static) <= len(shape) and all(
        s in (None, 1, n) for s, n in zip(reversed(static), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(
            f"offset has shape {static}; it must be broadcastable to {shape}, one value a "
            "document" + (" and task" if len(shape) == 2 else "")
        )
    if hasattr(tensor, "data"):
        if not np.isfinite(tensor.data).all():
            raise ValueError("offset holds NaN or infinite values; finite numbers are allowed")
        return pt.constant(np.broadcast_to(tensor.data, shape).copy())
    return pt.broadcast_to(tensor, shape)


__all__ = ["GibbsMedLDA", "MaxMargin", "TopicAssignments"]
