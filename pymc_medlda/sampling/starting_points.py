"""Points where chains may start: `last_points`, where the chains of an earlier run stopped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
from pymc.model import modelcontext

from pymc_medlda._compat.arviz import from_groups
from pymc_medlda.kernels.checks import checked_topics
from pymc_medlda.model.random_variables import TopicAssignmentsRV
from pymc_medlda.run.files import is_path, open_trace
from pymc_medlda.run.joining import read_chains
from pymc_medlda.run.reading import read_records
from pymc_medlda.run.record import is_added
from pymc_medlda.run.run import Run
from pymc_medlda.run.stored_chains import StoredChains
from pymc_medlda.run.trace_store import TraceStore

Point = dict[str, Any]


def last_points(idata: Any, *, model: pm.Model | None = None) -> list[Point | None]:
    """Return the last draw of each chain, as starting points for ``pm.sample``.

    ``pm.sample(initvals=last_points(idata), tune=0, chains=n)`` continues where n chains stopped.
    A Gibbs step is a function of the point and the generator, so nothing else is lost. With
    ``step=GibbsMedLDAStep(resume=path)`` the generators of a ``ZarrTrace`` run continue too. Beside
    NUTS, whose step size is not stored, use some ``tune`` and ``init="adapt_diag"``: PyMC's default
    moves every starting point, z included, by a random jitter.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or the path of a file that `read_run` can read. If a
        ``ZarrTrace`` run was stopped, give its path: every chain then continues from its own last
        draw, or from its warm-up.
    model : pymc.Model, optional
        The model to continue with, by default the one in context. The points then hold its free
        variables and nothing else, and a variable that was not stored is an error. Without a
        model the points hold all of the posterior, of which PyMC takes what it needs.

    Returns
    -------
    list of dict or None
        One per chain, from the name of a variable to its value, untransformed. A chain that had
        not begun has None, and PyMC chooses its start.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> points = med.last_points(idata)  # one for each of the two chains
    >>> len(points), sorted(points[0])
    (2, ['eta', 'z'])

    In the context of the model, ``pm.sample(initvals=points, chains=2, tune=0)`` continues.
    """
    if model is not None and not isinstance(model, pm.Model):
        raise TypeError(f"model must be a pymc.Model, got {model!r} ({type(model).__name__})")
    trace = open_trace(idata) if is_path(idata) else None
    model = _model_or_none(model)
    points = _of_chains(read_chains(idata), model) if trace is None else _of_trace(trace, model)
    if not any(point is not None for point in points):
        raise ValueError("idata holds no draws to continue from")
    _check_numbers(points)
    for rv in [] if model is None else model.free_RVs:
        if isinstance(rv.owner.op, TopicAssignmentsRV):
            _check_topics(rv, points)
    return points


def _check_numbers(points: list[Point | None]) -> None:
    """Raise if a point holds NaN, from which no chain can continue."""
    for point in points:
        for name, value in (point or {}).items():
            if value.dtype.kind == "f" and np.isnan(value).any():
                raise ValueError(
                    f"the last draw of {name!r} in idata holds nan, and no chain can start there"
                )


def _check_topics(z: Any, points: list[Point | None]) -> None:
    """Raise unless the points hold topics of this model: the run may have been one of another."""
    for point in points:
        if point is not None:
            n_tokens, n_topics = int(z.type.shape[0]), z.owner.op.n_topics
            try:
                checked_topics(point[z.name], n_tokens=n_tokens, n_topics=n_topics)
            except ValueError as error:
                reason = str(error).replace("z must", f"{z.name} must", 1)
                raise ValueError(f"idata is not a run of this model: {reason}") from None


def _of_trace(trace: TraceStore, model: pm.Model | None) -> list[Point | None]:
    """Read only the last draw of every chain."""
    read_records(trace.fixed.get)  # raises the error for a model that is not ours
    names = _variables(list(trace.places["posterior"]), model)
    return [
        trace.read_point(chain, end, names) if end else None
        for chain, (end, _) in enumerate(trace.ends)
    ]


def _of_chains(chains: StoredChains, model: pm.Model | None) -> list[Point | None]:
    run = Run(from_groups({**chains.fixed, **chains.draws}))
    if run.group("posterior").sizes.get("draw"):
        # Reading each one checks it. If there is none, reading raises the error for no run.
        names_of_z: list[str | None] = [*run.assignment_names] or [None]
        for name in names_of_z:
            run.topics(name).check_assignments(run.topics(name).z.values)
    posterior = run.group("posterior").data_vars
    names = _variables([str(n) for n, value in posterior.items() if not is_added(value)], model)
    return [chains.last_point(chain, names) for chain in range(chains.n_draws.size)]


def _model_or_none(model: pm.Model | None) -> pm.Model | None:
    try:
        return modelcontext(model)
    except TypeError:
        return None


def _variables(stored: list[str], model: pm.Model | None) -> list[str]:
    """Return the names of the variables that make a point."""
    if model is None:
        return stored
    names = [str(rv.name) for rv in model.free_RVs]
    missing = [name for name in names if name not in stored]
    if missing:
        raise ValueError(
            f"the posterior has no {', '.join(missing)}: sample with all free variables of the "
            "model among var_names to continue later"
        )
    return names
