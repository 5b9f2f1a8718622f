"""Exchange the labels of topics in all that a run stored.

A permutation maps the new label of a topic to its old one: (chain, topic) or (chain, draw, topic).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.reading import StoredTopics, read_response, response_names
from pymc_medlda.run.topics import labels_of

Permutation = NDArray[np.intp]
GROUPS = ("posterior", "warmup_posterior", "predictions")


def relabel_topics(
    idata: Any, stored: StoredTopics, permutation: Permutation, chain_permutation: Permutation
) -> Any:
    """Return the object with its topics relabelled in every group that has them."""
    weights = {}
    foreign: set[str] = set()
    for name in response_names(idata):
        response = read_response(idata, name)
        if response.topics == stored.name:
            # Weights given as shape=K have the topics last, under a dim of another name.
            weights[str(response.eta.name)] = str(response.eta.dims[-1])
        else:
            foreign.add(str(response.eta.name))
    for name in GROUPS:
        dataset = get_group(idata, name)
        if dataset is None or "chain" not in dataset.dims:
            continue
        dataset, chains = _known(dataset, stored, "chain")
        chosen = chain_permutation[chains]
        if permutation.ndim == 3 and name != "warmup_posterior":
            dataset, draws = _known(dataset, stored, "draw")
            chosen = permutation[np.ix_(chains, draws)]
        changed = dataset.copy()
        for key, variable in dataset.data_vars.items():
            dim = weights.get(str(key), stored.topic_dim)
            if key == stored.name:
                changed[key] = _relabel_assignments(variable, chosen)
            elif dim in variable.dims and "chain" in variable.dims and key not in foreign:
                changed[key] = _permute(variable, dim, chosen)
        idata = with_group(idata, name, changed)
    return idata


def _known(dataset: Any, stored: StoredTopics, dim: str) -> tuple[Any, NDArray[np.intp]]:
    """Return the chains (or draws) of a group that the posterior has, and their positions in it.

    Predictions may be thinned, and a posterior cut down to some chains may stand beside groups
    that still have all of them: what has no permutation is dropped.
    """
    position = {label: i for i, label in enumerate(labels_of(stored.z, dim).tolist())}
    found = [position.get(label, -1) for label in labels_of(dataset, dim).tolist()]
    kept = dataset.isel({dim: [i for i, p in enumerate(found) if p >= 0]})
    return kept, np.array([p for p in found if p >= 0], np.intp)


def _relabel_assignments(z: xr.DataArray, permutation: Permutation) -> xr.DataArray:
    """Replace every old label by its new one, in the same dtype."""
    new = np.argsort(permutation, axis=-1).astype(z.dtype)
    ordered = z.transpose("chain", "draw", ...)
    values = np.empty(ordered.shape, z.dtype)
    for chain in range(values.shape[0]):
        for draw in range(values.shape[1]):
            table = new[chain, draw] if new.ndim == 3 else new[chain]
            values[chain, draw] = table[ordered.values[chain, draw]]
    return ordered.copy(data=values).transpose(*z.dims)


def _permute(variable: xr.DataArray, dim: str, permutation: Permutation) -> xr.DataArray:
    """Reorder a dim, in each chain (and draw) by its own permutation."""
    ordered = variable.transpose("chain", "draw", ..., dim)
    index = permutation if permutation.ndim == 3 else permutation[:, None, :]
    middle = (1,) * (ordered.ndim - 3)
    index = index.reshape(*index.shape[:2], *middle, index.shape[-1])
    values = np.take_along_axis(ordered.values, index, axis=-1)
    return ordered.copy(data=values).transpose(*variable.dims)
