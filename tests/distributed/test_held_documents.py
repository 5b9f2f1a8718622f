"""A run holds a sample of its documents: what that changes, and what it does not change."""

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.run.run import Run
from tests.distributed.small import planted, sample

HELD = "a sample of 10 of 60 documents"


@pytest.fixture(scope="module")
def run():
    return sample()


@pytest.fixture(scope="module")
def few():
    with pytest.MonkeyPatch.context() as context:
        context.setattr("pymc_medlda.distributed.documents.MOST_KEPT", 10)
        return sample()


def test_a_run_knows_whether_it_holds_all_documents(run, few):
    assert not Run(run).topics().is_sample
    for own in (few, med.align_topics(few)[0]):
        assert Run(own).topics().is_sample
        assert Run(own).topics().said_of_sample == HELD
    counts = few["topic_counts"]
    counts.attrs.clear()  # as of an earlier release
    assert Run(few).topics().said_of_sample == "a sample of 10 documents"
    counts.attrs["n_documents"] = 60


def test_a_run_with_all_documents_is_calibrated(run):
    settings = {"draws": 2, "tune": 1, "random_seed": 1, "progressbar": False}
    calibrated = med.calibrate(run, **settings)
    assert calibrated["calibration"].data_vars


def test_a_sample_of_the_documents_is_not_calibrated(few):
    with pytest.raises(ValueError, match=f"idata holds {HELD}, .* it cannot be calibrated"):
        med.calibrate(few)


def test_no_chain_continues_or_joins_it(run, few):
    for own in (run, few):
        with pytest.raises(ValueError, match=r"idata is a run of distributed\.sample"):
            med.last_points(own)
        with pytest.raises(ValueError, match=r"runs\[0\] is a run of distributed\.sample"):
            med.join_runs([own, own])


def test_what_is_drawn_for_a_sample_says_so(run, few):
    drawn = med.draw_augmentation(few, random_seed=1)["posterior"]["lam"]
    assert drawn.sizes["document"] == 10
    assert drawn.attrs["documents"] == HELD
    assert "documents" not in med.draw_augmentation(run)["posterior"]["lam"].attrs


def test_a_report_says_that_it_is_of_a_sample(run, few, tmp_path):
    pages = [
        med.report(own, tmp_path / "report.html").read_text(encoding="utf-8") for own in (run, few)
    ]
    assert HELD not in pages[0]
    assert f"{HELD}, 3 topics" in pages[1]
    assert f"{HELD}, which the run holds" in pages[1]
    tokens = f"{planted().corpus.n_tokens:,}".replace(",", "\u202f")
    assert all(f"<dd>{tokens}, " in page for page in pages)  # of all documents


def test_new_documents_and_topics_do_not_depend_on_the_sample(run, few):
    new = planted().corpus[:1]
    for what in (
        lambda own: med.explain(own, new, random_seed=1).words.to_csv(),
        lambda own: med.coherence(own, corpus=planted().corpus).to_csv(),
        lambda own: med.top_words(own).to_csv(),
    ):
        assert what(run) == what(few)


def test_documents_of_the_sample_can_be_explained(few):
    document = Run(few).topics().documents[3]
    why = med.explain(few, document)
    lengths = np.diff(Run(few).topics().tokens.start)
    assert why.words["count"].sum() == lengths[3]
