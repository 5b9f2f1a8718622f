"""Read a response: its values, weights, offset and the parameters of its loss, all checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.run import record
from pymc_medlda.run.checking import (
    Shape,
    check_coded_labels,
    check_distinct,
    check_finite,
    check_shape,
)
from pymc_medlda.run.coordinates import check_order, labels_of
from pymc_medlda.run.reading_features import read_features
from pymc_medlda.run.reading_topics import Layout, read_assignments, read_layout
from pymc_medlda.run.record import ResponseRecord
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.stored import (
    Groups,
    arrange,
    draw_shape,
    find_constant,
    find_draws,
    find_observed,
    find_parameter,
)


def read_response(described: ResponseRecord, groups: Groups) -> ResponseDraws:
    """Return the response that a record describes."""
    name, kind = described.name, described.kind
    read_assignments(described.z, groups)  # its error is the clearest if draws are missing
    eta = find_draws(
        groups,
        described.eta,
        f"the posterior has no weights {described.eta!r}: sample with them among var_names",
    )
    layout = read_layout(described.z, groups)
    stored = arrange(find_observed(groups, name), first=layout.document)
    y = _check_values(stored, kind, layout)
    task_dim = str(stored.dims[1]) if stored.ndim == 2 else None
    class_dim, classes = task_dim, None
    if kind != "binary" and record.sign_of(name) in groups("constant_data"):
        raise ValueError(
            f"constant_data holds {record.sign_of(name)!r}, as of a binary response, but the "
            f"description of {name!r} says that it is {kind}: one of them is damaged"
        )
    if kind == "binary":
        class_dim, classes = _read_classes(find_constant(groups, record.sign_of(name)))
    elif task_dim is not None:
        classes = _named(stored, task_dim, "one per task")
    return ResponseDraws(
        name=name,
        kind=kind,
        loss_key=described.loss,
        eta=_check_weights(eta, stored, layout),
        y=y,
        classes=classes,
        class_dim=class_dim,
        task_dim=task_dim,
        topics=described.z,
        has_offset=described.offset,
        location=_read_location(described, y.shape[1]),
        scale=described.scale,
        _parameters={
            key: _read_parameter(groups, key, value, stored, layout)
            for key, value in described.parameters.items()
        },
        _offset=_read_offset(described, groups, stored, layout),
        features=read_features(described, groups, stored, layout),
    )


def _check_values(stored: xr.DataArray, kind: str, layout: Layout) -> Floats:
    """Return the training values of a response as (n_documents, n_tasks), after checking them."""
    name = str(stored.name)
    one: Shape = (layout.n_documents,)
    several: Shape = (layout.n_documents, max(stored.shape[1], 1) if stored.ndim == 2 else 1)
    allowed = {"binary": [one], "real": [one, several]}.get(kind, [several])
    check_shape(name, stored.shape, allowed, f"as a {kind} response of these documents has")
    y = check_finite(name, stored.values, or_missing=True).reshape(layout.n_documents, -1)
    if kind != "real":
        check_coded_labels(name, kind, y)
    return y


def _read_classes(sign: xr.DataArray) -> tuple[str, NDArray[Any]]:
    """Return the dim of the two classes of a binary response, and the classes, -1 first."""
    check_shape(str(sign.name), sign.shape, [(2,)], "one sign for each of the two classes")
    order = np.argsort(check_finite(str(sign.name), sign.values))
    if sign.values[order].tolist() != [-1.0, 1.0]:
        raise ValueError(
            f"the stored {sign.name!r} holds {sign.values.tolist()}; the signs -1 and 1 of the two "
            "classes are allowed"
        )
    dim = str(sign.dims[0])
    return dim, _named(sign, dim, "one per class")[order]


def _named(variable: xr.DataArray, dim: str, meaning: str) -> NDArray[Any]:
    """Return the coordinates of a dim, which must be there and differ."""
    if dim not in variable.coords:
        raise ValueError(
            f"{variable.name!r} has lost its coordinate {dim!r}, the names of its classes or tasks"
        )
    labels = labels_of(variable, dim)
    check_distinct(dim, labels, meaning)
    return labels


def _check_weights(eta: xr.DataArray, y: xr.DataArray, layout: Layout) -> xr.DataArray:
    """Return weights with the topics last, after checking them."""
    ordered = arrange(eta, last=layout.topic)
    expected = (*draw_shape(ordered), *y.shape[1:], layout.n_topics)
    check_shape(str(eta.name), ordered.shape, [expected], "(chain, draw, task if any, topic)")
    check_finite(str(eta.name), ordered.values)
    check_order(ordered, layout.alpha, layout.topic)
    if y.ndim == 2:
        check_order(ordered, y, str(y.dims[1]))
    return ordered


def _read_location(described: ResponseRecord, n_tasks: int) -> Floats:
    """Return the mean of each task of a standardised response, zeros for others."""
    if described.location is None:
        return np.zeros(n_tasks)
    name = f"{described.name} location"
    check_shape(name, (len(described.location),), [(n_tasks,)], "one number per task")
    return check_finite(name, np.asarray(described.location, np.float64))


def _read_offset(
    described: ResponseRecord, groups: Groups, y: xr.DataArray, layout: Layout
) -> xr.DataArray | None:
    """Return the offset of a response, None if it has none."""
    name = record.offset_of(described.name)
    if not described.offset:
        constant = groups("constant_data")
        if name in constant and set(constant[name].dims) == set(y.dims):
            raise ValueError(
                f"constant_data holds {name!r}, but the description of {described.name!r} says "
                "that it has no offset: one of them is damaged"
            )
        return None
    offset = arrange(find_parameter(groups, name), first=layout.document)
    expected = (*draw_shape(offset), *y.shape)
    check_shape(name, offset.shape, [expected], f"one per entry of {described.name!r}")
    check_finite(name, offset.values)
    return offset


def _read_parameter(
    groups: Groups, key: str, stored: float | str, y: xr.DataArray, layout: Layout
) -> xr.DataArray:
    """Return a parameter of the loss; the description holds its value or the variable's name."""
    if not isinstance(stored, str):
        check_finite(f"{y.name} {key}", np.asarray(stored, np.float64))
        return xr.DataArray(float(stored), name=f"{y.name} {key}")
    found = arrange(find_parameter(groups, stored), first=layout.document)
    drawn = draw_shape(found)
    shapes = dict.fromkeys([drawn, (*drawn, layout.n_documents), (*drawn, *y.shape)])
    check_shape(stored, found.shape, shapes, "one number, or one per document (and task)")
    check_finite(stored, found.values)
    return found
