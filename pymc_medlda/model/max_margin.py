"""`MaxMargin`: a response of the documents, as part of a PyMC model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.model import modelcontext
from pytensor.graph.basic import Variable
from pytensor.tensor.variable import TensorVariable

from pymc_medlda._arguments import (
    as_numbers,
    check_name,
    check_positive,
    is_symbolic,
)
from pymc_medlda.losses import Loss, Standardised
from pymc_medlda.losses.standardised import Units, in_units
from pymc_medlda.model.dims import add_dim, task_labels
from pymc_medlda.model.expressions import check_expression
from pymc_medlda.model.feature_projection import ProjectFeatures
from pymc_medlda.model.features import WeightedFeatures, check_feature_weights, find_features
from pymc_medlda.model.offsets import as_offset
from pymc_medlda.model.random_variables import TopicAssignmentsRV, make_response
from pymc_medlda.model.recording import ResponseParts, document_dim, record_response
from pymc_medlda.targets.class_weights import weigh_classes
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.defaults import choose_loss
from pymc_medlda.targets.documents import align_to_documents, align_to_tasks, check_no_tasks
from pymc_medlda.targets.response import Response


def MaxMargin(
    name: str,
    z: TensorVariable,
    eta: TensorVariable,
    *,
    observed: Any,
    loss: Loss | Standardised | None = None,
    offset: Any = None,
    features: Any = None,
    feature_weights: TensorVariable | None = None,
    classes: Sequence[Any] | None = None,
    dims: str | None = None,
) -> TensorVariable:
    r"""Add a response of the documents to the model in context: one factor per document and task.

    .. math:: F_d^i = \eta_i \cdot \bar z_d + w_i \cdot x_d + offset_d^i, \qquad
       \prod_{d,i} \exp(-2 c \, loss(F_d^i, y_d^i))

    The second term is there only if documents have features x.

    Parameters
    ----------
    name : str
        Name of the observed variable.
    z : TensorVariable
        What `TopicAssignments` returned.
    eta : TensorVariable
        Weights, (n_topics,) for two classes or one value per document, (n_tasks, n_topics) for
        several classes, labels or tasks. With a Normal prior the Gibbs step draws them; with any
        other prior (or as an expression of other variables) they are left to NUTS.
    observed : array-like
        Labels (any two or more values, ±1, booleans), real values, lists of labels or a matrix
        with one column per task. NaN or None marks a missing entry. Integer labels of a document
        are given as a set, because lists of one length look like a matrix. A pandas object whose
        index holds the names of the documents is matched by name, otherwise values are matched
        by position; an index that contradicts the names of the documents, or numbers them in
        another order, is refused.
    loss : Loss, optional
        `Hinge`, `EpsilonInsensitive`, `Gaussian` or `Logistic`; chosen from ``observed`` if absent.
        A real response then gets ``Standardised()``: the mean of ``observed`` is added to the
        discriminant, and the weight of the loss fits its standard deviation. The prior of ``eta``
        is the user's, so its scale should be of the size of that standard deviation.
    offset : array or PyTensor variable, optional
        Added to the discriminant, (n_documents,). With several tasks, (n_documents, n_tasks), or
        (n_documents,) or (n_documents, 1) if it is the same for all tasks, or (n_tasks,) or
        (1, n_tasks) if it is the same for all documents. One dimension is refused if there are as
        many documents as tasks. A pandas object is matched with the documents as ``observed``, and
        its columns with the tasks by name. A PyTensor variable may be any expression of other
        variables that broadcasts to (n_documents, n_tasks) by the rules of NumPy, so that its last
        dimension is that of the tasks.
    features : array, sparse matrix, frame or "words", optional
        Features x of the documents, one row per document and one column per feature. ``"words"``
        stands for the tf-idf of the corpus itself. The columns of a frame give the features their
        names, and its index is matched as that of ``observed``.
    feature_weights : TensorVariable, optional
        Weights w of the features, (n_features,) or (n_tasks, n_features) as ``eta``; needed with
        ``features``. With a Normal prior the Gibbs step draws them; with any other prior they are
        left to NUTS.
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
    check_name("name", name)
    if dims is not None:
        check_name("dims", dims)
    if not isinstance(getattr(getattr(z, "owner", None), "op", None), TopicAssignmentsRV):
        raise TypeError(f"z must be what TopicAssignments returned, got {type(z).__name__}")
    check_loss(loss)
    eta = pt.as_tensor(eta if is_symbolic(eta) else as_numbers("eta", eta))
    _check_weights(eta, z.owner.op.n_topics)
    coded = code_response(
        align_to_documents(observed, model.coords[document_dim(model, z)], "observed"),
        n_documents=z.owner.inputs[-1].data.size - 1,
        takes_labels=None if loss is None else loss.takes_labels,
        single=eta.type.ndim == 1,
        classes=classes,
        name="observed",
    )
    weighted = _weighted_features(features, feature_weights, model, z)
    return add_response(
        name, z, eta, coded, loss=loss, offset=offset, weighted=weighted, task=dims or "task"
    )


def add_response(
    name: str,
    z: TensorVariable,
    eta: TensorVariable,
    coded: Response,
    *,
    loss: Loss | Standardised | None,
    offset: Any,
    weighted: WeightedFeatures | None,
    task: str,
) -> TensorVariable:
    """Add a response that is coded already; the arguments are those of `MaxMargin`.

    ``task`` is the name of the dim of the tasks.
    """
    model = modelcontext(None)
    _check_tasks(eta, coded)
    loss = loss or choose_loss(coded)
    dims = [document_dim(model, z)]
    documents = model.coords[dims[0]]
    offset_of_document = as_offset(align_to_documents(offset, documents, "offset"), coded)
    units = measure_units(loss, coded, offset_of_document)
    if isinstance(loss, Standardised):
        loss = loss.loss
    parameters = _parameters(loss, coded, documents, units)
    added = [offset_of_document]
    if weighted is not None:
        check_feature_weights(weighted, coded)
        added.append(ProjectFeatures(weighted.features.matrix)(weighted.weights))
        check_expression("feature_weights", weighted.weights, model)
    for key, value in {"eta": eta, "offset": offset_of_document, **parameters}.items():
        check_expression(key, value, model)
    if coded.values.ndim == 2:
        dims.append(add_dim(model, task, task_labels(coded), name))
    location = None if units is None else units.location
    parts = ResponseParts(
        name, z, eta, coded, loss, parameters, offset_of_document, location, tuple(dims), weighted
    )
    record_response(model, parts)
    start = z.owner.inputs[-1]
    if location is not None:
        added[0] = _shift(offset_of_document, location)
    inputs = (z, start, eta, added, *parameters.values())
    return model.register_rv(
        make_response(*inputs, loss=type(loss), kind=coded.kind),
        name,
        # A constant, as an array with NaN would make PyMC impute the missing entries.
        observed=pt.constant(coded.values),
        dims=parts.dims,
    )


def _weighted_features(
    features: Any, weights: Any, model: pm.Model, z: TensorVariable
) -> WeightedFeatures | None:
    """Return features with their weights, None if there are none."""
    if features is None and weights is None:
        return None
    if features is None or weights is None:
        given, absent = ("features", "feature_weights")[:: 1 if weights is None else -1]
        raise ValueError(f"{given} was given without {absent}: give both or neither")
    if not is_symbolic(weights):
        weights = as_numbers("feature_weights", weights)
    return WeightedFeatures(find_features(features, model, z), pt.as_tensor(weights))


def check_loss(loss: Any) -> None:
    """Raise unless ``loss`` is None or an instance of a complete loss."""
    if loss is None or isinstance(loss, Standardised):
        return
    if not isinstance(loss, Loss):
        hint = ": give an instance, such as Hinge()" if isinstance(loss, type) else ""
        raise TypeError(f"loss must be a loss such as med.Hinge(), got {loss!r}{hint}")
    if not isinstance(getattr(loss, "takes_labels", None), bool):
        raise TypeError(f"{type(loss).__name__}.takes_labels must be True or False")


def _check_weights(eta: Variable, n_topics: int) -> None:
    if eta.type.ndim not in (1, 2):
        raise ValueError(f"eta must have one or two dimensions, got {eta.type.ndim}")
    if eta.type.shape[-1] not in (None, n_topics):
        raise ValueError(
            f"eta has {eta.type.shape[-1]} topics in its last dimension, z has {n_topics}"
        )


def _check_tasks(eta: Variable, coded: Response) -> None:
    if coded.values.ndim != eta.type.ndim:
        raise ValueError(
            f"eta has {eta.type.ndim} dimension(s), but observed has {coded.n_tasks} task(s) in "
            f"{coded.values.ndim} dimension(s): one task takes eta (topics,), several "
            "(tasks, topics)"
        )
    if eta.type.ndim == 2 and eta.type.shape[0] not in (None, coded.n_tasks):
        raise ValueError(
            f"eta has {eta.type.shape[0]} rows, but observed has {coded.n_tasks} tasks"
        )


def measure_units(loss: Any, coded: Response, offset: Any) -> Units | None:
    """Return the units of a response with a `Standardised` loss, None with another one.

    What a fixed offset explains need not be explained by the topics.
    """
    if not isinstance(loss, Standardised):
        return None
    explained = offset.data if hasattr(offset, "data") else 0.0
    return loss.measure(coded.values - explained)


def _shift(offset: Variable, location: Any) -> Variable:
    """Return the offset plus the mean of the response."""
    return pt.constant(offset.data + location) if hasattr(offset, "data") else offset + location


def _parameters(
    loss: Loss, coded: Response, documents: Sequence[Any], units: Units | None
) -> dict[str, Variable]:
    """Return the parameters of a loss as checked tensors, on the scale of the response."""
    tensors = {}
    shape = coded.values.shape
    for key in loss.parameter_names():
        value = getattr(loss, key)
        if isinstance(value, Mapping):
            if coded.classes is None or key != "c":
                raise ValueError(f"{key} of the loss is a mapping, which needs classes to weigh")
            value = weigh_classes(value, coded)
        if len(shape) == 2:
            check_no_tasks(value, coded.classes, documents, f"{key} of the loss")
        value = align_to_documents(value, documents, f"{key} of the loss")
        if len(shape) == 2:
            value = align_to_tasks(value, coded.classes, f"{key} of the loss")
        check_positive(key, value, or_zero=key in loss.may_be_zero)
        if key in loss.whole and not is_symbolic(value) and np.any(np.mod(value, 1)):
            raise ValueError(
                f"{key} of the {type(loss).__name__} loss must be a whole number, got {value}"
            )
        if not is_symbolic(value):
            value = as_numbers(key, value)
        if units is not None:
            value = in_units(type(loss), key, value, units.scale)
            if np.ndim(value) == 1 and len(shape) == 2:  # one value per task
                value = (pt if is_symbolic(value) else np).broadcast_to(value, shape)
        tensor = pt.as_tensor(value, dtype=None if is_symbolic(value) else "float64")
        allowed = ((), shape[:1], shape)
        if not any(
            len(tensor.type.shape) == len(s)
            and all(t in (None, n) for t, n in zip(tensor.type.shape, s, strict=True))
            for s in allowed
        ):
            raise ValueError(
                f"{key} of the loss has shape {tensor.type.shape}; a scalar, or one value per "
                f"document {shape[:1]}"
                + (f", or one per document and task {shape}" if len(shape) == 2 else "")
                + " is allowed"
            )
        tensors[key] = tensor
    return tensors
