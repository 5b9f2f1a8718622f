"""Read what `predict` stored of new documents, each variable checked before it is used.

Only what is asked for is checked, besides the probabilities, which are few: theta has an entry for
every draw, document and topic, and nothing here reads it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._names import is_missing
from pymc_medlda.run.checking import check_distinct, check_finite, check_shape
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.targets.response import KINDS

# Files may hold probabilities in single precision.
ROUNDING = 1e-5


class Decisions(NamedTuple):
    """The decisions about new documents.

    ``classes`` are the classes, labels or tasks; None if there are none, or if an early release
    stored the predictions.
    """

    kind: str
    values: xr.DataArray  # (document) or (document, task)
    documents: list[Any]
    classes: NDArray[Any] | None


def read_decisions(predictions: xr.Dataset | None) -> Decisions:
    """Return the decisions that the group ``predictions`` of a run holds."""
    if predictions is None or "decision" not in predictions:
        raise ValueError(
            "idata has no predictions with a decision: call predict first, with 'decision' among "
            "var_names if you give them"
        )
    kind = predictions.attrs.get("kind")
    if kind not in KINDS:
        raise ValueError(
            f"the group predictions says that the kind of its response is {kind!r}; "
            f"{', '.join(KINDS)} are allowed"
        )
    decision = predictions["decision"]
    n_dims = {"real": (1, 2), "multilabel": (2,)}.get(kind, (1,))
    if decision.ndim not in n_dims or {"chain", "draw"} & set(decision.dims):
        allowed = "(document, task)" if n_dims == (2,) else "(document)"
        raise ValueError(
            f"the stored 'decision' has the dims {decision.dims}; {allowed} is allowed for a "
            f"{kind} response"
        )
    classes = _read_classes(predictions, decision, kind)
    _check_decisions(decision.values, kind, classes)
    _check_probabilities(predictions, kind)
    documents = labels_of(decision, str(decision.dims[0])).tolist()
    return Decisions(kind, decision, documents, classes)


def read_discriminants(predictions: xr.Dataset | None, response: ResponseDraws) -> xr.DataArray:
    """Return the predicted discriminants of a response, (chain, draw, document, task if any)."""
    if predictions is None or "discriminant" not in predictions:
        raise ValueError(
            "y was given, but idata has no predictions with a discriminant: predict(idata, corpus) "
            "adds them"
        )
    predicted = predictions.attrs.get("response") or response.name
    if predicted != response.name:
        raise ValueError(
            f"response is {response.name!r}, but the group predictions is of {predicted!r}: call "
            f"predict with response={response.name!r} first"
        )
    array = predictions["discriminant"]
    task = () if response.task_dim is None else (response.task_dim,)
    known = ("chain", "draw", *task)
    documents = [dim for dim in array.dims if dim not in known]
    if len(documents) != 1 or array.ndim != len(known) + 1:
        raise ValueError(
            f"the stored 'discriminant' has the dims {array.dims}; "
            f"({', '.join(['chain', 'draw', 'document', *task])}) is allowed"
        )
    ordered = array.transpose("chain", "draw", documents[0], *task)
    expected = (*ordered.shape[:3], *[response.y.shape[1] for _ in task])
    check_shape("discriminant", ordered.shape, [expected], f"as {response.name!r} has tasks")
    if 0 in ordered.shape:
        raise ValueError(
            f"the stored 'discriminant' has shape {ordered.shape}; at least one draw and one "
            "document are needed"
        )
    _check_tasks(ordered, response)
    check_finite("discriminant", ordered.values)
    _check_probabilities(predictions, response.kind)
    return ordered


def _read_classes(
    predictions: xr.Dataset, decision: xr.DataArray, kind: str
) -> NDArray[Any] | None:
    """Return the names of the classes, labels or tasks, None if there are none."""
    if decision.ndim == 2:
        return labels_of(decision, str(decision.dims[1]))
    dim = predictions.attrs.get("class_dim")
    if kind == "real" or not dim:  # an early release did not store its name
        return None
    if dim not in predictions.coords:
        raise ValueError(
            f"the group predictions has lost its coordinate {dim!r}, the names of the classes"
        )
    labels = labels_of(predictions, str(dim))
    check_distinct(str(dim), labels, "one per class")
    return labels


def _check_decisions(values: NDArray[Any], kind: str, classes: NDArray[Any] | None) -> None:
    """Raise unless the decisions are those that a response of this kind allows."""
    if kind == "real":
        check_finite("decision", values)
        return
    if kind == "multilabel":
        wrong = values[~np.isin(values, (0, 1))].tolist()
        allowed = "0 and 1"
    else:
        # Each value is looked at once: there may be many documents and many classes.
        known = None if classes is None else classes.tolist()
        wrong = [
            value
            for value in dict.fromkeys(values.astype(object).tolist())
            if is_missing(value) or (known is not None and value not in known)
        ]
        allowed = "classes" if known is None else ", ".join(map(repr, known))
    if wrong:
        raise ValueError(f"the stored 'decision' holds {wrong[0]!r}; {allowed} are allowed")


def _check_tasks(discriminant: xr.DataArray, response: ResponseDraws) -> None:
    """Raise unless the tasks of the predictions are those of the response, in the same order."""
    dim = response.task_dim
    if dim is None or dim not in discriminant.coords:
        return
    found = [str(label) for label in labels_of(discriminant, dim).tolist()]
    known = [str(label) for label in response.task_labels.tolist()]
    if found != known:
        raise ValueError(
            f"the coordinate {dim!r} of the stored 'discriminant' is {found}; {known} is allowed, "
            f"as of {response.name!r}"
        )


def _check_probabilities(predictions: xr.Dataset, kind: str) -> None:
    """Raise unless what is stored as probabilities and shares of draws can be some."""
    for name in ("probability", "agreement"):
        if name in predictions:
            _check_chances(name, predictions[name], kind)


def _check_chances(name: str, stored: xr.DataArray, kind: str) -> None:
    if stored.ndim != 2 or {"chain", "draw"} & set(stored.dims):
        raise ValueError(
            f"the stored {name!r} has the dims {stored.dims}; (document, class) is allowed"
        )
    values = check_finite(name, stored.values)
    wrong = (values < -ROUNDING) | (values > 1.0 + ROUNDING)
    if wrong.any():
        raise ValueError(
            f"the stored {name!r} holds {values[wrong][0]}; numbers from 0 to 1 are allowed"
        )
    sums = values.sum(axis=1)
    if kind in ("binary", "multiclass") and (np.abs(sums - 1.0) > len(values.T) * ROUNDING).any():
        row = int(np.argmax(np.abs(sums - 1.0)))
        raise ValueError(
            f"the stored {name!r} of document {row} adds up to {sums[row]}; 1 is allowed"
        )
