"""Split prepared texts into words and characters, with their positions.

The order of the n-grams is that of scikit-learn's ``CountVectorizer``: by length, then by position.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

Range = tuple[int, int]
"""The smallest and the largest number of words or characters in an n-gram."""
Span = tuple[int, int]
"""Where a piece of a text begins, and where it ends."""

REACH = 100
"""How many characters ahead a word is searched for, for each word that was not found before it."""
_BLANKS_OR_CHARACTER = re.compile(r"\s\s+|.", re.DOTALL)


def strip_accents(text: str, how: str) -> str:
    """Return a text without accents; with ``"ascii"``, also without all that is not ASCII.

    Examples
    --------
    >>> strip_accents("naïve Straße", "unicode"), strip_accents("naïve Straße", "ascii")
    ('naive Straße', 'naive Strae')
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    if how == "ascii":
        return decomposed.encode("ascii", "ignore").decode("ascii")
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def iterate_runs(n_pieces: int, ngram_range: Range) -> Iterator[Span]:
    """Yield where each n-gram of so many words or characters begins and ends."""
    shortest, longest = ngram_range
    for n in range(shortest, min(longest, n_pieces) + 1):
        for first in range(n_pieces - n + 1):
            yield first, first + n


def iterate_runs_in_word(n_pieces: int, ngram_range: Range) -> Iterator[Span]:
    """Yield the same for the characters of one word; a word that is too short is one n-gram."""
    if n_pieces < ngram_range[0]:
        yield 0, n_pieces
    yield from iterate_runs(n_pieces, ngram_range)


def split_characters(text: str) -> list[tuple[str, int, int]]:
    """Return the characters of a text, each run of white space as one blank, and their spans."""
    found = _BLANKS_OR_CHARACTER.finditer(text)
    return [(" " if len(m[0]) > 1 else m[0], m.start(), m.end()) for m in found]


def split_padded_words(text: str) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the characters of each word between white space, with a blank before and after it."""
    for match in re.finditer(r"\S+", text):
        first, last = match.span()
        inner = [(c, first + i, first + i + 1) for i, c in enumerate(match[0])]
        yield [(" ", first, first), *inner, (" ", last, last)]


def find_in_order(words: Iterable[str], text: str) -> list[Span | None]:
    """Return where each word stands in a text, one after the other; None if it is not found.

    A word is searched for only in the next part of the text, so that one that the tokeniser has
    changed does not lead far ahead.
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    spans: list[Span | None] = []
    place, n_missed = 0, 0
    for word in words:
        reach = place + REACH * (1 + n_missed) + len(word)
        first = text.find(word, place, reach)
        if first < 0:
            first = lowered.find(word, place, reach)
        if first < 0 or not word:
            spans.append(None)
            n_missed += 1
        else:
            place, n_missed = first + len(word), 0
            spans.append((first, place))
    return spans


def find_origins(text: str, prepared: str, prepare: Callable[[str], str]) -> Sequence[int] | None:
    """Return the position in a text of each character of the prepared text, None if unknown.

    ``prepare`` turns each character into characters by itself, as lower case and the removal of
    accents do.
    """
    if len(text) == len(prepared) and text.isascii():
        return range(len(text))
    origins = [i for i, character in enumerate(text) for _ in prepare(character)]
    return origins if len(origins) == len(prepared) else None


def map_span(span: Span, origins: Sequence[int], text: str) -> Span:
    """Return the span in the original text, with the accents that belong to its last letter."""
    first, last = span
    end = origins[last - 1] + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return origins[first], end
