"""Points where chains may start: `last_points`, where the chains of an earlier run stopped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
from pymc.model import modelcontext

from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.record import is_added
from pymc_medlda.run.run import Run


def last_points(idata: Any, *, model: pm.Model | None = None) -> list[dict[str, Any]]:
    """Return the last draw of each chain, as starting points for ``pm.sample``.

    ``pm.sample(initvals=last_points(idata), tune=0, chains=n)`` continues where n chains stopped.
    A Gibbs step is a function of the point and the generator, so nothing else is lost. Beside NUTS,
    whose step size is not stored, use some ``tune`` and ``init="adapt_diag"``: PyMC's default
    moves every starting point, z included, by a random jitter.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    model : pymc.Model, optional
        The model to continue with, by default the one in context. The points then hold its free
        variables and nothing else, and a variable that was not stored is an error. Without a
        model the points hold all of the posterior, of which PyMC takes what it needs.

    Returns
    -------
    list of dict
        One per chain, from the name of a variable to its value, untransformed.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> points = med.last_points(idata)  # one for each of the two chains
    >>> len(points), sorted(points[0])
    (2, ['eta', 'z'])

    In the context of the model, ``pm.sample(initvals=points, chains=2, tune=0)`` continues.
    """
    # Reading each one checks it; without any, reading raises the error for a foreign object.
    run = Run(idata)
    names_of_z: list[str | None] = [*run.assignment_names] or [None]
    n_chains, n_draws = [run.topics(name).z.shape[:2] for name in names_of_z][-1]
    posterior = get_group(idata, "posterior")
    if n_draws == 0:
        raise ValueError("the posterior holds no draws to continue from")
    names = _variables(posterior, _model_or_none(model))
    last = posterior[names].transpose("chain", "draw", ...).isel(draw=-1)
    return [
        {name: np.array(last[name].values[chain]) for name in names} for chain in range(n_chains)
    ]


def _model_or_none(model: pm.Model | None) -> pm.Model | None:
    try:
        return modelcontext(model)
    except TypeError:
        return None


def _variables(posterior: Any, model: pm.Model | None) -> list[str]:
    """Return the names of the variables that make a point."""
    if model is None:
        return [
            str(name) for name, variable in posterior.data_vars.items() if not is_added(variable)
        ]
    names = [str(rv.name) for rv in model.free_RVs]
    missing = [name for name in names if name not in posterior]
    if missing:
        raise ValueError(
            f"the posterior has no {', '.join(missing)}: sample with all free variables of the "
            "model among var_names to continue later"
        )
    return names
