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
    """Write P_k with ``change`` more tokens of topic k in the document: 0 or -1."""
    if temper is None:
        c = work.corpus
        fill_prior(work.in_document, c.alpha, c.in_corpus, c.beta_total, change, out, out.size)
    else:
        for k in range(out.size):
            rate = temper.rate[k] if change == 0 else temper.less[k]
            out[k] = power_in_document(k, work.in_document[k] + change, temper) * rate


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
def prior_without(j: Index, work: Workspace, temper: Temper | None) -> float:
    """Return P_j with one token of topic j taken out."""
    if temper is not None:
        return power_in_document(j, work.in_document[j] - 1, temper) * temper.less[j]
    return prior_of(j, -1, work, None)
