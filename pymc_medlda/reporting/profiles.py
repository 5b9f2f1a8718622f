"""The section of class profiles: which topics the documents of each class have."""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.explanation.coloured import hue_of
from pymc_medlda.reporting.markup import Html, element, section, table
from pymc_medlda.reporting.material import Material
from pymc_medlda.run.response_draws import ResponseDraws

MOST_TOPICS = 25
MOST_CLASSES = 24


def describe_profiles(material: Material) -> Html:
    """Return the mean topic proportions of the documents of each class, as a shaded table."""
    names, members = find_groups(material.response)
    names, members = names[:MOST_CLASSES], members[:MOST_CLASSES]
    size = members.sum(axis=1, keepdims=True)
    profile = members @ material.proportions / np.maximum(size, 1.0)
    spread = profile.max(axis=0) - profile.min(axis=0)
    order = [k for k in np.argsort(-spread, kind="stable") if k in set(material.filled.tolist())]
    largest = float(profile[:, order].max()) if order else 1.0
    rows = [
        [material.topic_name(k), *(_cell(share, largest, k) for share in profile[:, k])]
        for k in order[:MOST_TOPICS]
    ]
    head = ["topic", *(f"{n} ({int(s)})" for n, s in zip(names, size[:, 0], strict=True))]
    note = (
        "The mean share of each topic in the training documents of a class, with the number of "
        "documents in brackets. Topics in which classes differ most come first."
    )
    if material.response.kind == "real":
        note = (
            "The mean share of each topic in the training documents with low, middle and high "
            "values. Topics in which they differ most come first."
        )
        if len(material.task_names) > 1:
            note += f" Only the first value, {material.task_names[0]}, is shown."
    return section(
        "profiles",
        "Which topics the classes have"
        if material.response.kind != "real"
        else "Which topics low and high values have",
        element("p", note, class_="note"),
        table(head, rows, class_="heat"),
    )


def find_groups(response: ResponseDraws) -> tuple[list[str], Floats]:
    """Return classes or labels, or thirds of real values, and who belongs to them."""
    y = response.y
    if response.kind == "real":
        values = y[:, 0]
        cuts = np.nanquantile(values, [1 / 3, 2 / 3])
        third = np.where(np.isnan(values), -1, np.searchsorted(cuts, values))
        names = ["low values", "middle values", "high values"]
        return names, np.stack([third == k for k in range(3)]).astype(np.float64)
    assert response.classes is not None
    names = [str(label) for label in response.classes]
    if response.kind == "binary":
        return names, np.stack([y[:, 0] < 0, y[:, 0] > 0]).astype(np.float64)
    return names, (y > 0).T.astype(np.float64)


def _cell(share: float, largest: float, topic: int) -> Html:
    style = f"--h:{hue_of(topic):.0f};--a:{0.65 * share / largest:.2f}"
    return element("span", f"{share:.1%}", class_="heat", style=style)
