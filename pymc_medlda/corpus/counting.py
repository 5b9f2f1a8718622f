"""Count the words of texts with scikit-learn, and keep the recipe by which they were split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._optional import import_optional, import_sklearn
from pymc_medlda.corpus.hooks import Hook
from pymc_medlda.corpus.recipe import TextRecipe


def count_texts(
    documents: list[str],
    vocabulary: list[str] | None,
    stemmer: Hook | None,
    options: dict[str, Any],
) -> tuple[Any, NDArray[Any], TextRecipe]:
    """Return the matrix of counts, its words, and the recipe; ``options`` are the vectoriser's."""
    make = import_sklearn("feature_extraction.text").CountVectorizer
    # A narrow dtype would make the counts of frequent words wrong: 300 is 44 among uint8.
    options = {**options, "dtype": np.int64}
    language = options.get("stop_words")
    if isinstance(language, str) and language != "english":
        plain = TextRecipe.from_vectorizer(make(**{**options, "stop_words": None}))
        options["stop_words"] = list_stop_words(language, plain)
    vectorizer = make(vocabulary=vocabulary, **options)
    try:
        if stemmer is None:
            matrix = vectorizer.fit_transform(documents)
            recipe = TextRecipe.from_vectorizer(vectorizer)
        else:
            recipe = TextRecipe.from_vectorizer(vectorizer, stemmer)
            # scikit-learn warns of settings that have no effect beside an analyzer.
            splits = set(TextRecipe.__dataclass_fields__) - {"binary"}
            others = {name: value for name, value in options.items() if name not in splits}
            vectorizer = make(vocabulary=vocabulary, analyzer=recipe.words_of, **others)
            matrix = vectorizer.fit_transform(documents)
    except ValueError as error:
        raise ValueError(f"the words of texts cannot be counted: {error}") from error
    return matrix, vectorizer.get_feature_names_out(), recipe


def check_options(options: Mapping[str, Any], function: str, own: Iterable[str]) -> None:
    """Raise unless ``CountVectorizer`` has all options that a function would pass on to it.

    ``own`` are the names of the function's own arguments, which the message lists too.
    """
    known = import_sklearn("feature_extraction.text").CountVectorizer().get_params()
    wrong = [name for name in options if name not in known]
    if wrong:
        listed = [name for name in own if name not in known]
        raise TypeError(
            f"{function} has no argument {wrong[0]!r}; it has {', '.join(listed)}, and those of "
            f"CountVectorizer: {', '.join(known)}"
        )


def list_stop_words(language: str, recipe: TextRecipe) -> list[str]:
    """Return the stop words of a language, and the words into which the recipe splits them.

    So "c'est" removes "est" too, and "für" removes "fur" from texts without accents.
    """
    package = import_optional(
        "stop_words",
        needed_by=f"stop_words={language!r}",
        package="the package stop-words",
        extra="languages",
    )
    try:
        words = package.get_stop_words(language.lower())
    except package.StopWordError:
        known = sorted({"english", *package.AVAILABLE_LANGUAGES})
        raise ValueError(
            f"stop_words must be a list of words or the name of a language, one of "
            f"{', '.join(known)}; got {language!r}"
        ) from None
    return sorted({*words, *(part for word in words for part in recipe.words_of(word))})
