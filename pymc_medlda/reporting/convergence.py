"""The section that tells whether the chains have converged."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda.plots.burn_in import plot_burn_in
from pymc_medlda.reporting.markup import Html, element, join, number, paragraphs, section, table
from pymc_medlda.reporting.material import Material
from pymc_medlda.reporting.pictures import axes_of, make_panels, show
from pymc_medlda.run.diagnosis import Diagnosis, diagnose

BADGES = {
    "converged": ("good", "converged"),
    "predictions agree": ("good", "predictions agree"),
    "few draws": ("fair", "too few draws"),
    "one chain": ("fair", "only one chain"),
    "unknown": ("fair", "cannot be judged"),
    "modes": ("poor", "the chains disagree"),
    "drifting": ("poor", "still drifting"),
}
"""The colour of the badge of each state of `diagnose`, and what it says."""
COLUMNS = {"r_hat": "R-hat", "ess_bulk": "effective draws", "ess_tail": "in the tails"}


def describe_convergence(material: Material) -> Html:
    """Return the verdict, its numbers, and the traces."""
    found = diagnose(
        material.run,
        response=None if material.supervision is None else material.response.name,
        topics=material.topics.name,
    )
    colour, said = BADGES[found.state]
    badge = element("span", said, class_=f"badge {colour}")
    return section(
        "convergence",
        "Whether the chains have converged",
        element("p", badge, class_="lead"),
        paragraphs(found.verdict),
        _show_numbers(found),
        _draw_traces(material),
    )


def _show_numbers(found: Diagnosis) -> Html:
    columns = [name for name in COLUMNS if name in found.table]
    rows = [
        [name, *(_show(found.table.loc[name, column], column) for column in columns)]
        for name in found.table.index
    ]
    return table(["", *(COLUMNS[name] for name in columns)], rows, class_="numbers")


def _show(value: Any, column: str) -> str:
    """Return R-hat with three digits, and numbers of draws without any."""
    if np.isnan(float(value)):
        return "–"
    return f"{float(value):.3f}" if column == "r_hat" else number(round(float(value)))


def _draw_traces(material: Material) -> Html:
    """Return the statistics of every draw, one picture each."""
    statistics = material.run.statistics
    names = [
        name
        for name in ("loss", "score", "log_likelihood", "moved")
        if np.isfinite(values := statistics.take(name)).all() and values.any()
    ]
    if not names:
        return Html("")
    figures = make_panels(len(names))
    plot_burn_in(material.run, statistics=names, ax=axes_of(figures))
    n_points = statistics.take(names[0]).size
    shown = [show(f, f"trace of {n}", n_points) for f, n in zip(figures, names, strict=True)]
    note = "One line per chain. Warm-up draws are shaded if they were kept."
    return join([element("div", *shown, class_="pictures"), element("p", note, class_="note")])
