"""`last_points`: where the chains of a run stopped, to go on from there."""

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

    ``pm.sample(initvals=last_points(idata), tune=0, chains=n)`` goes on where n chains stopped.
    A step is a function of the point and the generator, so nothing else is lost. Beside NUTS,
    whose step size is not stored, give it some ``tune`` and ``init="adapt_diag"``: PyMC's default
    moves every starting point, z too, by a random jitter.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    model : pymc.Model, optional
        The model to go on with, by default the one in context: the points then hold its free
        variables and nothing else, and a variable that was not stored is an error. Without a
        model they hold everything the posterior does, of which PyMC takes what it needs.

    Returns
    -------
    list of dict
        One a chain, from the name of a variable to its value, untransformed.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.sampling.starting_points import last_points
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> options = dict(draws=5, chains=1, progressbar=False, random_seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(tune=5, **options)
    ...     more = pm.sample(tune=0, initvals=last_points(idata), **options)
    >>> sorted(last_points(idata)[0])
    ['eta', 'z']
    """
    # One by one for their checks; without any, for the error that a foreign object gets.
    run = Run(idata)
    names_of_z: list[str | None] = [*run.assignment_names] or [None]
    n_chains, n_draws = [run.topics(name).z.shape[:2] for name in names_of_z][-1]
    posterior = get_group(idata, "posterior")
    if n_draws == 0:
        raise ValueError("the posterior holds no draws to go on from")
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
            "model among var_names to go on later"
        )
    return names
