"""The picture of the weights."""

import numpy as np
import pytest

from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.plots import (
    plot_eta_forest,
)
from pymc_medlda.run.alignment import align_topics
from pymc_medlda.run.topics import top_words
from tests.sampled import sample


def test_forest_sorts_topics_and_bars_are_quantiles():
    idata, _ = align_topics(sample())
    (panel,) = plot_eta_forest(idata, interval=0.8, n_words=2)
    eta = get_group(idata, "posterior")["eta"].values
    order = np.argsort(eta.mean(axis=(0, 1)))
    words = top_words(idata, 2)
    expected = [f"{k}  {words.loc[k, 'word 1']}, {words.loc[k, 'word 2']}" for k in order]
    assert [t.get_text() for t in panel.get_yticklabels()] == expected
    segments = panel.collections[1].get_segments()
    low, high = np.quantile(eta[1][:, order], [0.1, 0.9], axis=0)
    np.testing.assert_allclose([s[0, 0] for s in segments], low)
    np.testing.assert_allclose([s[1, 0] for s in segments], high)


def test_the_weights_of_chains_are_drawn_as_if_they_had_been_aligned():
    """A run whose second chain has other labels gives the same bars, and so does an aligned one."""
    aligned, _ = align_topics(sample())
    mixed = relabelled(aligned, chain=1, permutation=[2, 0, 1])
    expected = bars(plot_eta_forest(aligned)[0])
    found = bars(plot_eta_forest(mixed)[0])
    assert len(expected) == 2
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(one, other)
    # Negative control: one chain is read as it is.
    alone = [bars(plot_eta_forest(run, chain=1, n_words=0)[0])[0] for run in (aligned, mixed)]
    np.testing.assert_allclose(*alone)  # sorted by their mean
    labels = [
        [t.get_text() for t in plot_eta_forest(run, chain=1, n_words=0)[0].get_yticklabels()]
        for run in (aligned, mixed)
    ]
    assert labels[0] != labels[1]


def bars(panel):
    """Return the ends of the bars of each chain, (topic, low and high)."""
    drawn = [c for c in panel.collections if hasattr(c, "get_segments")]
    return [np.array([segment[:, 0] for segment in c.get_segments()]) for c in drawn]


def relabelled(idata, *, chain, permutation):
    posterior = get_group(idata, "posterior").copy(deep=True)
    z, eta = posterior["z"].values, posterior["eta"].values
    z[chain] = np.argsort(permutation)[z[chain]]
    eta[chain] = eta[chain][..., permutation]
    return with_group(idata, "posterior", posterior)


def test_forest_draws_a_panel_for_each_task_asked_for():
    idata = sample("multiclass")
    titles = [a.get_title(loc="left") for a in plot_eta_forest(idata)]
    assert titles == ["0", "1", "2"]
    assert len(plot_eta_forest(idata, task=1)) == 1
    assert len(plot_eta_forest(idata, task=[2, 0], chain=1)) == 2
    with pytest.raises(ValueError, match=r"task must be among \['0', '1', '2'\], got 7"):
        plot_eta_forest(idata, task=7)
    with pytest.raises(ValueError, match="interval must be"):
        plot_eta_forest(idata, interval=90)
    with pytest.raises(ValueError, match="plain LDA"):
        plot_eta_forest(sample(None))
