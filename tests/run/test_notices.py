"""What is said of a run at once: each finding where it holds, and silence where it does not."""

import logging

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.notices import find_notices, log_notices, look_at
from pymc_medlda.run.run import Run
from tests.run.made_runs import MadeRun, trend
from tests.sampled import OPTIONS, planted

N_TOPICS = 8


def sample(y, n_topics=N_TOPICS, **settings):
    truth = planted()
    with med.GibbsMedLDA(truth.corpus, y, n_topics=n_topics, **settings):
        return pm.sample(**{**OPTIONS, "tune": 40})


def kinds(idata):
    return [notice.kind for notice in find_notices(Run(idata))]


def concentrate(idata, n_left):
    """Put all tokens into the first topics."""
    posterior = get_group(idata, "posterior").copy(deep=True)
    posterior["z"].values %= n_left
    return with_group(idata, "posterior", posterior)


@pytest.fixture(scope="module")
def labelled():
    return sample(planted().y, loss=med.Hinge(margin=2.0))


def test_nothing_is_said_of_a_run_that_needs_no_remark(labelled):
    assert kinds(labelled) == []


def test_topics_that_hold_next_to_nothing():
    plain = sample(None)
    assert kinds(plain) == []
    (notice,) = find_notices(Run(concentrate(plain, 5)))
    assert notice.kind == "small topics"
    assert "3 of the 8 topics hold less than 1.0% of the tokens" in notice.text
    assert "n_topics" in notice.text


def test_one_small_topic_is_told_in_the_singular():
    (notice,) = find_notices(Run(concentrate(sample(None, n_topics=3), 2)))
    assert notice.text.startswith("1 of the 3 topics holds less than 1.0% of the tokens: the")


def test_a_quarter_of_the_topics_may_be_small():
    assert kinds(concentrate(sample(None), 6)) == []


def test_labels_that_outweigh_the_words():
    strong = sample(planted().y, loss=med.Hinge(margin=164.0))
    (notice,) = find_notices(Run(strong))
    assert notice.kind == "labels outweigh words"
    assert "three of the 8 topics hold" in notice.text
    assert "Use a smaller margin" in notice.text


def test_few_topics_alone_do_not_mean_that_labels_outweigh(labelled):
    assert kinds(concentrate(labelled, 2)) == ["small topics"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"loss": med.EpsilonInsensitive(c=0.01)}, ["y not scaled"]),
        ({"loss": med.Gaussian(sigma=20.0)}, ["y not scaled"]),
        ({"loss": med.Standardised(med.Gaussian(sigma=0.5))}, []),
        ({}, []),
    ],
)
def test_values_that_do_not_fit_the_loss(settings, expected):
    value = planted("real").y
    idata = sample(500.0 + 100.0 * (value - value.mean()) / value.std(), **settings)
    notices = find_notices(Run(idata))
    assert [notice.kind for notice in notices][:1] == expected
    if expected:
        assert "mean 500 and standard deviation 100" in notices[0].text
        assert "med.Standardised" in notices[0].text


@pytest.mark.parametrize(("size", "expected"), [(-6.0, ["chains too short"]), (6.0, []), (0.0, [])])
def test_chains_whose_loss_still_falls(size, expected):
    assert kinds(MadeRun(shifts={"loss": trend(400, size)}).build()) == expected


def test_pm_sample_says_it(caplog):
    truth = planted()
    caplog.set_level(logging.WARNING, logger="pymc")
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=8, loss=med.Hinge.paper()):
        pm.sample(**{**OPTIONS, "tune": 40, "compute_convergence_checks": True})
    assert "outweigh the words" in caplog.text


def test_diagnose_repeats_it():
    strong = sample(planted().y, loss=med.Hinge(margin=164.0))
    assert "outweigh the words" in med.diagnose(strong).verdict


def test_models_that_belong_together_are_mentioned_once(caplog, labelled):
    caplog.set_level(logging.WARNING, logger="pymc")
    log_notices([concentrate(labelled, 2), labelled, concentrate(labelled, 3)])
    (record,) = caplog.records
    assert "One of 2 models" in record.getMessage()


def test_a_run_that_cannot_be_read_is_passed_over(labelled):
    posterior = get_group(labelled, "posterior").drop_vars("z")
    assert look_at(with_group(labelled, "posterior", posterior)) == []
    assert np.size(look_at(None)) == 0
