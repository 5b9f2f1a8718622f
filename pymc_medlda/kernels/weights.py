"""The Gaussian draw of the classifier weights, one task at a time.

Symbols: a, b the augmented loss (log factor b F - a F²/2), z̄_d = C_d / N_d.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels import weights_by_elimination
from pymc_medlda.kernels.checks import check_factors
from pymc_medlda.kernels.counts import Present
from pymc_medlda.kernels.occurring import mark_occurring, renumber
from pymc_medlda.kernels.weights_by_documents import costs_less, draw_by_documents
from pymc_medlda.kernels.weights_by_elimination import draw_by_elimination
from pymc_medlda.kernels.weights_by_topics import draw_by_topics, frequencies, is_sparse

# Up to this number of topics it costs less to draw the weights of all of them together than to
# find those that do not occur.
ALL_TOGETHER = 64


def draw_weights(
    rng: np.random.Generator,
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    *,
    mean: Floats,
    precision: Floats,
) -> Floats:
    r"""Draw the weights of every task from their Gaussian conditional (eqs. 12, 19 and 26).

    .. math:: \eta_i \sim N(P_i^{-1} q_i, P_i^{-1}), \quad
       P_i = \mathrm{diag}(\tau_i) + \sum_d a_{di} \bar z_d \bar z_d^\top, \quad
       q_i = \tau_i \mu_i + \sum_d b_{di} \bar z_d

    Topics that occur in no document with a label are independent of the others. If there are many
    topics they come straight from their prior, so that the cost depends on the topics that occur
    and not on K.

    Parameters
    ----------
    rng : numpy.random.Generator
    document_topic : (n_documents, n_topics) int array
        C_dk.
    present : Present
        The same, without its zeros.
    a, b : (n_documents, n_tasks) float array
        The augmented loss, the offset already in b.
    mean, precision : (n_tasks, n_topics) float array
        μ and τ = 1/ν² of the Normal prior.

    Returns
    -------
    (n_tasks, n_topics) float array
    """
    n_topics = mean.shape[1]
    _check_shapes(document_topic, a, b, mean, precision)
    # Vector code reads rows of C_dk as they lie in memory; mostly this is the same array.
    document_topic = np.ascontiguousarray(document_topic, np.int32)
    occurs = np.full(n_topics, n_topics <= ALL_TOGETHER)
    n_occurring = mark_occurring(present.start, present.topic, a, b, precision, occurs)
    if n_occurring < 0:
        check_factors(a, b)
        raise np.linalg.LinAlgError(
            "the precision of the weights is not positive definite and finite: check the prior's "
            f"scale, whose precision 1/scale² is {precision.min():g} to {precision.max():g}"
        )
    noise = rng.standard_normal(mean.shape)
    if n_occurring == occurs.size:
        draws = _draw_occurring(rng, document_topic, present, a, b, mean, precision, noise)
        return _finite(draws, mean)
    draws = mean + noise / np.sqrt(precision)  # what no label knows of follows its prior
    topics = np.flatnonzero(occurs)
    if topics.size:
        prior = mean[:, topics], precision[:, topics], noise[:, topics]
        listed = renumber(present, topics, occurs.size)
        draws[:, topics] = _draw_occurring(rng, document_topic, listed, a, b, *prior, topics)
    return _finite(draws, mean)


def _check_shapes(
    document_topic: NDArray[np.integer], a: Floats, b: Floats, mean: Floats, precision: Floats
) -> None:
    """Raise unless the arrays belong together: kernels do not check where they read."""
    (n_documents, n_topics), n_tasks = document_topic.shape, mean.shape[0]
    if not (
        a.shape == b.shape == (n_documents, n_tasks)
        and mean.shape == precision.shape == (n_tasks, n_topics)
    ):
        raise ValueError(
            f"a and b must have shape {(n_documents, n_tasks)} and the prior of the weights "
            f"{(n_tasks, n_topics)}, got {a.shape}, {b.shape}, {mean.shape} and {precision.shape}"
        )


def _finite(draws: Floats, mean: Floats) -> Floats:
    """Return the weights, or raise if they are too large to be represented."""
    if not math.isfinite(draws.sum()):
        raise np.linalg.LinAlgError(
            "the weights are not finite: check the mean of their prior, which is up to "
            f"{np.abs(mean).max():g} in size, and its scale"
        )
    return draws


def _draw_occurring(
    rng: np.random.Generator,
    document_topic: NDArray[np.integer],
    present: Present,
    a: Floats,
    b: Floats,
    mean: Floats,
    precision: Floats,
    noise: Floats,
    topics: NDArray[np.intp] | None = None,
) -> Floats:
    """Draw the weights of topics that occur, by the quickest of three ways.

    ``topics`` holds the columns of ``document_topic`` that they have, None if all topics occur.
    ``present`` and the prior know no others.
    """
    n_tasks, n_topics = mean.shape
    if not costs_less(a, n_topics):
        # The number of all topics decides, and not that of those that occur: what is compiled
        # before chains start is then what they call.
        many = document_topic.shape[1] >= weights_by_elimination.MANY_TOPICS
        if many and is_sparse(document_topic, present, n_topics):
            return draw_by_elimination(present, a, b, mean=mean, precision=precision, noise=noise)
        return draw_by_topics(document_topic, present, a, b, mean, precision, noise, topics)
    draws = np.empty((n_tasks, n_topics))
    for i in range(n_tasks):
        task = slice(i, i + 1)
        rows = np.flatnonzero(a[:, i])
        # What has a linear term alone moves the mean; there are few such documents, if any.
        others = np.flatnonzero((a[:, i] == 0.0) & (b[:, i] != 0.0))
        shift = b[others, i] @ frequencies(document_topic, others, topics)
        drawn = draw_by_documents(
            frequencies(document_topic, rows, topics),
            a[rows, i],
            b[rows, i],
            mean=mean[i] + shift / precision[i],
            precision=precision[i],
            noise=noise[i],
            document_noise=rng.standard_normal(rows.size),
        )
        if drawn is None:
            own = (a[:, task].copy(), b[:, task].copy())  # contiguous, as kernels are compiled for
            prior = mean[task], precision[task], noise[task]
            drawn = draw_by_topics(document_topic, present, *own, *prior, topics)[0]
        draws[i] = drawn
    return draws
