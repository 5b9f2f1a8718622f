"""Which document and task a value belongs to: by the labels of a pandas object, or by position.

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

The columns of a frame are the tasks. They are matched by name, unless they are only numbered in
their order. If the tasks are called by these numbers in another order, the columns are refused. The
coordinates of the second dim of an xarray object count as columns.
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


def align_to_tasks(values: Any, tasks: Iterable[Any] | None, argument: str) -> Any:
    """Return values with their columns in the order of the tasks, matched by name.

    Values whose columns have no names are returned as they are, and so is a single column, which
    counts for all tasks. It is refused if it has the name of one of several tasks.

    Examples
    --------
    >>> import pandas as pd
    >>> offset = pd.DataFrame({"b": [2.0, 2.0], "a": [1.0, 1.0]})
    >>> align_to_tasks(offset, ["a", "b"], "offset").columns.tolist()
    ['a', 'b']
    """
    columns = columns_of(values)
    if columns is None or tasks is None:
        return values
    given, wanted = ([_name_of_task(label) for label in labels] for labels in (columns, tasks))
    if len(given) == 1:
        if len(wanted) > 1 and given[0] in wanted and not is_numbering(given):
            raise ValueError(
                f"{argument} has one column, which is called {listing(given)} as one of the tasks "
                f"{listing(wanted)}, and one column counts for all tasks: give one column per "
                "task, or an array if it counts for all"
            )
        return values
    if len(given) != len(wanted):
        return values  # the check of the shape has a better message
    order = order_of_columns(given, wanted, argument)
    if isinstance(values, xr.DataArray):
        return values[..., order]
    return values.iloc[:, order] if isinstance(values, pd.DataFrame) else values[:, order]


def check_no_tasks(
    values: Any, tasks: Iterable[Any] | None, documents: Iterable[Any], argument: str
) -> None:
    """Raise if one value per document is expected, and the index holds the tasks instead.

    Where there are as many documents as tasks, the length alone does not tell.
    """
    if not isinstance(values, pd.Series) or tasks is None:
        return
    given, wanted, names = (
        {_name_of_task(x) for x in own} for own in (values.index, tasks, documents)
    )
    if given == wanted != names and not is_numbering(list(values.index)):
        raise ValueError(
            f"{argument} has one value per task, {listing(list(values.index))}; give one value per "
            "document, or one per document and task"
        )


def order_of_columns(given: list[str], wanted: list[str], argument: str) -> list[int]:
    """Return where the wanted tasks are among the columns of a frame.

    Columns that are only numbered are taken in their order. They are refused if the tasks are
    called by these numbers in another order, because they may mean either.
    """
    if is_numbering(given) and (given == wanted or sorted(given) != sorted(wanted)):
        return list(range(len(given)))
    if is_numbering(given):
        raise ValueError(
            f"{argument} has the columns {listing(given)}, and the tasks are called "
            f"{listing(wanted)}: the same numbers in another order, which may be names or "
            f"positions. Give {argument}[names of the tasks] if they are names, or an array if the "
            "columns are in the order of the tasks"
        )
    if sorted(given) == sorted(wanted):
        return [given.index(name) for name in wanted]
    raise ValueError(
        f"{argument} has the columns {listing(given)}, but the tasks are called {listing(wanted)}: "
        "give the names of the tasks as columns, or an array if the columns are in their order"
    )


def is_numbering(columns: list[Any]) -> bool:
    """Tell whether columns are only numbered 0, 1, ... in their order, which names no task."""
    return [_name_of_task(label) for label in columns] == [str(i) for i in range(len(columns))]


def columns_of(values: Any) -> list[Any] | None:
    """Return the labels of the columns of values over documents and tasks, None without labels."""
    if isinstance(values, xr.DataArray):
        dims = [dim for dim in values.dims if dim not in ("chain", "draw")]
        labelled = len(dims) == 2 and values.dims[-1] == dims[1] and dims[1] in values.indexes
        return list(values.indexes[dims[1]]) if labelled else None
    is_frame = hasattr(values, "columns") and hasattr(values, "to_numpy")  # of pandas or polars
    return list(values.columns) if is_frame else None


def _name_of_task(label: Any) -> str:
    """Return a label as text; classes that are whole numbers may have become floats."""
    whole = isinstance(label, (float, np.floating)) and float(label).is_integer()
    return str(int(label) if whole else label)


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
