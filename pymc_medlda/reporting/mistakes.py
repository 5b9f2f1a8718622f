"""The section of the mistakes of which the model is most certain, with coloured words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pymc_medlda.explanation.coloured import legend
from pymc_medlda.reporting.judging import Judged
from pymc_medlda.reporting.markup import Html, element, number, section
from pymc_medlda.reporting.material import Material
from pymc_medlda.reporting.reading import Reader, coloured, name_truth


class Mistake(NamedTuple):
    """A document, the task that was decided wrongly, and how certain the model is."""

    document: int
    task: int | None
    certainty: float


def describe_mistakes(material: Material, reader: Reader, n: int) -> Html:
    """Return the worst mistakes, each with the words that led to it."""
    judged = material.judged
    is_value = judged.kind == "real"
    found = find_mistakes(judged)
    heading = "The largest errors" if is_value else "The mistakes of which it is most certain"
    if not found:
        return section("mistakes", heading, element("p", "There are none among these documents."))
    known = int(judged.known.any(axis=1).sum())
    lead = f"{len({m.document for m in found})} of {known} documents are decided wrongly. "
    note = (
        "Colours tell topics, and strong colours strong contributions. Underlined words speak for "
        "what the model decides, words underlined by dots against it."
    )
    if is_value:
        lead = ""
        note = (
            "Colours tell topics, and strong colours strong contributions. Underlined words raise "
            "the prediction, words underlined by dots lower it."
        )
    shown = [_show(material, reader, mistake, i == 0) for i, mistake in enumerate(found[:n])]
    return section("mistakes", heading, element("p", lead + note, class_="note"), *shown)


def find_mistakes(judged: Judged) -> list[Mistake]:
    """Return the wrong decisions, or all errors of values, the most certain or largest first."""
    if judged.kind == "real":
        error = np.where(judged.known, np.abs(judged.truth - judged.discriminant), 0.0)
        wrong, certainty = error > 0, error
    elif judged.kind == "multiclass":
        decided = judged.decided
        wrong = (decided != np.nan_to_num(judged.truth).argmax(axis=1)) & judged.known[:, 0]
        ordered = np.sort(np.nan_to_num(judged.discriminant), axis=1)
        margin = ordered[:, -1] - ordered[:, -2]
        best = margin if judged.chances is None else judged.chances.max(axis=1)
        wrong, certainty = wrong[:, None], best[:, None]
    else:
        wrong = (judged.decided != (judged.truth > 0)) & judged.known
        certainty = np.abs(judged.compared)
    places = np.argwhere(wrong)
    order = np.argsort(-certainty[wrong], kind="stable")
    has_tasks = judged.kind == "multilabel" or (judged.kind == "real" and wrong.shape[1] > 1)
    return [
        Mistake(int(d), int(t) if has_tasks else None, float(certainty[d, t]))
        for d, t in places[order]
    ]


def _show(material: Material, reader: Reader, mistake: Mistake, is_open: bool) -> Html:
    """Return a mistake as a part that can be opened."""
    judged, response = material.judged, material.response
    labels = response.task_labels.tolist()
    task = None if mistake.task is None else labels[mistake.task]
    why = reader.explain_judged(mistake.document, task)
    options: dict[str, Any] = {"open": "open"} if is_open else {}
    topics = legend(why.topics, why.draws["topic"].values.tolist())
    return element(
        "details",
        element(
            "summary",
            element("b", f"Document {judged.names[mistake.document]}: "),
            _summarise(material, mistake),
        ),
        element("div", Html(topics), class_="medlda-why"),
        coloured(why),
        class_="document",
        **options,
    )


def _summarise(material: Material, mistake: Mistake) -> str:
    """Return what is true and what was decided, in words."""
    judged = material.judged
    row = judged.truth[mistake.document]
    if judged.kind == "real":
        task = mistake.task or 0
        value = judged.discriminant[mistake.document, task]
        of_task = "" if mistake.task is None else f" ({material.task_names[task]})"
        return f"true value {number(row[task])}, predicted {number(value)}{of_task}"
    if judged.kind == "multilabel":
        task = mistake.task or 0
        name = material.task_names[task]
        chance = _chance(judged, mistake.document, task)
        has = row[task] > 0
        done = "has the label, which the model does not set" if has else "lacks the label"
        return f"{name}: the document {done}{'' if has else ', which the model sets'}{chance}"
    decided = judged.decided[mistake.document]
    position = int(decided) if judged.kind == "multiclass" else int(decided[0])
    assert material.response.classes is not None
    name = material.response.classes[position]
    chance = _chance(judged, mistake.document, position)
    return f"{name_truth(material, row)}, decided as {name}{chance}"


def _chance(judged: Judged, document: int, column: int) -> str:
    if judged.chances is None:
        return ""
    return f" (probability {judged.chances[document, column]:.2f})"
