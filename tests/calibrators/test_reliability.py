"""The expected calibration error, bin by bin."""

import numpy as np

from pymc_medlda.calibrators.reliability import calibration_error, group_by_probability


def test_the_error_is_the_weighted_mean_of_the_distances():
    rng = np.random.default_rng(0)
    p = np.append(rng.random(500), [0.0, 1.0, 1.0])
    true = rng.random(503) < p**2
    total = 0.0
    for k in range(10):
        last = k == 9
        mine = (p >= k / 10) & ((p < (k + 1) / 10) | last)
        total += mine.sum() * abs(p[mine].mean() - true[mine].mean())
    np.testing.assert_allclose(calibration_error(p, true, bins=10), total / 503)


def test_honest_probabilities_have_a_small_error_and_squared_ones_do_not():
    rng = np.random.default_rng(1)
    p = rng.random(100_000)
    true = rng.random(100_000) < p
    assert calibration_error(p, true) < 0.01
    assert calibration_error(p**2, true) > 0.1


def test_groups_without_documents_are_left_out():
    groups = group_by_probability(np.array([0.0, 1.0]), np.array([False, True]))
    assert groups.size.tolist() == [1, 1]
    assert groups.stated.tolist() == groups.happened.tolist() == [0.0, 1.0]
