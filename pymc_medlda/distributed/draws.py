"""The draws that a run stores: collected by the driver, and put into files at a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.distributed.cells import pack_block
from pymc_medlda.distributed.chain import Chain
from pymc_medlda.distributed.documents import Kept, topics_of_kept
from pymc_medlda.run.record import STATISTICS


class Draw(NamedTuple):
    """A stored draw of one chain."""

    eta: Floats  # (n_tasks, n_topics)
    nu: float
    z: NDArray[np.unsignedinteger]  # of the kept documents
    cell: NDArray[np.int64]  # word * n_topics + topic of the counts that are not zero
    n_tokens: NDArray[np.int32]
    statistics: NDArray[np.float64]  # in the order of STATISTICS


class Face(NamedTuple):
    """What the result says of the corpus."""

    kept: list[Kept]  # of each partition
    vocabulary: NDArray[np.object_] | None
    n_words: int
    classes: Any
    has_columns: bool  # whether y is a matrix
    attributes: dict[str, Any]


class Pending(NamedTuple):
    """A draw whose results may not be there yet; its statistics come with the next weights."""

    weights: Any
    z: list[Any]
    counts: list[Any]


def request_draw(chain: Chain, sweep: int, words: list[Any]) -> Pending:
    """Submit the tasks that read the present draw of a chain."""
    submit, number = chain.executor.submit, chain.number
    kept = [
        submit(topics_of_kept, own, chain.topics[i], key=("kept", number, sweep, i), at=i)
        for i, own in enumerate(chain.corpora.documents)
    ]
    counts = [
        submit(pack_block, block, words[B], chain.given, key=("pack", number, sweep, B), at=B)
        for B, block in enumerate(chain.blocks)
    ]
    return Pending(chain.weights, kept, counts)


def collect_draw(chain: Chain, pending: Pending) -> Draw:
    """Wait for the parts of a draw; its statistics are not known yet."""
    weights, z, counts = chain.executor.gather(list(pending))
    cell = np.concatenate([part for part, _ in counts])
    order = np.argsort(cell)
    count = np.concatenate([part for _, part in counts])
    nothing = np.full(len(STATISTICS), np.nan)
    return Draw(weights.eta, weights.nu, np.concatenate(z), cell[order], count[order], nothing)


def with_statistics(draw: Draw, statistics: dict[str, float]) -> Draw:
    """Return a draw with its statistics."""
    return draw._replace(statistics=np.array([statistics[name] for name in STATISTICS]))


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
