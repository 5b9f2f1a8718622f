"""Synthetic corpora with planted topics, and responses that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pymc_medlda._arguments import (
    as_numbers,
    check_choice,
    check_positive,
    check_scalar,
    check_seed,
    check_whole,
)
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.checks import check_memory
from pymc_medlda.targets.response import KINDS, Kind


@dataclass(frozen=True, eq=False)
class Planted:
    """A synthetic corpus with the true values that generated it; see `make_planted`.

    Attributes
    ----------
    corpus : Corpus
    y : (n_documents,) or (n_documents, n_tasks) array
        The response.
    z : (n_tokens,) int32 array
        The topic of each token.
    theta : (n_documents, n_topics) array
        The topic distribution of each document.
    phi : (n_topics, n_words) array
        The word distribution of each topic.
    eta : (n_topics,) or (n_tasks, n_topics) array
        The weights.
    discriminant : (n_documents,) or (n_documents, n_tasks) array
        The weights multiplied by the topic frequencies, without noise.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> med.datasets.make_planted(10, n_topics=3, seed=1).theta.shape
    (10, 3)
    """

    corpus: Corpus
    y: NDArray[Any]
    z: NDArray[np.int32]
    theta: Floats
    phi: Floats
    eta: Floats
    discriminant: Floats


def make_planted(
    n_documents: int = 200,
    *,
    n_topics: int = 5,
    n_words: int = 500,
    length: float = 80,
    n_tasks: int | None = None,
    response: Kind = "binary",
    alpha: float = 1.0,
    beta: float = 0.05,
    eta: ArrayLike | None = None,
    noise: float = 0.1,
    seed: int | np.random.Generator | None = None,
) -> Planted:
    r"""Draw a corpus from LDA and a response from the topic frequencies of its documents.

    .. math::

        \theta_d \sim Dir(\alpha / K), \quad \phi_k \sim Dir(\beta), \quad
        F_d^i = \eta_i \cdot \bar z_d + \sigma \epsilon_d^i

    with standard normal :math:`\epsilon` and :math:`\sigma` the noise. A small ``beta`` gives
    topics with few words in common.

    Parameters
    ----------
    n_documents, n_topics, n_words : int
        Sizes. The words are called ``word0000`` and so on.
    length : float
        Mean number of tokens per document. The number is drawn from a Poisson distribution,
        and is at least 1.
    n_tasks : int, optional
        Number of tasks, classes or labels. By default 3 classes or labels; otherwise one task,
        with one-dimensional ``eta`` and ``y``.
    response : {"binary", "real", "multiclass", "multilabel"}
        For ``"binary"`` y is 1 where F is above its median and -1 elsewhere; for ``"real"`` it
        is F itself; for ``"multiclass"`` the index of the class with the largest F; for
        ``"multilabel"`` a matrix with 1 where F is above the median of its column, 0 elsewhere.
    alpha, beta : float
        Priors of the topic and word distributions; each topic gets ``alpha / n_topics``.
    eta : (n_topics,) or (n_tasks, n_topics) array, optional
        The weights. By default they are evenly spaced in [-2, 2], in random order for each
        task; for classes they are about 2 at the topics of a class and about 0 elsewhere.
    noise : float
        Standard deviation of the noise in F.
    seed : int or Generator, optional
        Seed of the draws.

    Returns
    -------
    Planted
        Corpus, response and true values. The tokens of a document are in the order of their
        topics.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> planted = med.datasets.make_planted(100, n_topics=4, seed=1)
    >>> planted.corpus.n_documents, planted.eta.shape
    (100, (4,))
    >>> int((planted.y == 1).sum())
    50
    """
    check_whole("n_documents", n_documents, at_least=1)
    check_whole("n_topics", n_topics, at_least=1)
    check_whole("n_words", n_words, at_least=1)
    settings = {"length": length, "alpha": alpha, "beta": beta, "noise": noise}
    for name, value in settings.items():
        check_positive(name, value, or_zero=name == "noise")
        check_scalar(name, value)
    if n_tasks is not None:
        check_whole("n_tasks", n_tasks, at_least=1)
    check_choice("response", response, KINDS)
    check_seed("seed", seed)
    per_document = n_topics + int(length) + (n_tasks or 1)
    check_memory("n_documents", 8 * n_documents * per_document, f"the value {n_documents}")
    check_memory("n_words", 8 * n_words * n_topics, f"the value {n_words}")
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(n_topics, alpha / n_topics), size=n_documents)
    phi = rng.dirichlet(np.full(n_words, beta), size=n_topics)
    weights = _plant_weights(rng, eta, n_tasks, n_topics, response)
    lengths = np.maximum(rng.poisson(length, size=n_documents), 1)
    counts = rng.multinomial(lengths, theta)
    z = np.repeat(np.tile(np.arange(n_topics, dtype=np.int32), n_documents), counts.ravel())
    words = np.empty(z.size, np.int32)
    for k in range(n_topics):
        words[z == k] = rng.choice(n_words, size=int((z == k).sum()), p=phi[k])
    corpus = Corpus(
        words,
        np.concatenate([[0], np.cumsum(lengths)]),
        vocabulary=[f"word{t:04d}" for t in range(n_words)],
    )
    discriminant = (counts / lengths[:, None]) @ weights.T
    y = _respond(discriminant + noise * rng.standard_normal(discriminant.shape), response)
    return Planted(corpus, y, z, theta, phi, weights, discriminant)


def _plant_weights(
    rng: np.random.Generator,
    eta: ArrayLike | None,
    n_tasks: int | None,
    n_topics: int,
    response: Kind,
) -> Floats:
    """Return the given weights after a check of their shape, or draw weights for the response."""
    several = response in ("multiclass", "multilabel")
    if eta is not None:
        weights = as_numbers("eta", eta)
        if not np.isfinite(weights).all():
            raise ValueError("eta must hold finite numbers, got NaN or infinite ones")
        tasks = weights.shape[:-1]
        if weights.ndim not in (1 + several, 2) or weights.shape[-1] != n_topics:
            raise ValueError(
                f"eta must have {n_topics} columns, one per topic; got the shape {weights.shape}"
            )
        if n_tasks is not None and tasks != (n_tasks,):
            raise ValueError(
                f"eta must have {n_tasks} rows, one per task; got the shape {weights.shape}"
            )
        return weights
    rows = n_tasks if n_tasks is not None else (3 if several else 1)
    if response == "multiclass" and not 2 <= rows <= n_topics:
        raise ValueError(
            f"n_tasks must be 2 to {n_topics} (n_topics) for a multiclass response; got {rows}"
        )
    if response == "multiclass":
        own = np.arange(n_topics) % rows == np.arange(rows)[:, None]
        return 2.0 * own + 0.1 * rng.standard_normal((rows, n_topics))
    weights = rng.permuted(np.tile(np.linspace(-2, 2, n_topics), (rows, 1)), axis=1)
    return weights if several or n_tasks is not None else weights[0]


def _respond(scores: Floats, response: Kind) -> NDArray[Any]:
    """Turn the noisy discriminants into a response of the kind that was asked for."""
    if response == "real":
        return scores
    if response == "multiclass":
        return scores.argmax(axis=1)
    above = scores > np.median(scores, axis=0)
    return above.astype(np.int64) if response == "multilabel" else np.where(above, 1, -1)
