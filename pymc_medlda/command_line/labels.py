"""What a fit took the labels for, in a few words."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_NAMED, MOST_LETTERS = 8, 30


def describe_labels(response: Any) -> str:
    """Return how many classes, labels or values a run has, and where they are missing."""
    y = np.asarray(response.y, np.float64)
    unknown = np.isnan(y).reshape(len(y), -1).all(axis=1)
    if response.kind == "real":
        low, high = (float(f"{bound(y):.6g}") for bound in (np.nanmin, np.nanmax))
        found = f"values from {low} to {high}"
    else:
        many = "labels" if response.kind == "multilabel" else "classes"
        names = [_shorten(str(name)) for name in np.asarray(response.classes).tolist()]
        named = ", ".join([*names[:MOST_NAMED], *(["..."] if len(names) > MOST_NAMED else [])])
        found = f"{len(names)} {many} ({named})"
    n_unknown = int(unknown.sum())
    documents = "document" if n_unknown == 1 else "documents"
    return f"{found}, missing in {n_unknown} {documents}" if n_unknown else found


def _shorten(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 3]}..."
