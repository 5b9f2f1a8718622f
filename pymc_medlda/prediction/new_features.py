"""The features of new documents: computed by the stored recipe, or given."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.targets.features import read_new_features


def find_new_features(
    given: Any, response: ResponseDraws | None, corpus: Corpus
) -> FeatureMatrix | None:
    """Return the features of new documents, None if the model has none.

    The words of ``corpus`` are those of the model.
    """
    features = None if response is None else response.features
    if features is None:
        if given is not None:
            raise ValueError("features was given, but the model was sampled without features")
        return None
    assert response is not None
    if features.idf is not None:
        if given is not None:
            raise ValueError(
                "features was given, but those of the model are the tf-idf of its words, which is "
                "computed from corpus"
            )
        return features.of_words(corpus.words, corpus.starts)
    n_features = features.names.size
    if given is None:
        raise ValueError(
            f"the model of {response.name!r} has features: give features of the new documents, of "
            f"shape {(corpus.n_documents, n_features)}"
        )
    is_numbered = np.array_equal(features.names, np.arange(n_features))
    known = None if is_numbered else features.names.tolist()
    return read_new_features(given, corpus.document_labels.tolist(), known, n_features)
