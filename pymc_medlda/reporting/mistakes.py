"""The section of the mistakes of which the model is most certain, with coloured words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pymc_medlda.explanation.coloured import legend
from pymc_medlda.reporting.judging import Judged
from pymc_medlda.reporting.markup import Html, element, number, section
from pymc_medlda.reporting.material import Material
from pymc_medlda.reporting.reading import Reader, coloured, name_truth

NOTE = "Colours tell topics, and strong colours strong contributions. "
EFFECT_ON_CLASSES = (
    "Underlined words speak for the class that was decided, words underlined by dots against it."
)
EFFECTS = {
    "real": "Underlined words raise the prediction, words underlined by dots lower it.",
    "multilabel": "Underlined words speak for the label, words underlined by dots against it.",
}
SEEN = (
    " Each decision is that of a chain that had not seen the document. The colours come from the "
    "full run, which has seen it, so that they may speak against the decision as a whole."
)


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
    n_wrong = len({mistake.document for mistake in found})
    lead = f"{n_wrong} of {known} documents {'are' if n_wrong > 1 else 'is'} decided wrongly. "
    if is_value:
        lead = ""
    note = lead + NOTE + EFFECTS.get(judged.kind, EFFECT_ON_CLASSES)
    if judged.scope == "out-of-fold":
        note += SEEN
    shown = [_show(material, reader, mistake, i == 0) for i, mistake in enumerate(found[:n])]
    return section("mistakes", heading, element("p", note, class_="note"), *shown)


def find_mistakes(judged: Judged) -> list[Mistake]:
    """Return the wrong decisions, or all errors of values, the most certain or largest first."""
    if judged.kind == "real":
        error = np.where(judged.known, np.abs(judged.truth - judged.decided), 0.0)
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
    judged = material.judged
    why = reader.explain_judged(mistake.document, find_target(material, mistake))
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


def find_target(material: Material, mistake: Mistake) -> Any:
    """Return the class that was decided, or the label or value that is wrong.

    The class is named, as the full run may decide otherwise than the chain that was judged.
    """
    response = material.response
    if response.kind in ("binary", "multiclass"):
        assert response.classes is not None
        return response.classes.tolist()[_decided_class(material.judged, mistake.document)]
    return None if mistake.task is None else response.task_labels.tolist()[mistake.task]


def _decided_class(judged: Judged, document: int) -> int:
    """Return the position of the class that was decided."""
    decided = judged.decided[document]
    return int(decided) if judged.kind == "multiclass" else int(decided[0])


def _summarise(material: Material, mistake: Mistake) -> str:
    """Return what is true and what was decided, in words."""
    judged = material.judged
    row = judged.truth[mistake.document]
    if judged.kind == "real":
        task = mistake.task or 0
        value = judged.decided[mistake.document, task]
        of_task = "" if mistake.task is None else f" ({material.task_names[task]})"
        return f"true value {number(row[task])}, predicted {number(value)}{of_task}"
    if judged.kind == "multilabel":
        task = mistake.task or 0
        name = material.task_names[task]
        chance = _chance(judged, mistake.document, task)
        has = row[task] > 0
        done = "has the label, which the model does not set" if has else "lacks the label"
        return f"{name}: the document {done}{'' if has else ', which the model sets'}{chance}"
    position = _decided_class(judged, mistake.document)
    assert material.response.classes is not None
    name = material.response.classes[position]
    chance = _chance(judged, mistake.document, position)
    return f"{name_truth(material, row)}, decided as {name}{chance}"


def _chance(judged: Judged, document: int, column: int) -> str:
    if judged.chances is None:
        return ""
    return f" (probability {judged.chances[document, column]:.2f})"
