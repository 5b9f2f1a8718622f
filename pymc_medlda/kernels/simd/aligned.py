"""Arrays that begin at a full cache line, so that no vector of eight lies across two lines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

CACHE_LINE = 64  # bytes


def aligned_zeros(*shape: int, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Return an array of zeros whose first element is at the beginning of a cache line."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.zeros(n_bytes + CACHE_LINE, np.uint8)
    skipped = -raw.ctypes.data % CACHE_LINE
    return raw[skipped : skipped + n_bytes].view(dtype).reshape(shape)
