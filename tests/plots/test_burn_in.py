"""The picture of the burn-in."""

import numpy as np
import pytest

from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.plots import (
    plot_burn_in,
)
from pymc_medlda.run.burn_in import burn_in_table, recommend
from tests.sampled import sample


def test_burn_in_draws_each_chain_with_its_warm_up():
    axes = plot_burn_in(sample(), statistics=["log_joint", "score"])
    lines = axes[0].get_lines()
    warm, kept = (get_group(sample(), f"{g}sample_stats")["log_joint"] for g in ("warmup_", ""))
    expected = np.concatenate([warm.values[1], kept.values[1]])
    np.testing.assert_array_equal(lines[1].get_ydata(), expected)
    assert [t.get_text() for t in axes[0].texts] == ["warm-up"]
    assert axes[1].get_ylabel() == "training accuracy"
    assert plot_burn_in(sample("real"))[1].get_ylabel() == "training R²"
    (shaded,) = axes[0].patches
    assert shaded.get_extents().transformed(axes[0].transData.inverted()).x0 == pytest.approx(-0.5)
    assert shaded.get_extents().transformed(axes[0].transData.inverted()).x1 == pytest.approx(5.5)


@pytest.mark.parametrize("n_slow", [0, 12])
def test_the_recommended_burn_in_is_marked(n_slow):
    """A statistic that settles after so many draws, put in place of the others."""
    idata = sample("binary", draws=60, tune=0)
    rng = np.random.default_rng(1)
    statistics = get_group(idata, "sample_stats").copy(deep=True)
    for name in ("loss", "log_likelihood", "log_joint", "score", "moved"):
        values = rng.standard_normal((2, 60)) + 100.0
        values[:, :n_slow] += 50.0
        statistics[name] = (("chain", "draw"), values)
    settled = with_group(idata, "sample_stats", statistics)
    recommended = recommend(burn_in_table(settled))
    assert recommended == (20 if n_slow else 0)
    lines = plot_burn_in(settled, statistics=["log_joint"])[0].get_lines()
    marks = [line.get_xdata()[0] for line in lines[2:]]
    assert marks == ([20] if n_slow else [])


def test_burn_in_of_plain_lda_has_no_loss_and_bad_names_are_refused():
    labels = [a.get_ylabel() for a in plot_burn_in(sample(None))]
    assert labels == ["log p(W | Z) per token (nats)", "tokens that moved (share)"]
    with pytest.raises(ValueError, match="statistics must be a list of some of"):
        plot_burn_in(sample(), statistics=["accuracy"])


def test_the_scale_is_that_of_the_draws_after_the_first_tenth():
    idata = sample("binary", draws=60, tune=0)
    statistics = get_group(idata, "sample_stats").copy(deep=True)
    loss = statistics["loss"].values
    loss[:] = np.linspace(3.0, 5.0, 60)
    loss[:, :6] = 1e4
    low, high = plot_burn_in(with_group(idata, "sample_stats", statistics))[0].get_ylim()
    assert 2.9 < low < loss[:, 6:].min()
    assert 5.0 < high < 5.3
    loss[:, 6] = 1e4  # no longer one of the first
    _, high = plot_burn_in(with_group(idata, "sample_stats", statistics))[0].get_ylim()
    assert high > 1e4


def test_the_warm_up_is_named_above_the_curves():
    panel = plot_burn_in(sample())[0]
    panel.figure.canvas.draw()
    (name,) = panel.texts
    assert name.get_window_extent().y0 >= panel.get_window_extent().y1
    assert "shaded: warm-up" in panel.figure.get_supxlabel()
