"""Pictures of calibrated predictions show what happened."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.plots.reliability import (
    LEVELS,
    Statements,
    draw_reliability,
    measure_coverage,
    state,
)
from pymc_medlda.run.calibration import Calibration
from tests.calibration.test_calibrating import calibrated
from tests.sampled import planted


@pytest.mark.parametrize("response", ["binary", "multiclass", "multilabel", "real"])
def test_calibrated_runs_have_a_picture_of_their_own(response):
    truth = planted(response)
    for idata, y in (
        (calibrated(response), None),
        (med.predict(calibrated(response), truth.corpus, progressbar=False), truth.y),
    ):
        panel = med.plot_uncertainty(idata, y)
        panel.figure.canvas.draw()
        if response == "real":
            assert panel.get_xlabel() == "coverage asked for"
        else:
            assert panel.get_xlabel().startswith("stated probability")
        which = "out of fold" if y is None else "predicted documents"
        assert which in panel.get_title(loc="left")
        plt.close()


def test_statements_of_each_kind():
    two = state(
        "binary", np.array([[0.3, 0.7], [0.9, 0.1], [0.5, 0.5]]), np.array([[1], [-1], [np.nan]])
    )
    assert two.probability.tolist() == [0.7, 0.1]
    assert two.true.tolist() == [True, False]
    chances = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.4, 0.3, 0.3]])
    truth = np.array([[-1, 1, -1], [-1, -1, 1], [np.nan] * 3])
    several = state("multiclass", chances, truth)
    assert several.probability.tolist() == [0.5, 0.6]
    assert several.true.tolist() == [True, False]
    labels = state("multilabel", np.array([[0.2, 0.9]]), np.array([[-1.0, 1.0]]))
    assert labels.probability.tolist() == [0.2, 0.9]
    assert labels.true.tolist() == [False, True]


def test_groups_without_exception_have_an_interval_too():
    probability = np.array([0.9, 0.9, 0.9, 0.1, 0.1])
    ax = plt.figure().add_subplot()
    draw_reliability(ax, Statements(probability, probability > 0.5, "a class"), None, 2)
    bars = ax.containers[0].lines[2][0].get_segments()
    heights = [abs(segment[1, 1] - segment[0, 1]) for segment in bars]
    plt.close()
    assert len(heights) == 2
    assert min(heights) > 0.4


def test_coverage_is_that_of_new_documents():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(4000, 1))
    y = F + rng.normal(size=F.shape) * np.exp(F)
    fold = np.arange(4000) % 4
    calibration = Calibration.fit("real", fold[:2000], y[:2000], F[:2000], np.empty((0, 0, 1)))
    new = measure_coverage(calibration, F[2000:], y[2000:], own=False)
    old = measure_coverage(calibration, F[:2000], y[:2000], own=True)
    for covered in (new, old):
        np.testing.assert_allclose(covered, np.tile(LEVELS, (3, 1)), atol=4 * 0.5 / np.sqrt(660))
    # Errors that are twice as large as they were must show.
    worse = measure_coverage(calibration, F[2000:], 2 * y[2000:] - F[2000:], own=False)
    assert worse[:, LEVELS == 0.8].max() < 0.7
