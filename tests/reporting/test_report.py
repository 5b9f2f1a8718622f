"""A report of every kind of model: one file, complete, and safe whatever documents hold."""

import re
import sys
from functools import cache
from types import ModuleType
from typing import get_args

import numpy as np
import pandas as pd
import polars as pl
import pymc as pm
import pytest
import xarray as xr
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.reporting import markup
from pymc_medlda.reporting.convergence import BADGES
from pymc_medlda.reporting.material import gather
from pymc_medlda.reporting.mistakes import find_mistakes, find_target
from pymc_medlda.reporting.reading import Reader
from pymc_medlda.run.run import Run
from pymc_medlda.run.verdict import State
from tests.explanation.runs import RUNS, TABLE
from tests.reporting.written import (
    CORPUS,
    HOSTILE,
    TEXTS,
    Outline,
    calibrated,
    held_out,
    hostile,
    section,
    write,
)
from tests.sampled import OPTIONS, planted, sample

SECTIONS = (
    "fitted",
    "scores",
    "convergence",
    "topics",
    "profiles",
    "certainty",
    "mistakes",
    "documents",
)


def check_page(html):
    """Check that a page is complete, and that it asks for nothing outside itself."""
    outline = Outline(html)
    for attribute in ("src", "href"):
        for value in outline.values(attribute):
            assert value.startswith(("#", "data:")), value
    for word in ("@import", "url(", "http-equiv"):
        assert word not in html
    identifiers = outline.values("id")
    assert len(identifiers) == len(set(identifiers))
    for target in outline.values("href"):
        assert not target.startswith("#") or target[1:] in identifiers
    assert all(alt for tag, own in outline.tags if tag == "img" for alt in [own["alt"]])
    return outline


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_has_a_report(name):
    html = write(RUNS[name](), n_mistakes=2)
    outline = check_page(html)
    assert [own["id"] for tag, own in outline.tags if tag == "section"] == list(SECTIONS)
    assert "to which the model was fitted" in section(html, "scores")
    assert "Call calibrate first" in section(html, "certainty")
    assert "nan" not in section(html, "scores")
    several_values = name in ("standardised values", "values as they are")
    assert ("Only the first value" in section(html, "profiles")) == several_values


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_is_judged_on_held_out_documents(name):
    html = write(RUNS[name](), n_mistakes=2, **held_out(name))
    check_page(html)
    found = section(html, "scores")
    assert "The scores are those of 8 held-out documents" in found
    assert "tf-idf" in found
    assert "The run is not calibrated. The picture shows" in section(html, "certainty")


@pytest.mark.parametrize("response", ["binary", "multiclass", "multilabel", "real"])
def test_calibrated_runs_are_judged_out_of_fold(response):
    html = write(calibrated(response), n_mistakes=3, texts=TEXTS)
    check_page(html)
    assert "predicted by a chain that had not seen it" in section(html, "scores")
    assert ("log score" in section(html, "scores")) == (response != "real")
    means = "Below it they are too narrow" if response == "real" else "it is true less often"
    assert means in section(html, "certainty")
    held = {"test": CORPUS[:9], "test_y": planted(response).y[:9]}
    check_page(write(calibrated(response), n_mistakes=3, **held))


def test_every_verdict_has_a_badge():
    assert set(BADGES) == set(get_args(State))
    badge = re.search(
        '<span class="badge (good|fair|poor)">([^<]+)</span>', write(sample("binary"))
    )
    assert badge.groups() in BADGES.values()


def test_topics_have_the_words_of_top_words():
    idata = sample("binary")
    material = gather(Run(idata), None, None, None, None, None, {})
    for topic, row in enumerate(med.top_words(idata, 3).filter(like="word ").values):
        assert material.topic_name(topic) == f"{topic} {', '.join(row)}"


def test_the_scores_are_those_of_evaluate():
    idata = sample("multiclass")
    y = planted("multiclass").y[::-1]
    html = write(idata, test=CORPUS, test_y=y, random_seed=3)
    predicted = med.predict(idata, CORPUS, random_seed=3, progressbar=False)
    accuracy = med.evaluate(predicted, y)["accuracy"]
    assert f"this model {accuracy:.3f}" in section(html, "scores")
    wrong = int((get_group(predicted, "predictions")["decision"].values != y).sum())
    assert f"{wrong} of 30 documents are decided wrongly" in section(html, "mistakes")


def test_hostile_names_and_texts_cannot_break_out():
    html = write(hostile(), texts=[f"{HOSTILE}</pre></p> {text}" for text in TEXTS], title=HOSTILE)
    outline = check_page(html)
    assert outline.count("script") == 1
    assert not [own for _, own in outline.tags if any(name.startswith("on") for name in own)]
    assert outline.count("title") == outline.count("style") == 1
    assert not [tag for tag, own in outline.tags if tag == "img" and own["src"] == "x"]
    assert "alert" in html  # the names are there, but escaped


def test_a_page_that_does_not_escape_would_be_noticed(monkeypatch):
    monkeypatch.setattr(markup, "escape", str)
    html = write(hostile(), title=HOSTILE)
    with pytest.raises(AssertionError):
        assert check_page(html).count("script") == 1


def test_texts_are_shown_and_coloured():
    html = write(sample("binary"), texts=TEXTS, n_mistakes=1)
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;quoted&quot;" in html
    assert '<p class="read">' in html
    assert '<p class="read">' not in write(sample("binary"), n_mistakes=1)


def test_long_texts_are_cut():
    texts = [text + " filler" * 2000 for text in TEXTS]
    html = write(sample("binary"), texts=texts, n_mistakes=0)
    assert " […]</p>" in html
    assert len(html) < 400_000


def test_a_plain_topic_model_has_a_report_of_its_topics():
    html = write(sample(None), texts=TEXTS)
    outline = check_page(html)
    found = [own["id"] for tag, own in outline.tags if tag == "section"]
    assert found == ["fitted", "convergence", "topics", "documents"]
    with pytest.raises(ValueError, match="no response to predict"):
        write(sample(None), test=CORPUS, test_y=planted().y)


def test_a_saved_run_has_the_same_report(tmp_path):
    sample("binary").to_netcdf(str(tmp_path / "run.nc"))
    assert write(tmp_path / "run.nc", tmp_path) == write(sample("binary"), tmp_path)


def test_a_report_is_written_twice_alike_and_leaves_no_figures_open():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    assert write(sample("real")) == write(sample("real"))
    assert plt.get_fignums() == before


def test_documents_of_the_same_name_are_told_apart():
    names = ["letter"] * 30
    corpus = med.Corpus(
        CORPUS.words, CORPUS.starts, vocabulary=CORPUS.vocabulary, document_names=names
    )
    with med.GibbsMedLDA(corpus, planted().y, n_topics=3):
        idata = pm.sample(**OPTIONS)
    check_page(write(idata, n_mistakes=2))


def test_a_model_of_texts_is_tested_on_texts():
    plain = [text.removeprefix(HOSTILE) for text in TEXTS]
    corpus = med.Corpus.from_texts(plain)
    with med.GibbsMedLDA(corpus, planted().y, n_topics=3):
        idata = pm.sample(**OPTIONS)
    series = pd.Series(plain[:8], index=[f"letter {d}" for d in range(8)])
    html = write(idata, test=series, test_y=planted().y[:8], n_mistakes=8)
    check_page(html)
    assert "8 held-out documents" in section(html, "scores")
    why = med.explain(idata, plain[0], random_seed=1)
    assert why.text == plain[0]
    same = med.explain(idata, corpus[[0]], random_seed=1)
    assert why.draws["discriminant"].equals(same.draws["discriminant"])
    assert 'class="read"' in why.to_html()


@cache
def named_texts():
    """Return a run of texts with names, and the texts as a series."""
    plain = [text.removeprefix(HOSTILE) for text in TEXTS]
    series = pd.Series(plain, index=[f"letter {d}" for d in range(30)])
    with med.GibbsMedLDA(med.Corpus.from_texts(series), planted().y, n_topics=3):
        return pm.sample(**OPTIONS), series


def test_series_of_texts_are_matched_by_name():
    idata, series = named_texts()
    held = {"test": med.Corpus.from_texts(series)[:8], "test_y": planted().y[:8]}
    turned, new = series[::-1], series[:8][::-1]
    assert gather_judged(idata, texts=turned)[0].texts == series.tolist()
    assert gather_judged(idata, texts=turned.to_frame())[0].texts == series.tolist()
    material = gather_judged(idata, test_texts=new, **held)[0]
    assert material.judged.texts == series[:8].tolist()
    with pytest.raises(ValueError, match="test_texts must be in the order of the documents"):
        gather_judged(idata, test_texts=new.tolist(), **held)


def test_texts_of_other_documents_are_refused():
    idata, series = named_texts()
    with pytest.raises(ValueError, match="position 0 has the words of document 'letter 29'"):
        write(idata, texts=series[::-1].tolist())
    with pytest.raises(ValueError, match="texts must hold the texts of the documents"):
        write(idata, texts=["Something else."] * 30)
    with pytest.raises(ValueError, match="the documents are called"):
        write(idata, texts=series.set_axis([f"note {d}" for d in range(30)]))
    longer = [f"Dear reader, {text}, and so on." for text in series]
    assert "Dear reader" in write(idata, texts=longer, n_mistakes=0)


def test_texts_are_coloured_plainly_if_the_function_that_split_them_is_lost(monkeypatch):
    plain = [text.removeprefix(HOSTILE) for text in TEXTS]
    module = ModuleType("lost_splitter")
    exec("def split(text):\n    return text.split()", module.__dict__)
    monkeypatch.setitem(sys.modules, "lost_splitter", module)
    corpus = med.Corpus.from_texts(plain, tokenizer=module.split, token_pattern=None)
    with med.GibbsMedLDA(corpus, planted().y, n_topics=3):
        idata = pm.sample(**OPTIONS)
    monkeypatch.delitem(sys.modules, "lost_splitter")
    assert '<p class="read">' in write(idata, texts=plain, n_mistakes=1)
    assert '<span class="w' in med.explain(idata, 0).to_html(plain[0])
    with pytest.raises(ValueError, match="lost_splitter"):  # a decision needs the function
        med.explain(idata, plain[0])


def test_documents_without_known_responses_are_left_out():
    y = np.array(planted().y, float)
    y[3:] = np.nan
    html = write(sample("binary"), test=CORPUS, test_y=y)
    assert "The scores are those of 3 held-out documents" in section(html, "scores")


def test_runs_are_not_decoded_twice():
    run = Run(sample("binary"))
    assert write(run) == write(sample("binary"))


def gather_judged(idata, features=None, offset=None, **given):
    """Return the material of a report and its reader."""
    options = {"features": features, "offset": offset, "random_seed": 0}
    known = [given.get(name) for name in ("texts", "test", "test_y", "test_texts")]
    material = gather(Run.of(idata), None, *known, options)
    return material, Reader(material)


@pytest.mark.parametrize("scope", ["out-of-fold", "held-out", "training"])
@pytest.mark.parametrize("response", ["binary", "multiclass"])
def test_mistakes_are_explained_for_the_class_that_was_decided(response, scope):
    # With the responses turned round almost every document is a mistake.
    held = {"test": CORPUS, "test_y": planted(response).y[::-1]} if scope == "held-out" else {}
    idata = sample(response) if scope == "training" else calibrated(response)
    material, reader = gather_judged(idata, **held)
    judged, n_differ = material.judged, 0
    found = find_mistakes(judged)
    assert judged.scope == scope
    assert found or scope == "training"
    for mistake in found:
        decided = judged.decided[mistake.document]
        position = decided if response == "multiclass" else decided[0]
        target = find_target(material, mistake)
        assert target == material.response.classes[int(position)]
        why = reader.explain_judged(mistake.document, target)
        assert why.target == target
        n_differ += why.decision != target
    # Negative control: the full run decides some of the out-of-fold mistakes otherwise.
    assert (n_differ > 0) == (scope == "out-of-fold")
    html = write(idata, n_mistakes=3, **held)
    assert ("full run, which has seen it" in section(html, "mistakes")) == (scope == "out-of-fold")


NAMES = [f"letter {i}" for i in range(8)]
SHIFT = np.random.default_rng(6).normal(size=(8, 2))
LABELS = RUNS["labels with features and offset"]
HELD_OUT = {
    "arrays": (TABLE[:8], SHIFT),
    "lists": (TABLE[:8].tolist(), SHIFT.tolist()),
    "sparse": (sparse.coo_array(TABLE[:8]), SHIFT),
    "numbered frames": (pd.DataFrame(TABLE[:8]), pd.DataFrame(SHIFT)),
    "frames of polars": (TABLE[:8], pl.DataFrame({"1": SHIFT[:, 1], "0": SHIFT[:, 0]})),
    "frames by name": (
        pd.DataFrame(TABLE[:8], NAMES)[::-1],
        pd.DataFrame(SHIFT[:, ::-1], NAMES, [1, 0])[::-1],
    ),
    "coordinates": (
        xr.DataArray(TABLE[7::-1], {"document": NAMES[::-1]}, ("document", "feature")),
        xr.DataArray(SHIFT[:, ::-1], {"task": [1, 0]}, ("document", "task")),
    ),
    "each draw": (TABLE[:8], np.tile(SHIFT, (2, 6, 1, 1))),
}


@pytest.mark.parametrize("kind", HELD_OUT)
def test_held_out_documents_are_explained_with_their_own_offset_and_features(kind):
    first = CORPUS[:8]
    corpus = med.Corpus(
        first.words, first.starts, vocabulary=first.vocabulary, document_names=NAMES
    )
    features, offset = HELD_OUT[kind]
    held = {"test": corpus, "test_y": np.c_[[0, 1] * 4, [1, 1, 0, 0] * 2]}
    _, reader = gather_judged(LABELS(), features, offset, **held)
    for position in (0, 2, 7):
        for task in (0, 1):
            why = reader.explain_judged(position, task)
            assert why.parts.loc["offset", "mean"] == pytest.approx(SHIFT[position, task])
            known = med.explain(
                LABELS(),
                corpus[[position]],
                task=task,
                offset=SHIFT[[position]],
                features=TABLE[[position]],
                random_seed=0,
            )
            expected = known.parts.loc["features", "mean"]
            assert why.parts.loc["features", "mean"] == pytest.approx(expected)
