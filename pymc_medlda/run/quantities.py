"""The quantities whose convergence `diagnose` checks, as arrays of draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.run.coordinates import spread
from pymc_medlda.run.matching import Matching
from pymc_medlda.run.reading_predictions import read_discriminants
from pymc_medlda.run.relabelling import relabel_weights
from pymc_medlda.run.response_draws import ResponseDraws, discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws

FREE_OF_LABELS = ("loss", "log_likelihood", "log_joint", "moved")
# Discriminants that are checked, over documents and tasks: a share of a thousand is known to two
# per cent, and R-hat of that many takes less than a second for 8 x 500 draws.
MOST_DISCRIMINANTS = 1000
FEWEST_DOCUMENTS = 20


class Quantity(NamedTuple):
    """The draws of something.

    ``kind`` is that of the response for discriminants, (chain, draw, document, task), and empty
    for statistics and weights, (chain, draw, entry).
    """

    name: str
    draws: Floats
    kind: str = ""

    @property
    def entries(self) -> Floats:
        """The draws as (chain, draw, entry)."""
        return self.draws.reshape(*self.draws.shape[:2], -1)


def collect(
    run: Run, topics: TopicDraws, responses: Sequence[ResponseDraws], matching: Matching
) -> list[Quantity]:
    """Return the statistics, the discriminants and the aligned weights of a run."""
    after = run.statistics.after_warm_up
    return [
        *[
            Quantity(name, np.asarray(after[name].values, np.float64)[..., None])
            for name in FREE_OF_LABELS
            if name != "loss" or responses
        ],
        *_of_training_documents(topics, responses),
        *_of_new_documents(run, topics, responses),
        *[
            Quantity(f"{eta.name} (aligned)", eta.values.reshape(*eta.shape[:2], -1))
            for eta in [relabel_weights(r.eta, matching.permutation) for r in responses]
        ],
    ]


def _of_training_documents(
    topics: TopicDraws, responses: Sequence[ResponseDraws]
) -> list[Quantity]:
    """Return F of training documents that are spread evenly."""
    shape = (topics.n_chains, topics.n_draws)
    documents = [_spread_documents(*response.y.shape) for response in responses]
    values = [
        np.empty((*shape, chosen.size, response.y.shape[1]))
        for response, chosen in zip(responses, documents, strict=True)
    ]
    for chain, draw in np.ndindex(shape):
        for response, chosen, out in zip(responses, documents, values, strict=True):
            out[chain, draw] = discriminants(topics, response, chain, draw)[chosen]
    several = len(responses) > 1
    return [
        Quantity("discriminant" + (f" of {response.name}" if several else ""), out, response.kind)
        for response, out in zip(responses, values, strict=True)
    ]


def _of_new_documents(
    run: Run, topics: TopicDraws, responses: Sequence[ResponseDraws]
) -> list[Quantity]:
    """Return F of the new documents that `predict` stored for every chain, if it did."""
    predictions = run.group("predictions")
    if predictions is None or "discriminant" not in predictions:
        return []
    stored = predictions["discriminant"]
    predicted = predictions.attrs.get("response")
    chosen = [r for r in responses if r.name == (predicted or r.name)]
    is_complete = {"chain", "draw"} <= set(stored.dims)
    if len(chosen) != 1 or not is_complete or stored.sizes["chain"] != topics.n_chains:
        return []
    response = chosen[0]
    values = read_discriminants(predictions, response).values.astype(np.float64)
    values = values.reshape(*values.shape[:3], -1)
    documents = _spread_documents(*values.shape[2:])
    return [Quantity("discriminant of new documents", values[:, :, documents], response.kind)]


def _spread_documents(n_documents: int, n_tasks: int) -> NDArray[np.intp]:
    """Return documents that are spread evenly, fewer of them if there are many tasks."""
    return spread(n_documents, max(MOST_DISCRIMINANTS // n_tasks, FEWEST_DOCUMENTS))
