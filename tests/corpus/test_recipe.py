"""`TextRecipe`: texts are split as `CountVectorizer` splits them, also when it is not there."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.hooks import find_function, path_of
from pymc_medlda.corpus.recipe import TextRecipe

AWKWARD = [
    "The naïve Café: coöperate, re-enter; l'été à la plage!",
    "cafe\u0301 decomposed, STRASSE and Straße, ΟΔΟΣ Οδός, İstanbul ıstanbul",
    "ﬁne ﬂuﬀy ligatures ² ½ № ＡＢＣ, emoji 😀 and 👩‍👩‍👧",
    "中文 测试 日本語テキスト 한국어 텍스트",
    "tabs\tand\n\nnew  lines \u00a0 \u2003wide",
    "x 1 a I of the and",
    "don't stop_words under_score 3.14 a.b.c @user #tag",
    "",
    "   \n ",
    "\u0301\u0301 combining first",
]
SETTINGS = {
    "default": {},
    "cased": {"lowercase": False},
    "unicode": {"strip_accents": "unicode"},
    "ascii": {"strip_accents": "ascii"},
    "stop words": {"stop_words": ["the", "and", "of"], "ngram_range": (1, 3)},
    "english": {"stop_words": "english"},
    "bigrams": {"ngram_range": (2, 2), "strip_accents": "unicode"},
    "pattern": {"token_pattern": r"[^\s,;]+"},
    "group": {"token_pattern": r"\b(\w)\w*\b"},
    "char": {"analyzer": "char", "ngram_range": (1, 3)},
    "char, no unigrams": {"analyzer": "char", "ngram_range": (2, 4)},
    "char_wb": {"analyzer": "char_wb", "ngram_range": (2, 5), "strip_accents": "unicode"},
    "char_wb, long": {"analyzer": "char_wb", "ngram_range": (4, 6)},
    "binary": {"binary": True},
    "tokenizer": {"tokenizer": str.split, "token_pattern": None},
    "preprocessor": {"preprocessor": str.swapcase},
    "accents": {"strip_accents": str.casefold},
    "analyzer": {"analyzer": str.split},
}


@pytest.fixture(params=SETTINGS, scope="module")
def settings(request):
    return SETTINGS[request.param]


def test_words_are_those_of_scikit_learn(settings):
    analyze = CountVectorizer(**settings).build_analyzer()
    recipe = TextRecipe.from_vectorizer(CountVectorizer(**settings))
    for text in AWKWARD:
        assert recipe.words_of(text) == list(analyze(text))


@pytest.mark.filterwarnings("ignore:Upper case characters")
def test_counts_are_those_of_from_texts(settings):
    train = Corpus.from_texts(AWKWARD[:6], **settings)
    names = [f"text {i}" for i in range(len(AWKWARD))]
    expected = Corpus.from_texts(
        AWKWARD, vocabulary=train.vocabulary, document_names=names, **settings
    )
    assert train.recipe.count(AWKWARD, train.vocabulary, names) == expected
    assert expected.n_tokens >= train.n_words > 0


def test_what_is_stored_splits_in_the_same_way(settings):
    recipe = Corpus.from_texts(AWKWARD, **settings).recipe
    stored = json.loads(json.dumps(recipe.to_dict()))
    found = TextRecipe.from_dict(stored)
    assert found == recipe
    assert hash(found) == hash(recipe)
    assert [found.words_of(text) for text in AWKWARD] == [recipe.words_of(t) for t in AWKWARD]
    assert pickle.loads(pickle.dumps(recipe)) == recipe


def test_plain_words_need_no_scikit_learn():
    recipe = Corpus.from_texts(AWKWARD, stop_words="english", ngram_range=(1, 2)).recipe
    program = (
        "import json, sys\n"
        "sys.modules['sklearn'] = sys.modules['pymc'] = sys.modules['stop_words'] = None\n"
        "from pymc_medlda.corpus.recipe import TextRecipe\n"
        "recipe, texts = json.load(sys.stdin)\n"
        "recipe = TextRecipe.from_dict(recipe)\n"
        "print(json.dumps([recipe.words_of(text) for text in texts]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps([recipe.to_dict(), AWKWARD]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [recipe.words_of(text) for text in AWKWARD]


@pytest.mark.parametrize("name", ["default", "unicode", "ascii", "stop words", "char", "char_wb"])
def test_spans_hold_the_words_of_the_original_text(name):
    recipe = TextRecipe.from_vectorizer(CountVectorizer(**SETTINGS[name]))
    for text in AWKWARD:
        spans = recipe.spans_of(text)
        if name != "char_wb":  # blanks beside words have no place
            assert [word for word, *_ in spans] == recipe.words_of(text)
        for word, begin, end in spans:
            assert 0 <= begin < end <= len(text)
            if recipe.ngram_range[1] == 1:
                assert recipe.words_of(text[begin:end]) == [word]


def test_spans_after_letters_that_change_their_length():
    recipe = TextRecipe(strip_accents="unicode")
    text = "İİİ ﬁne cafe\u0301s café ole\u0301!"
    found = {word: text[begin:end] for word, begin, end in recipe.spans_of(text)}
    expected = {"iii": "İİİ", "fine": "ﬁne", "cafes": "cafe\u0301s", "cafe": "café"}
    assert found == {**expected, "ole": "ole\u0301"}


def test_spans_of_ngrams_reach_over_stop_words():
    recipe = TextRecipe(ngram_range=(2, 2), stop_words=("the",))
    assert recipe.spans_of("Over the hill") == [("over hill", 0, 13)]


def test_spans_of_words_that_a_function_made():
    recipe = TextRecipe(tokenizer=fold, token_pattern=None)
    text = "Sing singing, sings better"
    found = [(word, text[begin:end]) for word, begin, end in recipe.spans_of(text)]
    # "good" stands nowhere in the text, and the words after it are still found.
    assert found == [("sing", "Sing"), ("sing", "sing"), ("sing", "sing"), ("better", "better")]
    assert recipe.words_of(text) == ["sing", "sing", "good", "sing", "better"]
    far = "x " + "y " * 500 + "good"
    assert TextRecipe(analyzer=good_then_y).spans_of(far) == [("y", 2, 3)]


def fold(text):
    return ["sing", "sing", "good", "sing", "better"]


def good_then_y(text):
    return ["good", "y"]


def first_letters(word):
    return word[:4]


def test_a_stemmer_comes_after_the_stop_words():
    corpus = Corpus.from_texts(
        ["Singing singers sing", "the theory"], stemmer=first_letters, stop_words=["the"]
    )
    assert corpus.vocabulary.tolist() == ["sing", "theo"]
    assert corpus.lengths.tolist() == [3, 1]
    assert corpus.recipe.spans_of("Sing, singing") == [("sing", 0, 4), ("sing", 6, 13)]
    pairs = Corpus.from_texts(["Singing singers"], stemmer=first_letters, ngram_range=(2, 2))
    assert pairs.vocabulary.tolist() == ["sing sing"]
    assert pairs.recipe.to_dict()["stemmer"] == f"{__name__}:first_letters"


def test_a_corpus_keeps_its_recipe():
    corpus = Corpus.from_texts(AWKWARD, ngram_range=(1, 2))
    recipe = corpus.recipe
    assert recipe.ngram_range == (1, 2)
    assert corpus[2:4].recipe == corpus[[0, 3]].recipe == recipe
    assert corpus[np.arange(len(AWKWARD)) > 3].recipe == recipe
    assert pickle.loads(pickle.dumps(corpus)).recipe == recipe
    assert copy.deepcopy(corpus).recipe == recipe
    assert corpus.to_vocabulary(["fine"])[0].recipe == recipe
    assert Corpus.from_tokens([["a"]]).recipe is None
    assert Corpus.from_dtm([[1]]).recipe is None
    with pytest.raises(AttributeError, match="never changes"):
        corpus.recipe = None


def test_pickles_of_earlier_releases_have_no_recipe():
    corpus = Corpus.from_texts(AWKWARD)
    restore, arguments = corpus.__reduce__()
    assert arguments[-1] == corpus.recipe
    old = restore(*arguments[:-1])
    assert old == corpus
    assert old.recipe is None


def test_a_function_without_an_import_path_splits_until_it_is_stored():
    corpus = Corpus.from_texts(["Red fish"], analyzer=lambda text: text.split("|"))
    assert corpus.vocabulary.tolist() == ["Red fish"]
    assert corpus.recipe.words_of("a|b") == ["a", "b"]
    assert copy.deepcopy(corpus).recipe.words_of("a|b") == ["a", "b"]
    assert set(corpus.recipe.to_dict()) == {"refused"}
    stored = pickle.loads(pickle.dumps(corpus)).recipe
    assert stored.to_dict() == corpus.recipe.to_dict()
    for split in (stored.words_of, stored.spans_of):
        with pytest.raises(ValueError, match=r"analyzer=.*<lambda>, which has no import path"):
            split("a|b")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no_such_module:split", "No module named 'no_such_module'"),
        (f"{__name__}:no_such_function", "has no attribute 'no_such_function'"),
        (f"{__name__}:AWKWARD", "is not a function, but a list"),
    ],
)
def test_a_function_that_is_gone_is_named(path, message):
    recipe = TextRecipe.from_dict({"tokenizer": path})
    with pytest.raises(ValueError, match=message) as error:
        recipe.words_of("a text")
    assert f"tokenizer={path!r}" in str(error.value)
    assert "vocabulary=" in str(error.value)


def test_reading_a_recipe_imports_nothing():
    assert "this" not in sys.modules  # a module of the standard library that prints
    recipe = TextRecipe.from_dict({"tokenizer": "this:split"})
    assert TextRecipe.from_dict(recipe.to_dict()) == recipe
    assert "this" not in sys.modules


def test_import_paths():
    for function in (first_letters, str.split, json.dumps, TextRecipe.from_dict):
        path = path_of(function)
        assert find_function(path) == function

    def local():
        pass

    for nameless in (local, "a".split, np.vectorize(len)):
        assert path_of(nameless) is None


def test_a_function_of_a_script_has_no_import_path():
    """Another process would find its own script under the name of the module."""
    program = """
from pymc_medlda.corpus.recipe import TextRecipe
def stem(word):
    return word[:2]
recipe = TextRecipe(stemmer=stem)
print(recipe.words_of("some text"), recipe.import_paths(), recipe.to_dict()["refused"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("['so', 'te'] []"), done.stderr
    assert "stemmer=stem, which was defined in a script or a notebook" in done.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"analyzer": "sentence"}, "analyzer must be 'word', 'char', 'char_wb' or a function"),
        ({"strip_accents": "latin"}, "strip_accents must be"),
        ({"tokenizer": "split"}, "tokenizer must be None or a function; got 'split'"),
        ({"stemmer": 3}, "stemmer must be"),
        ({"lowercase": "yes"}, "lowercase must be True or False"),
        ({"ngram_range": [2, 1]}, "ngram_range must be two whole numbers"),
        ({"ngram_range": [0, 1]}, "ngram_range must be two whole numbers"),
        ({"ngram_range": 2}, "ngram_range must be two whole numbers"),
        ({"stop_words": [1]}, "stop_words must be a list of words"),
        ({"token_pattern": "("}, "token_pattern must be a regular expression"),
        ({"token_pattern": "(a)(b)"}, "token_pattern must be a regular expression"),
        ({"refused": 3}, "refused must be a text"),
        ({"sentences": True}, r"\['sentences'\], which this release"),
    ],
)
def test_settings_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        TextRecipe.from_dict(settings)
