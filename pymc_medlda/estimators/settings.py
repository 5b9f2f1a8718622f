"""Checks of the parameters that both estimators have, before anything long starts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pymc_medlda._arguments import check_choice, check_positive, check_scalar, check_whole
from pymc_medlda.losses import Standardised
from pymc_medlda.targets.features import WORDS

# joblib counts negative numbers from the number of cores: -1 is all of them, -2 all but one.
MOST_JOBS = 10_000


def check_settings(model: Any) -> None:
    """Raise if a parameter of an estimator has a value that is not allowed."""
    if model.n_topics is not None:
        check_whole("n_topics", model.n_topics, at_least=1)
    for name in ("draws", "chains", "sweeps_per_draw", "blocks", "n_samples"):
        check_whole(name, getattr(model, name), at_least=1)
    for name in ("tune", "anneal"):
        check_whole(name, getattr(model, name), at_least=0)
    if not isinstance(model.verbose, bool):
        check_whole("verbose", model.verbose, at_least=0)
    if model.n_jobs is not None:
        check_whole("n_jobs", model.n_jobs, at_least=-MOST_JOBS)
        if model.n_jobs == 0:
            raise ValueError("n_jobs must be a whole number other than 0, or None; got 0")
    for name in ("alpha", "beta", "nu"):
        check_positive(name, getattr(model, name))
    check_positive("c", model.c, or_zero=True)
    for name in ("beta", "c"):
        check_scalar(name, getattr(model, name))
    if model.features is not None and not (
        isinstance(model.features, str) and model.features == WORDS
    ):
        raise ValueError(f"features must be None or {WORDS!r}, got {model.features!r}")
    if model.tau is not None:
        check_positive("tau", model.tau)
        check_scalar("tau", model.tau)
    is_auto = isinstance(model.calibrate, str) and model.calibrate == "auto"
    if not is_auto and not isinstance(model.calibrate, (bool, np.bool_)):
        raise ValueError(f"calibrate must be True, False or 'auto', got {model.calibrate!r}")
    check_choice("fractional_counts", model.fractional_counts, ("error", "round"))
    try:
        check_random_state(model.random_state)
    except ValueError as error:
        raise ValueError(f"random_state is not allowed: {error}") from None


def select_loss(loss: Any, rows: NDArray[np.intp]) -> Any:
    """Return the loss of the documents at some positions."""
    if isinstance(loss, Standardised):
        return Standardised(select_loss(loss.loss, rows))
    given = [getattr(loss, key) for key in loss.parameter_names()]
    return type(loss)(*(value[rows] if np.ndim(value) else value for value in given))
