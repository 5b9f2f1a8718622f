"""The rule that decides."""

import numpy as np
import pytest

from pymc_medlda.targets.decisions import decide, share_of_draws

KINDS = {"binary": 1, "multiclass": 3, "multilabel": 3}


def test_decisions_at_the_edges():
    classes = np.array(["ham", "spam"])
    assert decide("binary", np.array([[0.0], [1e-300]]), classes).tolist() == ["ham", "spam"]
    assert decide("multiclass", np.array([[1.0, 1.0], [0.0, 2.0]]), classes).tolist() == [
        "ham",
        "spam",
    ]
    with pytest.raises(ValueError, match="kind must be one of binary"):
        decide("ordinal", np.zeros((1, 1)), classes)
    assert share_of_draws("real", np.zeros((1, 1, 1, 1))) is None


@pytest.mark.parametrize("kind", KINDS)
def test_shares_count_the_decisions_of_the_draws(kind, rng):
    discriminant = rng.normal(size=(2, 25, 4, KINDS[kind])) + 0.4
    shares = share_of_draws(kind, discriminant)
    classes = np.arange(2 if kind == "binary" else KINDS[kind])
    decided = decide(kind, discriminant, classes)
    if kind == "multilabel":
        np.testing.assert_allclose(shares, decided.mean(axis=(0, 1)))
        return
    for k in classes:
        np.testing.assert_allclose(shares[:, k], (decided == k).mean(axis=(0, 1)))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
