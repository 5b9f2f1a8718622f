"""A served model splits texts as the training corpus did."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import pymc_medlda as med
from tests.serving.models import export_and_load

TEXTS = ["Good food, good wine", "nice WINE", "slow rude service", "rude waiter"] * 5
QUICK = {"n_topics": 2, "tune": 5, "draws": 3, "chains": 2, "random_seed": 1, "max_df": 1.0}
NEW = ["good wine and good food", "The rude, slow waiter!", "nothing known", ""]
pytestmark = pytest.mark.filterwarnings("ignore:the chains differ much")


def stem(word):
    return word[:4]


@cache
def fitted(**options):
    frame = pd.DataFrame({"text": TEXTS, "label": ["up", "up", "down", "down"] * 5})
    every = {**QUICK, "progressbar": False, **options}
    return med.fit(frame, text="text", label="label", **every)


@pytest.mark.parametrize(
    "options", [{}, {"ngram_range": (1, 2)}, {"binary": True}, {"stemmer": stem}], ids=" ".join
)
def test_texts_are_split_as_by_predict(options):
    run = fitted(**options)
    model = export_and_load(run)
    recipe = model.recipe
    counted = recipe.count(NEW, model.words.tolist())
    np.testing.assert_array_equal(model.discriminant(NEW), model.discriminant(counted))
    assert model.predict(NEW).n_known.tolist() == counted.lengths.tolist()
    predicted = med.predict(run, NEW, random_seed=1, progressbar=False, as_frame=True)
    table = model.predict(NEW).to_frame()
    assert table.columns.tolist() == predicted.columns.tolist()
    assert table["no_known_words"].tolist() == predicted["no_known_words"].tolist()
    assert table["no_known_words"].tolist() == [False, False, True, True]
    assert table["decision"].tolist()[:2] == ["up", "down"]


def test_a_series_names_the_documents():
    texts = pd.Series(NEW[:2], index=["p", "q"])
    model = export_and_load(fitted())
    assert model.predict(texts).to_frame()["document"].tolist() == ["p", "q"]


def test_a_function_that_cannot_be_stored_is_named_when_texts_come():
    model = export_and_load(fitted(stemmer=lambda word: word))
    with pytest.raises(ValueError, match="stemmer"):
        model.predict(NEW)
    # Counted words are still welcome.
    known = med.Corpus.from_texts(NEW, vocabulary=model.words.tolist())
    assert len(model.predict(known).decision) == 4
