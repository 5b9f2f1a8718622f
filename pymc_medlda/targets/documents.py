"""Which document a value belongs to: by the index of a pandas object, or by position.

The rule for y, offsets and weights that are pandas objects, in one place. The coordinates of an
xarray object count as its index.

- Where the index is the numbering 0, 1, ... of the documents in their order, it says nothing, and
  values are matched by position. If the names of the documents are these numbers in another order,
  it is refused, because it may mean either.
- Where the documents have names and the index holds the same names, values are matched by name.
- Where the documents have no names, values are matched by position. An index that is the numbering
  of the documents in another order is refused, because it may mean either.
- Any other index is refused.

Numbers that became floats or text are still numbers here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pymc_medlda._names import as_names, positions_of
from pymc_medlda.targets.labels import listing

REMEDY = "give an array, such as {0}.to_numpy(), if the values are in the order of the documents"


def align_to_documents(values: Any, documents: Iterable[Any] | None, argument: str) -> Any:
    """Return values in the order of the documents, matched by their index if they have one.

    ``documents`` are the names of the documents; None, or their positions, if they have no names.
    Values that have no index are returned as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> y = pd.Series(["up", "down"], index=["b", "a"])
    >>> align_to_documents(y, ["a", "b"], "y").tolist()
    ['down', 'up']
    """
    dim, index = _index_of(values)
    if index is None or documents is None:
        return values
    wanted = documents.tolist() if isinstance(documents, np.ndarray) else list(documents)
    if len(wanted) != len(index):
        return values  # the check of the length has a better message
    given = _labels(index)
    if given == wanted:
        return values
    numbers = list(range(len(wanted)))
    places, known = positions_of(given), positions_of(wanted)
    if places == numbers and known in (None, numbers):
        return values
    if places is not None and numbers in (places, known):
        raise ValueError(_ambiguous(given, wanted, argument))
    if wanted == numbers:
        return values
    place = {label: position for position, label in enumerate(given)}
    if len(place) == len(given) and place.keys() == set(wanted):
        order = [place[name] for name in wanted]
        return values.iloc[order] if dim is None else values.isel({dim: order})
    raise ValueError(
        f"{argument} has the index {listing(given)}, but the documents are called "
        f"{listing(wanted)}: give the names of the documents as index, or "
        + REMEDY.format(argument)
    )


def _ambiguous(given: list[Any], wanted: list[Any], argument: str) -> str:
    """Return the message for two numberings of the documents in different order."""
    numbered = wanted == list(range(len(wanted)))
    by_name = "sort_index()" if numbered else "loc[names of the documents]"
    return (
        f"{argument} has the index {listing(given)}, and the documents are "
        f"{'numbered' if numbered else 'called'} {listing(wanted)}: the same numbers in another "
        f"order, which may be names or positions. Give {argument}.{by_name} if they are names, or "
        + REMEDY.format(argument)
    )


def check_same_order(rows: Any, values: Any, argument: str) -> None:
    """Raise if two pandas objects hold the same index labels in different order.

    scikit-learn matches rows by position, so this would pair each document with the value of
    another one.
    """
    pandas = (pd.Series, pd.DataFrame)
    if not isinstance(rows, pandas) or not isinstance(values, pandas):
        return
    if len(rows.index) != len(values.index) or rows.index.equals(values.index):
        return
    wanted, given = _labels(rows.index), _labels(values.index)
    if given != wanted and len(set(given)) == len(given) and set(given) == set(wanted):
        raise ValueError(
            f"{argument} has the index labels of X in another order, {listing(given)} instead of "
            f"{listing(wanted)}: write {argument}.loc[X.index], or " + REMEDY.format(argument)
        )


def order_of_columns(given: list[str], wanted: list[str], argument: str) -> list[int]:
    """Return where the wanted tasks are among the columns of a frame.

    Columns that are only numbered are taken in their order.
    """
    if sorted(given) == sorted(wanted):
        return [given.index(name) for name in wanted]
    if given == [str(i) for i in range(len(given))]:
        return list(range(len(given)))
    raise ValueError(
        f"{argument} has the columns {listing(given)}, but the tasks are called {listing(wanted)}"
    )


def _index_of(values: Any) -> tuple[Hashable | None, pd.Index | None]:
    """Return the index of values over documents, with the dim it belongs to in xarray."""
    if isinstance(values, (pd.Series, pd.DataFrame)):
        return None, values.index
    if isinstance(values, xr.DataArray):
        dims = [dim for dim in values.dims if dim not in ("chain", "draw")]
        return (dims[0], values.indexes.get(dims[0])) if dims else (None, None)
    return None, None


def _labels(index: pd.Index) -> list[Any]:
    """Return the labels of an index as a corpus would name its documents."""
    try:
        return list(as_names(index, "index").tolist())
    except (TypeError, ValueError):  # labels that cannot be names match no document
        return [f"{label!r}" for label in index]
