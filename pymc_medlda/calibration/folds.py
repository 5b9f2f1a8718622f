"""Which documents each chain samples without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

FEWEST_FOLDS = 4
"""With fewer chains than this, a fold is a quarter, and some documents are in no fold."""
FEWEST_DOCUMENTS = 20
"""Fewer out-of-fold documents say too little about probabilities."""
SHARE_OF_WITNESSES, FEWEST_WITNESSES, MOST_WITNESSES = 0.05, 20, 200
LARGEST_SHARE = 0.2  # of the documents, as witnesses


@dataclass(frozen=True, eq=False)
class Folds:
    """A plan: the fold of each document, and the witnesses.

    Attributes
    ----------
    fold : (n_documents,) int array
        The chain that samples without the document and then predicts it; -1 if none does.
    witness : (n_documents,) bool array
        Documents that all chains sample without. They show how much chains differ about
        documents that none of them has seen.
    n_chains : int
    """

    fold: NDArray[np.int64]
    witness: NDArray[np.bool_]
    n_chains: int

    def kept(self, chain: int) -> NDArray[np.intp]:
        """Return the positions of the documents that a chain samples with."""
        return np.flatnonzero((self.fold != chain) & ~self.witness)

    def held(self, chain: int) -> NDArray[np.intp]:
        """Return the positions of the documents that a chain predicts: its fold and witnesses."""
        return np.flatnonzero((self.fold == chain) | self.witness)


def plan_folds(
    kind: str,
    y: Floats,
    n_chains: int,
    rng: np.random.Generator,
    *,
    usable: NDArray[np.bool_] | None = None,
) -> Folds:
    """Divide the documents with a response into folds at random, class by class.

    There are at least `FEWEST_FOLDS` folds of about equal size. Documents without a response, and
    the only document of a class, stay in all chains.

    Parameters
    ----------
    kind : str
        The kind of the response.
    y : (n_documents, n_tasks) float array
        The response as coded.
    n_chains : int
        The number of chains, each of which samples without one fold.
    rng : numpy.random.Generator
    usable : (n_documents,) bool array, optional
        Documents that may be put into folds; all by default.

    Raises
    ------
    ValueError
        If too few documents would be out of fold.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([[-1.0], [1.0]], 40, axis=0)
    >>> plan = plan_folds("binary", y, 4, np.random.default_rng(0))
    >>> np.bincount(plan.fold).tolist(), int(plan.witness.sum())
    ([20, 20, 20, 20], 16)
    """
    n_folds = max(n_chains, FEWEST_FOLDS)
    group = _group(kind, y, np.ones(len(y), bool) if usable is None else usable)
    fold = np.full(len(y), -1, np.int64)
    witness = np.zeros(len(y), bool)
    n_grouped = int((group >= 0).sum())
    share = np.clip(FEWEST_WITNESSES / max(n_grouped, 1), SHARE_OF_WITNESSES, LARGEST_SHARE)
    share = min(share, MOST_WITNESSES / max(n_grouped, 1))
    dealt = 0
    for label in range(group.max(initial=-1) + 1):
        own = rng.permutation(np.flatnonzero(group == label))
        # Folds of neighbouring classes begin where the class before ended, so sizes stay equal.
        fold[own] = (dealt + np.arange(own.size)) % n_folds
        dealt += own.size
        if n_chains > 1 and kind != "multiclass":
            witness[own[: int(share * own.size)]] = True
    fold[fold >= n_chains] = -1
    n_out = int((fold >= 0).sum())
    needed = max(FEWEST_DOCUMENTS, 2 * n_chains)
    if n_out < needed:
        raise ValueError(
            f"calibration needs at least {needed} documents with a response that are predicted out "
            f"of fold; there are {n_out} with {n_chains} chain{'' if n_chains == 1 else 's'}"
        )
    if kind in ("binary", "multiclass") and len(np.unique(group[fold >= 0])) < 2:
        raise ValueError("calibration needs at least two classes with two documents or more")
    return Folds(fold, witness, n_chains)


def _group(kind: str, y: Floats, usable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of the group in which each document is dealt out, -1 for none."""
    known = ~np.isnan(y).all(axis=1) & usable
    if kind not in ("binary", "multiclass"):
        return np.where(known, 0, -1)
    code = (y[:, 0] > 0).astype(np.int64) if kind == "binary" else np.argmax(y, axis=1)
    several = np.bincount(code[known], minlength=code.max(initial=0) + 1) > 1
    _, group = np.unique(code, return_inverse=True)
    return np.where(known & several[code], group, -1)
