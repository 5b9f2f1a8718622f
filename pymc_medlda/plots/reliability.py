"""Pictures of calibrated predictions: probabilities and intervals beside what happened."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.calibrators.reliability import calibration_error, group_by_probability
from pymc_medlda.calibrators.residuals import fit_intervals
from pymc_medlda.plots.style import COLOURS, GREY, tidy
from pymc_medlda.run.calibration import Calibration

LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
THIRDS = ("low", "middle", "high")


class Statements(NamedTuple):
    """Statements with their probabilities, and whether they are true."""

    probability: Floats
    true: NDArray[np.bool_]
    meaning: str


def state(kind: str, chances: Floats, truth: Floats) -> Statements:
    """Return what probabilities (document, class or label) state of documents.

    Of two classes the statement is that a document has the second one, of several that it has the
    most probable one. Every label is a statement of its own. ``truth`` is as coded.
    """
    if kind == "multiclass":
        known = ~np.isnan(truth).any(axis=1)
        chosen = chances.argmax(axis=1)
        right = chosen == np.argmax(np.nan_to_num(truth, nan=-1.0), axis=1)
        return Statements(chances.max(axis=1)[known], right[known], "the class chosen")
    if kind == "binary":
        chances = chances[:, 1:]
    known = ~np.isnan(truth)
    meaning = "the second class" if kind == "binary" else "a label"
    return Statements(chances[known], truth[known] > 0, meaning)


def draw_reliability(ax: Axes, stated: Statements, shares: Statements | None, bins: int) -> None:
    """Draw how often statements are true against their probability, in groups of equal width.

    ``shares`` are the same statements with the share of draws as probability, drawn in grey.
    """
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    error = calibration_error(stated.probability, stated.true, bins=bins)
    curves = [(stated, COLOURS[0], f"calibrated (error {error:.3f})")]
    if shares is not None:
        raw = calibration_error(shares.probability, shares.true, bins=bins)
        curves.insert(0, (shares, "0.65", f"share of draws (error {raw:.3f})"))
    for statements, colour, label in curves:
        groups = group_by_probability(statements.probability, statements.true, bins=bins)
        pairs = zip(groups.happened.tolist(), groups.size.tolist(), strict=True)
        low, high = np.transpose([bound_share(share, n) for share, n in pairs])
        ax.errorbar(
            groups.stated,
            groups.happened,
            yerr=[groups.happened - low, high - groups.happened],
            fmt="o-",
            color=colour,
            linewidth=1.0,
            markersize=4,
            elinewidth=0.8,
            capsize=2,
            label=label,
        )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize=8, frameon=False, loc="lower right")
    tidy(ax, x=f"stated probability of {stated.meaning}", y="share of documents where it is true")


def bound_share(share: float, n: int, z: float = 1.645) -> tuple[float, float]:
    """Return Wilson's interval of a share, which stays in [0, 1] and is not empty at its ends."""
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # At the ends the bounds are 0 and 1, apart from rounding errors.
    return max(min(middle - half, share), 0.0), min(max(middle + half, share), 1.0)


def measure_coverage(
    calibration: Calibration, prediction: Floats, truth: Floats, *, own: bool
) -> Floats:
    """Return how often intervals hold the true value, (third, level), by thirds of the prediction.

    ``own`` says that these are the out-of-fold documents themselves: the intervals of a fold are
    then made from the other folds.
    """
    inside = np.zeros((LEVELS.size, *prediction.shape), bool)
    out_of_fold = calibration.out_of_fold
    for task in range(prediction.shape[1]):
        residuals = (out_of_fold[:, task], calibration.y[:, task])
        known = ~np.isnan(residuals[0]) & ~np.isnan(residuals[1])
        folds = np.unique(calibration.fold[known]) if own else [-1]
        for fold in folds:
            rows = calibration.fold == fold if own else np.ones(len(prediction), bool)
            used = known & (calibration.fold != fold) if len(folds) > 1 else known
            for i, level in enumerate(LEVELS):
                fitted = fit_intervals(residuals[0][used], residuals[1][used], float(level))
                low, high = fitted.around(np.nan_to_num(prediction[rows, task]))
                inside[i, rows, task] = (low <= truth[rows, task]) & (truth[rows, task] <= high)
    known = ~np.isnan(prediction) & ~np.isnan(truth)
    cuts = np.quantile(prediction[known], np.arange(1, 3) / 3)
    third = np.searchsorted(cuts, prediction[known])
    values = inside[:, known]
    empty = np.full(LEVELS.size, np.nan)
    return np.array(
        [values[:, third == k].mean(axis=1) if (third == k).any() else empty for k in range(3)]
    )


def draw_coverage(ax: Axes, covered: Floats) -> None:
    """Draw how many documents lie in their intervals against how many should."""
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    for values, colour, third in zip(covered, COLOURS, THIRDS, strict=False):
        ax.plot(
            LEVELS, values, "o-", color=colour, linewidth=1.0, markersize=4, label=f"{third} third"
        )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize=8, frameon=False, loc="upper left", title="predictions", title_fontsize=8)
    tidy(ax, x="coverage asked for", y="share of documents inside")
