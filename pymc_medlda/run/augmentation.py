"""`draw_augmentation`: the auxiliary variables of stored draws, drawn again on request."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda._arguments import check_seed
from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import with_group
from pymc_medlda.run.record import ADDED, is_added
from pymc_medlda.run.response_draws import ResponseDraws, discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws


def draw_augmentation(idata: Any, *, response: str | None = None, random_seed: Any = None) -> Any:
    r"""Add draws of the auxiliary variables to the posterior, one for every stored draw.

    Sampling draws lam (and omega) in every sweep and does not store them, because their law is
    known given the rest:

    .. math:: \lambda_d \mid z, \eta \sim GIG(1/2, 1, c^2 (\ell - y_d F_d)^2)

    for the hinge loss; see `EpsilonInsensitive` and `Logistic` for theirs. A small lambda marks a
    document near the margin, which influences the weights strongly: a support document.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it.
    response : str, optional
        Name of the response, where the model has several.
    random_seed : int or numpy.random.Generator, optional
        Seed of the draws.

    Returns
    -------
    InferenceData or DataTree
        A shallow copy with ``lam``, ``omega`` or both in the posterior, as the loss has them,
        (chain, draw, document) or (chain, draw, document, task), NaN where the response is
        missing. Where the model has several responses the names start with the response's. If the
        run holds a sample of its documents, as those of `distributed.sample` do, the draws are of
        this sample, and their attribute ``documents`` says so.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> dict(med.draw_augmentation(idata, random_seed=1)["posterior"]["lam"].sizes)
    {'chain': 2, 'draw': 20, 'document': 30}
    """
    check_seed("random_seed", random_seed)
    run = Run.of(idata)
    chosen = run.response(response)
    topics = run.topics(chosen.topics)
    rng = np.random.default_rng(random_seed)
    n_chains, n_draws = topics.n_chains, topics.n_draws
    drawn: dict[str, Floats] = {}
    for chain in range(n_chains):
        for draw in range(n_draws):
            discriminant = discriminants(topics, chosen, chain, draw)
            auxiliary = chosen.loss_at(chain, draw).draw_auxiliary(rng, chosen.y, discriminant)
            if not auxiliary:
                raise ValueError(
                    f"the {chosen.loss.__name__} loss of {chosen.name!r} has no auxiliary variables"
                )
            for name, values in auxiliary.items():
                if name not in drawn:
                    drawn[name] = np.empty((n_chains, n_draws, *chosen.y.shape))
                # Not every loss draws NaN for a missing y.
                drawn[name][chain, draw] = np.where(np.isnan(chosen.y), np.nan, values)
    return _add(run, topics, chosen, drawn)


def _add(run: Run, topics: TopicDraws, response: ResponseDraws, drawn: dict[str, Floats]) -> Any:
    """Put the draws in the posterior of a copy."""
    posterior = run.group("posterior")
    prefix = f"{response.name}_" if len(run.response_names) > 1 else ""
    dims = ["chain", "draw", topics.document_dim]
    coords: dict[str, Any] = {topics.document_dim: topics.documents}
    if response.task_dim is not None:
        dims.append(response.task_dim)
        coords[response.task_dim] = response.classes
    told = {"documents": topics.said_of_sample} if topics.is_sample else {}
    variables = {}
    for name, values in drawn.items():
        taken = posterior.get(prefix + name)
        if taken is not None and not is_added(taken):
            raise ValueError(
                f"the posterior has a variable {prefix + name!r} of its own: rename that one first"
            )
        shaped = values if response.task_dim is not None else values[..., 0]
        variables[prefix + name] = (dims, shaped, ADDED | told)
    replaced = posterior.drop_vars(list(variables), errors="ignore")
    return with_group(run.idata, "posterior", replaced.assign(variables).assign_coords(coords))
