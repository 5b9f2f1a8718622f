"""Mistakes of real values are those of the values that are predicted."""

import numpy as np

from pymc_medlda.reporting.judging import Judged
from pymc_medlda.reporting.mistakes import find_mistakes


def test_errors_are_those_of_calibrated_values():
    truth = np.array([[1.0], [5.0], [9.0]])
    discriminant, values = np.array([[1.0], [4.0], [6.0]]), np.array([[-1.0], [4.5], [8.5]])
    judged = Judged("held-out", "real", discriminant, truth, values, None, [0, 1, 2], None, None)
    assert [mistake.document for mistake in find_mistakes(judged)] == [0, 1, 2]
    before = Judged("held-out", "real", discriminant, truth, discriminant, None, [0], None, None)
    assert [mistake.document for mistake in find_mistakes(before)] == [2, 1]
