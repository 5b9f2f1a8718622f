"""The picture of the uncertainty."""

import numpy as np
import pytest
import xarray as xr

from pymc_medlda._compat.arviz import with_group
from pymc_medlda.plots import (
    plot_uncertainty,
)
from pymc_medlda.plots.reliability import bound_share
from pymc_medlda.plots.uncertainty import _group, judge_documents
from tests.sampled import planted, sample


def test_uncertainty_and_error_of_each_kind_of_response():
    draws = np.array([[[1.0], [-1.0], [2.0]], [[3.0], [0.5], [-1.0]]])  # (draw, document, task)
    unsure, error = judge_documents("binary", draws, np.array([[1.0], [1.0], [np.nan]]))
    assert unsure.tolist() == [0.0, 0.5]
    assert error.tolist() == [0.0, 1.0]
    unsure, error = judge_documents("real", draws, np.array([[1.5], [0.0], [0.5]]))
    np.testing.assert_allclose(unsure, [1.0, 0.75, 1.5])
    np.testing.assert_allclose(error, [0.5, 0.25, 0.0])
    votes = np.array([[[3.0, 0.0, 1.0]], [[0.0, 1.0, 2.0]]])
    unsure, error = judge_documents("multiclass", votes, np.array([[-1.0, -1.0, 1.0]]))
    assert (unsure.tolist(), error.tolist()) == ([0.5], [1.0])


@pytest.mark.parametrize("n", [1, 7, 400])
def test_bounds_of_a_share_are_where_the_normal_test_would_just_accept(n):
    """Wilson's interval holds the p for which |share - p| <= z sqrt(p (1 - p) / n)."""
    for share in np.unique([0.0, 1 / n, 0.5, 1.0]):
        bounds = bound_share(share, n)
        assert -1e-12 < bounds[0] <= share <= bounds[1] < 1.0 + 1e-12
        for p in bounds:
            if 1e-12 < p < 1 - 1e-12 and p != share:
                assert abs(share - p) == pytest.approx(1.645 * np.sqrt(p * (1 - p) / n))


def test_groups_hold_all_documents_and_their_mean_error(rng):
    unsure, error = rng.random(50), rng.integers(0, 2, 50).astype(float)
    groups = _group(unsure, error, bins=6, real=False)
    assert groups.size.sum() == 50
    assert groups.size @ groups[1] == pytest.approx(error.sum())
    assert groups.size @ groups[0] == pytest.approx(unsure.sum())
    assert (np.diff(groups[0]) > 0).all()
    assert np.ptp(groups.size) <= 1


def test_uncertainty_of_predictions_needs_them():
    idata = sample("real")
    with pytest.raises(ValueError, match="no predictions with a discriminant"):
        plot_uncertainty(idata, planted("real").y)
    rng = np.random.default_rng(0)
    values = rng.standard_normal((2, 5, 40))
    predictions = xr.Dataset({"discriminant": (("chain", "draw", "document"), values)})
    predicted = with_group(idata, "predictions", predictions)
    panel = plot_uncertainty(predicted, values.mean(axis=(0, 1)) + 1.0, bins=4)
    heights = panel.get_lines()[1].get_ydata()
    np.testing.assert_allclose(heights, 1.0)
    assert "predicted documents" in panel.get_title(loc="left")
    with pytest.raises(ValueError, match="y has 3 entries"):
        plot_uncertainty(predicted, [0.0, 1.0, 2.0])
