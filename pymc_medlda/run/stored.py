"""Find stored variables by name in the groups of a run, with their dims in a known order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import xarray as xr

FOREIGN = (
    "idata holds no MedLDA model: expected what pm.sample returned for a model with "
    "TopicAssignments, or a file of it"
)
Groups = Callable[[str], Any]
"""Returns a group of a run by name, None if it is absent."""


def find_draws(groups: Groups, name: str, missing: str) -> xr.DataArray:
    """Return a variable with chain and draw first; ``missing`` is the error if there is none.

    Topics or weights that were observed, or replaced by data, are the same in all draws.
    """
    posterior = _group(groups, "posterior")
    if name in posterior:
        return _by_draw(posterior[name])
    for group in ("constant_data", "observed_data"):
        dataset = groups(group)
        if dataset is not None and name in dataset and {"chain", "draw"} <= set(posterior.dims):
            draws = {dim: posterior[dim].values for dim in ("chain", "draw")}
            return _without_draws(dataset[name]).expand_dims(draws)
    raise ValueError(missing)


def find_constant(groups: Groups, name: str) -> xr.DataArray:
    """Return a variable of the constant data."""
    constant = _group(groups, "constant_data")
    if name not in constant:
        raise ValueError(
            f"idata has no {name!r} in constant_data, where pm.sample stores it: keep that whole "
            "group"
        )
    return _without_draws(constant[name])


def find_observed(groups: Groups, name: str) -> xr.DataArray:
    """Return an observed variable."""
    observed = groups("observed_data")
    if observed is None or name not in observed:
        raise ValueError(
            f"idata has no observed {name!r} in observed_data, where pm.sample stores it: keep "
            "that whole group"
        )
    return _without_draws(observed[name])


def find_parameter(groups: Groups, name: str) -> xr.DataArray:
    """Return a parameter: random (posterior, with chain and draw first), fixed or observed."""
    for group in ("posterior", "constant_data", "observed_data"):
        dataset = groups(group)
        if dataset is not None and name in dataset:
            found = dataset[name]
            if group == "posterior":
                return _by_draw(found)
            found = _without_draws(found)
            # PyMC stores an observed number as an array of one.
            is_number = group == "observed_data" and found.shape == (1,)
            return found[0] if is_number else found
    raise ValueError(
        f"idata has no {name!r}: sample with it among var_names, and keep the groups posterior and "
        "constant_data whole"
    )


def arrange(variable: xr.DataArray, *, first: str = "", last: str = "") -> xr.DataArray:
    """Return a variable with chain and draw in front, then the dims as the model wrote them.

    Of those it has, ``first`` comes first and ``last`` last. Dims without names of their own are
    numbered by PyMC, which tells their order.
    """
    leading = [dim for dim in ("chain", "draw") if dim in variable.dims]
    own = [str(dim) for dim in variable.dims if dim not in leading]
    numbered = [f"{variable.name}_dim_{i}" for i in range(len(own))]
    if set(own) == set(numbered):
        own = numbered
    own.sort(key=lambda dim: (dim == last, dim != first))
    return variable.transpose(*leading, *own)


def draw_shape(variable: xr.DataArray) -> tuple[int, ...]:
    """Return the number of chains and of draws of a random parameter, nothing of a fixed one."""
    return tuple(variable.sizes[dim] for dim in ("chain", "draw") if dim in variable.dims)


def _group(groups: Groups, name: str) -> Any:
    group = groups(name)
    if group is None:
        raise ValueError(f"idata has no group {name!r}. {FOREIGN[0].upper()}{FOREIGN[1:]}")
    return group


def _by_draw(variable: xr.DataArray) -> xr.DataArray:
    """Return a variable of the posterior with chain and draw first."""
    if not {"chain", "draw"} <= set(variable.dims):
        raise ValueError(
            f"{variable.name!r} has the dims {variable.dims}: keep chain and draw, selecting by "
            "lists (idata.sel(chain=[0]))"
        )
    return variable.transpose("chain", "draw", ...)


def _without_draws(variable: xr.DataArray) -> xr.DataArray:
    """Return a variable that has one value for all draws."""
    if {"chain", "draw"} & set(variable.dims):
        raise ValueError(
            f"the stored {variable.name!r} has the dims {variable.dims}; it is the same for all "
            "draws, so neither chain nor draw is allowed"
        )
    return variable
