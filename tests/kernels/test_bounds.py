"""The groups of topics in the sweep by bounds."""

import numpy as np
import pytest

from pymc_medlda.kernels.simd.lanes import LANES
from pymc_medlda.kernels.simd.listed import N_GROUPS
from pymc_medlda.kernels.sweeps.bounds_state import TINY, arrange_topics, cover
from pymc_medlda.kernels.sweeps.document import pad_topics


@pytest.mark.parametrize("n_topics", [1, 3, 14, 300])
def test_every_topic_has_a_slot_in_a_group_that_bounds_it(n_topics):
    eta = np.random.default_rng(n_topics).normal(0.0, 2.0, n_topics) ** 3
    topics = arrange_topics(eta)
    assert sorted(topics.slot) == sorted(set(topics.slot))
    np.testing.assert_array_equal(topics.eta[topics.slot], eta)
    np.testing.assert_array_equal(topics.topic[topics.slot], np.arange(n_topics))
    assert (np.diff(topics.eta[~(topics.topic == n_topics)]) >= 0.0).all()
    is_free = topics.topic == n_topics
    assert is_free.sum() == topics.eta.size - n_topics
    lower, upper = topics.ends.reshape(2, LANES)
    for g in range(N_GROUPS):
        slots = slice(topics.begin[g], topics.begin[g + 1])
        assert (topics.group[slots] == g).all()
        assert topics.begin[g] % LANES == 0
        if slots.start < slots.stop:
            members = topics.eta[slots][~is_free[slots]]
            middle = topics.middle
            assert (members.min() - middle, members.max() - middle) == (lower[g], upper[g])
            np.testing.assert_array_equal(topics.tilt[slots], topics.eta[slots] - middle)
            assert (topics.eta[slots] <= members.max()).all()
    assert topics.begin[-1] == topics.eta.size
    assert topics.width == max((upper - lower).max(), TINY)
    assert topics.furthest == max(np.abs(topics.tilt).max(), TINY)


def test_groups_are_as_narrow_as_can_be():
    """Against the best of all divisions of a few numbers into three intervals."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        x = np.sort(rng.normal(size=9) ** 3)
        start = np.zeros(4, np.int64)
        cover(x, 3, start)
        parts = np.split(x, start[1:3])
        found = max(part[-1] - part[0] for part in parts if part.size)
        best = min(
            max(x[i] - x[0], x[j] - x[i + 1], x[-1] - x[j + 1])
            for i in range(7)
            for j in range(i + 1, 8)
        )
        assert found == pytest.approx(best, rel=1e-9)
    few = np.zeros(4, np.int64)
    cover(np.array([1.0, 1.0, 2.0, 5.0]), 3, few)
    assert few.tolist() == [0, 2, 3, 4]


def test_free_slots_have_no_weight():
    eta = np.r_[np.linspace(-1.0, 1.0, 8), 9.0, -7.0, 5.0, -4.0, 3.0, -2.0]
    topics = arrange_topics(eta)
    document = pad_topics(
        np.full(14, 0.1), np.arange(14), 2.0, np.zeros(14), topics.slot, topics.eta.size
    )
    is_free = topics.topic == 14
    for values in document[:4]:
        assert not values[is_free].any()
    np.testing.assert_array_equal(document.in_corpus[topics.slot], np.arange(14))
    np.testing.assert_allclose(document.rate[topics.slot], 1.0 / (np.arange(14) + 2.0))
    np.testing.assert_allclose(
        document.less[topics.slot], 1.0 / (np.r_[0, np.arange(13)] + 2.0), rtol=1e-15
    )
