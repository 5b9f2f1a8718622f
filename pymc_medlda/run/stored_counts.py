"""The topic-word counts that a run stores if it does not store the topics of all tokens.

They are in the group `GROUP`, without their zeros: for every stored draw a range of entries, each
the number of a cell of the table (word * n_topics + topic) and its count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda.run.checking import check_integers, check_shape
from pymc_medlda.run.stored import Groups

GROUP = "topic_counts"
N_DOCUMENTS = "n_documents"
"""The attribute of the group that tells how many documents were counted."""


def names_of(z: str) -> tuple[str, str, str, str]:
    """Return the names of the cells, the counts, and the first entry and the end of each draw."""
    return f"{z}_cell", f"{z}_count", f"{z}_first", f"{z}_end"


def dtype_of_cells(n_cells: int) -> Any:
    """Return the smaller dtype of two that holds the number of every cell of a table."""
    return np.int32 if n_cells <= 2**31 else np.int64


def as_dataset(
    z: str,
    cells: list[list[NDArray[np.signedinteger]]],
    counts: list[list[NDArray[np.int32]]],
    posterior: xr.Dataset,
    n_documents: int | None,
) -> xr.Dataset:
    """Return the counts of all chains and draws as a group, with the labels of the posterior.

    ``n_documents`` is how many documents were counted, if that is known. The cells and counts
    leave their lists, so that they need not fit into memory twice.
    """
    sizes = np.array([[cell.size for cell in chain] for chain in cells], np.int64)
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    cell, count, first, end = names_of(z)
    entry = f"{z}_entry"
    return xr.Dataset(
        {
            cell: (entry, _join(cells)),
            count: (entry, _join(counts)),
            first: (("chain", "draw"), ends - sizes),
            end: (("chain", "draw"), ends),
        },
        {dim: posterior[dim].values for dim in ("chain", "draw")},
        {} if n_documents is None else {N_DOCUMENTS: n_documents},
    )


def _join(chains: list[list[NDArray[Any]]]) -> NDArray[Any]:
    """Return the arrays of all draws one after the other; each is copied, and leaves its list."""
    joined = np.empty(sum(own.size for chain in chains for own in chain), chains[0][0].dtype)
    end = 0
    for chain in chains:
        chain.reverse()
        while chain:
            own = chain.pop()
            joined[end : end + own.size] = own
            end += own.size
    return joined


class StoredCounts(NamedTuple):
    """The counts C_kt of every stored draw."""

    cell: NDArray[np.signedinteger]
    n_tokens: NDArray[np.integer]
    first: NDArray[np.int64]  # (chain, draw)
    end: NDArray[np.int64]
    n_documents: int | None = None  # that were counted, if the run tells

    def entries(self, chain: int, draw: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the cells of a draw that are not zero, and their counts."""
        own = slice(int(self.first[chain, draw]), int(self.end[chain, draw]))
        return self.cell[own], self.n_tokens[own]

    @property
    def n_counted(self) -> int:
        """The number of tokens that were counted."""
        return int(self.entries(0, 0)[1].sum(dtype=np.int64))

    def fill(self, chain: int, draw: int, out: NDArray[np.int32]) -> None:
        """Write the table of a draw, (n_words, n_topics)."""
        out[:] = 0
        cell, count = self.entries(chain, draw)
        out.reshape(-1)[cell] = count

    def relabelled(self, permutation: NDArray[np.intp], n_topics: int) -> list[list[Any]]:
        """Return the entries of every draw under new labels of the topics, in their order.

        ``permutation`` maps new labels to old ones, (chain, topic) or (chain, draw, topic).
        """
        new = np.argsort(permutation, axis=-1)
        found: list[list[Any]] = []
        for chain in range(self.first.shape[0]):
            found.append([])
            for draw in range(self.first.shape[1]):
                cell, count = self.entries(chain, draw)
                table = new[chain, draw] if new.ndim == 3 else new[chain]
                changed = cell - cell % n_topics + table[cell % n_topics].astype(cell.dtype)
                order = np.argsort(changed)
                found[-1].append((changed[order], count[order]))
        return found


def read_counts(z: str, groups: Groups, shape: tuple[int, ...], n_cells: int) -> Any:
    """Return the counts of a run, None if it stores all topics instead."""
    group = groups(GROUP)
    if group is None:
        return None
    names = names_of(z)
    missing = [name for name in names if name not in group]
    if missing:
        raise ValueError(f"the group {GROUP!r} has no {missing[0]!r}: keep that whole group")
    cell, count, first, end = (group[name].values for name in names)
    check_shape(names[0], cell.shape, [(cell.size,)], "one per entry")
    check_shape(names[1], count.shape, [cell.shape], "one per entry")
    check_integers(names[0], cell, below=n_cells, meaning="one for each word and topic")
    check_integers(names[1], count, below=2**31, meaning="counts")
    for name, values in zip(names[2:], (first, end), strict=True):
        check_shape(name, values.shape, [shape], "as many as chains and draws")
        check_integers(name, values, below=cell.size + 1, meaning="places among the entries")
    cell = np.ascontiguousarray(cell, dtype_of_cells(n_cells))
    known = group.attrs.get(N_DOCUMENTS)
    is_number = isinstance(known, (int, np.integer)) and known > 0
    n_documents = int(known) if is_number else None
    return StoredCounts(cell, np.ascontiguousarray(count, np.int32), first, end, n_documents)
