"""The picture of the alignment."""

from itertools import pairwise

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.plots import (
    plot_alignment,
)
from pymc_medlda.run.alignment import align_topics
from pymc_medlda.run.matching import cosine
from pymc_medlda.run.topics import topic_words
from tests.run.made_runs import MadeRun
from tests.sampled import OPTIONS, sample


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


def test_frames_mark_the_topics_that_every_chain_has_found():
    """Also where the two chains that are drawn agree and a third one does not."""
    idata = MadeRun(n_chains=3, topics_differ=True).build()
    axes = plot_alignment(idata, chains=(0, 1))
    np.testing.assert_array_less(0.9, np.diag(axes[1].images[0].get_array()))
    framed = [patch.get_xy() for patch in axes[1].patches]
    np.testing.assert_allclose(framed, [(1.53, 1.53)])  # around the cell of topic 2
    assert "framed: found by all 3 chains" in axes[0].figure.get_supxlabel()
    assert not axes[0].patches
    pair = get_group(idata, "posterior").isel(chain=[0, 1])
    axes = plot_alignment(with_group(idata, "posterior", pair))
    assert len(axes[1].patches) == 3
    assert "found by both chains" in axes[0].figure.get_supxlabel()


@pytest.mark.parametrize("n_topics", [3, 12, 50])
def test_the_alignment_of_many_topics_can_be_read(n_topics):
    """Every row has a name, labels do not overlap, and no value is wider than its cell."""
    planted = med.datasets.make_planted(80, n_topics=5, n_words=150, seed=1)
    with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=n_topics):
        idata = pm.sample(**OPTIONS)
    axes = plot_alignment(idata)
    axes[0].figure.canvas.draw()
    for panel in axes:
        n_rows, n_columns = panel.images[0].get_array().shape
        names = [text.get_window_extent() for text in panel.get_yticklabels()]
        assert len(names) == n_rows
        assert all(a.y0 - b.y1 > -1 for a, b in pairwise(names))
        numbers = [text.get_window_extent() for text in panel.get_xticklabels()]
        assert all(b.x0 - a.x1 > -1 for a, b in pairwise(numbers))
        cell = panel.get_window_extent().width / n_columns
        assert all(text.get_window_extent().width < cell for text in panel.texts)
    (right,) = axes[1].child_axes
    diagonal = np.diag(axes[1].images[0].get_array())
    shown = [text.get_text() for text in right.get_yticklabels()]
    assert shown == [f"{value:.2f}" for value in diagonal]
