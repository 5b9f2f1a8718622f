"""Predictions of texts: split as those of the training corpus were, also after a reload."""

import json
import logging
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.run import Run
from tests.prediction.comparing import assert_same, predicted
from tests.reviews import NEW, TEXTS, reviews, sample_texts
from tests.sampled import sample

ANOTHER_PROCESS = """
import json, sys
sys.modules["sklearn"] = None
import pymc_medlda as med
texts, path, out = json.loads(sys.argv[1]), *sys.argv[2:]
found = med.predict(path, texts, random_seed=1, progressbar=False)
found["predictions"].to_dataset().to_netcdf(out) if hasattr(found, "children") else found[
    "predictions"
].to_netcdf(out)
assert "pymc" not in sys.modules
"""


def as_counted(texts):
    vocabulary = Run(reviews()).topics().vocabulary
    return med.Corpus.from_texts(
        texts, vocabulary=vocabulary, ngram_range=(1, 2), stop_words="english"
    )


@pytest.mark.parametrize("kind", [list, tuple, iter, pd.Series, pl.Series])
def test_texts_are_split_as_the_training_texts_were(kind):
    found = predicted(reviews(), kind(NEW))
    assert_same(found, predicted(reviews(), as_counted(NEW)))
    assert found["decision"].values[:2].tolist() == ["up", "down"]
    # "wine good", "good good", "service rude" and "caviar"; "the", "was" and "so" are stop words.
    assert found.attrs["n_dropped_tokens"] == 4


def test_the_index_of_a_series_names_the_texts():
    found = predicted(reviews(), pd.Series(NEW, index=list("pqrs")))
    assert found["document"].values.tolist() == list("pqrs")
    assert med.evaluate(
        med.predict(reviews(), pd.DataFrame({"text": NEW[:2]}), progressbar=False), ["up", "down"]
    ) == {"accuracy": 1.0}


def test_texts_without_known_words_are_flagged(caplog):
    with caplog.at_level(logging.WARNING, "pymc.medlda"):
        found = predicted(reviews(), NEW)
    assert found["no_known_words"].values.tolist() == [False, False, True, True]
    (warning,) = caplog.messages
    assert warning.startswith("the model knows no word in 2 of 4 documents")
    caplog.clear()
    assert not predicted(reviews(), NEW[:2])["no_known_words"].any()
    assert "no_known_words" not in predicted(reviews(), NEW, var_names=["y"])
    assert not caplog.messages


def test_a_file_takes_texts_in_another_process_without_pymc(tmp_path):
    reviews().to_netcdf(tmp_path / "run.nc")
    arguments = [json.dumps(NEW), str(tmp_path / "run.nc"), str(tmp_path / "out.nc")]
    subprocess.run([sys.executable, "-c", ANOTHER_PROCESS, *arguments], check=True)
    with xr.open_dataset(tmp_path / "out.nc") as there:
        assert_same(predicted(reviews(), NEW), there)


def test_perplexity_and_coherence_take_texts():
    run, corpus = reviews(), as_counted(TEXTS)
    assert float(med.perplexity(run, TEXTS)) == float(med.perplexity(run, corpus))
    pd.testing.assert_series_equal(
        med.coherence(run, 3, corpus=TEXTS), med.coherence(run, 3, corpus=corpus)
    )


def split_by_bar(text):
    return text.split("|")


def test_a_function_of_a_module_splits_texts_again():
    run = sample_texts(analyzer=split_by_bar)
    found = predicted(run, ["Nice wine!|Nice wine!", "Nice|wine!"])
    assert found["no_known_words"].values.tolist() == [False, True]


def test_a_function_that_is_gone_is_named_and_corpora_still_work(monkeypatch):
    run = sample_texts(analyzer=split_by_bar)
    monkeypatch.delattr(sys.modules[__name__], "split_by_bar")
    with pytest.raises(ValueError, match=rf"analyzer='{__name__}:split_by_bar'.*vocabulary="):
        predicted(run, NEW)
    known = med.Corpus.from_tokens([["Nice wine!"]])
    assert predicted(run, known)["decision"].values.tolist() == ["up"]


def test_a_run_of_a_lambda_says_that_it_cannot_take_texts():
    run = sample_texts(tokenizer=lambda text: text.split(), token_pattern=None)
    with pytest.raises(ValueError, match=r"tokenizer=.*<lambda>, which has no import path"):
        predicted(run, NEW)
    assert predicted(run, med.Corpus.from_tokens([["wine!"]]))["decision"].values == ["up"]


def test_a_run_without_a_recipe_asks_for_a_corpus():
    with pytest.raises(ValueError, match=r"does not know how to split.*vocabulary="):
        predicted(sample(), NEW)
    with pytest.raises(TypeError, match=r"corpus must be a pymc_medlda\.Corpus or a list of texts"):
        predicted(reviews(), "one text")
    with pytest.raises(TypeError, match="corpus must hold strings; got 3 at position 1"):
        predicted(reviews(), ["wine", 3])


def test_one_model_per_class_takes_texts():
    corpus = med.Corpus.from_texts(TEXTS)
    stars = ["good", "nice", "slow", "rude"] * 5
    models = med.OneVsAll.sample(
        corpus, stars, n_topics=2, draws=3, tune=10, cores=1, random_seed=1, progressbar=False
    )
    found = models.predict(iter(NEW), random_seed=2, progressbar=False)
    again = models.predict(
        med.Corpus.from_texts(NEW, vocabulary=corpus.vocabulary), random_seed=2, progressbar=False
    )
    assert_same(found, again)
    assert found["no_known_words"].values.tolist() == [False, False, True, True]


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
def test_texts_for_every_kind_of_store(tmp_path):
    here = predicted(reviews(), NEW)
    reviews().to_zarr(str(tmp_path / "run.zarr"))
    assert_same(here, predicted(tmp_path / "run.zarr", NEW))
    store = str(tmp_path / "trace")
    written = sample_texts(ngram_range=(1, 2), stop_words="english", store=store)
    assert_same(predicted(written, NEW), predicted(tmp_path / "trace", NEW))
    joined = med.join_runs([reviews(), tmp_path / "run.zarr"])
    assert predicted(joined, NEW)["decision"].values[:2].tolist() == ["up", "down"]


def test_the_flag_is_kept_in_files(tmp_path):
    full = med.predict(reviews(), NEW, random_seed=1, progressbar=False)
    full.to_netcdf(tmp_path / "run.nc")
    stored = get_group(med.read_run(tmp_path / "run.nc"), "predictions")["no_known_words"]
    np.testing.assert_array_equal(stored.values, [False, False, True, True])


def test_a_frame_of_several_columns_is_refused_with_the_columns():
    frame = pd.DataFrame({"review": NEW, "stars": range(len(NEW))})
    with pytest.raises(ValueError, match=r"corpus must be texts.*\['review', 'stars'\]: give the"):
        med.predict(sample_texts(), frame)
    assert len(predicted(sample_texts(), frame[["review"]])["decision"]) == len(NEW)
