"""Topics people can read: their words, their documents, their best words.

Topics have no order, so topic 3 of one chain is not topic 3 of another. What is one table here
comes from one chain, the first by default, or from all chains of an object that `align_topics`
returned (``chain=None``).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.stats import rankdata

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.run.draws import (
    chain_positions,
    iterate_draws,
    mean_word_distributions,
    word_distributions,
    word_labels,
)
from pymc_medlda.run.reading import StoredTopics, read_response, read_topics, response_names

Criterion = Literal["probability", "relevance", "frex"]
# The weights the authors of the two criteria recommend.
WEIGHTS = {"probability": 1.0, "relevance": 0.6, "frex": 0.5}
# Values of theta held at a time while intervals are computed: 64 MB.
BLOCK = 8_000_000


def topic_words(
    idata: Any, *, per_draw: bool = False, thin: int = 1, topics: str | None = None
) -> xr.DataArray:
    r"""Return the word distributions of the topics, averaged over the draws of each chain.

    .. math:: \phi_{kt} = \frac{C_{kt} + \beta}{C_k + V \beta}

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
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
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.run.topics import topic_words
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> dict(topic_words(idata).sizes)
    {'chain': 1, 'topic': 2, 'word': 30}
    """
    stored = read_topics(idata, topics)
    dims = (stored.topic_dim, stored.word_dim)
    coords = {stored.topic_dim: topic_labels(stored), stored.word_dim: word_labels(stored)}
    coords["chain"] = labels_of(stored.z, "chain")
    if not per_draw:
        phi = mean_word_distributions(stored, thin=thin)
        return xr.DataArray(phi, coords, ("chain", *dims), name="phi")
    drawn = [
        word_distributions(counts, stored.beta(chain, draw))
        for chain, draw, counts in iterate_draws(stored, thin=thin)
    ]
    coords["draw"] = labels_of(stored.z, "draw")[::thin]
    shape = (stored.z.sizes["chain"], -1, stored.n_topics, stored.n_words)
    return xr.DataArray(
        np.stack(drawn).reshape(shape), coords, ("chain", "draw", *dims), name="phi"
    )


def doc_topics(
    idata: Any,
    *,
    interval: float = 0.9,
    thin: int = 1,
    random_seed: int = 0,
    topics: str | None = None,
) -> xr.Dataset:
    r"""Return the topic proportions of the training documents with credible intervals.

    .. math:: E(\theta_{dk} \mid z) = \frac{C_{dk} + \alpha_k}{N_d + \sum_j \alpha_j}, \qquad
       \theta_d \mid z \sim Dir(C_d + \alpha)

    The mean averages the first over draws. The interval also holds what a draw of z leaves open:
    it comes from one draw of theta for each draw of z.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    interval : float, default 0.9
        Posterior probability between the bounds; as much is left below as above.
    thin : int, default 1
        Use every ``thin``-th draw.
    random_seed : int, default 0
        Seed of the draws of theta.
    topics : str, optional
        Name of the topic assignments, where the model has several.

    Returns
    -------
    Dataset
        ``mean``, ``lower`` and ``upper``, each (chain, document, topic).

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.run.topics import doc_topics
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> theta = doc_topics(idata)
    >>> theta["mean"].sum("topic").values.round(6).min().item()
    1.0
    """
    if not (isinstance(interval, (int, float)) and 0.0 < interval < 1.0):
        raise ValueError(f"interval must be a probability between 0 and 1, got {interval!r}")
    check_whole("thin", thin, at_least=1)
    stored = read_topics(idata, topics)
    n_chains = stored.z.sizes["chain"]
    shape = (n_chains, stored.documents.size, stored.n_topics)
    mean, lower, upper = np.empty(shape), np.empty(shape), np.empty(shape)
    rng = np.random.default_rng(random_seed)
    tails = [(1.0 - interval) / 2, (1.0 + interval) / 2]
    for chain in range(n_chains):
        z = stored.z.isel(chain=chain).values[::thin]
        alpha = np.stack([stored.alpha(chain, s * thin) for s in range(z.shape[0])])
        block = max(1, BLOCK // (z.shape[0] * stored.n_topics))
        for first in range(0, shape[1], block):
            rows = slice(first, min(first + block, shape[1]))
            concentration = _count_documents(stored, z, rows) + alpha[:, None, :]
            total = concentration.sum(axis=2, keepdims=True)
            mean[chain, rows] = (concentration / total).mean(axis=0)
            theta = _draw_dirichlet(rng, concentration)
            lower[chain, rows], upper[chain, rows] = np.quantile(theta, tails, axis=0)
    dims = ("chain", stored.document_dim, stored.topic_dim)
    return xr.Dataset(
        {"mean": (dims, mean), "lower": (dims, lower), "upper": (dims, upper)},
        {
            "chain": labels_of(stored.z, "chain"),
            stored.document_dim: stored.documents,
            stored.topic_dim: topic_labels(stored),
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
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    n : int, default 10
        Words a topic.
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
        A row a topic: ``share`` of the tokens, the posterior mean of each of its weights (``eta``,
        or ``eta[task]`` where there are several), ``word 1`` to ``word n``.

    References
    ----------
    Sievert and Shirley (2014), LDAvis. Bischof and Airoldi (2012), Summarizing topical content
    with word frequency and exclusivity.

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.run.topics import top_words
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> top_words(idata, 2).columns.tolist()
    ['share', 'eta', 'word 1', 'word 2']
    """
    check_whole("n", n, at_least=1)
    stored = read_topics(idata, topics)
    positions = chain_positions(stored, chain)
    phi = mean_word_distributions(stored, chains=positions, thin=thin).mean(axis=0)
    share = topic_shares(stored, positions, thin)
    words = word_labels(stored)[rank_words(phi, share, by=by, weight=weight)[:, :n]]
    table = pd.DataFrame(index=pd.Index(topic_labels(stored), name=stored.topic_dim))
    table["share"] = share
    for label, values in _mean_weights(idata, stored, positions).items():
        table[label] = values
    ranks = pd.DataFrame(
        words, index=table.index, columns=[f"word {r + 1}" for r in range(words.shape[1])]
    )
    return pd.concat([table, ranks], axis=1)


def rank_words(
    phi: Floats, share: Floats, *, by: str = "probability", weight: float | None = None
) -> NDArray[np.intp]:
    """Return the words of each topic, the best first, (n_topics, n_words)."""
    if by not in WEIGHTS:
        raise ValueError(f"by must be 'probability', 'relevance' or 'frex', got {by!r}")
    w = WEIGHTS[by] if weight is None else weight
    if not (isinstance(w, (int, float)) and 0.0 <= w <= 1.0):
        raise ValueError(f"weight must be a number between 0 and 1, got {weight!r}")
    if by == "probability":
        score = phi
    elif by == "relevance":
        # The model's own marginal, positive also for words that occur nowhere in the corpus.
        score = np.log(phi) - (1.0 - w) * np.log(share @ phi)
    else:
        n_words = phi.shape[1]
        exclusive = rankdata(phi / phi.sum(axis=0), method="max", axis=1) / n_words
        frequent = rankdata(phi, method="max", axis=1) / n_words
        score = 1.0 / (w / exclusive + (1.0 - w) / frequent)
    return np.argsort(-score, axis=1, kind="stable")


def topic_shares(stored: StoredTopics, chains: list[int], thin: int = 1) -> Floats:
    """Return the share of the tokens that each topic has, averaged over draws."""
    total = np.zeros(stored.n_topics)
    for chain in chains:
        total += np.bincount(
            stored.z.isel(chain=chain).values[::thin].ravel(), minlength=stored.n_topics
        )
    return total / total.sum()


def _mean_weights(idata: Any, stored: StoredTopics, chains: list[int]) -> dict[str, Floats]:
    """Return the mean weights of each response of these topics, by column label."""
    columns: dict[str, Floats] = {}
    for name in response_names(idata):
        response = read_response(idata, name)
        if response.topics != stored.name:
            continue
        eta = response.eta.isel(chain=chains).mean(("chain", "draw")).values
        label = str(response.eta.name)
        if eta.ndim == 1:
            columns[label] = eta
            continue
        tasks = range(eta.shape[0]) if response.classes is None else response.classes
        for task, values in zip(tasks, eta, strict=True):
            columns[f"{label}[{task}]"] = values
    return columns


def _count_documents(
    stored: StoredTopics, z: NDArray[np.unsignedinteger], rows: slice
) -> NDArray[np.intp]:
    """Return C_dk of some documents in every draw, (draw, document, topic)."""
    starts = stored.tokens.start[rows.start : rows.stop + 1]
    n_documents, n_draws, n_topics = starts.size - 1, z.shape[0], stored.n_topics
    document = np.repeat(np.arange(n_documents), np.diff(starts))
    counts = np.empty((n_draws, n_documents * n_topics), np.intp)
    for s in range(n_draws):
        cell = document * n_topics + z[s, starts[0] : starts[-1]]
        counts[s] = np.bincount(cell, minlength=n_documents * n_topics)
    return counts.reshape(n_draws, n_documents, n_topics)


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


def labels_of(array: xr.DataArray | xr.Dataset, dim: str) -> NDArray[Any]:
    """Return the coordinates of a dim, or its positions if it has none."""
    return array[dim].values if dim in array.coords else np.arange(array.sizes[dim])


def topic_labels(stored: StoredTopics) -> NDArray[Any]:
    """Return the coordinates of the topics."""
    return labels_of(stored._alpha, stored.topic_dim)
