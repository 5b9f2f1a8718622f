"""Real values that are large beside their spread lose nothing in a file."""

import dataclasses

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda.run.calibration import GROUP, read_calibration
from pymc_medlda.run.run import Run
from pymc_medlda.serving.calibrating import ServedCalibration
from tests import sampled
from tests.serving.models import export_and_load, new_documents

SPREAD = 100.0


def sample(centre, chains=1, **model):
    known = sampled.planted("real")
    y = centre + SPREAD * (known.y - np.mean(known.y)) / np.std(known.y)
    with med.GibbsMedLDA(known.corpus, y, **{"n_topics": 3, **model}):
        return pm.sample(**{**sampled.OPTIONS, "chains": chains})


# With many topics some are empty, and their weights are far from those of the others.
@pytest.mark.parametrize("n_topics", [3, 12])
def test_predictions_are_those_of_the_weights_in_full_precision(n_topics):
    run = sample(1e5, n_topics=n_topics, loss=med.Gaussian())
    model = export_and_load(run, draws=12)
    response = Run.of(run).response()
    eta = np.array([[response.weights(0, draw) for draw in range(12)]])
    exact = dataclasses.replace(model, eta=eta).discriminant(new_documents("real"))
    found = model.discriminant(new_documents("real"))
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-3 * SPREAD)


def test_intervals_are_those_of_values_in_full_precision():
    run = med.calibrate(sample(1.7e9, chains=2), random_seed=1, progressbar=False)
    stored = read_calibration(Run.of(run).group(GROUP), Run.of(run).response())
    exact = ServedCalibration("real", out_of_fold=(stored.out_of_fold, stored.y))
    model = export_and_load(run)
    by_chain = model.discriminant(new_documents("real")).mean(axis=1)
    values = model.calibration.compared(by_chain)
    np.testing.assert_allclose(values, stored.compared(by_chain), rtol=0, atol=1e-4 * SPREAD)
    for found, expected in zip(
        model.calibration.interval(values, 0.8), exact.interval(values, 0.8), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * SPREAD)


def test_tasks_of_very_different_units_keep_their_weights():
    known = sampled.planted("real")
    y = np.column_stack([known.y, 1e-9 * np.asarray(known.y)])
    with med.GibbsMedLDA(known.corpus, y, n_topics=3):
        run = pm.sample(**{**sampled.OPTIONS, "chains": 1})
    response = Run.of(run).response()
    eta = np.array([response.weights(0, draw) for draw in range(12)])
    found = export_and_load(run, draws=12).eta[0]
    error = np.abs(found - eta).max(axis=(0, 2)) / np.abs(eta).max(axis=(0, 2))
    assert (error < 1e-3).all()
