"""An explanation in words."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

if TYPE_CHECKING:
    from pymc_medlda.explanation.explanation import Explanation

N_NAMED = 3
"""Topics and words that are named on each side."""


class Sentences(NamedTuple):
    """A heading and the sentences below it."""

    heading: str
    lines: list[str]

    def to_text(self) -> str:
        """Return lines of text."""
        return "\n".join([self.heading, *self.lines])

    def to_html(self) -> str:
        """Return paragraphs."""
        lines = "".join(f"<p>{escape(line)}</p>" for line in self.lines)
        return f"<p><b>{escape(self.heading)}</b></p>{lines}"


def describe(why: Explanation) -> Sentences:
    """Return what an explanation says, in full sentences."""
    lines = [_describe_total(why), *_describe_parts(why.parts)]
    if why.no_known_words:
        lines.insert(0, _describe_prior(why))
    if _is_shifted(why):
        lines.append(
            "The calibration moves the boundary between both decisions away from zero, so that the "
            "sign of the discriminant does not decide here."
        )
    is_value = why.kind == "real"
    lines += _describe_sides(why.words, "words", is_value)
    if why.features is not None and "by_feature" not in why.words:
        lines += _describe_sides(why.features, "features", is_value)
    if why.n_unknown:
        many = why.n_unknown > 1
        lines.append(
            f"{why.n_unknown} token{'s are' if many else ' is'} of words that the model does not "
            f"know, and contribute{'' if many else 's'} nothing."
        )
    return Sentences(_heading(why), lines)


def _heading(why: Explanation) -> str:
    """Return what the model decides of the document."""
    name = "" if why.document is None else f" {why.document}"
    which = f"{'New' if why.is_new else 'Training'} document{name}"
    if why.kind == "real":
        return f"{which}: the model predicts {float(why.decision):.4g}."
    chance = ""
    if why.probability is not None:
        chance = f" The probability of {why.target} is {why.probability:.2f}."
    if why.kind == "multilabel":
        verb = "sets" if why.decision else "does not set"
        return f"{which}: the model {verb} the label {why.target}.{chance}"
    return f"{which}: the model decides for {why.decision}.{chance}"


def _is_shifted(why: Explanation) -> bool:
    """Return whether the calibrated probability and the sign of the discriminant disagree."""
    if why.kind not in ("binary", "multilabel") or why.probability is None:
        return False
    return (why.probability > 0.5) != (float(why.parts.loc["total", "mean"]) > 0)


def _is_corrected(why: Explanation) -> bool:
    """Return whether the calibration has changed a real value by more than rounding does."""
    total = why.parts.loc["total"]
    change = abs(float(why.decision) - total["mean"])
    return bool(change > 1e-6 * (total["upper"] - total["lower"]) + 1e-12 * abs(total["mean"]))


def _describe_prior(why: Explanation) -> str:
    """Return where the decision comes from if the model knows no word of the document."""
    if not why.is_new:
        return "The document has no words."
    what = "prediction" if why.kind == "real" else "decision"
    if {"features", "offset"} & set(why.parts.index):
        what = "part of its topics"
    return f"The model knows none of its words: the {what} comes from the prior alone."


def _describe_total(why: Explanation) -> str:
    total = why.parts.loc["total"]
    amount = (
        f"{total['mean']:.4g} ({why.interval:.0%} interval {total['lower']:.4g} to "
        f"{total['upper']:.4g})."
    )
    if why.kind == "real":
        if _is_corrected(why):
            return f"The parts below add up to {amount} The calibration corrects this sum."
        return f"The prediction is {amount}"
    if why.kind == "multiclass" and why.against is not None:
        return f"The discriminant of {why.target} exceeds that of {why.against} by {amount}"
    return f"The discriminant of {why.target} is {amount}"


def _describe_parts(parts: pd.DataFrame) -> list[str]:
    """Return how much each part adds, if there are several."""
    rest = parts.drop(index="total")["mean"]
    if len(rest) < 2:
        return []
    return [f"It is the sum of these parts: {_list(rest)}."]


def _describe_sides(table: pd.DataFrame, what: str, is_value: bool) -> list[str]:
    """Return the strongest rows of a table on both sides."""
    verbs = ("raise it", "lower it") if is_value else ("speak for it", "speak against it")
    found = []
    for sign, verb in zip((1, -1), verbs, strict=True):
        rows = table[sign * table["mean"] > 0].head(N_NAMED)
        if len(rows):
            found.append(f"The {what} that {verb} most: {_list(rows['mean'])}.")
    return found


def _list(means: pd.Series) -> str:
    return ", ".join(f"{name} {mean:+.3g}" for name, mean in means.items())
