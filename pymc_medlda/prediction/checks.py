"""Checks of the settings of `predict`, before anything long starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pymc_medlda._arguments import (
    check_bool,
    check_positive,
    check_probability,
    check_scalar,
    check_whole,
)
from pymc_medlda.run.calibration import Calibration
from pymc_medlda.run.record import PARTS, PREDICTED, UNKNOWN
from pymc_medlda.run.response_draws import ResponseDraws

INTERVAL = 0.9
"""Coverage of the intervals of real values in a table, if no other was asked for."""


def check_running(single_draw: Any, progressbar: Any, as_frame: Any, cores: Any) -> None:
    """Raise unless these are three switches, and a number of threads or None."""
    check_bool("single_draw", single_draw)
    check_bool("progressbar", progressbar)
    check_bool("as_frame", as_frame)
    if cores is not None:
        check_whole("cores", cores, at_least=1)


def check_schedule(thin: Any, n_samples: Any, max_burn_in: Any, tolerance: Any) -> None:
    """Raise unless these are settings of the sampler."""
    check_whole("thin", thin, at_least=1)
    check_whole("n_samples", n_samples, at_least=1)
    check_whole("max_burn_in", max_burn_in, at_least=0)
    check_positive("tolerance", tolerance, or_zero=True)
    check_scalar("tolerance", tolerance)


def check_interval(
    interval: float | None,
    response: ResponseDraws | None,
    calibration: Calibration | None,
    as_frame: bool,
) -> float | None:
    """Return the coverage of intervals; raise if one is asked for that cannot be given.

    A table has intervals without being asked, if it can.
    """
    if interval is None:
        can = calibration is not None and calibration.kind == "real"
        return INTERVAL if as_frame and can else None
    check_probability("interval", interval)
    if response is None or response.kind != "real":
        raise ValueError(
            "interval is for real responses; a model of classes has the variable probability"
        )
    if calibration is None:
        raise ValueError(
            f"interval was given, but idata has no calibration of {response.name!r}: call "
            "med.calibrate(idata) first, and predict from what it returns"
        )
    return interval


def check_names(
    var_names: Sequence[str] | None,
    response: ResponseDraws | None,
    interval: float | None,
    as_frame: bool,
) -> list[str]:
    """Return the names of the variables wanted, after checking that the model has them."""
    absent = {"lower", "upper"} if interval is None else set()
    if response is not None and response.kind == "real":
        absent |= {"probability", "agreement"}
    known = PREDICTED if response is not None else ("theta", UNKNOWN)
    allowed = [name for name in known if name not in absent]
    if response is not None and response.features is not None:
        allowed += PARTS
    if var_names is None:
        return allowed
    if as_frame:
        raise ValueError(f"var_names must be None with as_frame=True; got {var_names!r}")
    if not isinstance(var_names, Iterable):
        raise TypeError(f"var_names must be a list of names, got {var_names!r}")
    names = [var_names] if isinstance(var_names, str) else list(var_names)
    unknown = [name for name in names if name not in allowed]
    if unknown or not names:
        raise ValueError(
            f"var_names must be among {', '.join(allowed)} for this model; got {var_names!r}"
        )
    return names
