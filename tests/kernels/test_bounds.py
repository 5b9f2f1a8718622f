"""The groups of topics in the sweep by bounds."""

import numpy as np

from pymc_medlda.kernels.sweeps.bounds_state import arrange_topics
from pymc_medlda.kernels.sweeps.document import pad_topics


def test_topics_are_padded_and_the_extreme_ones_stand_alone():
    eta = np.r_[np.linspace(-1.0, 1.0, 8), 9.0, -7.0, 5.0, -4.0, 3.0, -2.0]
    document = pad_topics(np.full(14, 0.1), np.arange(14), 2.0)
    arranged = arrange_topics(eta, document.alpha.size)
    assert arranged.single.tolist() == [8, 9, 10, 11, 12, 13]
    assert np.flatnonzero(arranged.shared).tolist() == list(range(8))
    ends = arranged.ends.reshape(2, 8)
    np.testing.assert_array_equal(ends[:, :6], np.tile(eta[8:], (2, 1)))
    assert ends[:, 6].tolist() == [-1.0, 1.0]
    assert (arranged.eta.size, document.alpha[14:].sum(), document.rate[14:].sum()) == (16, 0, 0)
    assert arranged.eta[14:].tolist() == [eta[0], eta[0]]
    few = arrange_topics(eta[:3], 8)
    assert sorted(few.single) == [-1, -1, -1, 0, 1, 2]
    assert not few.shared.any()
