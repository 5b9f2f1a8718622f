"""Match the topics of chains, and where needed of draws, so that topic k means one thing.

Symbols: phi the topic-word distributions; a permutation maps the new label of a topic to its old.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.draws import (
    chain_positions,
    iterate_draws,
    mean_word_distributions,
    word_distributions,
)
from pymc_medlda.run.reading import StoredTopics, read_topics
from pymc_medlda.run.relabelling import relabel_topics
from pymc_medlda.run.topics import labels_of, topic_labels, topic_shares

Permutation = NDArray[np.intp]
# Below this cosine two topics share no more than their commonest words.
ALIKE = 0.7
# A topic with less than this part of an even share of the tokens holds next to nothing: its word
# distribution is the prior, and any two such topics are alike.
EMPTY = 0.05


@dataclass(frozen=True, eq=False)
class Alignment:
    """How well the topics of the chains match; see `align_topics`.

    Attributes
    ----------
    permutation : DataArray
        (chain, topic), or (chain, draw, topic) if draws were matched too: the old label of what
        is topic k now.
    cosine : DataArray
        (chain, topic): cosine of the mean word distribution of a topic to the reference, or to
        the mean of the other chains where no reference was given.
    share : DataArray
        (chain, topic): share of the tokens.
    switched : DataArray
        (chain,): draws in which a topic that holds tokens had not the label it has in its chain; 0
        if draws were not matched.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> from pymc_medlda.run.alignment import Alignment
    >>> cosine = xr.DataArray([[1.0, 0.9], [1.0, 0.4]], dims=("chain", "topic"))
    >>> none = xr.DataArray([0, 0], dims="chain")
    >>> Alignment(cosine.astype(int), cosine, cosine / 2, none)
    Alignment of 2 topics in 2 chains: mean cosine 0.825, worst 0.400 (topic 1, chain 1)
    1 of 2 topics differs between chains (cosine below 0.7): read it chain by chain
    """

    permutation: xr.DataArray
    cosine: xr.DataArray
    share: xr.DataArray
    switched: xr.DataArray

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Topics that hold tokens: a twentieth of an even share or more in some chain."""
        share = self.share.values.max(axis=0)
        return np.asarray(share >= EMPTY / share.size)

    @property
    def mean(self) -> float:
        """Mean cosine over chains and the topics that hold tokens."""
        return float(self.cosine.values[:, self.filled].mean())

    @property
    def table(self) -> pd.DataFrame:
        """Cosines, a row a topic and a column a chain, their mean and minimum, and the share."""
        dims = self.cosine.dims
        table = pd.DataFrame(
            self.cosine.values.T,
            index=pd.Index(labels_of(self.cosine, str(dims[1])), name=dims[1]),
            columns=[f"chain {c}" for c in labels_of(self.cosine, str(dims[0]))],
        )
        values = self.cosine.values
        share = self.share.values.mean(axis=0)
        return table.assign(mean=values.mean(axis=0), min=values.min(axis=0), share=share)

    def __repr__(self) -> str:
        values = np.where(self.filled, self.cosine.values, np.inf)
        chain, topic = np.unravel_index(int(values.argmin()), values.shape)
        chains, topics = (labels_of(self.cosine, str(dim)) for dim in self.cosine.dims)
        lines = [
            f"Alignment of {topics.size} topics in {chains.size} chain{'s' * (chains.size > 1)}: "
            f"mean cosine {self.mean:.3f}, worst {values.min():.3f} "
            f"(topic {topics[topic]}, chain {chains[chain]})"
        ]
        apart = int((values.min(axis=0) < ALIKE).sum())
        if apart:
            many = apart > 1
            lines.append(
                f"{apart} of {topics.size} topics differ{'' if many else 's'} between chains "
                f"(cosine below {ALIKE}): read {'them' if many else 'it'} chain by chain"
            )
        empty = int((~self.filled).sum())
        if empty:
            lines.append(f"{empty} topic{'s' * (empty > 1)} with next to no tokens left out")
        if int(self.switched.sum()):
            lines.append(f"{int(self.switched.sum())} draws had switched labels within a chain")
        return "\n".join(lines)


def align_topics(
    idata: Any,
    *,
    reference: Any = None,
    within_chain: bool = False,
    thin: int = 1,
    topics: str | None = None,
) -> tuple[Any, Alignment]:
    r"""Give topics that are alike the same label in every chain.

    .. math:: \max_{\pi_c} \sum_k \cos(\bar\phi^c_{\pi_c(k)}, \bar\phi_k)

    by Hungarian assignment, chain by chain, against a reference that is refined until nothing
    changes. Every posterior variable with the topic dim, the weights of the responses and z itself
    are relabelled, and so are warm-up draws and predictions. Losses, likelihoods and discriminants
    do not depend on labels and stay as they are.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it; it is left as it is.
    reference : int or (n_topics, n_words) array, optional
        A chain, or word distributions to match. By default the mean over chains, with the labels
        of the first.
    within_chain : bool, default False
        Match every draw, not the chain as a whole: for long runs in which labels switch.
    thin : int, default 1
        Use every ``thin``-th draw for the mean word distributions.
    topics : str, optional
        Name of the topic assignments, where the model has several.

    Returns
    -------
    aligned : InferenceData or DataTree
        The same draws with other labels.
    alignment : Alignment
        The permutations, and how well topics match. Chains that sit in different modes show as
        low cosines: no labelling makes R-hat of their weights small, and it should not.

    Notes
    -----
    Labels may be exchanged only where the model treats topics alike. With a fixed ``alpha`` that
    differs between topics (or other constant data with the topic dim) a label is part of the
    model: only topics with equal values are exchanged, and none at all if all differ. A random
    ``alpha`` is a posterior variable and moves with its topics. A prior of the weights that
    differs between topics is not stored with the results, so it cannot be respected here.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.run.alignment import align_topics
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=2, cores=1, progressbar=False, random_seed=1)
    >>> aligned, alignment = align_topics(idata, reference=planted.phi)
    >>> alignment.table.columns.tolist()
    ['chain 0', 'chain 1', 'mean', 'min', 'share']
    """
    stored = read_topics(idata, topics)
    allowed = _exchangeable(idata, stored)
    if within_chain:
        inner, phi = _match_draws(stored, allowed)
    else:
        inner, phi = None, mean_word_distributions(stored, thin=thin)
    chain_permutation, target = _match_chains(phi, reference, stored, allowed)
    matched = np.take_along_axis(phi, chain_permutation[:, :, None], axis=1)
    if target is None:
        cosines = np.stack([np.diag(cosine(m, _others(matched, c))) for c, m in enumerate(matched)])
    else:
        cosines = np.stack([np.diag(cosine(m, target)) for m in matched])
    permutation = chain_permutation
    if inner is not None:
        permutation = np.take_along_axis(inner, chain_permutation[:, None, :], axis=2)
    aligned = relabel_topics(idata, stored, permutation, chain_permutation)
    relabelled = read_topics(aligned, stored.name)
    shares = np.stack([topic_shares(relabelled, [c]) for c in range(phi.shape[0])])
    switched = np.zeros(phi.shape[0], np.intp)
    if inner is not None:
        # Topics without tokens have no label to switch: they match one another in any order.
        other = permutation != chain_permutation[:, None, :]
        filled = shares.max(axis=0) >= EMPTY / stored.n_topics
        switched = (other & filled).any(axis=2).sum(axis=1)
    return aligned, _report(stored, permutation, cosines, shares, switched)


def cosine(first: Floats, second: Floats) -> Floats:
    """Return the cosine of every row of ``first`` with every row of ``second``."""
    norms = np.linalg.norm(first, axis=1)[:, None] * np.linalg.norm(second, axis=1)
    similarity: Floats = first @ second.T / norms
    return similarity


def match_topics(phi: Floats, target: Floats, allowed: NDArray[np.bool_]) -> Permutation:
    """Return the row of ``phi`` for each row of ``target`` that makes the cosines largest."""
    # Cosines lie in [0, 1]: a forbidden pair costs more than all allowed ones can gain.
    similarity = np.where(allowed, cosine(target, phi), -1.0 - phi.shape[0])
    return np.asarray(linear_sum_assignment(similarity, maximize=True)[1])


def _match_chains(
    phi: Floats, reference: Any, stored: StoredTopics, allowed: NDArray[np.bool_]
) -> tuple[Permutation, Floats | None]:
    """Return a permutation a chain, and the reference if one was given."""
    if reference is not None:
        target = _as_target(reference, phi, stored)
        return np.stack([match_topics(p, target, allowed) for p in phi]), target
    permutation = np.tile(np.arange(stored.n_topics), (phi.shape[0], 1))
    target = phi[0]
    for _ in range(20):
        before = permutation
        permutation = np.stack([match_topics(p, target, allowed) for p in phi])
        if np.array_equal(before, permutation):
            break
        target = np.take_along_axis(phi, permutation[:, :, None], axis=1).mean(axis=0)
    # Keep the labels of the first chain.
    order = np.argsort(permutation[0])
    return permutation[:, order], None


def _match_draws(stored: StoredTopics, allowed: NDArray[np.bool_]) -> tuple[Permutation, Floats]:
    """Return a permutation a draw, and the mean phi of each chain under them."""
    n_chains, n_draws = stored.z.sizes["chain"], stored.z.sizes["draw"]
    permutation = np.tile(np.arange(stored.n_topics), (n_chains, n_draws, 1))
    means = np.empty((n_chains, stored.n_topics, stored.n_words))
    for chain in range(n_chains):
        target = None
        # First against the first draw, then against the mean of the draws so matched.
        for _ in range(2):
            total = np.zeros(means.shape[1:])
            for _, draw, counts in iterate_draws(stored, chains=[chain]):
                phi = word_distributions(counts, stored.beta(chain, draw))
                if target is None:
                    target = phi
                permutation[chain, draw] = match_topics(phi, target, allowed)
                total += phi[permutation[chain, draw]]
            target = means[chain] = total / n_draws
    return permutation, means


def _as_target(reference: Any, phi: Floats, stored: StoredTopics) -> Floats:
    """Return the word distributions that ``reference`` stands for."""
    if isinstance(reference, (int, np.integer)) and not isinstance(reference, bool):
        chosen: Floats = phi[chain_positions(stored, int(reference))[0]]
        return chosen
    try:
        target = np.asarray(reference, np.float64)
    except (TypeError, ValueError):
        target = np.empty(0)
    if target.shape != phi.shape[1:] or not np.isfinite(target).all():
        raise ValueError(
            f"reference must be a chain or finite word distributions of shape {phi.shape[1:]} "
            f"(topics, words), got {_describe(reference)}"
        )
    return target


def _describe(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return repr(value) if shape is None else f"an array of shape {tuple(shape)}"


def _others(matched: Floats, chain: int) -> Floats:
    """Return the mean phi of the other chains; of the chain itself if it is the only one."""
    if matched.shape[0] == 1:
        return np.asarray(matched[0])
    return np.asarray(np.delete(matched, chain, axis=0).mean(axis=0))


def _exchangeable(idata: Any, stored: StoredTopics) -> NDArray[np.bool_]:
    """Tell which pairs of topics have equal values in all constant data with the topic dim."""
    allowed = np.ones((stored.n_topics, stored.n_topics), bool)
    for variable in get_group(idata, "constant_data").data_vars.values():
        if stored.topic_dim in variable.dims:
            values = variable.transpose(stored.topic_dim, ...).values.reshape(stored.n_topics, -1)
            allowed &= (values[:, None] == values[None]).all(axis=2)
    return allowed


def _report(
    stored: StoredTopics,
    permutation: Permutation,
    cosines: Floats,
    shares: Floats,
    switched: NDArray[np.intp],
) -> Alignment:
    coords: dict[Hashable, Any] = {
        "chain": labels_of(stored.z, "chain"),
        stored.topic_dim: topic_labels(stored),
    }
    dims = ("chain", stored.topic_dim)
    if permutation.ndim == 2:
        old = xr.DataArray(permutation, dims=dims)
    else:
        old = xr.DataArray(
            permutation, {"draw": labels_of(stored.z, "draw")}, ("chain", "draw", dims[1])
        )
    return Alignment(
        old.assign_coords(coords),
        xr.DataArray(cosines, coords, dims),
        xr.DataArray(shares, coords, dims),
        xr.DataArray(switched, {"chain": coords["chain"]}, "chain"),
    )
