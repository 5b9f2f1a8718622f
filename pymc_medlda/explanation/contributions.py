r"""What topics, words, features and constants add to the discriminants of one document.

.. math:: F = \sum_k \eta_k \bar z_k + \sum_j w_j x_j + location + offset

A token with topic z adds :math:`\eta_z / N` to the first sum, so this sum can be read by topics and
by words. For real values the mean m of the training values is taken out of the weights,
:math:`\sum_k \eta_k \bar z_k = m \sum_k \bar z_k + \sum_k (\eta_k - m) \bar z_k`, so that a
contribution says how a topic moves the prediction away from the mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.run.matching import Matching
from pymc_medlda.run.response_draws import ResponseDraws


@dataclass(frozen=True, eq=False)
class Contributions:
    """Contributions to the discriminants of a document, with topics aligned over chains.

    Attributes
    ----------
    topics : (n_chains, n_draws, n_topics, n_tasks) float array
    words : (n_chains, n_draws, n_distinct, n_tasks) float array
        The same contributions, by distinct words of the document.
    features : (n_chains, n_draws, n_present, n_tasks) float array
        Those of the features that are not zero.
    mean, offset : (n_chains, n_draws, n_tasks) float array
        The location of a standardised response or the mean of real values, and the offset.
    share : (n_topics,) float array
        z̄, averaged over draws and chains.
    word_share : (n_distinct, n_topics) float array
        The share of each topic in the tokens of a word, averaged likewise.
    """

    topics: Floats
    words: Floats
    features: Floats
    mean: Floats
    offset: Floats
    share: Floats
    word_share: Floats

    @property
    def discriminant(self) -> Floats:
        """F, (n_chains, n_draws, n_tasks)."""
        total: Floats = self.topics.sum(axis=2) + self.features.sum(axis=2)
        return total + self.mean + self.offset


@dataclass(frozen=True, eq=False)
class Parts:
    """What the discriminants of a document are made of, beside its topics.

    Attributes
    ----------
    response : ResponseDraws
    matching : Matching
    row : (n_tokens,) int array
        The number of the distinct word of each token.
    features : FeatureMatrix or None
        One row, or None if the model has no features.
    offset : (n_all_chains, n_all_draws, n_tasks) float array
        Of the stored chains and draws, without the location.
    """

    response: ResponseDraws
    matching: Matching
    row: NDArray[np.intp]
    features: FeatureMatrix | None
    offset: Floats

    @property
    def present(self) -> NDArray[np.intp]:
        """The features that are not zero."""
        return np.flatnonzero(np.diff(self.features.start)) if self.features else np.empty(0, int)

    @property
    def values(self) -> Floats:
        """The values of these features."""
        return self.features.value if self.features else np.empty(0)

    @property
    def centre(self) -> Floats:
        """What is taken out of the weights of each task; zero unless values are real."""
        response = self.response
        if response.kind != "real":
            return np.zeros(response.y.shape[1])
        return np.asarray(np.nanmean(response.y, axis=0) - response.location)


def collect(
    drawn: Iterator[tuple[Floats, Floats]], positions: Sequence[tuple[int, int]], parts: Parts
) -> Contributions:
    """Compute the contributions from the topics of the words in each of the draws."""
    response, order, present = parts.response, parts.matching.of_chain, parts.present
    n_chains = len({chain for chain, _ in positions})
    shape = (n_chains, len(positions) // n_chains)
    n_tasks, n_topics = response.y.shape[1], order.shape[1]
    n_distinct = int(parts.row.max(initial=-1)) + 1
    found = Contributions(
        topics=np.empty((*shape, n_topics, n_tasks)),
        words=np.empty((*shape, n_distinct, n_tasks)),
        features=np.zeros((*shape, present.size, n_tasks)),
        mean=np.empty((*shape, n_tasks)),
        offset=np.empty((*shape, n_tasks)),
        share=np.zeros(n_topics),
        word_share=np.zeros((n_distinct, n_topics)),
    )
    length, centre = max(parts.row.size, 1), parts.centre
    for cell, (chain, draw), (frequency, of_word) in zip(
        np.ndindex(shape), positions, drawn, strict=True
    ):
        eta = response.weights(chain, draw) - centre[:, None]
        found.topics[cell] = (eta * frequency).T[order[chain]]
        found.words[cell] = of_word @ eta.T / length
        found.mean[cell] = response.location + centre * frequency.sum()
        found.offset[cell] = parts.offset[chain, draw]
        if response.features is not None:
            weights = response.features.weights_at(chain, draw)[present]
            found.features[cell] = parts.values[:, None] * weights
        found.share[:] += frequency[order[chain]]
        found.word_share[:] += of_word[:, order[chain]]
    found.share[:] /= len(positions)
    found.word_share[:] /= np.maximum(found.word_share.sum(axis=1, keepdims=True), 1e-300)
    return found
