"""Exchange the labels of topics in everything that a run stored.

A permutation maps the new label of a topic to its old one: (chain, topic) or (chain, draw, topic).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._compat.arviz import with_group
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.matching import Matching, Permutation
from pymc_medlda.run.record import alpha_of
from pymc_medlda.run.run import Run
from pymc_medlda.run.stored_counts import GROUP as COUNTS
from pymc_medlda.run.stored_counts import as_dataset
from pymc_medlda.run.topic_draws import TopicDraws

GROUPS = ("posterior", "warmup_posterior", "predictions")


def relabel_topics(run: Run, topics: TopicDraws, matching: Matching) -> Any:
    """Return the stored object with its topics relabelled in every group that has them."""
    # Weights given as shape=K have the topics last, under a dim of another name.
    etas = [response.eta for response in run.responses_of(topics)]
    weights = {str(eta.name): str(eta.dims[-1]) for eta in etas}
    foreign = _variables_of_others(run, topics)
    idata = run.idata
    for name in GROUPS:
        dataset = run.group(name)
        if dataset is None or not {"chain", "draw"} <= set(dataset.dims):
            continue
        if name == "predictions" and _predicts_others(run, topics, dataset):
            continue
        dataset, chains = _known(dataset, topics, "chain")
        chosen = matching.of_chain[chains]
        if matching.of_draw is not None and name != "warmup_posterior":
            dataset, draws = _known(dataset, topics, "draw")
            chosen = matching.of_draw[np.ix_(chains, draws)]
        changed = dataset.copy()
        for key, variable in dataset.data_vars.items():
            dim = weights.get(str(key), topics.topic_dim)
            if not {"chain", "draw"} <= set(variable.dims):
                continue
            if key == topics.name:
                topics.check_assignments(variable.values)
                changed[key] = _relabel_assignments(variable, chosen)
            elif dim in variable.dims and key not in foreign:
                _check_topics(variable, dim, topics.n_topics, name)
                changed[key] = _permute(variable, dim, chosen)
        idata = with_group(idata, name, changed)
    if topics.counts is None:
        return idata
    permutation = matching.of_chain if matching.of_draw is None else matching.of_draw
    counted = topics.counts.relabelled(permutation, topics.n_topics)
    cells, counts = ([[own[part] for own in chain] for chain in counted] for part in (0, 1))
    posterior = run.group("posterior")
    dataset = as_dataset(topics.name, cells, counts, posterior, topics.counts.n_documents)
    return with_group(idata, COUNTS, dataset)


def relabel_weights(eta: xr.DataArray, permutation: Permutation) -> xr.DataArray:
    """Return the weights of a response, (..., topic), under the new labels."""
    return _permute(eta, str(eta.dims[-1]), permutation)


def _variables_of_others(run: Run, topics: TopicDraws) -> set[str]:
    """Return the names of what belongs to other sets of topics, which may share the topic dim."""
    weights = {described.eta for described in run.response_records if described.z != topics.name}
    return weights | {alpha_of(name) for name in run.assignment_names if name != topics.name}


def _predicts_others(run: Run, topics: TopicDraws, predictions: xr.Dataset) -> bool:
    """Tell whether predictions are those of a response with another set of topics."""
    name = predictions.attrs.get("response")
    return any(own.name == name and own.z != topics.name for own in run.response_records)


def _known(dataset: Any, topics: TopicDraws, dim: str) -> tuple[Any, NDArray[np.intp]]:
    """Return the chains (or draws) of a group that the posterior has, and their positions in it.

    Predictions may be thinned, and a posterior reduced to some chains may be stored beside groups
    that still have all of them. What has no permutation is dropped.
    """
    known, labels = (labels_of(array, dim).tolist() for array in (topics.z, dataset))
    if labels == known:
        return dataset, np.arange(len(known))
    if len(set(known)) < len(known):
        raise ValueError(
            f"the coordinate {dim!r} of the posterior holds {known}; distinct labels are needed to "
            "relabel another group whose labels differ"
        )
    position = {label: i for i, label in enumerate(known)}
    found = [position.get(label, -1) for label in labels]
    kept = dataset.isel({dim: [i for i, p in enumerate(found) if p >= 0]})
    return kept, np.array([p for p in found if p >= 0], np.intp)


def _check_topics(variable: xr.DataArray, dim: str, n_topics: int, group: str) -> None:
    if variable.sizes[dim] != n_topics:
        raise ValueError(
            f"the stored {variable.name!r} of the group {group} has {variable.sizes[dim]} topics; "
            f"{n_topics} are allowed, those of the model"
        )


def _relabel_assignments(z: xr.DataArray, permutation: Permutation) -> xr.DataArray:
    """Replace every old label by its new one, in the same dtype."""
    new = np.argsort(permutation, axis=-1).astype(z.dtype)
    ordered = z.transpose("chain", "draw", ...)
    old = ordered.values
    values = np.empty(old.shape, z.dtype)
    for chain in range(values.shape[0]):
        for draw in range(values.shape[1]):
            table = new[chain, draw] if new.ndim == 3 else new[chain]
            values[chain, draw] = table[old[chain, draw]]
    return ordered.copy(data=values).transpose(*z.dims)


def _permute(variable: xr.DataArray, dim: str, permutation: Permutation) -> xr.DataArray:
    """Reorder a dim, in each chain (and draw) by its own permutation."""
    ordered = variable.transpose("chain", "draw", ..., dim)
    index = permutation if permutation.ndim == 3 else permutation[:, None, :]
    middle = (1,) * (ordered.ndim - 3)
    index = index.reshape(*index.shape[:2], *middle, index.shape[-1])
    values = np.take_along_axis(ordered.values, index, axis=-1)
    return ordered.copy(data=values).transpose(*variable.dims)
