"""Weights of the loss that a user gives per class or label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.targets.labels import listing
from pymc_medlda.targets.response import Response


def weigh_classes(c: Mapping[Any, float], response: Response) -> Floats:
    """Turn a mapping from class (or label) to weight into an array shaped as the coded values.

    The weight of a class applies to the documents of that class, the weight of a label to the
    task of that label. Classes and labels that are not in the mapping have weight 1.
    """
    assert response.classes is not None
    known = list(response.classes.tolist())
    unknown = [key for key in c if key not in known]
    if unknown:
        raise ValueError(f"c weighs {listing(unknown)}, but the classes are {listing(known)}")
    weight = np.array([float(c.get(value, 1.0)) for value in known])
    values = response.values
    if response.kind == "binary":
        return np.where(values > 0, weight[1], weight[0])
    if response.kind == "multiclass":
        own = np.where(np.isnan(values[:, 0]), 1.0, weight[np.argmax(values, axis=1)])
        return np.broadcast_to(own[:, None], values.shape).copy()
    return np.broadcast_to(weight, values.shape).copy()
