"""A served model splits texts as the training corpus did."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import pymc_medlda as med
from pymc_medlda.corpus.recipe import TextRecipe
from pymc_medlda.serving.file_format import read_model, write_model
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
    model = export_and_load(run, functions=[stem])
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


def test_functions_that_were_not_listed_are_refused(tmp_path):
    med.export(fitted(), tmp_path / "model.npz")
    header, arrays = read_model(tmp_path / "model.npz")
    header["recipe"] |= {"tokenizer": "pathlib:Path.touch", "stemmer": f"{__name__}:stem"}
    write_model(tmp_path / "other.npz", header, arrays)
    for functions in ((), [stem], ["pathlib:Path.exists"]):
        with pytest.raises(ValueError, match=r"not allowed: \['pathlib:Path\.touch'.*functions="):
            med.load(tmp_path / "other.npz", functions=functions)
    listed = [stem, "pathlib:Path.touch"]
    assert med.load(tmp_path / "other.npz", functions=listed).recipe.import_paths() == [
        "pathlib:Path.touch",
        f"{__name__}:stem",
    ]


@pytest.mark.parametrize("by_path", [False, True])
def test_a_function_may_be_listed_by_itself_or_by_its_path(by_path):
    listed = [f"{__name__}:stem"] if by_path else (stem,)
    model = export_and_load(fitted(stemmer=stem), functions=listed)
    assert model.predict(["goodness"]).n_known.tolist() == [1]


def test_every_setting_that_may_be_a_function_is_checked():
    for name in ("analyzer", "strip_accents", "tokenizer", "preprocessor", "stemmer"):
        recipe = TextRecipe(**{name: "os:system"})
        assert recipe.import_paths() == ["os:system"]
    assert TextRecipe(analyzer="char", strip_accents="ascii").import_paths() == []
