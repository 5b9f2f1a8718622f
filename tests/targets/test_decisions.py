"""The rule that decides."""

import numpy as np
import pytest

from pymc_medlda.targets.decisions import decide, share_of_draws


def test_decisions_at_the_edges():
    classes = np.array(["ham", "spam"])
    assert decide("binary", np.array([[0.0], [1e-300]]), classes).tolist() == ["ham", "spam"]
    assert decide("multiclass", np.array([[1.0, 1.0], [0.0, 2.0]]), classes).tolist() == [
        "ham",
        "spam",
    ]
    with pytest.raises(ValueError, match="kind must be one of binary"):
        decide("ordinal", np.zeros((1, 1)), classes)
    shares = share_of_draws("multiclass", np.random.default_rng(1).normal(size=(2, 50, 4, 3)))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert share_of_draws("real", np.zeros((1, 1, 1, 1))) is None
