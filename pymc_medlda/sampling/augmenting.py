"""Auxiliary variables of many documents, drawn by the threads that sweep over the topics."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.losses import Loss

# Fewer pairs of a document and a task are drawn in less time than it takes to wake up threads.
MANY = 1 << 14


def augment(
    loss: Loss,
    rng: np.random.Generator,
    y: Floats,
    discriminant: Floats,
    given: Any,
    sampler: TopicSampler,
) -> tuple[Any, Any]:
    """Draw the auxiliary variables of a loss given y and F, and return (a, b): see `Loss.augment`.

    If the sampler has several blocks of documents, and there is much to draw, every block has
    random numbers of its own. Pairs of a document and a task are independent of each other, so the
    law is the same, and the draws do not depend on the number of threads.
    """
    edges = sampler.document_edges
    # The code of a user's loss may not be meant for several threads.
    if len(edges) == 2 or y.size < MANY or not loss.is_of_the_package():
        return loss.augment(rng, y, discriminant, given=given)
    parts = [slice(first, last) for first, last in pairwise(edges.tolist())]
    seeds = np.frombuffer(rng.bytes(16 * len(parts)), np.uint32).reshape(len(parts), 4)
    a, b = np.empty((2, *y.shape))

    def draw(m: int) -> None:
        some, own = parts[m], np.random.default_rng(seeds[m].tolist())
        known = given if given is True else given[some]
        of_part = loss.of_documents(some)
        a[some], b[some] = of_part.augment(own, y[some], discriminant[some], given=known)

    sampler.team.run(draw, len(parts))
    return a, b
