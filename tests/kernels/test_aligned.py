"""Arrays for vector loops begin at a full cache line."""

import numpy as np
import pytest

from pymc_medlda.kernels.simd.aligned import CACHE_LINE, aligned_zeros


@pytest.mark.parametrize("shape", [(8,), (3, 40), (0,)])
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_aligned_zeros_are_zeros_at_the_beginning_of_a_cache_line(shape, dtype):
    for _ in range(5):  # wherever the memory happens to be
        array = aligned_zeros(*shape, dtype=dtype)
        np.testing.assert_array_equal(array, np.zeros(shape, dtype))
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.size == 0 or array.ctypes.data % CACHE_LINE == 0
