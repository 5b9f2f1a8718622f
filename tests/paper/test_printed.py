"""The printed formulas on a toy corpus: wrong with c ≠ 1, and right with c = 1."""

import pytest

from paper import printed


@pytest.mark.slow  # compiles
def test_only_the_corrected_sampler_is_right():
    found = printed.compare(cs=[1.0, 2.0], n_sweeps=60_000, seed=1)
    assert max(found["corrected"]) < 0.03
    assert found["printed"][0] < 0.03
    assert found["printed"][1] > 0.3


def test_probabilities_sum_to_one():
    p = printed.true_probabilities(2.0)
    assert abs(p.sum() - 1.0) < 1e-12
    # Nothing distinguishes the two topics, so exchanging their names changes nothing.
    assert abs(p - p[::-1]).max() < 1e-9
