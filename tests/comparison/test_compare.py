"""`compare`: one row per run, equal to what the single functions say."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests import sampled
from tests.serving.models import KINDS, calibrated

QUIET = {"random_seed": 1, "progressbar": False}
MAIN = {"binary": "accuracy", "multiclass": "accuracy", "multilabel": "f1", "real": "r2"}


def held_out(kind="binary"):
    truth = med.datasets.make_planted(80, n_topics=3, n_words=40, length=25, response=kind, seed=4)
    return truth.corpus[30:], truth.y[30:]


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_single_functions(kind):
    corpus, y = held_out(kind)
    run = calibrated(kind)
    table = med.compare({"only": run}, corpus, y, **QUIET)
    row = table.loc["only"]
    expected = med.evaluate(med.predict(run, corpus, **QUIET), y)
    assert row[MAIN[kind]] == pytest.approx(expected[MAIN[kind]])
    assert row["perplexity"] == pytest.approx(float(med.perplexity(run, corpus, random_seed=1)))
    assert row["coherence"] == pytest.approx(med.coherence(run, corpus=corpus).mean())
    assert row["seconds"] == get_group(run, "posterior").attrs["sampling_time"]
    assert row["n_documents"] == 50
    assert (row.filter(like="difference") == 0.0).all()
    assert ("log_score" in table) == (kind != "real")


def test_the_log_score_is_that_of_calibrated_probabilities():
    corpus, y = held_out()
    runs = {"calibrated": calibrated("binary"), "not": sampled.sample("binary")}
    table = med.compare(runs, corpus, y, **QUIET)
    predicted = get_group(med.predict(runs["calibrated"], corpus, **QUIET), "predictions")
    p = predicted["probability"].values
    own = np.where(y == predicted["y_class"].values[1], p[:, 1], p[:, 0])
    assert table.loc["calibrated", "log_score"] == pytest.approx(np.log(own).mean())
    error = np.log(own).std(ddof=1) / np.sqrt(50)
    assert table.loc["calibrated", "log_score_se"] == pytest.approx(error)
    assert np.isnan(table.loc["not", "log_score"])


def test_the_best_run_comes_first_and_differences_are_to_it():
    corpus, y = held_out()
    short = sampled.sample("binary", draws=1, tune=0, chains=1, random_seed=5)
    table = med.compare({"short": short, "long": sampled.sample("binary")}, corpus, y, **QUIET)
    best, other = table.index
    gap = table.loc[other, "accuracy"] - table.loc[best, "accuracy"]
    assert gap < 0
    assert table.loc[best, "accuracy_difference"] == 0.0
    assert table.loc[other, "accuracy_difference"] == pytest.approx(gap)
    assert table.loc[other, "accuracy_difference_se"] > 0
    # Of the perplexity, the smallest is the best.
    assert table["perplexity_difference"].min() == 0.0
    assert table["perplexity_difference"].max() > 0.0


def test_missing_responses_do_not_count():
    corpus, y = held_out()
    y = np.asarray(y, float)
    y[:20] = np.nan
    table = med.compare({"run": sampled.sample("binary")}, corpus, y, **QUIET)
    assert table.loc["run", "n_documents"] == 30
    expected = med.evaluate(med.predict(sampled.sample("binary"), corpus, **QUIET), y)
    assert table.loc["run", "accuracy"] == pytest.approx(expected["accuracy"])
    with pytest.raises(ValueError, match=r"all are missing.*'run'"):
        med.compare({"run": sampled.sample("binary")}, corpus, y * np.nan, **QUIET)


def test_plain_lda_is_scored_by_its_topics():
    corpus, y = held_out()
    table = med.compare({"lda": sampled.sample(None), "y": sampled.sample()}, corpus, y, **QUIET)
    assert np.isnan(table.loc["lda", "accuracy"])
    assert table.loc["lda", "perplexity"] > 1
    assert table.index.tolist() == ["y", "lda"]


def test_kinds_must_agree():
    corpus, y = held_out()
    runs = {"a": sampled.sample("binary"), "b": sampled.sample("real")}
    with pytest.raises(ValueError, match="'a' is binary, 'b' is real"):
        med.compare(runs, corpus, y, **QUIET)


def test_a_run_that_cannot_be_read_is_named(tmp_path):
    corpus, y = held_out()
    with pytest.raises(ValueError, match="'gone'"):
        med.compare({"gone": tmp_path / "none.nc"}, corpus, y, **QUIET)


def small_run(texts, y, **settings):
    with med.GibbsMedLDA(med.Corpus.from_texts(texts, **settings), y, n_topics=2):
        return pm.sample(**{**sampled.OPTIONS, "draws": 2, "tune": 1, "chains": 1})


TEXTS = ["good food and wine", "nice wine", "slow rude service", "rude waiter"] * 5
LABELS = ["up", "up", "down", "down"] * 5


@pytest.mark.parametrize("settings", [{"max_features": 4}, {"ngram_range": (1, 2)}])
def test_words_of_different_vocabularies_are_not_compared(settings, caplog):
    runs = {"all": small_run(TEXTS, LABELS), "other": small_run(TEXTS, LABELS, **settings)}
    caplog.clear()
    table = med.compare(runs, TEXTS, LABELS, **QUIET)
    said = [own for own in caplog.messages if "different vocabularies" in own]
    assert len(said) == 1
    for column in ("perplexity", "coherence"):
        assert np.isfinite(table[column]).any()
        assert np.isnan(table[f"{column}_difference"]).all()
        assert np.isnan(table[f"{column}_difference_se"]).all()
    assert (table["accuracy_difference"].max(), table["accuracy_difference"].isna().sum()) == (0, 0)


def test_plain_lda_of_different_vocabularies_has_no_best():
    runs = {"all": small_run(TEXTS, None), "few": small_run(TEXTS, None, max_features=4)}
    for names in (["all", "few"], ["few", "all"]):
        table = med.compare({name: runs[name] for name in names}, TEXTS, LABELS, **QUIET)
        assert table.index.tolist() == names


def test_words_of_one_vocabulary_are_compared_whatever_their_order(caplog):
    words = sorted({word for text in TEXTS for word in text.split()})
    runs = {
        "sorted": small_run(TEXTS, LABELS, vocabulary=words),
        "turned": small_run(TEXTS, LABELS, vocabulary=words[::-1]),
    }
    caplog.clear()
    table = med.compare(runs, TEXTS, LABELS, **QUIET)
    assert not [own for own in caplog.messages if "vocabularies" in own]
    assert table["perplexity_difference"].min() == 0.0


def test_texts_of_a_generator_serve_every_run():
    run = small_run(TEXTS, LABELS)
    table = med.compare({"a": run, "b": run}, (text for text in TEXTS), LABELS, **QUIET)
    expected = med.compare({"a": run, "b": run}, TEXTS, LABELS, **QUIET)
    pd.testing.assert_frame_equal(table, expected)


def test_names_that_look_the_same_are_refused():
    run = sampled.sample("binary")
    with pytest.raises(ValueError, match="several are '1'"):
        med.compare({1: run, "1": run}, *held_out(), **QUIET)
