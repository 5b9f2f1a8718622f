"""A response read back from a run has the factors that the model gave it."""

import numpy as np
import pymc as pm
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import is_constant
from tests.sampled import OPTIONS, planted

N = 30
SHORT = {**OPTIONS, "draws": 3, "tune": 2}
BY_DOCUMENT = np.linspace(0.5, 2.0, N)
BY_TASK = np.linspace(0.2, 3.0, 3 * N).reshape(N, 3)


def random_scale():
    return med.Gaussian(pm.HalfNormal("sigma", 1.0) * BY_DOCUMENT)


# The kind of the response, the loss, the offset.
CASES = {
    "one c per document": ("binary", lambda: med.Hinge(c=BY_DOCUMENT, margin=2.0), None),
    "one c per document, several classes": (
        "multiclass",
        lambda: med.Hinge(c=BY_DOCUMENT, margin=2.0),
        None,
    ),
    "one c per document and task": (
        "multilabel",
        lambda: med.Hinge(c=BY_TASK, margin=2.0),
        lambda: BY_TASK - 1.0,
    ),
    "one epsilon per document": (
        "real",
        lambda: med.EpsilonInsensitive(c=2.0, epsilon=BY_DOCUMENT / 10),
        lambda: BY_DOCUMENT,
    ),
    "random scale and offset": (
        "real",
        random_scale,
        lambda: pm.Normal("slope", 0.0, 1.0) * BY_DOCUMENT,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_stored_factors_are_those_of_the_model(case):
    """The log density of y, document by document and draw by draw, from the model and the run."""
    kind, loss, offset = CASES[case]
    truth = planted(kind)
    y = np.array(truth.y, float)
    y[4] = np.nan
    with pm.Model() as model:
        z = med.TopicAssignments("z", truth.corpus, n_topics=3)
        eta = pm.Normal("eta", 0.0, 1.0, shape=3 if kind in ("binary", "real") else (3, 3))
        shift = None if offset is None else offset()
        observed = truth_of(kind, y)
        med.MaxMargin("y", z, eta, observed=observed, loss=loss(), offset=shift)
        steps = [med.GibbsMedLDAStep()]
        others = [rv for rv in model.free_RVs if rv not in (z, eta)]
        if others:
            steps.append(pm.Metropolis(others))
        idata = pm.sample(step=steps, **SHORT)
        result = pm.compute_log_likelihood(
            idata, var_names=["y"], extend_inferencedata=False, progressbar=False
        )
    found = result if hasattr(result, "data_vars") else get_group(result, "log_likelihood")
    topics, response = Run(idata).topics(), Run(idata).response()
    for chain in range(2):
        for draw in range(3):
            own = response.loss_at(chain, draw)
            f = discriminants(topics, response, chain, draw)
            factor = own.log_factor_of(own.value(response.y, f))
            assert factor.shape == response.y.shape
            stored = np.where(np.isnan(response.y), 0.0, factor)
            expected = np.asarray(found["y"].values[chain, draw]).reshape(stored.shape)
            np.testing.assert_allclose(stored, expected, atol=1e-8)
    assert np.ptp(found["y"].values) > 0


def truth_of(kind, y):
    """Return classes as text, of which the missing one is None; values and labels as they are."""
    if kind in ("real", "multilabel"):
        return y
    return [None if np.isnan(value) else f"class {value:g}" for value in y]


@pytest.mark.parametrize("cell", list(np.ndindex(2, 3)))
def test_a_parameter_that_moves_in_any_draw_is_not_constant(cell):
    values = np.ones((2, 3, 4))
    array = xr.DataArray(values, dims=("chain", "draw", "document"))
    assert is_constant(array)
    values[*cell, 2] = 2.0
    assert not is_constant(array)
    assert is_constant(array.isel(chain=cell[0], draw=cell[1]))
    assert is_constant(array.isel(chain=[cell[0]], draw=[cell[1]]))
