"""Tables of topics: which of them can be trusted, and which of them documents have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pymc_medlda._arrays import Floats
from pymc_medlda.run.matching import Matching
from pymc_medlda.run.relabelling import relabel_weights
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import N_WORDS, list_best_words

INTERVAL = (0.05, 0.95)


def make_topic_table(
    topics: TopicDraws, matching: Matching, responses: Sequence[ResponseDraws]
) -> pd.DataFrame:
    """Return one row per topic, matched over chains; see `Diagnosis` for the columns."""
    phi = matching.phi.mean(axis=0)
    best = np.argsort(-phi, axis=1, kind="stable")[:, :N_WORDS]
    table = pd.DataFrame(index=pd.Index(topics.topic_labels, name=topics.topic_dim))
    table["words"] = [", ".join(row) for row in topics.word_labels[best]]
    if topics.n_chains > 1:
        table["found_by_all"] = matching.found
        table["agreement"] = matching.agreement
    table["share_min"] = matching.share.min(axis=0)
    table["share_max"] = matching.share.max(axis=0)
    for response in responses:
        eta = relabel_weights(response.eta, matching.permutation)
        for label, weights in response.split_tasks(eta).items():
            lower, upper = np.quantile(weights, INTERVAL, axis=(0, 1))
            table[label] = weights.mean(axis=(0, 1))
            table[f"{label} 5%"], table[f"{label} 95%"] = lower, upper
            table[f"{label} sign"] = _common_sign(weights)
    return table


def tabulate_documents(topics: TopicDraws, values: dict[str, Floats]) -> pd.DataFrame:
    """Return arrays (chain, document, topic) as a table with one row per entry."""
    labels = (topics.chain_labels, topics.documents, topics.topic_labels)
    rows = pd.MultiIndex.from_product(labels, names=("chain", "document", "topic"))
    table = rows.to_frame(index=False)
    for name, array in values.items():
        table[name] = array.ravel()
    words = np.array([list_best_words(topics, c) for c in range(topics.n_chains)], object)
    table["words"] = np.repeat(words[:, None], topics.documents.size, axis=1).ravel()
    return table


def _common_sign(weights: Floats) -> Floats:
    """Return 1 or -1 where the interval of every chain lies on that side of zero, 0 elsewhere."""
    lower, upper = np.quantile(weights, INTERVAL, axis=1)  # (chain, topic)
    return (lower > 0).all(axis=0).astype(int) - (upper < 0).all(axis=0).astype(int)
