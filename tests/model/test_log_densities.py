"""The sums of the log joint: every way of counting gives the same."""

import numpy as np
import pytest

from pymc_medlda.model import log_densities
from tests.oracle import Toy
from tests.toy import build


@pytest.mark.parametrize("n_topics", [2, 5])
def test_large_tables_are_counted_as_small_ones(n_topics, rng, monkeypatch):
    row, z = rng.integers(0, 7, 60), rng.integers(0, n_topics, 60).astype(np.uint8)
    small = log_densities._count_cells(row, z, 7, n_topics)
    monkeypatch.setattr(log_densities, "LARGEST_TABLE", 0)
    large = log_densities._count_cells(row, z, 7, n_topics)
    for one, other in zip(small, large, strict=True):
        np.testing.assert_array_equal(one, other)
    assert small[1].sum() == 60


def test_the_log_joint_does_not_depend_on_the_way_of_counting(rng, monkeypatch):
    toy = Toy()
    monkeypatch.setattr(log_densities, "LARGEST_TABLE", 0)
    logp = build(toy).compile_logp()
    for _ in range(3):
        z, eta = rng.integers(0, 2, toy.words.size).astype(np.uint8), rng.normal(size=2)
        assert logp({"z": z, "eta": eta}) == pytest.approx(toy.log_joint(z, eta[None]), rel=1e-10)
