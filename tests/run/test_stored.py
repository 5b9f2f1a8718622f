"""Stored variables are found whatever the order of their dims."""

from itertools import permutations

import numpy as np
import pytest
import xarray as xr

from pymc_medlda.run.stored import arrange, draw_shape, find_draws, find_parameter

# As the model writes them: the weights without and with names of their dims, an offset, a number.
WRITTEN = {
    "eta": ("chain", "draw", "eta_dim_0", "eta_dim_1"),
    "weights": ("chain", "draw", "task", "topic"),
    "offset": ("chain", "draw", "document", "task"),
    "sigma": ("chain", "draw"),
}


def variable(name):
    dims = WRITTEN[name]
    shape = (2, 3, 4, 4)[: len(dims)]  # tasks and topics are as many, so no shape tells them apart
    return xr.DataArray(np.arange(float(np.prod(shape))).reshape(shape), dims=dims, name=name)


def places(name):
    """Return which dim comes first and which comes last, as readers ask for them."""
    return {"weights": {"last": "topic"}, "offset": {"first": "document"}}.get(name, {})


@pytest.mark.parametrize("name", WRITTEN)
def test_every_order_of_dims_is_read_as_it_was_written(name):
    written = variable(name)
    for dims in permutations(written.dims):
        found = arrange(written.transpose(*dims), **places(name))
        assert found.dims == written.dims
        np.testing.assert_array_equal(found.values, written.values)
        assert draw_shape(found) == (2, 3)


@pytest.mark.parametrize("name", WRITTEN)
def test_chains_and_draws_come_first_wherever_they_stand(name):
    written = variable(name)
    for dims in permutations(written.dims):
        groups = {"posterior": written.transpose(*dims).to_dataset()}
        for found in (
            find_draws(groups.get, name, "there is none"),
            find_parameter(groups.get, name),
        ):
            assert found.dims[:2] == ("chain", "draw")
            np.testing.assert_array_equal(found.transpose(*written.dims), written)


def test_observed_topics_are_the_same_in_all_draws():
    z = xr.DataArray([0, 2, 1], dims="token", name="z")
    posterior = xr.Dataset({"eta": variable("eta")}, {"chain": [4, 7], "draw": [1, 3, 5]})
    groups = {"posterior": posterior, "observed_data": z.to_dataset()}
    found = find_draws(groups.get, "z", "there is none")
    assert found.dims == ("chain", "draw", "token")
    assert found["chain"].values.tolist() == [4, 7]
    np.testing.assert_array_equal(found.values, np.broadcast_to(z.values, (2, 3, 3)))
    with pytest.raises(ValueError, match="there is none"):
        find_draws({"posterior": posterior}.get, "z", "there is none")
