"""The picture of the classes."""

import numpy as np
import pytest

from pymc_medlda.plots import (
    plot_class_profile,
)
from pymc_medlda.run.topics import doc_topics
from tests.sampled import planted, sample


def test_profile_is_the_mean_theta_of_each_class():
    idata, y = sample(), planted().y
    theta = doc_topics(idata)["mean"].values[0]
    expected = np.stack([theta[y == label].mean(axis=0) for label in (-1, 1)])
    axes = plot_class_profile(idata)
    heights = np.array([[bar.get_height() for bar in a.patches] for a in axes])
    shown = [int(t.get_text().split()[0]) for t in axes[-1].get_xticklabels()]
    np.testing.assert_allclose(heights, expected[:, shown])
    (panel,) = plot_class_profile(idata, kind="heatmap")
    np.testing.assert_allclose(panel.images[0].get_array(), expected[:, shown])
    with pytest.raises(ValueError, match="response must have classes"):
        plot_class_profile(sample("real"))
    with pytest.raises(ValueError, match="kind must be"):
        plot_class_profile(idata, kind="pie")
