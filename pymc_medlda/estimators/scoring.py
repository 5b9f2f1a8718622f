"""The score of both estimators: scikit-learn's own, for y in the order of X."""

from __future__ import annotations

from typing import Any

from pymc_medlda.targets.documents import check_same_order


class OrderedScore:
    """Refuses to score documents against the y of others; stands before scikit-learn's mixin."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of the predictions: accuracy of classes, R² of values.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.
        y : (n_documents,) or (n_documents, n_tasks) array
            The true classes, labels or values, in the order of X. As in ``fit``, a pandas object
            is refused if X is a frame with the same index labels in another order.
        sample_weight : (n_documents,) array, optional
            How much each document counts.

        Returns
        -------
        float
        """
        check_same_order(X, y, "y")
        check_same_order(X, sample_weight, "sample_weight")
        scored: Any = super()
        return float(scored.score(X, y, sample_weight))
