"""The progress bar of PyMC shows the loss and the score of the last draw."""

import io

import numpy as np
import pymc as pm
import pytest
from pymc.progress_bar import progress as progress_of_pymc
from pymc.progress_bar import rich_progress
from pymc.step_methods.compound import CompoundStep
from rich.console import Console

import pymc_medlda as med
from tests.sampled import planted


@pytest.fixture
def shown(monkeypatch):
    """Return what was written to the terminal, once sampling is over."""
    written = io.StringIO()

    def open_console(file=None, theme=None):
        return Console(file=written, theme=theme, force_terminal=True, width=200)

    monkeypatch.setattr(rich_progress, "Console", open_console)
    return written


def sample(model, **options):
    quiet = {"compute_convergence_checks": False, "discard_tuned_samples": False, "cores": 1}
    with model:
        return pm.sample(3, tune=2, chains=1, random_seed=1, **quiet, **options)


def build(y, **options):
    return med.GibbsMedLDA(planted().corpus, y, n_topics=2, **options)


def test_loss_and_score_of_the_last_draw_are_shown(shown):
    idata = sample(build(planted().y), progressbar=True)
    last = idata["sample_stats"].isel(chain=0, draw=-1)
    text = shown.getvalue()
    assert "Loss" in text
    assert "Score" in text
    assert f"{float(last['loss']):,.1f}" in text
    assert f"{float(last['score']):.3f}" in text


def test_a_model_without_response_shows_its_words(shown):
    idata = sample(build(None), progressbar=True)
    text = shown.getvalue()
    assert "Log p(word)" in text
    assert "Loss" not in text
    assert f"{float(idata['sample_stats']['log_likelihood'][0, -1]):.3f}" in text


def test_other_steps_keep_their_columns():
    with pm.Model():
        nu = pm.HalfNormal("nu", 1.0)
        eta = pm.Normal("eta", 0.0, nu, shape=2)
        z = med.TopicAssignments("z", planted().corpus, n_topics=2)
        med.MaxMargin("y", z, eta, observed=planted().y)
        step = CompoundStep([med.GibbsMedLDAStep(), pm.Slice([nu])])
    columns, values = step._progressbar_config(2)
    headers = [column.get_table_column().header for column in columns]
    assert headers == ["Loss", "Score", "Steps out", "Steps in"]
    assert values["loss"] == [0.0, 0.0]


def test_pymc_reads_our_statistics_by_the_interface_we_fill():
    """If PyMC renames the two methods, they are not called, and this test says so."""
    with build(planted().y):
        step = med.GibbsMedLDAStep()
    manager = progress_of_pymc.MCMCProgressBarManager(
        step_method=step, chains=1, draws=2, tune=1, progressbar=True
    )
    statistics = {"loss": 2.0, "score": 0.5, "moved": np.nan}
    assert manager._extract_stats([statistics]) == (False, {"loss": 2.0, "score": 0.5})
