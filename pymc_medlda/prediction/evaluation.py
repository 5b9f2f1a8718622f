"""`evaluate`: how good predictions are, against responses that were held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda.prediction.results import plain
from pymc_medlda.run.reading_predictions import read_decisions
from pymc_medlda.run.run import Run
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.documents import align_to_documents
from pymc_medlda.targets.labels import find_classes, listing
from pymc_medlda.targets.reading import as_array, as_sequence


def evaluate(idata: Any, y: Any) -> dict[str, float]:
    r"""Compare the ``decision`` of predictions with the true responses.

    Classes: ``accuracy``. Labels, with true positives tp, false ones fp and misses fn summed over
    documents and labels: micro ``precision`` tp/(tp + fp), ``recall`` tp/(tp + fn) and ``f1``,
    their harmonic mean; ``macro_f1``, the F1 of each label averaged; ``exact``, the share of
    documents with all labels right. Real values: ``r2``, the predictive R², and ``rmse``.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What `predict` returned for a run. `OneVsAll` returns a Dataset, which is refused: compare
        its ``decision`` with y.
    y : array-like
        The true responses, coded as in training: the same classes, of the same type. A matrix of
        labels holds 0 and 1, -1 and 1, or booleans. Missing ones do not count. A pandas object is
        matched with the documents as in `MaxMargin`.

    Returns
    -------
    dict of float

    Examples
    --------
    >>> import pymc_medlda as med
    >>> predicted = med.predict(idata, new_corpus, random_seed=1, progressbar=False)
    >>> med.evaluate(predicted, new_y)["accuracy"] > 0.7
    True
    """
    if isinstance(idata, xr.Dataset):
        raise TypeError(
            "idata must be what pymc_medlda.predict returned, an InferenceData, a DataTree or a "
            "path; got a Dataset. If it comes from OneVsAll.predict, compare its decision with y"
        )
    kind, decision, documents, classes = read_decisions(Run.of(idata).group("predictions"))
    y = align_to_documents(y, documents, "y")
    if kind in ("binary", "multiclass"):
        known = None if classes is None else plain(classes).tolist()
        return {"accuracy": _accuracy(decision.values.tolist(), y, known)}
    takes_labels = kind == "multilabel"
    coded = code_response(
        y,
        n_documents=len(documents),
        takes_labels=takes_labels,
        classes=classes,
        partial=True,
    ).values
    if coded.shape != decision.shape:
        raise ValueError(f"y has shape {coded.shape}, but the decisions have {decision.shape}")
    if takes_labels:
        if np.isnan(coded).all():
            raise ValueError("y has no label to compare with: all are missing")
        return score_labels(np.asarray(decision.values) > 0, coded)
    given = ~np.isnan(coded)
    if not given.any():
        raise ValueError("y has no value to compare with: all are missing")
    error = np.square(coded - decision.values, where=given, out=np.zeros(coded.shape)).sum()
    spread = np.square(coded - np.nanmean(coded, axis=0), where=given, out=np.zeros(coded.shape))
    # R² is not defined where all values are equal.
    r2 = 1.0 - error / spread.sum() if spread.sum() > 0 else np.nan
    return {"r2": float(r2), "rmse": float(np.sqrt(error / given.sum()))}


def score_labels(decided: NDArray[np.bool_], y: NDArray[np.float64]) -> dict[str, float]:
    """Return precision, recall and F1 of label sets.

    Parameters
    ----------
    decided : (n_documents, n_labels) bool array
    y : (n_documents, n_labels) float array
        Positive where a label is set, NaN where it is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> decided = np.array([[True, False], [True, True]])
    >>> scores = score_labels(decided, np.array([[1.0, 1.0], [-1.0, 1.0]]))
    >>> round(scores["precision"], 3), round(scores["recall"], 3), round(scores["f1"], 3)
    (0.667, 0.667, 0.667)
    """
    given, true = ~np.isnan(y), y > 0
    hit = (decided & true).sum(axis=0)
    chosen = (decided & given).sum(axis=0)
    relevant = true.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        f1_of_label = np.nan_to_num(2.0 * hit / (chosen + relevant))
    return {
        "precision": float(hit.sum() / max(chosen.sum(), 1)),
        "recall": float(hit.sum() / max(relevant.sum(), 1)),
        "f1": float(2.0 * hit.sum() / max(chosen.sum() + relevant.sum(), 1)),
        "macro_f1": float(f1_of_label.mean()),
        "exact": float(((decided == true) | ~given).all(axis=1).mean()),
    }


def _accuracy(decision: list[Any], y: Any, classes: list[Any] | None) -> float:
    """Return the share of right decisions among documents whose class is known."""
    truth, missing = as_array(as_sequence(y, "y"), "y")
    if truth.shape != (len(decision),):
        raise ValueError(
            f"y has {truth.shape[0]} entries in {truth.ndim} dimension(s), but {len(decision)} "
            "documents were predicted, with one class each"
        )
    if missing.all():
        raise ValueError("y has no label to compare with: all are missing")
    if classes is None:  # predictions of an earlier release do not tell
        _check_type(truth[~missing].tolist(), decision)
        classes = sorted({*truth[~missing].tolist(), *decision})
    position = find_classes(truth, missing, np.asarray(classes), "y")
    chosen = [classes.index(value) for value in decision]
    return float(np.mean((position == chosen)[~missing]))


def _check_type(truth: list[Any], decision: list[Any]) -> None:
    if isinstance(truth[0], str) != isinstance(decision[0], str):
        known = listing(sorted(set(decision)))
        raise ValueError(f"y holds {truth[0]!r}, which is not one of the classes {known}")
