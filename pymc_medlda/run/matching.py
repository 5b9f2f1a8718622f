"""Match the topics of chains, and of draws, by their word distributions.

Symbols: phi the topic-word distributions; a permutation maps the new label of a topic to its old.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from pymc_medlda._arguments import as_numbers, check_unmasked
from pymc_medlda._arrays import Floats
from pymc_medlda.run.coordinates import find_label
from pymc_medlda.run.counts import estimate_phi, holds_tokens
from pymc_medlda.run.topic_draws import TopicDraws

Permutation = NDArray[np.intp]
# Chains have the same topic if its cosine between them is at least this. Of two topics that share
# the part s of their tokens and are otherwise unrelated, the cosine is s / sqrt(s² + (1 - s)²): it
# is 0.9 where they share two thirds. Chains that converged reach about 0.97 on corpora where
# chains in different modes reach 0.8.
SAME_TOPIC = 0.9


@dataclass(frozen=True, eq=False)
class Matching:
    """Which topics of the chains, and of the draws, are one topic.

    Attributes
    ----------
    of_chain : (chain, topic) int array
        The old label, in a chain, of what is topic k now.
    of_draw : (chain, draw, topic) int array, or None if draws were not matched
    phi : (chain, topic, word) float array
        The mean word distributions, under the new labels.
    cosine : (chain, topic) float array
        Cosine of phi to the reference, or to the mean of the other chains if none was given.
    share : (chain, topic) float array
        Share of the tokens, under the new labels.
    """

    of_chain: Permutation
    of_draw: Permutation | None
    phi: Floats
    cosine: Floats
    share: Floats

    @property
    def permutation(self) -> Permutation:
        """(chain, draw, topic) if draws were matched, (chain, topic) otherwise."""
        return self.of_chain if self.of_draw is None else self.of_draw

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Which topics hold tokens in some chain."""
        return holds_tokens(self.share.max(axis=0))

    @property
    def agreement(self) -> Floats:
        """(topic,): the smallest cosine of phi between two chains; NaN without tokens."""
        return np.where(self.filled, smallest_cosine(self.phi), np.nan)

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which topics hold tokens and are found by every chain; see `SAME_TOPIC`."""
        return np.asarray(self.agreement >= SAME_TOPIC)

    @property
    def switched(self) -> NDArray[np.intp]:
        """(chain,): draws in which a topic that holds tokens has another label than its chain."""
        if self.of_draw is None:
            return np.zeros(self.of_chain.shape[0], np.intp)
        # Topics without tokens have no label to switch: they match one another in any order.
        other = self.of_draw != self.of_chain[:, None, :]
        return np.asarray((other & self.filled).any(axis=2).sum(axis=1))


def match(
    topics: TopicDraws,
    allowed: NDArray[np.bool_],
    *,
    reference: Any = None,
    within_chain: bool = False,
    thin: int = 1,
) -> Matching:
    """Match the topics of the chains; see `align_topics` for the options."""
    chosen = None if reference is None else _check_reference(reference, topics)
    inner = None
    if within_chain:
        inner, phi, shares = _match_draws(topics, allowed)
    else:
        phi = topics.mean_phi(thin=thin)
        shares = np.stack([topics.shares([chain]) for chain in range(topics.n_chains)])
    target = phi[chosen] if isinstance(chosen, int) else chosen
    of_chain = _match_chains(phi, target, allowed)
    matched = np.take_along_axis(phi, of_chain[:, :, None], axis=1)
    references = [_others(matched, c) if target is None else target for c in range(len(matched))]
    cosines = [np.diag(cosine(m, r)) for m, r in zip(matched, references, strict=True)]
    return Matching(
        of_chain=of_chain,
        of_draw=None if inner is None else np.take_along_axis(inner, of_chain[:, None, :], axis=2),
        phi=matched,
        cosine=np.stack(cosines),
        share=np.take_along_axis(shares, of_chain, axis=1),
    )


def cosine(first: Floats, second: Floats) -> Floats:
    """Return the cosine of every row of ``first`` with every row of ``second``."""
    norms = np.linalg.norm(first, axis=1)[:, None] * np.linalg.norm(second, axis=1)
    similarity: Floats = first @ second.T / norms
    return similarity


def smallest_cosine(phi: Floats) -> Floats:
    """Return for each topic the smallest cosine between two chains, from (chain, topic, word).

    With one chain it is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> phi = np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.0, 1.0]]])
    >>> smallest_cosine(phi).round(3).tolist()
    [1.0, 0.0]
    """
    if len(phi) == 1:
        return np.full(phi.shape[1], np.nan)
    unit = phi / np.linalg.norm(phi, axis=2, keepdims=True)
    pairs = combinations(unit, 2)
    return np.min([np.einsum("kt,kt->k", one, other) for one, other in pairs], axis=0)


def match_topics(phi: Floats, target: Floats, allowed: NDArray[np.bool_]) -> Permutation:
    """Return the row of ``phi`` for each row of ``target`` that makes the cosines largest."""
    # Cosines lie in [0, 1]: a forbidden pair costs more than all allowed ones can gain.
    similarity = np.where(allowed, cosine(target, phi), -1.0 - phi.shape[0])
    return np.asarray(linear_sum_assignment(similarity, maximize=True)[1])


def exchangeable(topics: TopicDraws, constant: xr.Dataset) -> NDArray[np.bool_]:
    """Tell which pairs of topics have equal values in all constant data with the topic dim."""
    allowed = np.ones((topics.n_topics, topics.n_topics), bool)
    for variable in constant.data_vars.values():
        if topics.topic_dim in variable.dims:
            if variable.sizes[topics.topic_dim] != topics.n_topics:
                raise ValueError(
                    f"the stored {variable.name!r} has {variable.sizes[topics.topic_dim]} topics; "
                    f"{topics.n_topics} are allowed, those of the model"
                )
            values = variable.transpose(topics.topic_dim, ...).values.reshape(topics.n_topics, -1)
            allowed &= (values[:, None] == values[None]).all(axis=2)
    return allowed


def _match_chains(phi: Floats, target: Floats | None, allowed: NDArray[np.bool_]) -> Permutation:
    """Return a permutation for each chain, (chain, topic)."""
    if target is not None:
        return np.stack([match_topics(p, target, allowed) for p in phi])
    permutation = np.tile(np.arange(phi.shape[1]), (phi.shape[0], 1))
    target = phi[0]
    for _ in range(20):
        before = permutation
        permutation = np.stack([match_topics(p, target, allowed) for p in phi])
        if np.array_equal(before, permutation):
            break
        target = np.take_along_axis(phi, permutation[:, :, None], axis=1).mean(axis=0)
    # Keep the labels of the first chain.
    order = np.argsort(permutation[0])
    return permutation[:, order]


def _match_draws(
    topics: TopicDraws, allowed: NDArray[np.bool_]
) -> tuple[Permutation, Floats, Floats]:
    """Return a permutation for each draw; under them, mean phi and token shares of each chain."""
    permutation = np.empty((topics.n_chains, topics.n_draws, topics.n_topics), np.intp)
    means = np.empty((topics.n_chains, topics.n_topics, topics.n_words))
    shares = np.empty((topics.n_chains, topics.n_topics))
    for chain in range(topics.n_chains):
        target = None
        # First against the first draw, then against the mean of the draws so matched.
        for _ in range(2):
            total = np.zeros(means.shape[1:])
            n_tokens = np.zeros(topics.n_topics)
            for counts in topics.iterate_counts(chains=[chain]):
                phi = estimate_phi(counts, topics.beta(chain, counts.draw)).T
                if target is None:
                    target = phi
                found = match_topics(phi, target, allowed)
                permutation[chain, counts.draw] = found
                total += phi[found]
                n_tokens += counts.topic[found]
            target = means[chain] = total / topics.n_draws
        shares[chain] = n_tokens / n_tokens.sum()
    return permutation, means, shares


def _check_reference(reference: Any, topics: TopicDraws) -> int | Floats:
    """Return the position of the chain, or the word distributions, to which topics are matched."""
    known, shape = topics.chain_labels.tolist(), (topics.n_topics, topics.n_words)
    position = find_label(known, reference)
    if position is not None:
        return position
    check_unmasked("reference", reference)
    try:
        target = as_numbers("reference", reference)
    except (TypeError, ValueError):
        target = np.empty(0)
    # A topic without any word has no direction, so it has no cosine either.
    is_right = target.shape == shape and np.isfinite(target).all() and (target >= 0).all()
    if not is_right or not target.any(axis=1).all():
        raise ValueError(
            f"reference must be a chain or finite word distributions of shape {shape} (topics, "
            "words), none of them negative and no topic without words; got "
            f"{_describe(reference, target)}, and the chains are {known}"
        )
    return target


def _describe(reference: Any, target: Floats) -> str:
    """Return what was given as a reference, in a few words."""
    shape = getattr(reference, "shape", None)
    if not shape:
        return repr(reference)
    kind = f"an array of dtype {reference.dtype}" if hasattr(reference, "dtype") else "a table"
    limits = f", from {target.min()} to {target.max()}" if target.size else ""
    return f"{kind} and shape {tuple(shape)}{limits}"


def _others(matched: Floats, chain: int) -> Floats:
    """Return the mean phi of the other chains; of the chain itself if it is the only one."""
    if matched.shape[0] == 1:
        return np.asarray(matched[0])
    return np.asarray(np.delete(matched, chain, axis=0).mean(axis=0))
