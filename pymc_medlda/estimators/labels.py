"""y of the classifier: classes or labels, checked as scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from pymc_medlda.targets.reading import as_sequence
from pymc_medlda.targets.response import Response


def as_labels(y: Any) -> Any:
    """Return y as an array of classes or 0/1 labels, checked as scikit-learn does."""
    y = y.toarray() if hasattr(y, "toarray") else y
    plain = isinstance(y, (np.ndarray, list)) and not isinstance(y, np.ma.MaskedArray)
    if not plain or getattr(y, "dtype", np.dtype(object)).kind == "T":
        y = as_sequence(y, "y")  # a masked entry is a missing one
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        y = array = column_or_1d(array, warn=True)
    missing = pd.isna(array)
    given = array[~(missing.any(axis=1) if array.ndim == 2 else missing)]
    if not len(given):
        raise ValueError("Input y contains NaN only: no document has a class")
    # Through a list, as an array of objects would hide that its labels are numbers or strings.
    known = np.asarray(given.tolist()) if given.dtype.kind == "O" else given
    try:
        check_classification_targets(known)
    except ValueError as error:
        raise ValueError(f"y cannot be used: {error}") from error
    if array.ndim == 2 and type_of_target(known) != "multilabel-indicator":
        raise ValueError("a matrix y must hold labels, 0 or 1 in each column")
    # A list is coded as it came: NumPy makes strings of [1, "a"] and of ["a", nan].
    return y if isinstance(y, list) else array


def check_classes_weigh(response: Response, c: Any) -> None:
    """Raise if documents that weigh anything have one class only."""
    if response.kind == "multilabel" or not np.ndim(c):
        return
    values = response.values.reshape(len(response.values), -1)
    labelled = ~np.isnan(values[:, 0]) & (c > 0)
    if len(np.unique(values[labelled], axis=0)) < 2:
        raise ValueError("documents with a positive sample_weight have one class only")
