"""Check the settings of a recipe for texts, which may come from a user or from a stored file."""

from __future__ import annotations

import re
from typing import Any

from pymc_medlda.corpus.hooks import is_path


def check_recipe(recipe: Any) -> None:
    """Raise unless all settings are of their type."""
    _check_hook(recipe, "analyzer", ("word", "char", "char_wb"))
    _check_hook(recipe, "strip_accents", ("ascii", "unicode", None))
    for name in ("tokenizer", "preprocessor", "stemmer"):
        _check_hook(recipe, name, (None,))
    for name in ("lowercase", "binary"):
        if not isinstance(getattr(recipe, name), bool):
            raise _wrong(recipe, name, "True or False")
    bounds = recipe.ngram_range
    whole = isinstance(bounds, tuple) and len(bounds) == 2 and all(type(n) is int for n in bounds)
    if not whole or not 1 <= bounds[0] <= bounds[1]:
        raise _wrong(recipe, "ngram_range", "two whole numbers of at least 1, the smaller first")
    words = recipe.stop_words
    if words is not None and not (
        isinstance(words, tuple) and all(isinstance(word, str) for word in words)
    ):
        raise _wrong(recipe, "stop_words", "a list of words")
    if recipe.refused is not None and not isinstance(recipe.refused, str):
        raise _wrong(recipe, "refused", "a text")
    _check_pattern(recipe)


def _check_pattern(recipe: Any) -> None:
    """Raise unless the pattern of a token is a regular expression with at most one group."""
    pattern = recipe.token_pattern
    if pattern is None:
        return
    try:
        n_groups = re.compile(pattern).groups
    except (re.error, TypeError, RecursionError, OverflowError):
        n_groups = 2
    if n_groups > 1:
        raise _wrong(recipe, "token_pattern", "a regular expression with at most one group")


def _check_hook(recipe: Any, name: str, allowed: tuple[str | None, ...]) -> None:
    value = getattr(recipe, name)
    if callable(value) or is_path(value) or any(value is known for known in allowed):
        return
    if not isinstance(value, str) or value not in allowed:
        choices = [repr(known) for known in allowed]
        raise _wrong(recipe, name, f"{', '.join(choices)} or a function")


def _wrong(recipe: Any, name: str, allowed: str) -> ValueError:
    return ValueError(f"{name} must be {allowed}; got {getattr(recipe, name)!r}")
