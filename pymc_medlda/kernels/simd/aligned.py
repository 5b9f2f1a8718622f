"""Arrays of full vectors that begin at a cache line, so that no vector lies across two lines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels.simd.lanes import LANES

CACHE_LINE = 64  # bytes


def aligned_zeros(*shape: int, dtype: type[np.number] = np.float64) -> NDArray[Any]:
    """Return an array of zeros whose first element is at the beginning of a cache line."""
    n = math.prod(shape)
    raw = np.zeros(n + CACHE_LINE, dtype)  # more room than is needed, and simple
    skipped = -raw.ctypes.data % CACHE_LINE // raw.itemsize
    return raw[skipped : skipped + n].reshape(shape)


def padded_size(n_topics: Any) -> Any:
    """Return a number of topics, or an array of numbers, rounded up to full vectors."""
    return -(-n_topics // LANES) * LANES
