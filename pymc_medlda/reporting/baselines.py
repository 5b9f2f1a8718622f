"""What simple methods reach on the same documents."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arrays import Floats
from pymc_medlda.reporting.judging import Judged
from pymc_medlda.run.calibration import Calibration
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import match_words
from pymc_medlda.targets.word_features import count_words, rarity_of_words, weigh_words


def decide_blindly(judged: Judged, response: ResponseDraws) -> tuple[str, NDArray[Any]]:
    """Return the decisions of whoever knows the training responses and reads no document."""
    y, n_documents = response.y, len(judged.names)
    if judged.kind == "real":
        return "the mean", np.tile(np.nanmean(y, axis=0), (n_documents, 1))
    frequent = np.nanmean(y, axis=0)
    if judged.kind == "multiclass":
        return "the largest class", np.full(n_documents, int(frequent.argmax()))
    if judged.kind == "binary":
        return "the larger class", np.full((n_documents, 1), frequent[0] > 0)
    most = np.arange(frequent.size) == frequent.argmax()
    return "the most frequent label", np.tile(most, (n_documents, 1))


def decide_by_words(
    judged: Judged, response: ResponseDraws, topics: TopicDraws, calibration: Calibration | None
) -> tuple[str, NDArray[Any]] | None:
    """Return the decisions of a linear model of tf-idf, learned from the same training documents.

    None if scikit-learn is not installed, or if there are no documents that it has not seen.
    """
    if judged.scope == "training" or importlib.util.find_spec("sklearn") is None:
        return None
    counts = count_words(topics.tokens.word, topics.tokens.start, topics.n_words)
    idf = rarity_of_words(counts)
    X = _with_short_indices(weigh_words(counts, idf))
    name = "tf-idf, ridge" if judged.kind == "real" else "tf-idf, linear SVM"
    if judged.corpus is not None:
        known, _ = match_words(topics, judged.corpus)
        new = weigh_words(count_words(known.words, known.starts, topics.n_words), idf)
        scores = _fit(judged.kind, X, response.y, _with_short_indices(new))
    else:
        assert calibration is not None
        scores = np.full(response.y.shape, np.nan)
        for fold in np.unique(calibration.fold[calibration.fold >= 0]):
            rows = calibration.fold == fold
            scores[rows] = _fit(judged.kind, X[~rows], response.y[~rows], X[rows])
    if judged.kind == "real":
        return name, scores
    if judged.kind == "multiclass":
        return name, np.argmax(np.nan_to_num(scores), axis=1)
    return name, scores > 0


def _with_short_indices(X: sparse.csr_array) -> sparse.csr_array:
    """Return a matrix with indices of 32 bits: the linear models take no others."""
    return sparse.csr_array(
        (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape
    )


def _fit(kind: str, X: sparse.csr_array, y: Floats, new: sparse.csr_array) -> Floats:
    """Return the scores of new documents, one column per task; zero or the mean if all are alike.

    Several classes are learned one against the rest.
    """
    from sklearn.linear_model import Ridge
    from sklearn.svm import LinearSVC

    scores = np.zeros((new.shape[0], y.shape[1]))
    for task, column in enumerate(y.T):
        known = ~np.isnan(column)
        if kind == "real":
            scores[:, task] = Ridge(alpha=1.0).fit(X[known], column[known]).predict(new)
        elif np.unique(column[known]).size > 1:
            scores[:, task] = LinearSVC().fit(X[known], column[known] > 0).decision_function(new)
        else:
            scores[:, task] = column[known][0] if known.any() else 0.0
    return scores
