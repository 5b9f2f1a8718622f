"""A stored generator belongs to the point where its chain stopped."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.generator_states import restore_generator
from tests.sampling.killing import OPTIONS, build, sample


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("resuming") / "run.zarr")
    sample(path)
    return path


def test_a_generator_belongs_to_the_point_and_not_to_the_number_of_the_chain(store):
    points = med.last_points(store)

    def go_on(step, order):
        rest = pm.sample(draws=3, tune=0, step=step, initvals=order, **OPTIONS)
        return get_group(rest, "posterior")["z"].values

    with build():
        step = med.GibbsMedLDAStep(resume=store)
        found, again = go_on(step, points), go_on(step, points)
        exchanged = go_on(med.GibbsMedLDAStep(resume=store), points[::-1])
    np.testing.assert_array_equal(found, again)
    np.testing.assert_array_equal(found, exchanged[::-1])
    assert not np.array_equal(found[0], found[1])


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.Philox, np.random.MT19937])
def test_a_restored_generator_goes_on_where_the_stored_one_was(kind):
    generator = np.random.Generator(kind(5))
    generator.random(7)
    state = generator.bit_generator.state
    expected = generator.random(5)
    np.testing.assert_array_equal(restore_generator(state).random(5), expected)
