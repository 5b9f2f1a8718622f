"""The draws that a run stores: collected by the driver, and put into files at a checkpoint."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._memory import physical_memory
from pymc_medlda.distributed.documents import Kept
from pymc_medlda.distributed.stations import Report
from pymc_medlda.run.record import STATISTICS
from pymc_medlda.run.stored_counts import dtype_of_cells


class Draw(NamedTuple):
    """A stored draw of one chain."""

    eta: Floats  # (n_tasks, n_topics)
    nu: float
    z: NDArray[np.unsignedinteger]  # of the kept documents
    cell: NDArray[np.signedinteger]  # word * n_topics + topic of the counts that are not zero
    n_tokens: NDArray[np.int32]
    statistics: NDArray[np.float64]  # in the order of STATISTICS


class Face(NamedTuple):
    """What the result says of the corpus."""

    kept: list[Kept]  # of each partition
    vocabulary: NDArray[np.object_] | None
    n_words: int
    classes: Any
    has_columns: bool  # whether y is a matrix
    n_documents: int  # of all partitions
    attributes: dict[str, Any]


def warn_of_size(n_draws: int, n_words: int, n_topics: int, n_tokens: int) -> None:
    """Warn if the counts of so many draws may take more memory than this process can have.

    A table has no more cells that are not zero than there are tokens.
    """
    n_cells = n_words * n_topics
    of_cell = np.dtype(dtype_of_cells(n_cells)).itemsize + np.dtype(np.int32).itemsize
    most, memory = n_draws * min(n_cells, n_tokens) * of_cell, physical_memory()
    if memory is None or most <= memory:
        return
    warnings.warn(
        f"the topic-word counts of {n_draws} stored draws may take up to {most / 1e9:.1f} GB of "
        f"memory in this process, and there are {memory / 1e9:.1f} GB: store fewer draws of "
        "the same sweeps, with smaller draws and larger sweeps_per_draw",
        stacklevel=3,
    )


def collect_draw(reports: Sequence[Report], chain: int, sweep: int) -> Draw:
    """Put a draw together from what the stations tell of it."""
    place = (chain, sweep)
    seen = next(own.seen[place] for own in reports if place in own.seen)
    kept = {key: z for own in reports for key, z in own.kept.items() if key[:2] == place}
    # They leave the reports: there may be as many entries as the corpus has tokens.
    taken = [own.counts.pop(key) for own in reports for key in list(own.counts) if key[:2] == place]
    cell, n_tokens = sort_together(taken)
    del taken
    return Draw(
        eta=seen.eta,
        nu=seen.nu,
        z=np.concatenate([kept[key] for key in sorted(kept)]),
        cell=cell,
        n_tokens=n_tokens,
        statistics=np.array([seen.statistics[name] for name in STATISTICS]),
    )


def sort_together(parts: Sequence[tuple[NDArray, NDArray]]) -> tuple[NDArray, NDArray]:
    """Return the cells of all blocks in their order, and the counts of the cells."""
    cell, count = (np.concatenate(own) for own in zip(*parts, strict=True))
    if cell.dtype.itemsize > 4:
        order = np.argsort(cell)
        return cell[order], count[order]
    # Both in one number that is sorted in place: this takes no permutation, and no copies by it.
    both = np.empty(cell.size, "<i8")
    halves = both.view("<i4").reshape(-1, 2)  # the last half is the one that counts most
    halves[:, 0], halves[:, 1] = count, cell
    both.sort()
    cell[:], count[:] = halves[:, 1], halves[:, 0]
    return cell, count


def pack_draws(draws: Sequence[Sequence[Draw]]) -> dict[str, Any]:
    """Return the draws of all chains as arrays that a file can hold."""
    return {
        f"{name}-{chain}-{number}": np.asarray(value)
        for chain, own in enumerate(draws)
        for number, draw in enumerate(own)
        for name, value in draw._asdict().items()
    }


def unpack_draws(arrays: dict[str, Any], n_chains: int) -> list[list[Draw]]:
    """Return the draws that `pack_draws` packed."""
    found: list[list[Draw]] = []
    for chain in range(n_chains):
        own: list[Draw] = []
        while f"eta-{chain}-{len(own)}" in arrays:
            values = {key: arrays[f"{key}-{chain}-{len(own)}"] for key in Draw._fields}
            own.append(Draw(**{**values, "nu": float(values["nu"])}))
        found.append(own)
    return found
