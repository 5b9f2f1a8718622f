"""Count tables, topic-word distributions and discriminants of the draws a run stored.

Everything after sampling goes through these few functions, one draw at a time, so that nothing of
size draws x topics x words is ever held unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import Counts, count_topics, count_words, project
from pymc_medlda.run.reading import StoredResponse, StoredTopics


class Draw(NamedTuple):
    """The count tables of a draw. They are overwritten by the next one: copy what is kept."""

    chain: int
    draw: int
    counts: Counts


def iterate_draws(
    stored: StoredTopics,
    *,
    chains: Iterable[int] | None = None,
    thin: int = 1,
    draws: Mapping[int, Sequence[int]] | None = None,
) -> Iterator[Draw]:
    """Yield draws, counted: every ``thin``-th of the chains, or those listed in ``draws`` by chain.

    Chains and draws are given by position.
    """
    check_whole("thin", thin, at_least=1)
    n_documents = stored.tokens.start.size - 1
    counts = Counts(
        np.empty((stored.n_words, stored.n_topics), np.int32),
        np.empty((n_documents, stored.n_topics), np.int32),
        np.empty(stored.n_topics, np.int64),
    )
    if draws is None:
        every = range(0, stored.z.sizes["draw"], thin)
        draws = dict.fromkeys(range(stored.z.sizes["chain"]) if chains is None else chains, every)
    for chain, chosen in draws.items():
        z_of_chain = stored.z.isel(chain=chain).values
        for draw in chosen:
            z = np.ascontiguousarray(z_of_chain[draw])
            count_topics(stored.tokens, z, counts.document_topic, counts.topic)
            count_words(stored.tokens.word, z, counts.word_topic)
            yield Draw(chain, draw, counts)


def word_distributions(counts: Counts, beta: float) -> Floats:
    """Return phi_kt = (C_kt + beta) / (C_k + V beta), (n_topics, n_words)."""
    n_words = counts.word_topic.shape[0]
    phi: Floats = (counts.word_topic.T + beta) / (counts.topic + n_words * beta)[:, None]
    return phi


def mean_word_distributions(
    stored: StoredTopics, *, chains: list[int] | None = None, thin: int = 1
) -> Floats:
    """Return the mean of phi over the draws of each chain, (chain, topic, word)."""
    chosen = list(range(stored.z.sizes["chain"])) if chains is None else chains
    total = np.zeros((len(chosen), stored.n_topics, stored.n_words))
    seen = np.zeros(len(chosen))
    for chain, draw, counts in iterate_draws(stored, chains=chosen, thin=thin):
        row = chosen.index(chain)
        total[row] += word_distributions(counts, stored.beta(chain, draw))
        seen[row] += 1
    return total / seen[:, None, None]


def chain_positions(stored: StoredTopics, chain: Any) -> list[int]:
    """Return the positions of a chain given by its label, of all chains for None."""
    labels = stored.z["chain"].values.tolist() if "chain" in stored.z.coords else None
    if labels is None:
        labels = list(range(stored.z.sizes["chain"]))
    if chain is None:
        return list(range(len(labels)))
    if chain not in labels:
        raise ValueError(f"chain must be one of {labels} or None for all of them, got {chain!r}")
    return [labels.index(chain)]


def discriminants(stored: StoredTopics, response: StoredResponse, chain: int, draw: int) -> Floats:
    """Return F = eta · z̄ + offset of the training documents in a draw, (n_documents, n_tasks)."""
    out = np.empty(response.y.shape)
    z = np.ascontiguousarray(stored.z[chain, draw].values)  # of a file, this draw alone
    project(stored.tokens, z, response.weights(chain, draw), out)
    return out + response.offset(chain, draw)


def word_labels(stored: StoredTopics) -> NDArray[np.str_]:
    """Return the words, their ids as text where they have no names."""
    words = np.arange(stored.n_words) if stored.vocabulary is None else stored.vocabulary
    return np.asarray(words).astype(str)
