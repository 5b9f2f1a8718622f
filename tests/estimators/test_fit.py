"""`fit`: kinds of labels, missing entries, and what the run remembers."""

import re

import numpy as np
import pandas as pd
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.run import Run

SHORT = {"tune": 2, "draws": 2, "chains": 2, "n_topics": 2, "random_seed": 1, "progressbar": False}
TEXTS = ["good food and wine", "nice wine", "slow rude service", "rude waiter"] * 6
pytestmark = pytest.mark.filterwarnings("ignore:the chains differ much")


def fit(labels, **options):
    frame = pd.DataFrame({"review": TEXTS, "label": labels})
    return med.fit(frame, text="review", label="label", **{**SHORT, **options})


@pytest.mark.parametrize(
    ("labels", "options", "kind"),
    [
        (["up", "up", "down", "down"] * 6, {}, "binary"),
        (["a", "b", "c", "c"] * 6, {}, "multiclass"),
        ([5, 4, 1, 2] * 6, {}, "multiclass"),
        ([5, 4, 1, 2] * 6, {"values": True}, "real"),
        ([5.5, 4.0, 1.0, 2.5] * 6, {}, "real"),
        ([5.5, 4.0, 1.0, 2.5] * 6, {"values": False}, "multiclass"),
        ([5.0, None, 1.0, 2.0] * 6, {}, "multiclass"),
        (pd.array([5, None, 1, 2] * 6, "Int64"), {}, "multiclass"),
        ([5.0, None, 1.0, 2.0] * 6, {"values": True}, "real"),
        ([5.5, None, 1.0, 2.0] * 6, {}, "real"),
        (["a", "a; b", "b", ""] * 6, {"separator": ";"}, "multilabel"),
    ],
)
def test_the_kind_follows_from_the_labels(labels, options, kind):
    run = Run.of(fit(labels, **options))
    assert run.response().kind == kind
    assert run.topics().recipe is not None


@pytest.mark.parametrize("name", ["foo", "topics", "stopwords"])
def test_an_unknown_argument_is_answered_with_those_allowed(name):
    with pytest.raises(TypeError, match=f"fit has no argument '{name}'") as caught:
        fit(["up", "down"] * 12, **{name: 3})
    for allowed in ("n_topics", "margin", "stemmer", "stop_words", "ngram_range", "vocabulary"):
        assert f" {allowed}" in str(caught.value)


def test_options_of_the_corpus_are_passed_on():
    options = {"stemmer": str.strip, "vocabulary": ["wine", "rude"]}
    run = Run.of(fit(["up", "up", "down", "down"] * 6, **options))
    assert run.topics().vocabulary.tolist() == ["wine", "rude"]


def test_a_column_without_any_label_is_refused():
    with pytest.raises(ValueError, match="'label' holds no label: all 24 are missing"):
        fit([None] * 24)


def test_a_class_of_one_document_is_refused_unless_it_is_meant():
    labels = ["odd", *["up", "down"] * 11, "up"]
    with pytest.raises(ValueError, match=r"'odd' once only.* values=False"):
        fit(labels)
    assert Run.of(fit(labels, values=False)).response().classes.tolist() == ["down", "odd", "up"]


def test_a_frame_without_rows_is_refused():
    frame = pd.DataFrame({"review": [], "label": []})
    with pytest.raises(ValueError, match="frame has no rows"):
        med.fit(frame, text="review", label="label")


def test_texts_and_labels_are_two_columns():
    frame = pd.DataFrame({"review": TEXTS})
    with pytest.raises(ValueError, match="must be two columns; got 'review' for both"):
        med.fit(frame, text="review", label="review")


def test_the_same_seed_gives_the_same_run():
    labels = ["up", "up", "down", "down"] * 6
    first, second, other = (fit(labels, random_seed=seed) for seed in (3, 3, 4))
    eta = [get_group(run, "posterior")["eta"].values for run in (first, second, other)]
    np.testing.assert_array_equal(eta[0], eta[1])
    assert not np.array_equal(eta[0], eta[2])


def test_missing_labels_count_as_unknown():
    labels = ["up", None, "down", "down"] * 6
    y = Run.of(fit(labels)).response().y
    assert np.isnan(y[1::4]).all()
    assert not np.isnan(y[0::4]).any()


@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64"])
def test_a_missing_entry_leaves_whole_numbers_whole(dtype):
    labels = pd.array([5, None, 1, 2] * 6, "Int64").astype(object)
    labels = pd.Series(labels).astype("Float64").astype(dtype)
    response = Run.of(fit(labels)).response()
    assert np.asarray(response.classes).tolist() == [1, 2, 5]
    assert np.isnan(np.asarray(response.y)[1::4]).all()
    several = Run.of(fit(labels, separator=";")).response()
    assert np.asarray(several.classes).tolist() == ["1", "2", "5"]


def test_long_labels_are_cut_short_in_messages():
    with pytest.raises(ValueError, match="every class needs two") as caught:
        fit([f"{d} " + "a long review " * 30 for d in range(24)])
    assert len(str(caught.value)) < 600


def test_words_are_chosen_as_asked():
    labels = ["up", "up", "down", "down"] * 6
    words = Run.of(fit(labels, max_df=0.3, ngram_range=(1, 2))).topics().word_labels
    assert "nice wine" in words
    assert "wine" not in words


def test_a_missing_text_is_named():
    frame = pd.DataFrame({"review": ["good food", None], "label": ["a", "b"]})
    with pytest.raises(TypeError, match=r"the column 'review' .* got (None|nan) at position 1"):
        med.fit(frame, text="review", label="label", **SHORT)


def test_the_margin_is_that_of_the_loss():
    labels = ["up", "up", "down", "down"] * 6
    for margin, expected in ((3.0, 3.0), (None, 20.0)):
        response = Run.of(fit(labels, margin=margin)).response()
        assert float(response.loss_at(0, 0).margin) == expected
    with pytest.raises(ValueError, match="margin is for classes"):
        fit([5.5, 4.0, 1.0, 2.5] * 6, margin=3.0)


def test_the_progress_bar_names_the_stage_and_shows_loss_and_score(monkeypatch, capsys):
    monkeypatch.setattr("pymc_medlda._progress.PATIENCE", 0.0)
    monkeypatch.setenv("COLUMNS", "80")
    fit(["up", "up", "down", "down"] * 6, chains=4, progressbar=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0][:21] for line in lines] == [
        "Sampling, part 1 of 2",
        "Sampling, part 2 of 2",
    ]
    for line in lines:
        assert re.search(r"loss \d+\.\d{3}, score [01]\.\d{3}", line)
