"""The features of a response, and the draws of their weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.run.topic_draws import value_at
from pymc_medlda.targets.word_features import count_words, weigh_words


@dataclass(frozen=True, eq=False)
class FeatureDraws:
    """The features of a response: those of the training documents, or the recipe for them.

    Attributes
    ----------
    weights : DataArray
        (chain, draw, feature) or (chain, draw, task, feature).
    names : (n_features,) array
        The coordinates of the features: their names, or their positions.
    idf : (n_words,) float array, or None
        The weights of the words, if the features are the tf-idf of the words.
    given : FeatureMatrix or None
        The features of the training documents, if they were given.
    """

    weights: xr.DataArray
    names: NDArray[Any]
    idf: Floats | None
    given: FeatureMatrix | None
    _of_words: list[FeatureMatrix] = field(default_factory=list, repr=False)  # once computed

    def of_training(self, tokens: Tokens) -> FeatureMatrix:
        """Return the features of the training documents, whose words are ``tokens``."""
        if self.given is not None:
            return self.given
        if not self._of_words:
            self._of_words.append(self.of_words(tokens.word, tokens.start))
        return self._of_words[0]

    def of_words(self, words: NDArray[np.integer], starts: NDArray[np.integer]) -> FeatureMatrix:
        """Return the tf-idf of documents with these words of the model's vocabulary."""
        assert self.idf is not None
        counts = count_words(words, starts, self.idf.size)
        return FeatureMatrix(weigh_words(counts, self.idf))

    def weights_at(self, chain: int, draw: int) -> Floats:
        """Return the weights of a draw, (n_features, n_tasks)."""
        values = np.atleast_2d(value_at(self.weights, chain, draw))
        return np.ascontiguousarray(values.T, np.float64)
