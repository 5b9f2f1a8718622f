"""Whether the model makes its errors where it is unsure."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.plots.reliability import (
    bound_share,
    draw_coverage,
    draw_reliability,
    measure_coverage,
    state,
)
from pymc_medlda.plots.style import COLOURS, GREY, add_note, make_axes, tidy
from pymc_medlda.run.calibration import GROUP, Calibration, read_calibration
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.reading_predictions import read_discriminants
from pymc_medlda.run.response_draws import ResponseDraws, discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.decisions import choose, share_of_draws
from pymc_medlda.targets.documents import align_to_documents


class Groups(NamedTuple):
    """Groups of documents that are about equally unsure."""

    centre: Floats
    error: Floats
    low: Floats
    high: Floats
    size: NDArray[np.intp]


def plot_uncertainty(
    idata: Any,
    y: Any = None,
    *,
    response: str | None = None,
    bins: int = 8,
    thin: int = 1,
    ax: Any = None,
) -> Axes:
    r"""Draw whether the model is as sure as it should be.

    If the run is calibrated (`calibrate`, or an estimator), probabilities are compared with what
    happened. For classes and labels this is a reliability diagram: how often a class or label is
    true against its stated probability, with the share of draws in grey. For real values it shows
    how many documents lie in intervals of 10 to 95 %, separately for low, middle and high
    predictions. On the dotted line, probabilities and intervals hold what they state. Below it, a
    class or label is true less often than stated, and intervals are too narrow.

    Otherwise it is the error of documents against how unsure the draws are of them. For classes and
    labels: the share of wrong decisions against the share of draws that disagree with the decision.
    For real values: the absolute error against the standard deviation of the discriminant over
    draws. Documents are put into groups of about equal size.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What `predict` returned, or what ``pm.sample`` returned.
    y : array-like, optional
        True responses of the documents of the ``predictions`` group. Without it the training
        documents are drawn: if the run is calibrated, as they were predicted by chains that had not
        seen them, and otherwise as the model has been fitted to them.
    response : str, optional
        Name of the response, where the model has several.
    bins : int, default 8
        Groups of documents; fewer where many documents are equally sure.
    thin : int, default 1
        Use every ``thin``-th draw of the training documents.
    ax : matplotlib axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pymc_medlda as med
    >>> med.plot_uncertainty(idata).get_ylabel()
    'share of wrong decisions'
    >>> plt.close()
    """
    check_whole("bins", bins, at_least=1)
    check_whole("thin", thin, at_least=1)
    run = Run.of(idata)
    found = run.response(response)
    calibration = read_calibration(run.group(GROUP), found)
    if calibration is not None:
        return _draw_calibrated(run, found, calibration, y, bins, ax)
    discriminant, truth = _collect(run, found, y, thin)
    unsure, error = judge_documents(found.kind, discriminant, truth)
    if not unsure.size:
        raise ValueError(
            "y has no value to compare with: all are missing"
            if y is not None
            else f"idata has no training document with a known {found.name!r}: give y"
        )
    (panel,) = make_axes(ax, 1, columns=1, width=4.8, height=3.4)
    real = found.kind == "real"
    if real:
        panel.plot(unsure, error, ".", color="0.75", markersize=3, zorder=1)
    rightmost, highest = _draw_groups(panel, _group(unsure, error, bins, real))
    which = "training documents" if y is None else "predicted documents"
    tidy(
        panel,
        title=f"error against uncertainty, {which}",
        x="standard deviation of the discriminant over draws"
        if real
        else "share of draws against the decision",
        y="absolute error" if real else "share of wrong decisions",
    )
    panel.margins(x=0.06, y=0.12)
    panel.set_ylim(bottom=0.0)
    if not real:
        # Start at full agreement, and never show a range so narrow that noise looks like a trend.
        rightmost = max(0.1, rightmost)
        panel.set_xlim(-0.06 * rightmost, 1.08 * rightmost)
        panel.set_ylim(0.0, max(0.1, 1.12 * highest))
    add_note(ax, np.array([panel]), _explain_groups(real))
    return panel


def _explain_groups(real: bool) -> str:
    """Say how to read the picture of a run that is not calibrated."""
    position = (
        "its position is how much their discriminant varies over draws"
        if real
        else "its position is how many draws vote for another class than the decision"
    )
    return (
        "Each dot is a group of documents, with their number above it: "
        f"{position}, and its height is how wrong the model is. Bars are 90% intervals of the "
        "height. If the line rises, the model errs where it is unsure."
    )


def _draw_calibrated(
    run: Run, found: ResponseDraws, calibration: Calibration, y: Any, bins: int, ax: Any
) -> Axes:
    """Draw probabilities or intervals beside what happened."""
    if y is None:
        by_chain, truth, shares = calibration.discriminant[None], calibration.y, None
    else:
        drawn, truth = _collect(run, found, y, 1)
        n_chains = run.group("predictions").sizes["chain"]
        by_chain = drawn.reshape(n_chains, -1, *drawn.shape[1:]).mean(axis=1)
        shares = share_of_draws(found.kind, drawn[None])
    mean = by_chain.mean(axis=0)
    rows = ~np.isnan(mean).any(axis=1) & ~np.isnan(truth).all(axis=1)
    if not rows.any():
        raise ValueError("y has no value to compare with: all are missing")
    (panel,) = make_axes(ax, 1, columns=1, width=4.4, height=4.0)
    if found.kind == "real":
        values = calibration.compared(by_chain)
        draw_coverage(panel, measure_coverage(calibration, values, truth, own=y is None))
        what = "intervals"
    else:
        chances = calibration.probabilities(by_chain[:, rows])
        raw = None if shares is None else state(found.kind, shares[rows], truth[rows])
        stated = state(found.kind, chances, truth[rows])
        if found.kind == "binary" and found.classes is not None:
            stated = stated._replace(meaning=f"class {found.classes[1]}")
        draw_reliability(panel, stated, raw, bins)
        what = "probabilities"
    which = "training documents out of fold" if y is None else "predicted documents"
    panel.set_title(f"{what} of {which}", fontsize=10, loc="left")
    add_note(ax, np.array([panel]), _explain_calibrated(found.kind == "real"))
    return panel


def _explain_calibrated(real: bool) -> str:
    """Say how to read the picture of a calibrated run."""
    if real:
        return (
            "Each dot is an interval of one width: its position is the share of documents that it "
            "should hold, and its height the share that it holds. On the dotted line both are "
            "equal; below it, the intervals are too narrow."
        )
    return (
        "Each dot is a group of documents with similar probabilities; bars are 90% intervals. On "
        "the dotted line, statements are true as often as they say. The error is the mean "
        "distance from it."
    )


def judge_documents(kind: str, discriminant: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Return how unsure the draws are of each document (or label), and its error.

    ``discriminant`` is (draw, document, task) and ``truth`` (document, task), as coded.
    """
    mean = discriminant.mean(axis=0)
    given = ~np.isnan(truth)
    if kind == "real":
        spread, error = discriminant.std(axis=0), np.abs(mean - truth)
        return spread[given], error[given]
    decision, votes = choose(kind, mean), choose(kind, discriminant)
    against = (votes != decision).mean(axis=0)
    wrong = (decision != choose(kind, truth)).astype(np.float64)
    known = given.all(axis=1) if kind == "multiclass" else given
    return against[known], wrong[known]


def _draw_groups(ax: Axes, groups: Groups) -> tuple[float, float]:
    """Draw each group as a dot with bounds and its size; return the largest centre and bound."""
    centre, height, low, high, size = groups
    ax.errorbar(
        centre,
        height,
        yerr=[height - low, high - height],
        fmt="o-",
        color=COLOURS[0],
        linewidth=1.0,
        markersize=4,
        elinewidth=0.8,
        capsize=2,
    )
    options: dict[str, Any] = {"fontsize": 7, "color": GREY, "ha": "center"}
    for x, top, n in zip(centre, high, size, strict=True):
        ax.annotate(str(n), (x, top), (0, 3), textcoords="offset points", **options)
    return float(centre.max()), float(high.max())


def _collect(run: Run, found: ResponseDraws, y: Any, thin: int) -> tuple[Floats, Floats]:
    """Return the discriminants (draw, document, task) and the coded truth (document, task)."""
    if y is None:
        topics = run.topics(found.topics)
        values = [
            discriminants(topics, found, chain, draw)
            for chain in range(topics.n_chains)
            for draw in range(0, topics.n_draws, thin)
        ]
        return np.stack(values), found.y
    array = read_discriminants(run.group("predictions"), found)
    n_documents = array.shape[2]
    discriminant = array.values.reshape(-1, n_documents, found.y.shape[1])
    documents = labels_of(array, str(array.dims[2])).tolist()
    coded = code_response(
        align_to_documents(y, documents, "y"),
        n_documents=n_documents,
        takes_labels=found.kind != "real",
        single=found.y.shape[1] == 1,
        classes=None if found.classes is None else found.classes.tolist(),
        partial=True,
    )
    return discriminant, coded.values.reshape(n_documents, -1)


def _group(unsure: Floats, error: Floats, bins: int, real: bool) -> Groups:
    """Return the mean error of groups of about equal size, with its 90% bounds."""
    edges = np.unique(np.quantile(unsure, np.linspace(0, 1, bins + 1)[1:-1]))
    group = np.searchsorted(edges, unsure, side="left")
    rows = []
    for label in np.unique(group):
        mine = group == label
        n, mean = int(mine.sum()), float(error[mine].mean())
        if real:
            half = 1.645 * float(error[mine].std()) / np.sqrt(n)
            low, high = max(mean - half, 0.0), mean + half
        else:
            low, high = bound_share(mean, n)
        rows.append((float(unsure[mine].mean()), mean, low, high, n))
    centre, mean_error, low_error, high_error, size = map(np.array, zip(*rows, strict=True))
    return Groups(centre, mean_error, low_error, high_error, size)
