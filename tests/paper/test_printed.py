"""The printed formulas on a toy corpus: wrong with c ≠ 1, and right with c = 1."""

import pytest

from paper import printed


@pytest.mark.slow  # compiles
@pytest.mark.parametrize(("response", "least"), [("classification", 0.3), ("regression", 0.05)])
def test_only_the_corrected_sampler_is_right(response, least):
    found = printed.compare(response=response, cs=[1.0, 2.0], n_sweeps=60_000, seed=1)
    assert max(found["corrected"]) < 0.03
    assert found["printed"][0] < 0.03
    assert found["printed"][1] > least


@pytest.mark.parametrize("regression", [False, True])
def test_probabilities_sum_to_one(regression):
    p = printed.true_probabilities(2.0, regression)
    assert abs(p.sum() - 1.0) < 1e-12
    # Nothing distinguishes the two topics, so exchanging their names changes nothing.
    assert abs(p - p[::-1]).max() < 1e-9
