"""The rule that decides: from discriminants to classes, sets of labels or values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.targets.response import KINDS


def choose(kind: str, discriminant: Floats) -> NDArray[Any]:
    """Return the positions of the chosen classes, or whether each discriminant is positive.

    This is the rule: of several classes the one with the largest discriminant, (...) from
    (..., n_tasks); for two classes and for labels the sign, (..., n_tasks).
    """
    if kind == "multiclass":
        return np.asarray(np.argmax(discriminant, axis=-1))
    return np.asarray(discriminant > 0)


def decide(kind: str, discriminant: Floats, classes: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the decision that discriminants stand for.

    Parameters
    ----------
    kind : {"binary", "multiclass", "multilabel", "real"}
        Kind of the response.
    discriminant : (..., n_tasks) float array
        One value per task; one task for two classes or one real value.
    classes : array, optional
        The two classes (the second where the discriminant is positive), or the classes.

    Returns
    -------
    array
        (...) of classes; (..., n_tasks) of 0 and 1 for labels; the discriminants themselves for
        real responses.

    Examples
    --------
    >>> import numpy as np
    >>> decide("binary", np.array([[0.3], [-2.0]]), np.array(["ham", "spam"])).tolist()
    ['spam', 'ham']
    >>> decide("multilabel", np.array([[0.3, -1.0]])).tolist()
    [[1, 0]]
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
    if kind == "real":
        return discriminant
    chosen = choose(kind, discriminant)
    if kind == "multilabel":
        return chosen.astype(np.int8)
    assert classes is not None
    decision: NDArray[Any] = classes[chosen if kind == "multiclass" else chosen[..., 0].astype(int)]
    return decision


def share_of_draws(kind: str, discriminant: Floats) -> Floats | None:
    """Return the share of draws that decide for each class or set each label.

    Parameters
    ----------
    kind : {"binary", "multiclass", "multilabel", "real"}
    discriminant : (n_chains, n_draws, n_documents, n_tasks) float array

    Returns
    -------
    (n_documents, n_classes) or (n_documents, n_tasks) float array
        None for real responses.

    Examples
    --------
    >>> import numpy as np
    >>> share_of_draws("binary", np.array([1.0, -1.0, -2.0, -1.0]).reshape(1, 4, 1, 1)).tolist()
    [[0.75, 0.25]]
    """
    if kind == "real":
        return None
    chosen = choose(kind, discriminant)
    if kind == "multiclass":
        n_classes = discriminant.shape[-1]
        return np.stack([(chosen == k).mean(axis=(0, 1)) for k in range(n_classes)], axis=-1)
    positive: Floats = chosen.mean(axis=(0, 1))
    if kind == "binary":
        return np.concatenate([1.0 - positive, positive], axis=-1)
    return positive
