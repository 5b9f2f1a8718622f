r"""The masses of blocks of words, which make the blocks independent of each other.

The distribution phi_k ~ Dir(beta) over V words is two independent things: how much of it each block
of words has, s_k = (sum of phi_kt over the words t of block B) ~ Dir(V_B beta), and within each
block a distribution Dir(beta) over its V_B words. If the latter are integrated out, but s is drawn,

    s_k | Z ~ Dir(V_B beta + C_kB),
    q(z = k) ∝ s_kB (C_kt + beta) / (C_kB + V_B beta) (C_dk + alpha_k) exp(f_k),

where C_kB counts the tokens of topic k in block B. So a token depends on the counts of its own
block alone. Without s this is the collapsed model: a draw of s, followed by draws of Z given s,
leaves the posterior of Z as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats


def draw_log_masses(
    rng: np.random.Generator, totals: NDArray[np.int64], n_words: NDArray[np.int64], beta: float
) -> Floats:
    """Draw log s_kB given C_kB, both (n_blocks, n_topics); ``n_words`` is V_B.

    A gamma variable whose shape is close to zero is often too small for a float, so its logarithm
    is drawn: if G has shape a + 1 and E is exponential, G exp(-E/a) has shape a.
    """
    shape = totals + beta * n_words[:, None]
    larger = rng.standard_gamma(shape + 1.0)
    log_gamma = np.log(larger) - rng.standard_exponential(shape.shape) / shape
    highest = log_gamma.max(axis=0)
    return np.asarray(log_gamma - (highest + np.log(np.exp(log_gamma - highest).sum(axis=0))))
