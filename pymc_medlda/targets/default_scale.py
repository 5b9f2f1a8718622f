"""The prior scale of the weights of features for which the user names none."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from pymc_medlda._arguments import is_symbolic
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.losses import EpsilonInsensitive, Gaussian, Hinge, Logistic, Loss, Standardised
from pymc_medlda.targets.response import Response

_log = logging.getLogger("pymc.medlda")

# The C of the linear support vector machine that the weights of features alone would be.
STRENGTH = 0.5


def choose_tau(loss: Loss | Standardised, response: Response, matrix: FeatureMatrix) -> float:
    r"""Return a scale with which the features alone would be a linear SVM of moderate strength.

    With the hinge loss and no topics, the mode of the posterior minimises
    :math:`2 c \sum_d \max(0, \ell - y_d F_d) + |w|^2 / (2 \tau^2)`. In units of the margin
    :math:`\ell` this is a linear support vector machine with :math:`C = 2 c \tau^2 / \ell`, if rows
    of features have the length one. For real values the spread of y takes the place of the margin.
    The scale that is returned gives `STRENGTH` for C. With a Gaussian loss the features alone would
    be ridge regression with a penalty of 1, with the logistic loss logistic regression with this C.
    With a `Standardised` loss the scale is in units of the standard deviation of y, as the loss is.
    """
    spread = 1.0 if isinstance(loss, Standardised) else _spread(response)
    if isinstance(loss, Standardised):
        loss = loss.loss
    known: dict[str, float] = {}
    for key in loss.parameter_names():
        value = getattr(loss, key)
        if is_symbolic(value):
            raise ValueError(
                f"tau is needed with features, because {key} of the loss is a variable: give the "
                "prior scale of the weights of the features"
            )
        known[key] = _mean(value)
    c = known.get("c", 1.0) or 1.0
    if isinstance(loss, Hinge):
        variance = STRENGTH * known["margin"] / (2.0 * c)
    elif isinstance(loss, EpsilonInsensitive):
        variance = STRENGTH * spread / (2.0 * c)
    elif isinstance(loss, Gaussian):
        variance = known["sigma"] ** 2
    elif isinstance(loss, Logistic):
        variance = STRENGTH / c
    else:
        raise ValueError(
            f"tau is needed with features and the loss {type(loss).__name__}: give the prior scale "
            "of the weights of the features"
        )
    length = float((matrix.value**2).sum()) / max(matrix.shape[0], 1)
    tau = math.sqrt(variance / (length or 1.0))
    _say(f"{tau:.3g}")
    return tau


@functools.lru_cache(maxsize=1)
def _say(tau: str) -> None:
    """Log a scale, once if many models in a row have the same, as those of a calibrated fit do."""
    _log.info("tau, the prior scale of the weights of the features, is %s", tau)


def _mean(value: Any) -> float:
    """Return the mean of those weights that are not zero."""
    numbers = np.asarray(list(value.values()) if isinstance(value, Mapping) else value, float)
    positive = numbers[numbers > 0]
    return float(positive.mean()) if positive.size else 0.0


def _spread(response: Response) -> float:
    """Return the standard deviation of the values of a task, averaged over tasks."""
    values = response.values.reshape(len(response.values), -1)
    deviations = [np.nanstd(column) for column in values.T if not np.isnan(column).all()]
    return float(np.mean(deviations)) or 1.0 if deviations else 1.0
