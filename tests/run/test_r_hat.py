"""R-hat in NumPy, which is that of ArviZ."""

import arviz as az
import numpy as np
import pytest
import xarray as xr

from pymc_medlda.run.r_hat import r_hat


def by_arviz(values):
    dataset = xr.Dataset({"x": (("chain", "draw", "entry"), values)})
    return np.asarray(az.rhat(dataset)["x"])


@pytest.mark.parametrize("shape", [(2, 4), (2, 9), (4, 50), (8, 501)])
def test_it_is_that_of_arviz(shape, rng):
    values = rng.standard_normal((*shape, 40))
    values[:, :, 1] += np.arange(shape[0])[:, None]  # location
    values[:, :, 2] *= 1.0 + np.arange(shape[0])[:, None]  # scale
    values[:, :, 3] = values[:, :, 3].round(1)  # ties
    values[:, :, 4] = rng.integers(0, 2, shape)
    values[:, :, 5] = np.cumsum(values[:, :, 5], axis=1)
    np.testing.assert_allclose(r_hat(values), by_arviz(values), rtol=0, atol=1e-10)


def test_blocks_of_entries_do_not_matter(rng, monkeypatch):
    values = rng.standard_normal((2, 30, 17))
    expected = r_hat(values)
    monkeypatch.setattr("pymc_medlda.run.r_hat.BLOCK", 100)
    np.testing.assert_array_equal(r_hat(values), expected)


def test_one_chain_is_two_halves(rng):
    values = rng.standard_normal((1, 21, 5))
    halves = np.stack([values[0, :10], values[0, 10:20]])
    np.testing.assert_array_equal(r_hat(values), r_hat(halves))


def test_what_has_no_r_hat(rng):
    assert np.isnan(r_hat(rng.standard_normal((4, 3, 2)))).all()
    assert np.isnan(r_hat(rng.standard_normal((1, 7, 2)))).all()
    assert np.isnan(r_hat(np.empty((1, 0, 2)))).all()
    assert r_hat(np.empty((4, 20, 0))).size == 0
    values = rng.standard_normal((4, 20, 2))
    values[:, :, 1] = 3.0
    assert np.isnan(r_hat(values)).tolist() == [False, True]
    values[:, :, 1] = np.arange(4)[:, None]  # each chain stands still at a place of its own
    assert r_hat(values)[1] > 1e6
