"""Coverage of the intervals, in each third, and bounds of tiny data."""

import numpy as np
import pytest

from pymc_medlda.calibrators.residuals import fit_intervals


def draw(rng, n):
    """Return predictions whose errors are skewed, and larger for larger predictions."""
    prediction = rng.normal(size=n)
    return prediction, prediction + (rng.exponential(size=n) - 1.0) * np.exp(prediction)


@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_each_third_is_covered(coverage):
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(200):
        fitted = fit_intervals(*draw(rng, 150), coverage)
        prediction, y = draw(rng, 300)
        low, high = fitted.around(prediction)
        group = np.searchsorted(fitted.cuts, prediction)
        inside = (low <= y) & (y <= high)
        covered.append([inside[group == k].mean() for k in range(3)])
    mean = np.mean(covered, axis=0)
    error = np.std(covered, axis=0) / np.sqrt(200)
    # Order statistics cover at least as much as was asked for, and 2/(n + 1) more at most.
    assert (mean > coverage - 4 * error).all()
    assert (mean < coverage + 2 / 51 + 4 * error).all()


def test_one_pair_of_bounds_for_all_would_not_cover_each_third():
    """The negative control of the test above."""
    prediction, y = draw(np.random.default_rng(6), 60_000)
    low, high = np.quantile(y - prediction, [0.05, 0.95])
    group = np.searchsorted(np.quantile(prediction, [1 / 3, 2 / 3]), prediction)
    inside = (low <= y - prediction) & (y - prediction <= high)
    covered = [inside[group == k].mean() for k in range(3)]
    assert max(covered) > 0.98
    assert min(covered) < 0.85


def test_bounds_are_order_statistics():
    y = np.random.default_rng(7).permutation(57.0 + np.arange(57.0))
    fitted = fit_intervals(np.repeat([0.0, 1.0, 2.0], 19), y + np.repeat([0.0, 1.0, 2.0], 19), 0.8)
    for k, own in enumerate(np.sort(y.reshape(3, 19), axis=1)):
        assert (fitted.low[k], fitted.high[k]) == (own[1], own[17])  # ranks 2 and 18 of 19


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_few_documents_share_their_residuals(n):
    rng = np.random.default_rng(8)
    prediction, y = rng.normal(size=n), rng.normal(size=n)
    fitted = fit_intervals(prediction, y, 0.9)
    residual = y - prediction
    rank = max(int((n + 1) * 0.05), 1)
    assert set(fitted.low) == {np.sort(residual)[rank - 1]}
    assert set(fitted.high) == {np.sort(residual)[n - rank]}
    assert (fitted.low <= fitted.high).all()


def test_equal_predictions_fall_into_one_group():
    fitted = fit_intervals(np.zeros(100), np.linspace(-1, 1, 100), 0.9)
    low, high = fitted.around(np.array([-1.0, 0.0, 1.0]))
    assert np.isfinite([low, high]).all()
    assert (high - low > 1.7).all()
