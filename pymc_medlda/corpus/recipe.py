"""`TextRecipe`: how texts were split into words, so that new texts are split in the same way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pymc_medlda.corpus import splitting
from pymc_medlda.corpus.hooks import Hook, explain_no_path, find_hook, is_path, path_of
from pymc_medlda.corpus.recipe_checks import check_recipe
from pymc_medlda.corpus.splitting import Range, Span

if TYPE_CHECKING:
    from pymc_medlda.corpus.corpus import Corpus

HOOKS = ("analyzer", "strip_accents", "tokenizer", "preprocessor", "stemmer")
"""The settings that may be functions of the user."""
WORD = r"(?u)\b\w\w+\b"
"""The default of scikit-learn: two or more letters or digits."""


@dataclass(frozen=True, kw_only=True)
class TextRecipe:
    """How texts were split into words: the settings of ``CountVectorizer`` that new texts need.

    Neither scikit-learn nor the package of a list of stop words is needed to split further texts.
    A function of the user is kept by its import path and imported when a text is split.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb"} or function
    lowercase : bool
    strip_accents : {"ascii", "unicode"} or function, optional
    token_pattern : str, optional
    ngram_range : tuple of two int
    stop_words : sequence of str, optional
        The words themselves, sorted.
    tokenizer, preprocessor : function, optional
        As in ``CountVectorizer``.
    stemmer : function, optional
        Returns the stem of a word. It is applied to what is left after stop words are removed.
    binary : bool
        Count every word of a text once.
    refused : str, optional
        Why texts cannot be split again; all other settings are then meaningless.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> recipe = med.Corpus.from_texts(["A red fish"], ngram_range=(1, 2)).recipe
    >>> recipe.words_of("The Red Fish!")
    ['the', 'red', 'fish', 'the red', 'red fish']
    >>> recipe.spans_of("Red, fish")
    [('red', 0, 3), ('fish', 5, 9), ('red fish', 0, 9)]
    >>> type(recipe).from_dict(recipe.to_dict()) == recipe
    True
    """

    analyzer: Hook = "word"
    lowercase: bool = True
    strip_accents: Hook | None = None
    token_pattern: str | None = WORD
    ngram_range: Range = (1, 1)
    stop_words: tuple[str, ...] | None = None
    tokenizer: Hook | None = None
    preprocessor: Hook | None = None
    stemmer: Hook | None = None
    binary: bool = False
    refused: str | None = None

    def __post_init__(self) -> None:
        for name in HOOKS:
            if callable(hook := getattr(self, name)):
                object.__setattr__(self, name, path_of(hook) or hook)
        check_recipe(self)

    @classmethod
    def from_vectorizer(cls, vectorizer: Any, stemmer: Hook | None = None) -> Self:
        """Return the recipe of a ``CountVectorizer``."""
        stops = vectorizer.get_stop_words()
        return cls(
            analyzer=vectorizer.analyzer,
            lowercase=bool(vectorizer.lowercase),
            strip_accents=vectorizer.strip_accents or None,
            token_pattern=vectorizer.token_pattern,
            ngram_range=tuple(vectorizer.ngram_range),
            stop_words=None if stops is None else tuple(sorted(filter(_is_text, stops))),
            tokenizer=vectorizer.tokenizer,
            preprocessor=vectorizer.preprocessor,
            stemmer=stemmer,
            binary=bool(vectorizer.binary),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as values that JSON has.

        If a function has no import path, the settings cannot be stored. What is returned then says
        why, and the recipe made of it refuses to split texts.
        """
        if self.refused is not None:
            return {"refused": self.refused}
        for name in HOOKS:
            if callable(hook := getattr(self, name)):
                return {"refused": explain_no_path(name, hook)}
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        del settings["refused"]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in settings.items()
        }

    @classmethod
    def from_dict(cls, settings: dict[str, Any]) -> Self:
        """Return the recipe that `to_dict` described. Nothing is imported yet."""
        unknown = set(settings) - {field.name for field in fields(cls)}
        if unknown:
            raise ValueError(
                f"the recipe for texts has the settings {sorted(unknown)}, which this release of "
                "pymc-medlda does not know: install a newer release"
            )
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
        }
        return cls(**given)

    def import_paths(self) -> list[str]:
        """Return the import paths of the functions that are called when a text is split."""
        return sorted({str(hook) for name in HOOKS if is_path(hook := getattr(self, name))})

    def words_of(self, text: str) -> list[str]:
        """Return the words of a text, or its n-grams, in the order of ``CountVectorizer``."""
        if (analyze := self._hook("analyzer")) is not None:
            return list(analyze(text))
        prepared = self._prepare(text)
        if self.analyzer == "char":
            characters = "".join(c for c, *_ in splitting.split_characters(prepared))
            return [characters[i:j] for i, j in self._runs(characters)]
        if self.analyzer == "char_wb":
            return [gram for gram, _ in self._grams_in_words(prepared)]
        words = self._stem(word for word in self._tokenize(prepared) if word not in self._stops)
        if self.ngram_range == (1, 1):
            return words
        return [" ".join(words[i:j]) for i, j in self._runs(words)]

    def spans_of(self, text: str) -> list[tuple[str, int, int]]:
        """Return the words of a text with their positions, ``text[begin:end]``.

        Words, and n-grams, are those of `words_of` in the same order. Those that a tokeniser or a
        preprocessor of the user has changed are searched for in the text, one after the other, and
        left out if they are not found.
        """
        if (analyze := self._hook("analyzer")) is not None:
            words = list(analyze(text))
            spans = splitting.find_in_order(words, text)
            return [(w, *s) for w, s in zip(words, spans, strict=True) if s is not None]
        prepared = self._prepare(text)
        origins = None
        if self.preprocessor is None:
            origins = splitting.find_origins(text, prepared, self._prepare)
        grams = self._grams(prepared, text if origins is None else prepared)
        if origins is None:
            return [(gram, *span) for gram, span in grams if span is not None]
        return [
            (gram, *splitting.map_span(span, origins, text))
            for gram, span in grams
            if span is not None and span[0] < span[1]
        ]

    def count(
        self,
        texts: Iterable[str],
        vocabulary: Iterable[str],
        document_names: Iterable[Any] | None = None,
    ) -> Corpus:
        """Count the words of new texts; words that the vocabulary does not have are left out.

        Parameters
        ----------
        texts : iterable of str, series or frame of one column
        vocabulary : sequence of str
            The words of the corpus from which the recipe comes.
        document_names : (n_documents,) sequence, optional
            A name for each text; by default those of a pandas index.

        Returns
        -------
        Corpus
            What ``Corpus.from_texts(texts, vocabulary=...)`` returns with the same settings.
        """
        return self.count_known(texts, vocabulary, document_names)[0]

    def count_known(
        self,
        texts: Iterable[str],
        vocabulary: Iterable[str],
        document_names: Iterable[Any] | None = None,
    ) -> tuple[Corpus, int]:
        """Return what `count` returns, and the number of tokens that were left out."""
        # Imported here, as they load pandas and numba, which splitting texts does not need.
        from pymc_medlda.corpus.checks import as_vocabulary
        from pymc_medlda.corpus.corpus import Corpus
        from pymc_medlda.corpus.frames import as_texts

        documents, names = as_texts(texts)
        known = as_vocabulary(vocabulary)
        ids = {word: t for t, word in enumerate(known)}
        found, n_dropped = [], 0
        for text in documents:
            words = self.words_of(text)
            words = list(set(words)) if self.binary else words
            tokens = [ids[word] for word in words if word in ids]
            n_dropped += len(words) - len(tokens)
            found.append(np.sort(np.asarray(tokens, np.int32)))
        corpus = Corpus.from_tokens(
            found,
            vocabulary=known,
            document_names=names if document_names is None else document_names,
        )
        return corpus._with_recipe(self), n_dropped

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # it never changes, and a lambda would be lost

    @cached_property
    def _stops(self) -> frozenset[str]:
        return frozenset(self.stop_words or ())

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.token_pattern or WORD)

    def _hook(self, name: str) -> Callable[..., Any] | None:
        """Return a function of the user, None if the setting has none."""
        if self.refused is not None:
            raise ValueError(self.refused)
        value = getattr(self, name)
        if value is None or value in ("word", "char", "char_wb", "ascii", "unicode"):
            return None
        try:
            return find_hook(value)
        except ValueError as error:
            raise ValueError(
                f"the texts of this model were split by {name}={value!r}, and {error}. Make it "
                "importable, or give a Corpus built with vocabulary= instead of texts"
            ) from None

    def _prepare(self, text: str) -> str:
        """Return a text in lower case and without accents, as the settings say."""
        if (preprocess := self._hook("preprocessor")) is not None:
            return str(preprocess(text))
        text = text.lower() if self.lowercase else text
        if self.strip_accents is None:
            return text
        if (strip := self._hook("strip_accents")) is not None:
            return str(strip(text))
        return splitting.strip_accents(text, str(self.strip_accents))

    def _tokenize(self, prepared: str) -> list[str]:
        tokenize = self._hook("tokenizer")
        return list((tokenize or self._pattern.findall)(prepared))

    def _stem(self, words: Iterable[str]) -> list[str]:
        stem = self._hook("stemmer")
        return list(words) if stem is None else [str(stem(word)) for word in words]

    def _runs(self, pieces: Any) -> Iterable[Span]:
        return splitting.iterate_runs(len(pieces), self.ngram_range)

    def _grams(self, prepared: str, searched: str) -> list[tuple[str, Span | None]]:
        """Return the n-grams with their spans; words of unknown place are found in ``searched``."""
        if self.analyzer == "char_wb":
            return self._grams_in_words(prepared)
        if self.analyzer == "char":
            found = splitting.split_characters(prepared)
            return [
                ("".join(c for c, *_ in found[i:j]), (found[i][1], found[j - 1][2]))
                for i, j in self._runs(found)
            ]
        if self.tokenizer is None and searched is prepared:
            group = self._pattern.groups
            matches: list[tuple[str, Span | None]]
            matches = [(m[group] or "", m.span(group)) for m in self._pattern.finditer(prepared)]
        else:
            tokens = self._tokenize(prepared)
            matches = list(zip(tokens, splitting.find_in_order(tokens, searched), strict=True))
        kept = [(word, span) for word, span in matches if word not in self._stops]
        words, spans = self._stem(word for word, _ in kept), [span for _, span in kept]
        return [(" ".join(words[i:j]), _join(spans[i], spans[j - 1])) for i, j in self._runs(words)]

    def _grams_in_words(self, prepared: str) -> list[tuple[str, Span | None]]:
        """Return the n-grams of characters that lie within words."""
        return [
            ("".join(c for c, *_ in word[i:j]), (word[i][1], word[j - 1][2]))
            for word in splitting.split_padded_words(prepared)
            for i, j in splitting.iterate_runs_in_word(len(word), self.ngram_range)
        ]


def _is_text(word: Any) -> bool:
    return isinstance(word, str)


def _join(first: Span | None, last: Span | None) -> Span | None:
    return None if first is None or last is None else (first[0], last[1])
