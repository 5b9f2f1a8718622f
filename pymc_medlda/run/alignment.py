"""`align_topics`: give the topics of all chains, and where needed of all draws, the same labels."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arguments import check_bool, check_whole
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.counts import holds_tokens
from pymc_medlda.run.matching import Matching
from pymc_medlda.run.relabelling import relabel_topics
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws

# Below this cosine two topics share no more than their most common words.
ALIKE = 0.7


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
        (chain,): number of draws in which a topic that holds tokens had another label than in its
        chain; 0 if draws were not matched.

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

    @classmethod
    def of(cls, topics: TopicDraws, matching: Matching) -> Alignment:
        """Report on a matching of the topics, with labels."""
        dims = ("chain", topics.topic_dim)
        coords: dict[Hashable, Any] = {
            "chain": topics.chain_labels,
            topics.topic_dim: topics.topic_labels,
        }
        if matching.of_draw is None:
            old = xr.DataArray(matching.of_chain, dims=dims)
        else:
            by_draw = ("chain", "draw", topics.topic_dim)
            old = xr.DataArray(matching.of_draw, {"draw": topics.draw_labels}, by_draw)
        return cls(
            old.assign_coords(coords),
            xr.DataArray(matching.cosine, coords, dims),
            xr.DataArray(matching.share, coords, dims),
            xr.DataArray(matching.switched, {"chain": coords["chain"]}, "chain"),
        )

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Topics that hold tokens: at least a twentieth of an even share in some chain."""
        return holds_tokens(self.share.values.max(axis=0))

    @property
    def mean(self) -> float:
        """Mean cosine over chains and the topics that hold tokens."""
        return float(self.cosine.values[:, self.filled].mean())

    @property
    def table(self) -> pd.DataFrame:
        """Cosines, one row per topic and one column per chain; their mean, minimum; the share."""
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
    r"""Give similar topics the same label in every chain.

    .. math:: \max_{\pi_c} \sum_k \cos(\bar\phi^c_{\pi_c(k)}, \bar\phi_k)

    by Hungarian assignment, chain by chain, against a reference that is refined until nothing
    changes. Every posterior variable with the topic dim, the weights of the responses and z itself
    are relabelled, as are warm-up draws and predictions. Losses, likelihoods and discriminants
    do not depend on labels and stay as they are.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
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
        The permutations, and how well topics match. Chains in different modes have low cosines.
        No labelling makes R-hat of their weights small, nor should it.

    Notes
    -----
    Labels may be exchanged only where the model treats topics in the same way. With a fixed
    ``alpha`` that differs between topics (or other constant data with the topic dim) a label is
    part of the model: only topics with equal values are exchanged, and none at all if all differ. A
    random ``alpha`` is a posterior variable and moves with its topics. A prior of the weights that
    differs between topics is not stored with the results, so it cannot be respected here.

    If two sets of topics share a dim, your own variables with that dim are relabelled with
    whichever set is aligned. Give such variables a dim of their own.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> aligned, alignment = med.align_topics(idata)
    >>> alignment.table.columns.tolist()
    ['chain 0', 'chain 1', 'mean', 'min', 'share']
    """
    check_bool("within_chain", within_chain)
    check_whole("thin", thin, at_least=1)
    run = Run.of(idata)
    drawn = run.topics(topics)
    matching = run.matching(drawn, reference=reference, within_chain=within_chain, thin=thin)
    return relabel_topics(run, drawn, matching), Alignment.of(drawn, matching)
