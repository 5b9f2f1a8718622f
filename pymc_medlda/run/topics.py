"""Topics people can read: their words, their documents, their best words.

Topics have no order, so topic 3 of one chain is not topic 3 of another. A single table therefore
comes from one chain, the first by default, or from all chains of an object that `align_topics`
returned (``chain=None``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arguments import check_bool, check_probability, check_seed, check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.run.counts import estimate_phi, holds_tokens
from pymc_medlda.run.matching import smallest_cosine
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.topic_table import tabulate_documents
from pymc_medlda.run.words import Criterion, check_criterion, rank_words

# Values of theta held at a time while intervals are computed: 64 MB.
BLOCK = 8_000_000


def topic_words(
    idata: Any, *, per_draw: bool = False, thin: int = 1, topics: str | None = None
) -> xr.DataArray:
    r"""Return the word distributions of the topics, averaged over the draws of each chain.

    .. math:: \phi_{kt} = \frac{C_{kt} + \beta}{C_k + V \beta}

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it; also a fitted estimator, or a pipeline that
        ends in one.
    per_draw : bool, default False
        Return phi of every draw. With 20 topics, 10 000 words and 4 x 1000 draws that is 6 GB.
    thin : int, default 1
        Use every ``thin``-th draw.
    topics : str, optional
        Name of the topic assignments, where the model has several.

    Returns
    -------
    DataArray
        (chain, topic, word), or (chain, draw, topic, word) with ``per_draw``.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> dict(med.topic_words(idata).sizes)
    {'chain': 2, 'topic': 2, 'word': 30}
    """
    check_bool("per_draw", per_draw)
    check_whole("thin", thin, at_least=1)
    drawn = Run.of(idata).topics(topics)
    dims = (drawn.topic_dim, drawn.word_dim)
    coords = {drawn.topic_dim: drawn.topic_labels, drawn.word_dim: drawn.word_labels}
    coords["chain"] = drawn.chain_labels
    if not per_draw:
        phi = drawn.mean_phi(thin=thin)
        return xr.DataArray(phi, coords, ("chain", *dims), name="phi")
    each = [
        estimate_phi(counts, drawn.beta(counts.chain, counts.draw)).T
        for counts in drawn.iterate_counts(thin=thin)
    ]
    coords["draw"] = drawn.draw_labels[::thin]
    phi = np.stack(each).reshape(drawn.n_chains, -1, drawn.n_topics, drawn.n_words)
    return xr.DataArray(phi, coords, ("chain", "draw", *dims), name="phi")


def doc_topics(
    idata: Any,
    *,
    interval: float = 0.9,
    thin: int = 1,
    random_seed: int = 0,
    topics: str | None = None,
    as_frame: bool = False,
) -> Any:
    r"""Return the topic proportions of the training documents with credible intervals.

    .. math:: E(\theta_{dk} \mid z) = \frac{C_{dk} + \alpha_k}{N_d + \sum_j \alpha_j}, \qquad
       \theta_d \mid z \sim Dir(C_d + \alpha)

    The mean averages the first formula over draws. The interval includes the uncertainty of theta
    given z: it comes from one draw of theta for each draw of z.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it; also a fitted estimator, or a pipeline that
        ends in one.
    interval : float, default 0.9
        Posterior probability between the bounds; equal shares lie below and above them.
    thin : int, default 1
        Use every ``thin``-th draw.
    random_seed : int, default 0
        Seed of the draws of theta.
    topics : str, optional
        Name of the topic assignments, where the model has several.
    as_frame : bool, default False
        Return a table instead.

    Returns
    -------
    Dataset
        ``mean``, ``lower`` and ``upper``, each (chain, document, topic).
    DataFrame
        With ``as_frame``, one row per chain, document and topic: ``chain``, ``document``,
        ``topic``, ``mean``, ``lower``, ``upper`` and the best ``words`` of the topic in the chain.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> theta = med.doc_topics(idata)
    >>> theta["mean"].sum("topic").values.round(6).min().item()
    1.0
    """
    check_probability("interval", interval)
    check_whole("thin", thin, at_least=1)
    check_seed("random_seed", random_seed)
    check_bool("as_frame", as_frame)
    drawn = Run.of(idata).topics(topics)
    shape = (drawn.n_chains, drawn.documents.size, drawn.n_topics)
    mean, lower, upper = np.empty(shape), np.empty(shape), np.empty(shape)
    rng = np.random.default_rng(random_seed)
    tails = [(1.0 - interval) / 2, (1.0 + interval) / 2]
    for chain in range(drawn.n_chains):
        for rows, concentration in _iterate_documents(drawn, chain, thin):
            mean[chain, rows] = _mean_theta(concentration)
            theta = _draw_dirichlet(rng, concentration)
            lower[chain, rows], upper[chain, rows] = np.quantile(theta, tails, axis=0)
    found = {"mean": mean, "lower": lower, "upper": upper}
    if as_frame:
        return tabulate_documents(drawn, found)
    dims = ("chain", drawn.document_dim, drawn.topic_dim)
    return xr.Dataset(
        {name: (dims, values) for name, values in found.items()},
        {
            "chain": drawn.chain_labels,
            drawn.document_dim: drawn.documents,
            drawn.topic_dim: drawn.topic_labels,
        },
        {"interval": interval},
    )


def top_words(
    idata: Any,
    n: int = 10,
    *,
    by: Criterion = "probability",
    weight: float | None = None,
    chain: int | None = 0,
    thin: int = 1,
    topics: str | None = None,
) -> pd.DataFrame:
    r"""Return the best words of each topic, with its share of the tokens and its weights.

    .. math:: relevance = \lambda \log \phi_{kt} + (1 - \lambda) \log(\phi_{kt} / p_t), \qquad
       FREX = \Big(\frac{w}{F_k(\phi_{kt} / \sum_j \phi_{jt})} + \frac{1 - w}{F_k(\phi_{kt})}
       \Big)^{-1}

    with p_t the probability of the word in the corpus and F_k the empirical distribution function
    over the words: ranks, so that FREX balances how frequent and how exclusive a word is.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it; also a fitted estimator, or a pipeline that
        ends in one.
    n : int, default 10
        Words per topic.
    by : {"probability", "relevance", "frex"}
        What ranks the words.
    weight : float, optional
        λ of the relevance, 0.6 by default; w of FREX, the weight of exclusivity, 0.5 by default.
    chain : int or None, default 0
        The chain to read. None averages over all chains, which makes sense once `align_topics`
        has matched their topics.
    thin : int, default 1
        Use every ``thin``-th draw.
    topics : str, optional
        Name of the topic assignments, where the model has several.

    Returns
    -------
    DataFrame
        One row per topic: ``share`` of the tokens, ``agreement`` between chains if there are
        several, the posterior mean of each of its weights (``eta``, or ``eta[task]`` where there
        are several), ``word 1`` to ``word n``. The agreement is the smallest cosine between two
        chains of the word distributions of the topic, with topics matched as `align_topics` does.
        From 0.9 on, every chain has found the topic. It is NaN for topics with next to no tokens.
        With ``chain=None`` topics are compared under the labels they have, because these are
        averaged.

    References
    ----------
    Sievert and Shirley (2014), LDAvis. Bischof and Airoldi (2012), Summarizing topical content
    with word frequency and exclusivity.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> med.top_words(idata, 2).columns.tolist()
    ['share', 'agreement', 'eta', 'word 1', 'word 2']
    """
    check_whole("n", n, at_least=1)
    check_whole("thin", thin, at_least=1)
    check_criterion(by, weight)
    run = Run.of(idata)
    drawn = run.topics(topics)
    chains = drawn.find_chains(chain)
    phi = drawn.mean_phi(chains, thin=thin).mean(axis=0)
    share = drawn.shares(chains, thin=thin)
    words = drawn.word_labels[rank_words(phi, share, by=by, weight=weight)[:, :n]]
    table = pd.DataFrame(index=pd.Index(drawn.topic_labels, name=drawn.topic_dim))
    table["share"] = share
    if drawn.n_chains > 1:
        table["agreement"] = _agreement(run, drawn, chains, thin)
    for label, values in _mean_weights(run, drawn, chains).items():
        table[label] = values
    ranks = pd.DataFrame(
        words, index=table.index, columns=[f"word {r + 1}" for r in range(words.shape[1])]
    )
    return pd.concat([table, ranks], axis=1)


def _agreement(run: Run, topics: TopicDraws, chains: list[int], thin: int) -> Floats:
    """Return the smallest cosine of each topic between two chains, under the labels as stored."""
    if len(chains) > 1:
        # The labels are averaged over as they are, so that is what has to agree.
        shares = np.stack([topics.shares([chain], thin=thin) for chain in chains])
        held = holds_tokens(shares.max(axis=0))
        return np.where(held, smallest_cosine(topics.mean_phi(chains, thin=thin)), np.nan)
    matching = run.matching(topics, thin=thin) if thin > 1 else run.matching(topics)
    agreement = np.empty(topics.n_topics)
    agreement[matching.of_chain[chains[0]]] = matching.agreement
    return agreement


def mean_proportions(topics: TopicDraws, chains: Sequence[int], *, thin: int = 1) -> Floats:
    """Return E(theta) of the training documents in some chains, (chain, document, topic).

    These are the means of `doc_topics`, without its intervals, which cost more.
    """
    check_whole("thin", thin, at_least=1)
    mean = np.empty((len(chains), topics.documents.size, topics.n_topics))
    for i, chain in enumerate(chains):
        for rows, concentration in _iterate_documents(topics, chain, thin):
            mean[i, rows] = _mean_theta(concentration)
    return mean


def _mean_weights(run: Run, topics: TopicDraws, chains: list[int]) -> dict[str, Floats]:
    """Return the mean weights of each response of these topics, by column label."""
    return {
        label: eta.mean(axis=(0, 1))
        for response in run.responses_of(topics)
        for label, eta in response.split_tasks(response.eta.isel(chain=chains)).items()
    }


def _iterate_documents(topics: TopicDraws, chain: int, thin: int) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of documents and C_dk + alpha_k in the draws, (draw, document, topic)."""
    z = topics.assignments(chain)[::thin]
    n_draws, n_documents = z.shape[0], topics.documents.size
    alpha = np.stack([topics.alpha(chain, s * thin) for s in range(n_draws)])
    block = max(1, BLOCK // (n_draws * topics.n_topics))
    for first in range(0, n_documents, block):
        rows = slice(first, min(first + block, n_documents))
        yield rows, _count_documents(topics, z, rows) + alpha[:, None, :]


def _count_documents(
    topics: TopicDraws, z: NDArray[np.unsignedinteger], rows: slice
) -> NDArray[np.intp]:
    """Return C_dk of some documents in every draw, (draw, document, topic)."""
    starts = topics.tokens.start[rows.start : rows.stop + 1]
    n_documents, n_draws, n_topics = starts.size - 1, z.shape[0], topics.n_topics
    document = np.repeat(np.arange(n_documents), np.diff(starts))
    counts = np.empty((n_draws, n_documents * n_topics), np.intp)
    for s in range(n_draws):
        cell = document * n_topics + z[s, starts[0] : starts[-1]]
        counts[s] = np.bincount(cell, minlength=n_documents * n_topics)
    return counts.reshape(n_draws, n_documents, n_topics)


def _mean_theta(concentration: Floats) -> Floats:
    """Return the mean of Dirichlet distributions over the last axis, averaged over draws."""
    total = concentration.sum(axis=2, keepdims=True)
    mean: Floats = (concentration / total).mean(axis=0)
    return mean


def _draw_dirichlet(rng: np.random.Generator, concentration: Floats) -> Floats:
    """Draw from Dirichlet distributions over the last axis."""
    gamma = rng.standard_gamma(concentration)
    total = gamma.sum(axis=-1, keepdims=True)
    # All may underflow in an empty document with a tiny alpha: the limit of the law is a corner.
    for row in np.argwhere(total[..., 0] == 0):
        p = concentration[tuple(row)]
        gamma[(*row, rng.choice(p.size, p=p / p.sum()))] = total[tuple(row)] = 1.0
    theta: Floats = gamma / total
    return theta
