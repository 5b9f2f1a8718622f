"""The picture of the alignment."""

import numpy as np
import pytest

from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.plots import (
    plot_alignment,
)
from pymc_medlda.run.alignment import align_topics
from pymc_medlda.run.matching import cosine
from pymc_medlda.run.topics import topic_words
from tests.sampled import sample


def test_alignment_shows_the_cosines_before_and_after():
    # The chains have other labels, so that the two panels differ.
    aligned, _ = align_topics(sample())
    posterior = get_group(aligned, "posterior").copy(deep=True)
    posterior["z"].values[1] = np.array([1, 2, 0])[posterior["z"].values[1]]
    idata = with_group(aligned, "posterior", posterior)
    axes = plot_alignment(idata, chains=(1, 0))
    phi = topic_words(idata).values
    np.testing.assert_allclose(axes[0].images[0].get_array(), cosine(phi[1], phi[0]))
    aligned = topic_words(align_topics(idata)[0]).values
    assert not np.allclose(phi, aligned)
    np.testing.assert_allclose(axes[1].images[0].get_array(), cosine(aligned[1], aligned[0]))
    with pytest.raises(ValueError, match=r"chains must be two chains among \[0, 1\]"):
        plot_alignment(idata, chains=(0, 5))
    with pytest.raises(ValueError, match="chains must be two chains"):
        plot_alignment(idata, chains=(0,))
