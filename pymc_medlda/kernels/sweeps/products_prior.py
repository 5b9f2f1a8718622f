"""The factors of a visit that depend on counts alone, plain or tempered, for `products`.

Symbols: P_k = (C_dk + alpha_k) / (C_k + V beta), or the power tau of this. Where ``temper`` is
None, numba leaves out all that concerns it.
"""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import Index
from pymc_medlda.kernels.simd.counted import fill_prior
from pymc_medlda.kernels.sweeps.pieces import piece
from pymc_medlda.kernels.sweeps.products_state import Workspace
from pymc_medlda.kernels.sweeps.tempering import Temper, power_in_document


@piece
def compute_prior(change: int, out: Floats, work: Workspace, temper: Temper | None) -> None:
    """Write P_k with ``change`` more tokens of topic k in the document.

    It is 0 or -1, or 1 if the target is not tempered.
    """
    if temper is None:
        c = work.corpus
        fill_prior(work.in_document, c.alpha, c.in_corpus, c.beta_total, change, out, out.size)
    else:
        for k in range(out.size):
            rate = temper.rate[k] if change == 0 else temper.less[k]
            out[k] = power_in_document(k, work.in_document[k] + change, temper) * rate


@piece
def open_prior(work: Workspace, temper: Temper | None) -> None:
    """Write all P_k of a document whose counts were written."""
    compute_prior(0, work.prior, work, temper)
    compute_prior(-1, work.without, work, temper)
    if temper is None:
        compute_prior(1, work.added, work, temper)


@piece
def prior_of(j: Index, change: int, work: Workspace, temper: Temper | None) -> float:
    """Return P_j with ``change`` more tokens of topic j in the document.

    The powers of C_j, if the target is tempered, have been brought up to date already.
    """
    if temper is not None:
        return power_in_document(j, work.in_document[j] + change, temper) * temper.rate[j]
    corpus = work.corpus
    share = np.float64(work.in_document[j] + change) + corpus.alpha[j]
    return share / ((corpus.in_corpus[j] + change) + corpus.beta_total)


@piece
def prior_after(
    j: Index, new: Index, work: Workspace, temper: Temper | None
) -> tuple[float, float]:
    """Return P_j and P_new after a move from j to new, before it is made."""
    if temper is None:
        return work.without[j], work.added[new]
    return prior_of(j, -1, work, temper), prior_of(new, 1, work, temper)


@piece
def move_prior(
    j: Index, new: Index, of_j: float, of_new: float, work: Workspace, temper: Temper | None
) -> None:
    """Bring all P_k up to date after a move from j to ``new``, given those that they become."""
    if temper is None:  # of six numbers four are known: divisions take long
        work.added[j], work.without[new] = work.prior[j], work.prior[new]
        work.without[j], work.added[new] = prior_of(j, -1, work, None), prior_of(new, 1, work, None)
    else:
        without_j, without_new = prior_without(j, work, temper), prior_without(new, work, temper)
        work.without[j], work.without[new] = without_j, without_new
    work.prior[j], work.prior[new] = of_j, of_new


@piece
def prior_without(j: Index, work: Workspace, temper: Temper) -> float:
    """Return the power P_j with one token of topic j taken out."""
    return power_in_document(j, work.in_document[j] - 1, temper) * temper.less[j]
