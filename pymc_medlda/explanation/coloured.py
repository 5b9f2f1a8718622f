"""Documents as HTML: words coloured by their topic, the stronger the more they contribute.

The hue tells the topic, the strength of the colour how much a word contributes. A word that speaks
for what is explained is underlined, one that speaks against it is underlined by dots. Everything
that comes from documents is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pymc_medlda.corpus.hooks import find_hook, is_path
from pymc_medlda.corpus.recipe import HOOKS, TextRecipe

Spans = Callable[[str], Sequence[tuple[str, int, int]]]

# Hues that follow each other by the golden angle stay apart, however many topics there are.
GOLDEN_ANGLE = 137.508
FAINTEST = 0.04
"""A word that contributes less than this share of the strongest one is not coloured."""
MOST_TOPICS = 8
"""Topics in the legend."""
STYLE = """
.medlda-why{line-height:1.65;max-width:60rem;overflow-wrap:anywhere}
.medlda-why p{margin:.3em 0}
.medlda-why .w{background:hsl(var(--h) 75% 50%/var(--a));border-radius:.2em;padding:0 .1em;
border-bottom:2px solid hsl(var(--h) 60% 45%/.75)}
.medlda-why .w.no{border-bottom-style:dotted}
.medlda-why .w small{opacity:.7}
.medlda-why .read{white-space:pre-wrap}
.medlda-why .topic{display:inline-block;margin:.1em .9em .1em 0;font-size:.9em}
.medlda-why .topic i{display:inline-block;width:.8em;height:.8em;border-radius:.2em;
margin-right:.35em;background:hsl(var(--h) 75% 50%/.65)}
"""


class Word(NamedTuple):
    """What is said of a word: its topic, its hue, its contribution with an interval."""

    topic: Any
    hue: float
    times: int
    mean: float
    lower: float
    upper: float


class Words(NamedTuple):
    """The words of a document with their contributions, and the largest of these."""

    known: dict[str, Word]
    largest: float

    @classmethod
    def of(cls, table: pd.DataFrame, topics: Sequence[Any]) -> Words:
        """Read the table of words; ``topics`` are the labels of all topics, in their order."""
        hue = {label: hue_of(i) for i, label in enumerate(topics)}
        columns = ("topic", "count", "mean", "lower", "upper")
        known = {
            str(word): Word(topic, hue[topic], int(count), *map(float, numbers))
            for word, topic, count, *numbers in zip(
                table.index, *(table[name] for name in columns), strict=True
            )
        }
        return cls(known, float(np.abs(table["mean"]).max()) if len(table) else 0.0)

    def colour(self, word: str, shown: str) -> str:
        """Return a word as it is shown, coloured if it contributes; ``shown`` is HTML."""
        found = self.known.get(word)
        if found is None or abs(found.mean) <= FAINTEST * self.largest:
            return shown
        strength = 0.08 + 0.5 * abs(found.mean) / self.largest
        against = "" if found.mean > 0 else " no"
        title = (
            f"{word}: {found.mean:+.3g} ({found.lower:+.3g} to {found.upper:+.3g}), "
            f"topic {found.topic}"
        )
        return (
            f'<span class="w{against}" data-topic="{escape(str(found.topic))}" '
            f'style="--h:{found.hue:.0f};--a:{strength:.2f}" title="{escape(title)}">{shown}</span>'
        )


def hue_of(topic: int) -> float:
    """Return the hue of the topic at a position, in degrees."""
    return (25.0 + GOLDEN_ANGLE * topic) % 360.0


def page_style() -> str:
    """Return the style that coloured words need."""
    return f"<style>{STYLE.strip()}</style>"


def colour_text(words: Words, text: str, spans_of: Spans) -> str:
    """Return a text with its words coloured. Of overlapping n-grams the longest first one is."""
    pieces, end = [], 0
    spans = [span for span in spans_of(text) if span[0] in words.known]
    for word, first, last in sorted(spans, key=lambda span: (span[1], -span[2])):
        if first < end:
            continue
        pieces += [escape(text[end:first]), words.colour(word, escape(text[first:last]))]
        end = last
    return f'<p class="read">{"".join(pieces)}{escape(text[end:])}</p>'


def colour_bag(words: Words) -> str:
    """Return the words of a document, the strongest first, with how often they occur."""
    pieces = []
    for word, found in words.known.items():
        times = f"<small>×{found.times}</small>" if found.times > 1 else ""
        pieces.append(words.colour(word, escape(word) + times))
    return f"<p>{' '.join(pieces) or 'The document has no word that the model knows.'}</p>"


def legend(table: pd.DataFrame, topics: Sequence[Any]) -> str:
    """Return the topics of a document that contribute most, with their colours."""
    position = {label: i for i, label in enumerate(topics)}
    rows = table.head(MOST_TOPICS)
    rows = rows[rows["share"] > 0.01]
    pieces = [
        f'<span class="topic" style="--h:{hue_of(position[label]):.0f}"><i></i>'
        f"topic {escape(str(label))} ({escape(row['words'])}): {row['mean']:+.3g}</span>"
        for label, row in rows.iterrows()
    ]
    return f"<p>{''.join(pieces)}</p>"


def find_spans(recipe: TextRecipe | None) -> Spans:
    """Return how texts are split for colouring: as in training, or plainly if that is unknown."""
    return partial(_split, recipe)


def _split(recipe: TextRecipe | None, text: str) -> Sequence[tuple[str, int, int]]:
    # Whether functions can be imported is only asked when a text is split.
    usable = recipe if recipe is not None and can_split(recipe) else TextRecipe()
    return usable.spans_of(text)


def can_split(recipe: TextRecipe | None) -> bool:
    """Tell whether texts can be split as in training: the functions of the user can be imported."""
    if recipe is None or recipe.refused is not None:
        return False
    try:
        for name in HOOKS:
            if is_path(path := getattr(recipe, name)):
                find_hook(path)
    except ValueError:
        return False
    return True
