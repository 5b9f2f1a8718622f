"""How far stated probabilities are from what happened."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats


class Reliability(NamedTuple):
    """Groups of statements with about the same probability; groups without any are left out."""

    stated: Floats  # mean probability
    happened: Floats  # share of the statements that were true
    size: NDArray[np.intp]


def group_by_probability(
    probability: Floats, true: NDArray[np.bool_], *, bins: int = 15
) -> Reliability:
    """Put statements into ``bins`` groups of equal width by their probability."""
    group = np.minimum((probability * bins).astype(np.intp), bins - 1)
    size = np.bincount(group, minlength=bins)
    used = size > 0
    stated = np.bincount(group, probability, minlength=bins)[used] / size[used]
    happened = np.bincount(group, true.astype(float), minlength=bins)[used] / size[used]
    return Reliability(stated, happened, size[used])


def calibration_error(probability: Floats, true: NDArray[np.bool_], *, bins: int = 15) -> float:
    """Return the expected calibration error: the mean distance in a group, weighted by its size.

    Parameters
    ----------
    probability : (n,) float array
        The probabilities of statements, such as that the document has the predicted class.
    true : (n,) bool array
        Whether the statements are true.
    bins : int, default 15
        Groups of equal width between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> calibration_error(np.array([0.75] * 4), np.array([True, True, True, False]))
    0.0
    >>> calibration_error(np.array([1.0] * 4), np.array([True, True, True, False]))
    0.25
    """
    groups = group_by_probability(probability, true, bins=bins)
    far = np.abs(groups.stated - groups.happened)
    return float((far * groups.size).sum() / groups.size.sum())
