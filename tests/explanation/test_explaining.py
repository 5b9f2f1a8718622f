"""Explanations as users read them: decisions, sentences, tables and coloured words."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.corpus.recipe import TextRecipe
from pymc_medlda.explanation.coloured import Words, colour_text
from pymc_medlda.run.run import Run
from tests.explanation.runs import NEW, RUNS
from tests.sampled import planted, sample


@pytest.mark.parametrize("name", ["two classes", "several classes", "words as features"])
def test_the_decision_is_that_of_predict(name):
    idata, corpus = RUNS[name](), planted().corpus
    for document in range(8):
        new = corpus[[document]]
        found = get_group(med.predict(idata, new, random_seed=1, progressbar=False), "predictions")
        why = med.explain(idata, new, random_seed=1)
        assert why.decision == found["decision"].values[0] == why.target
        assert why.parts.loc["total", "mean"] > 0 or name == "several classes"


def test_calibrated_decisions_and_probabilities_are_those_of_predict():
    truth = planted()
    model = med.GibbsMedLDAClassifier(
        n_topics=3, tune=5, draws=5, chains=3, random_state=1, n_jobs=1, calibrate=True
    )
    idata = model.fit(truth.corpus.to_dtm(), truth.y).idata_
    bare = med.Corpus(truth.corpus.words, truth.corpus.starts, n_words=truth.corpus.n_words)
    for document in range(4):
        new = bare[[document]]
        found = get_group(med.predict(idata, new, random_seed=1, progressbar=False), "predictions")
        why = med.explain(idata, new, random_seed=1)
        assert why.decision == found["decision"].values[0]
        assert why.probability == pytest.approx(found["probability"].values[0].max())
        assert f"The probability of {why.target} is" in repr(why)
        assert med.explain(idata, document).probability is None


def test_a_decision_that_calibration_turns_is_explained():
    why = med.explain(sample("binary"), 3)
    assert why.parts.loc["total", "mean"] > 0
    said = "the sign of the discriminant does not decide here"
    for probability, is_said in ((0.4, True), (0.6, False), (None, False)):
        assert (said in repr(replace(why, probability=probability))) == is_said


def test_topics_have_the_words_of_top_words():
    idata = sample("binary")
    table = med.top_words(idata, 5).filter(like="word ")
    expected = table.agg(", ".join, axis=1).to_dict()
    assert med.explain(idata, 7).topics["words"].to_dict() == expected


def test_documents_are_found_by_name_and_by_position():
    names = [f"letter {d}" for d in range(30)]
    idata = sample("binary")
    assert med.explain(idata, 7).document == 7
    assert med.explain(idata, np.int64(7)).draws.equals(med.explain(idata, 7).draws)
    run = Run(idata)
    object.__setattr__(run.topics(), "documents", np.arange(30)[::-1])
    assert med.explain(run, 0).draws.equals(med.explain(idata, 29).draws)
    object.__setattr__(run.topics(), "documents", np.array(names))
    assert med.explain(run, "letter 7").draws.equals(med.explain(idata, 7).draws)
    assert med.explain(run, 7).document == "letter 7"
    names[3] = "letter 7"
    object.__setattr__(run.topics(), "documents", np.array(names))
    with pytest.raises(ValueError, match="name of 2 training documents"):
        med.explain(run, "letter 7")


def test_the_text_is_coloured_and_everything_else_is_kept():
    why = med.explain(sample("binary"), 3)
    strongest, weakest = why.words.index[0], why.words.index[-1]
    text = f"<script>alert(1)</script>\n {strongest.upper()} & {weakest}, or unknown"
    html = why.to_html(text)
    assert "<script" not in html
    assert re.search(f'<span class="w[^>]*>{strongest.upper()}</span>', html)
    shown = re.sub("<[^>]+>", "", re.search('<p class="read">(.*)</p>', html, re.DOTALL)[1])
    assert shown == text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert med.explain(sample("binary"), 3, text=text).to_html() == html


def test_a_decision_without_known_words_is_said_to_come_from_the_prior():
    empty = med.Corpus([], [0, 0], vocabulary=planted().corpus.vocabulary)
    said = "The model knows none of its words: the {} comes from the prior alone."
    for name, what in {
        "two classes": "decision",
        "values": "prediction",
        "labels with features and offset": "part of its topics",
    }.items():
        why = med.explain(RUNS[name](), empty, random_seed=1, **NEW.get(name, {}))
        assert why.no_known_words
        assert said.format(what) in repr(why)
        assert said.format(what) in why.to_html()
    known = med.explain(RUNS["two classes"](), planted().corpus[[0]], random_seed=1)
    assert not known.no_known_words
    assert "prior" not in repr(known)


def test_hostile_words_are_escaped():
    table = pd.DataFrame(
        {"count": [1], "topic": ['"><b>'], "mean": [1.0], "lower": [0.5], "upper": [2.0]},
        index=pd.Index(['<img src=x onerror="alert(1)">'], name="word"),
    )
    words = Words.of(table, ['"><b>'])
    html = words.colour(table.index[0], "shown")
    assert "<img" not in html
    assert "<b>" not in html


def test_of_overlapping_n_grams_the_longest_is_coloured():
    table = pd.DataFrame(
        {"count": 1, "topic": 0, "mean": [1.0, 2.0], "lower": 0.0, "upper": 3.0},
        index=pd.Index(["red", "red fish"], name="word"),
    )
    recipe = TextRecipe(ngram_range=(1, 2))
    html = colour_text(Words.of(table, [0]), "the red fish red", recipe.spans_of)
    assert re.findall(r">(red[^<]*)</span>", html) == ["red fish", "red"]


@pytest.mark.parametrize("name", RUNS)
def test_every_explanation_can_be_read(name):
    why = med.explain(RUNS[name](), 3)
    assert repr(why).startswith("Training document 3: the model ")
    assert "--h:" in why._repr_html_()
    frame = why.to_frame()
    total = frame.loc[frame["part"] == "total", "mean"].item()
    assert total == pytest.approx(
        frame.loc[frame["part"].isin(["topic", "feature", "mean", "offset"]), "mean"].sum()
    )
    assert why.words["mean"].abs().is_monotonic_decreasing
    assert med.plot_explanation(why).size == 2


def test_a_saved_run_explains_the_same(tmp_path):
    path = tmp_path / "run.nc"
    sample("multiclass").to_netcdf(str(path))
    one, other = (
        med.explain(source, 3, against="runner-up") for source in (path, sample("multiclass"))
    )
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())
