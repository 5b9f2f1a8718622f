"""A response as the step sees it: arrays and numbers, read from the point at each draw.

Symbols: F the discriminant, a and b the augmented loss (log factor b F - a F²/2).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from pytensor.graph.basic import Variable

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.kernels.weights import draw_weights
from pymc_medlda.losses import Loss
from pymc_medlda.sampling.graph import ResponseBlock
from pymc_medlda.targets.scores import score_response


class ResponseValues(NamedTuple):
    """What a response takes from a point: expressions of the model, or their values."""

    eta: Any
    offset: Any
    mean: Any  # of the Normal prior of eta; None where the step does not draw eta
    scale: Any
    parameters: tuple[Any, ...]  # of the loss

    @classmethod
    def expressions(cls, block: ResponseBlock, *, drawn: bool) -> ResponseValues:
        """Return the expressions of a response's block."""
        mean, scale = block.prior if drawn else (None, None)
        return cls(block.eta, block.offset, mean, scale, block.parameters)

    @classmethod
    def take(cls, values: Iterator[Any], n_parameters: int) -> ResponseValues:
        """Take the values from an iterator that yields them in the order of `flat`."""
        eta, offset, mean, scale = islice(values, 4)
        return cls(eta, offset, mean, scale, tuple(islice(values, n_parameters)))

    def flat(self) -> list[Variable | None]:
        """Return all of them in one list."""
        return [*self[:4], *self.parameters]


class Supervision:
    """A response with its weights, its loss and its augmented factor (a, b) at the present point.

    Parameters
    ----------
    block : ResponseBlock
        The response in the model's graph.
    eta_name : str or None
        Name of the weights in a point, where the step draws them.
    """

    def __init__(self, block: ResponseBlock, eta_name: str | None) -> None:
        self.loss_type, self.kind, self.y = block.loss, block.kind, block.y
        self.eta_name = eta_name
        self.n_parameters = len(block.parameters)
        given = ~np.isnan(block.y)
        self.given: Any = (
            True if given.all() else given
        )  # True if nothing is missing: sums need no mask
        self.eta = np.empty((0, 0))
        self.eta_shape: tuple[int, ...] = ()
        self.projection: Floats | None = None
        self.fixed: tuple[Any, ...] = ()
        self.offset: Floats | None = None
        self.loss: Loss
        self.a: Floats
        self.b: Floats

    @property
    def drawn(self) -> bool:
        """Whether the step draws the weights."""
        return self.eta_name is not None

    def read(self, values: ResponseValues, *, same_topics: bool) -> None:
        """Take the values of this draw; keep the projection if neither z nor eta changed."""
        eta = np.asarray(values.eta, np.float64)
        self.eta_shape = eta.shape
        weights = np.ascontiguousarray(eta.reshape(-1, eta.shape[-1]))
        same_weights = np.array_equal(weights, self.eta)
        if not (same_topics and same_weights):
            self.invalidate_projection()
        if not same_weights:
            self.eta = weights.copy()  # the owner of the point may change it
        rest = (values.offset, values.mean, values.scale, *values.parameters)
        # A value that does not depend on random variables is the same object at every point.
        if len(rest) == len(self.fixed) and all(map(operator.is_, rest, self.fixed)):
            return
        self.fixed = rest
        offset = np.asarray(values.offset, np.float64).reshape(self.y.shape)
        self.offset = offset if offset.any() else None
        parameters = [np.asarray(value, np.float64) for value in values.parameters]
        self.loss = self.loss_type.from_values(parameters)
        if self.drawn:
            self._read_prior(values.mean, values.scale)

    def _read_prior(self, mean: Any, scale: Any) -> None:
        # PyTensor keeps constants in float32 where that holds them; squares need more.
        self.mean, spread = (
            np.broadcast_to(np.asarray(value, np.float64), self.eta_shape).reshape(self.eta.shape)
            for value in (mean, scale)
        )
        self.precision = spread**-2.0
        self.log_normaliser = 0.5 * float(np.log(self.precision / (2.0 * np.pi)).sum())

    def invalidate_projection(self) -> None:
        """Invalidate the cached projection: z or eta changed."""
        self.projection = None

    def eta_as_stored(self) -> Floats:
        """Return a copy of the weights, in the shape the point holds them."""
        return self.eta.reshape(self.eta_shape).copy()

    def discriminant(self, sampler: TopicSampler) -> Floats:
        """Return F = eta · z̄ + offset, (n_documents, n_tasks)."""
        if self.projection is None:
            self.projection = sampler.project(self.eta)
        return self.projection if self.offset is None else self.projection + self.offset

    def augment(self, rng: np.random.Generator, sampler: TopicSampler) -> None:
        """Draw the auxiliary variables and keep (a, b), with the offset moved into b."""
        discriminant = self.discriminant(sampler)
        self.a, self.b = self.loss.augment(rng, self.y, discriminant, given=self.given)
        if self.offset is not None:
            self.b = self.b - self.a * self.offset

    def draw_weights(self, rng: np.random.Generator, sampler: TopicSampler) -> None:
        """Draw eta from its Gaussian conditional."""
        self.eta = draw_weights(
            rng,
            sampler.document_topic,
            sampler.present,
            self.a,
            self.b,
            mean=self.mean,
            precision=self.precision,
        )
        self.invalidate_projection()

    def summarise(self, sampler: TopicSampler) -> tuple[float, float, float]:
        """Return the loss, the score, and the log density of the response and the weights drawn."""
        discriminant = self.discriminant(sampler)
        losses = self.loss.value(self.y, discriminant)
        log_density = float(self.loss.log_factor_of(losses).sum(where=self.given))
        if self.drawn:
            error = self.eta - self.mean
            log_density += self.log_normaliser - 0.5 * float((self.precision * error**2).sum())
        score = score_response(self.kind, self.y, discriminant, self.given)
        return float(losses.sum(where=self.given)), score, log_density


def join_tasks(
    responses: Sequence[Supervision], shape: tuple[int, ...]
) -> tuple[Floats, Floats, Floats]:
    """Return eta, a and b of all responses side by side; without any, one task of weight zero.

    ``shape`` is (n_documents, n_topics).
    """
    if not responses:
        n_documents, n_topics = shape
        nothing = np.zeros((n_documents, 1))
        return np.zeros((1, n_topics)), nothing, nothing
    if len(responses) == 1:
        only = responses[0]
        return only.eta, np.ascontiguousarray(only.a), np.ascontiguousarray(only.b)
    return (
        np.concatenate([r.eta for r in responses], axis=0),
        np.concatenate([r.a for r in responses], axis=1),
        np.concatenate([r.b for r in responses], axis=1),
    )
