"""From the stored record to objects: read what a run left behind, and refuse what is not ours.

`run.record` says how a run is stored. `Run` calls the functions that are listed here, and nothing
else does. All that they read is checked, one time, except the values of z, which `TopicDraws`
checks as it reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pymc_medlda.run import record
from pymc_medlda.run.coordinates import find_label, labels_of
from pymc_medlda.run.ordering import check_order
from pymc_medlda.run.reading_responses import read_response
from pymc_medlda.run.reading_topics import read_topics
from pymc_medlda.run.record import Record, ResponseRecord, TopicsRecord
from pymc_medlda.run.stored import FOREIGN, Groups

__all__ = ["FOREIGN", "UNSUPERVISED", "pick", "read_records", "read_response", "read_topics"]

UNSUPERVISED = "the model has no response: it is plain LDA"
Described = TypeVar("Described", TopicsRecord, ResponseRecord)


def read_records(groups: Groups) -> list[Record]:
    """Return all descriptions that a run holds, after checking that they agree."""
    constant = groups("constant_data")
    if constant is None:
        raise ValueError(FOREIGN)
    found: list[Record] = []
    dims = set()
    for name, variable in constant.data_vars.items():
        if str(name).endswith(record.SUFFIX) and variable.ndim == 1:
            dim = str(variable.dims[0])
            labels = labels_of(variable, dim)
            text = str(labels[0]) if labels.size else ""
            described = record.decode(text)
            if record.description_of(record.owner_of(described)) != name:
                raise ValueError(
                    f"idata holds a damaged description of its model: {str(name)!r} describes "
                    f"{record.owner_of(described)!r}"
                )
            dims.add(dim)
            found.append(described)
    if found:
        _check_records(found, [str(dim) for dim in constant.dims if dim not in dims])
    for described in found:
        if isinstance(described, TopicsRecord):
            check_order(described, groups)
    return found


def _check_records(found: list[Record], others: list[str]) -> None:
    """Raise if a description is missing; ``others`` are the dims that hold none of those found."""
    lost = [dim for dim in others if dim.endswith(record.description_dim(""))]
    if lost:
        raise ValueError(
            f"idata has the coordinate {lost[0]!r}, but not the variable of constant_data that "
            f"ends in {record.SUFFIX!r} and belongs to it: keep that whole group"
        )
    known = [described.z for described in found if isinstance(described, TopicsRecord)]
    for described in found:
        if described.z not in known:
            raise ValueError(
                f"idata has no description {record.description_of(described.z)!r} of the topic "
                f"assignments to which {record.owner_of(described)!r} belongs: keep the whole "
                "group constant_data"
            )


def pick(found: Sequence[Described], argument: str, name: str | None, *, missing: str) -> Described:
    """Return the description with this name, or the only one.

    ``argument`` is what public functions call the name, and ``missing`` the error if there is no
    description at all.
    """
    names = [record.owner_of(described) for described in found]
    if not found:
        raise ValueError(missing)
    if name is None:
        if len(found) > 1:
            raise ValueError(
                f"{argument} was not given, but the model has several: {', '.join(names)}; say "
                f"which with {argument}="
            )
        return found[0]
    position = find_label(list(names), name)
    if position is None:
        raise ValueError(
            f"{argument} is wrong: the model has no {name!r}; it has {', '.join(names)}"
        )
    return found[position]
