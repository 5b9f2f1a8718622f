"""The picture of the words."""

import numpy as np
import pytest

from pymc_medlda._compat.arviz import get_group
from pymc_medlda.plots import (
    plot_topic_words,
)
from pymc_medlda.run.topics import topic_words
from tests.sampled import sample


def test_word_bars_have_the_length_of_the_probabilities():
    idata = sample()
    axes = plot_topic_words(idata, 4, which=[2, 0])
    phi = topic_words(idata).values[0, 2]
    lengths = [bar.get_width() for bar in axes[0].patches[4:]]
    np.testing.assert_allclose(lengths, np.sort(phi)[::-1][:4])
    assert axes[0].get_title(loc="left").startswith("topic 2 (")
    # The pale bars: the distributions of the topics, weighted by their shares of the tokens.
    z = get_group(idata, "posterior")["z"].values[0]
    share = np.array([np.mean(z == k) for k in range(3)])
    best = np.argsort(-phi)[:4]
    pale = [bar.get_width() for bar in axes[0].patches[:4]]
    np.testing.assert_allclose(pale, (share @ topic_words(idata).values[0])[best])
    with pytest.raises(ValueError, match=r"which must list topics among \[0, 1, 2\], got \[3\]"):
        plot_topic_words(idata, which=[3])
