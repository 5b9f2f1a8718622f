"""The draws of a set of topic assignments, and what is counted in them.

All that is read from z goes through `TopicDraws`, one draw at a time, so that nothing of size
draws x topics x words is held unless it is asked for. What was computed for a chain is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus.recipe import TextRecipe
from pymc_medlda.kernels.counts import Tokens, count_words
from pymc_medlda.run.checking import check_integers
from pymc_medlda.run.coordinates import find_chains, labels_of
from pymc_medlda.run.counts import TopicCounts, estimate_phi
from pymc_medlda.run.stored_counts import StoredCounts


@dataclass(frozen=True, eq=False)
class TopicDraws:
    """The draws of a set of topic assignments, with their documents.

    Chains and draws are given by position in all methods.

    Attributes
    ----------
    name : str
        Name of z in the posterior.
    z : DataArray
        (chain, draw, token), integers as stored. Read them with `assignments` or
        `assignments_at`, which check them.
    tokens : Tokens
        Words and document starts of the training corpus.
    vocabulary : (n_words,) array of str, or None if the words had no names
    documents : (n_documents,) array of document names
    n_words, n_topics : int
    topic_dim, document_dim, word_dim : str
        Names of the dims.
    topic_labels : (n_topics,) array
        The coordinates of the topics.
    """

    name: str
    z: xr.DataArray
    tokens: Tokens
    vocabulary: NDArray[Any] | None
    documents: NDArray[Any]
    n_words: int
    n_topics: int
    topic_dim: str
    document_dim: str
    word_dim: str
    topic_labels: NDArray[Any]
    _alpha: xr.DataArray
    _beta: xr.DataArray
    _texts: dict[str, Any] | None = None
    # The counts of all documents, where z and tokens are those of a sample of them; otherwise None.
    counts: StoredCounts | None = None
    # What was computed: from (chain, thin) to the mean of phi, and to the tokens of each topic.
    _mean_phi: dict[tuple[int, int], Floats] = field(default_factory=dict, repr=False)
    _totals: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict, repr=False)
    _last_chain: dict[int, NDArray[np.unsignedinteger]] = field(default_factory=dict, repr=False)
    _checked: set[int] = field(default_factory=set, repr=False)  # chains

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return int(self.z.sizes["chain"])

    @property
    def n_draws(self) -> int:
        """Number of draws in each chain."""
        return int(self.z.sizes["draw"])

    @cached_property
    def is_sample(self) -> bool:
        """Whether z and tokens are those of a sample of the documents that were counted."""
        return self.counts is not None and self.counts.n_counted > self.tokens.word.size

    @property
    def said_of_sample(self) -> str:
        """How many documents a sample holds, in words."""
        n = None if self.counts is None else self.counts.n_documents
        of_all = "" if n is None else f" of {n}"
        return f"a sample of {self.documents.size}{of_all} documents"

    @cached_property
    def word_labels(self) -> NDArray[np.str_]:
        """The words, or their ids as text where they have no names."""
        words = np.arange(self.n_words) if self.vocabulary is None else self.vocabulary
        return np.asarray(words).astype(str)

    @cached_property
    def recipe(self) -> TextRecipe | None:
        """How the texts of the training corpus were split; None if it was not made from texts."""
        return None if self._texts is None else TextRecipe.from_dict(self._texts)

    @property
    def chain_labels(self) -> NDArray[Any]:
        """The coordinates of the chains."""
        return labels_of(self.z, "chain")

    @property
    def draw_labels(self) -> NDArray[Any]:
        """The coordinates of the draws."""
        return labels_of(self.z, "draw")

    def find_chains(self, chain: Any) -> list[int]:
        """Return the position of a chain given by its label, or of all chains for None."""
        return find_chains(self.chain_labels, chain)

    @property
    def has_fixed_priors(self) -> bool:
        """Whether alpha and beta are the same in all draws."""
        return is_constant(self._alpha) and is_constant(self._beta)

    def alpha(self, chain: int, draw: int) -> Floats:
        """Return alpha_k of a draw."""
        return np.ascontiguousarray(value_at(self._alpha, chain, draw), np.float64)

    def beta(self, chain: int, draw: int) -> float:
        """Return beta of a draw."""
        return float(value_at(self._beta, chain, draw))

    def assignments(self, chain: int) -> NDArray[np.unsignedinteger]:
        """Return z of a chain, (draw, token). The last chain that was read is kept."""
        if chain not in self._last_chain:
            self._last_chain.clear()
            values = self.z.isel(chain=chain).values
            if chain not in self._checked:
                self.check_assignments(values)
                self._checked.add(chain)
            self._last_chain[chain] = self._as_topics(values)
        return self._last_chain[chain]

    def assignments_at(self, chain: int, draw: int) -> NDArray[np.unsignedinteger]:
        """Return z of one draw, (token,). Of a file, this draw alone is read."""
        values = self.z[chain, draw].values
        if chain not in self._checked:
            self.check_assignments(values)
        return np.ascontiguousarray(self._as_topics(values))

    def check_assignments(self, z: NDArray[Any]) -> None:
        """Raise unless these are topics of this model."""
        check_integers(self.name, z, below=self.n_topics, meaning="the topics of the model")

    def _as_topics(self, z: NDArray[Any]) -> NDArray[np.unsignedinteger]:
        """Return topics in the smallest dtype, for which the kernels are compiled."""
        return z.astype(np.min_scalar_type(self.n_topics - 1), copy=False)

    def iterate_counts(
        self,
        *,
        chains: Iterable[int] | None = None,
        thin: int = 1,
        draws: Mapping[int, Sequence[int]] | None = None,
    ) -> Iterator[TopicCounts]:
        """Yield the counts of draws: every ``thin``-th of the chains, or those in ``draws``.

        ``draws`` maps a chain to its draws.
        """
        check_whole("thin", thin, at_least=1)
        word_topic = np.empty((self.n_words, self.n_topics), np.int32)
        if draws is None:
            every = range(0, self.n_draws, thin)
            draws = dict.fromkeys(range(self.n_chains) if chains is None else chains, every)
        for chain, chosen in draws.items():
            of_chain = None if self.counts is not None else self.assignments(chain)
            for draw in chosen:
                if of_chain is None:
                    self.counts.fill(chain, draw, word_topic)  # type: ignore[union-attr]
                else:
                    z = np.ascontiguousarray(of_chain[draw])
                    count_words(self.tokens.word, z, word_topic)
                yield TopicCounts(chain, draw, word_topic, word_topic.sum(axis=0, dtype=np.int64))

    def mean_phi(self, chains: Sequence[int] | None = None, *, thin: int = 1) -> Floats:
        """Return the mean of phi-hat over the draws of each chain, (chain, topic, word)."""
        chosen = range(self.n_chains) if chains is None else chains
        return np.stack([self._mean_phi_of(chain, thin) for chain in chosen])

    def shares(self, chains: Sequence[int], *, thin: int = 1) -> Floats:
        """Return the share of the tokens that each topic has, averaged over draws."""
        total = np.zeros(self.n_topics)
        for chain in chains:
            total += self._total_of(chain, thin)
        return total / total.sum()

    def _mean_phi_of(self, chain: int, thin: int) -> Floats:
        """Return the mean of phi-hat over the draws of a chain, (topic, word)."""
        if (chain, thin) not in self._mean_phi:
            # Added up in the layout of the counts, which is faster, and transposed at the end.
            total, phi = np.zeros((2, self.n_words, self.n_topics))
            of_topic = np.zeros(self.n_topics, np.int64)
            n_draws = 0
            for counts in self.iterate_counts(chains=[chain], thin=thin):
                total += estimate_phi(counts, self.beta(chain, counts.draw), out=phi)
                of_topic += counts.topic
                n_draws += 1
            total /= n_draws
            self._mean_phi[chain, thin] = np.ascontiguousarray(total.T)
            self._totals[chain, thin] = of_topic
        return self._mean_phi[chain, thin]

    def _total_of(self, chain: int, thin: int) -> NDArray[np.int64]:
        """Return the tokens of each topic, summed over the draws of a chain."""
        if (chain, thin) not in self._totals:
            if self.counts is not None:
                found = self.iterate_counts(chains=[chain], thin=thin)
                self._totals[chain, thin] = np.sum([counts.topic for counts in found], axis=0)
                return self._totals[chain, thin]
            z = self.assignments(chain)[::thin]
            self._totals[chain, thin] = np.bincount(z.ravel(), minlength=self.n_topics)
        return self._totals[chain, thin]


def is_constant(array: xr.DataArray) -> bool:
    """Tell whether a parameter is the same in all draws, as numbers and ``pm.Data`` are.

    A random one that did not move is the same in all draws too, for example in a run of one draw.
    """
    if "chain" not in array.dims:
        return True
    values = array.values
    # Without a copy of all draws. What is random usually differs already in the last one.
    cells = list(np.ndindex(values.shape[:2]))[:0:-1]
    return all(np.array_equal(values[cell], values[0, 0]) for cell in cells)


def value_at(array: xr.DataArray, chain: int, draw: int) -> Any:
    """Return the values of a draw, or the only ones of a parameter that is fixed."""
    return array.values[chain, draw] if "chain" in array.dims else array.values
