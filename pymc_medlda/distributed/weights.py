"""The weights of the responses, drawn from sums over partitions, and the statistics of a draw.

Given the auxiliary variables, the conditional of eta depends on the documents only through
sum_d a_d z̄_d z̄_dᵀ and sum_d b_d z̄_d of each task. So a partition sends these sums, whose size does
not depend on the number of its documents. Sums are added in the order of the partitions: floating
point numbers depend on it.
"""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.distributed.documents import Documents, Topics
from pymc_medlda.distributed.settings import AUGMENT, WEIGHTS, ScalePrior, Settings, generator
from pymc_medlda.kernels.counts import list_present, project_present
from pymc_medlda.kernels.log_densities import log_assignments, log_topics
from pymc_medlda.kernels.sweeps.blocks import Dealt
from pymc_medlda.kernels.sweeps.masses import draw_log_masses
from pymc_medlda.kernels.weights_by_topics import draw_gaussian, sum_products
from pymc_medlda.targets.decisions import choose

LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


class Sums(NamedTuple):
    """What a partition tells of its documents."""

    gram: Floats  # (n_tasks, n_topics, n_topics) sum_d a_d z̄_d z̄_dᵀ, one triangle
    linear: Floats  # (n_tasks, n_topics) sum_d b_d z̄_d
    totals: NDArray[np.int64]  # (n_blocks, n_topics) tokens
    loss: float
    log_factor: float
    score: Floats  # see `score_sums`
    log_assignments: float
    log_words: float
    moved: int


class Augmented(NamedTuple):
    """The augmented loss of the documents of a partition, and the sums that it leads to."""

    a: Floats  # (n_documents, n_tasks)
    b: Floats
    sums: Sums


class Weights(NamedTuple):
    """What is drawn for all documents together, and what was seen of the draw before."""

    eta: Floats  # (n_tasks, n_topics)
    nu: float
    log_mass: Floats  # (n_blocks, n_topics)
    statistics: dict[str, float]  # of the draw whose sums led to these weights


def first_weights(given: Settings) -> Weights:
    """Return weights of zero, with which a chain starts."""
    nu = 1.0 if isinstance(given.nu, ScalePrior) else given.nu
    eta = np.zeros((given.n_tasks, given.n_topics))
    return Weights(eta, nu, np.zeros((given.n_partitions, given.n_topics)), {})


AT_ONCE = 1 << 14  # documents that are augmented together: what this needs is a dozen arrays


class Found(NamedTuple):
    """What some documents add to the sums of their partition."""

    gram: Floats
    linear: Floats
    loss: float
    log_factor: float
    score: Floats
    log_assignments: float  # without the part that is the same for all assignments

    def plus(self, other: Found) -> Found:
        """Return the sums of both."""
        return Found(*map(operator.add, self, other))


def augment(
    own: Documents,
    topics: Topics,
    weights: Weights,
    given: Settings,
    place: tuple[int, int, int],
    before: Augmented | None = None,
) -> Augmented:
    """Draw the auxiliary variables given topics and weights; return (a, b) and their sums.

    ``place`` is the chain, the sweep and the partition. The arrays of ``before`` are written to, if
    they are given.
    """
    chain, number, i = place
    rng = generator(given.seed, chain, AUGMENT, number, i)
    a, b = np.zeros((2, *own.y.shape)) if before is None else before[:2]
    found: Found | None = None
    for first in range(0, max(own.n_documents, 1), AT_ONCE):  # once, even without documents
        some = slice(first, first + AT_ONCE)
        more = _augment_some(own, topics, weights, given, rng, (a[some], b[some]), some)
        found = more if found is None else found.plus(more)
    assert found is not None
    seen = (found.loss, found.log_factor, found.score, found.log_assignments - own.prior.lengths)
    of_topics = (topics.totals.copy(), *seen, topics.log_words, topics.moved)
    return Augmented(a, b, Sums(found.gram, found.linear, *of_topics))


def _augment_some(
    own: Documents,
    topics: Topics,
    weights: Weights,
    given: Settings,
    rng: np.random.Generator,
    out: tuple[Floats, Floats],
    some: slice,
) -> Found:
    """Write (a, b) of some documents; return what these add to the sums."""
    y, (a, b) = own.y[some], out
    document_topic = topics.document_topic[some]
    present = list_present(document_topic)
    F = np.zeros(y.shape)
    loss = log_factor = 0.0
    is_known: Any = ~np.isnan(y)
    known = True if is_known.all() else is_known
    if given.loss is not None:
        used: Any = given.loss_in_units
        project_present(*present, weights.eta, F)
        shift = total_offset(own, given, some)
        F += shift
        a[:], b[:] = used.augment(rng, y, F.copy(), given=known)
        b -= a * shift  # so that b F - a F²/2 is one of eta · z̄
        losses = used.value(y, F)
        loss = float(losses.sum(where=known))
        log_factor = float(used.log_factor_of(losses).sum(where=known))
    linear = np.zeros((given.n_tasks, given.n_topics))
    gram = sum_products(document_topic, present, a, b, linear)
    log_z = log_assignments(*present, *own.prior[:3], 0.0)
    score = score_sums(given.kind, y, F, known)
    return Found(gram, linear, loss, log_factor, score, log_z)


def total_offset(own: Documents, given: Settings, some: slice) -> Any:
    """Return what is added to eta · z̄: offsets, and the mean of a standardised response."""
    location = 0.0 if given.units is None else given.units.location  # (n_tasks,)
    return location if own.offset is None else own.offset[some] + location


def score_sums(kind: str, y: Floats, F: Floats, given: Any) -> Floats:
    """Return sums from which `score` follows: of hits, or of residuals and values per task."""
    known = np.broadcast_to(given, y.shape)
    if not kind:
        return np.zeros(2)
    if kind == "real":
        filled = np.where(known, y, 0.0)
        residual = np.where(known, y - F, 0.0)
        sums = [residual**2, known, filled, filled**2]
        return np.stack([np.asarray(values, np.float64).sum(axis=0) for values in sums])
    if kind == "multiclass":
        whole = known.all(axis=1)
        hits = (choose(kind, F) == choose(kind, y)) & whole
        return np.array([hits.sum(), whole.sum()], np.float64)
    hits = np.where(known, y, 0.0) * F > 0
    return np.array([hits.sum(), known.sum()], np.float64)


def score(kind: str, sums: Floats) -> float:
    """Return the accuracy of the decisions, or R² of real values; NaN if it is undefined."""
    if kind == "real":
        residual, n, total, squares = sums
        spread = float((squares - total**2 / np.maximum(n, 1)).sum())
        return 1.0 - float(residual.sum()) / spread if spread > 0 else float("nan")
    return float(sums[0] / sums[1]) if sums[1] else float("nan")


def draw_weights(
    sums: list[Sums], before: Weights, plan: Dealt, given: Settings, place: tuple[int, int]
) -> Weights:
    r"""Draw eta, its scale if that is random, and the masses of the blocks of words.

    .. math:: \eta_i \sim N(P_i^{-1} q_i, P_i^{-1}), \quad P_i = (\nu s_i)^{-2} I +
       \sum_d a_{di} \bar z_d \bar z_d^\top, \quad q_i = \sum_d b_{di} \bar z_d, \quad
       s_k \sim Dir(V_B \beta + C_{kB}), \quad
       \nu^2 \sim InvGamma(shape + n/2, rate + \sum_i \eta_i^2 / 2 s_i^2)

    with n weights in all, and s_i the unit of a standardised response, otherwise 1. ``place`` is
    the chain and the sweep.
    """
    rng = generator(given.seed, place[0], WEIGHTS, place[1])
    gram, linear = (add_up([getattr(own, key) for own in sums]) for key in ("gram", "linear"))
    eta, nu = np.zeros((given.n_tasks, given.n_topics)), before.nu
    if given.loss is not None:
        noise = rng.standard_normal(eta.shape)
        for i, unit in enumerate(given.scale):
            precision = np.full(given.n_topics, (nu * unit) ** -2.0)
            eta[i] = draw_gaussian(gram[i], precision, linear[i], noise[i])
        if isinstance(given.nu, ScalePrior):
            shape = given.nu.shape + 0.5 * eta.size
            squares = float(((eta / given.scale[:, None]) ** 2).sum())
            nu = math.sqrt((given.nu.rate + 0.5 * squares) / rng.gamma(shape))
    totals = np.sum([own.totals for own in sums], axis=0)
    n_words = np.array([words.size for words in plan.words])
    log_mass = draw_log_masses(rng, totals, n_words, given.beta)
    return Weights(eta, nu, log_mass, summarise(sums, before, int(n_words.sum()), given))


def add_up(parts: list[Floats]) -> Floats:
    """Add up arrays one after the other."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def summarise(
    sums: list[Sums], weights: Weights, n_words: int, given: Settings
) -> dict[str, float]:
    """Return the statistics of a draw, as the notes of `GibbsMedLDAStep` define them.

    The log joint holds the prior of the weights given their scale, and that of nu² if it is random.
    """
    totals = np.sum([own.totals for own in sums], axis=(0, 1))
    n_tokens = int(totals.sum())
    log_words = sum(own.log_words for own in sums) - log_topics(totals, n_words * given.beta)
    log_joint = log_words + sum(own.log_assignments + own.log_factor for own in sums)
    if given.loss is not None:
        errors = weights.eta / given.scale[:, None] / weights.nu
        log_joint -= 0.5 * float((errors**2).sum())
        log_joint -= weights.eta.size * (LOG_ROOT + math.log(weights.nu))
        log_joint -= given.n_topics * float(np.log(given.scale).sum())
    if isinstance(given.nu, ScalePrior):
        shape, rate = given.nu
        square = weights.nu**2
        log_joint += shape * math.log(rate) - math.lgamma(shape)
        log_joint -= (shape + 1.0) * math.log(square) + rate / square
    return {
        "loss": sum(own.loss for own in sums),
        "score": score(given.kind, add_up([own.score for own in sums])),
        "log_likelihood": log_words / n_tokens,
        "log_joint": log_joint,
        "moved": sum(own.moved for own in sums) / n_tokens,
    }
