"""The sweep by rows where the rows of a document do not all fit."""

import numpy as np
import pytest

from pymc_medlda.kernels.sweeps import rows_state
from tests.kernels.conftest import loaded, parameters


@pytest.mark.parametrize("path", ["sparse"])
def test_rows_that_must_be_shared_change_nothing(medium, path, monkeypatch):
    """With room for one row at a time, rows are computed again and again, to the same result."""
    given = parameters(medium[0].start.size - 1, 20, 2)
    results = []
    for most in (512, 0):
        monkeypatch.setattr(rows_state, "MOST_ROWS", most)
        sampler = loaded(medium, 20, path)
        rng = np.random.default_rng(4)
        results.append([(sampler.sweep(rng, **given), sampler.z.tolist()) for _ in range(10)])
    assert results[0] == results[1]
