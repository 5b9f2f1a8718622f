"""A response as the step sees it: arrays and numbers, read from the point at each draw.

Symbols: F the discriminant, a and b the augmented loss (log factor b F - a F²/2).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.kernels.weights import draw_weights
from pymc_medlda.losses import Loss
from pymc_medlda.sampling.augmenting import augment
from pymc_medlda.sampling.feature_weights import FeatureValues, FeatureWeights
from pymc_medlda.sampling.graph import ResponseBlock
from pymc_medlda.sampling.normal_prior import log_normaliser
from pymc_medlda.sampling.values import check_value
from pymc_medlda.targets.scores import score_response


class ResponseValues(NamedTuple):
    """What a response takes from a point: expressions of the model, or their values."""

    eta: Any  # None as an expression where the step draws it: then it is in the point
    offset: Any
    mean: Any  # of the Normal prior of eta; None where the step does not draw eta
    scale: Any
    features: FeatureValues  # of the weights of features, where the step draws them
    parameters: tuple[Any, ...]  # of the loss

    @classmethod
    def expressions(cls, block: ResponseBlock, drawn: Sequence[Any]) -> ResponseValues:
        """Return the expressions of a response's block; ``drawn`` is what the step draws."""
        eta, mean, scale = (None, *block.prior) if block.eta in drawn else (block.eta, None, None)
        offset, features = block.offset, FeatureValues()
        if block.features is not None and block.features.weights in drawn:
            features = FeatureValues(None, *block.features.prior)
        elif block.features is not None:  # what the step does not draw is a part of the offset
            offset = offset + block.features.added
        return cls(eta, offset, mean, scale, features, block.parameters)

    @classmethod
    def take(cls, values: Iterator[Any], n_parameters: int) -> ResponseValues:
        """Take the values from an iterator that yields them in the order of `by_name`."""
        eta, offset, mean, scale = islice(values, 4)
        features = FeatureValues(*islice(values, 3))
        return cls(eta, offset, mean, scale, features, tuple(islice(values, n_parameters)))

    def by_name(self, block: ResponseBlock) -> dict[str, Any]:
        """Return all of them under the names by which errors call them, in the order of `take`."""
        names = ["weights", "offset", "prior mean", "prior scale"]
        names += ["feature weights", "feature prior mean", "feature prior scale"]
        names += [f"loss parameter {key}" for key in block.loss.parameter_names()]
        values = [*self[:4], *self.features, *self.parameters]
        return {f"{name} of {block.name}": v for name, v in zip(names, values, strict=True)}


class Supervision:
    """A response with its weights, its loss and its augmented factor (a, b) at the present point.

    Parameters
    ----------
    block : ResponseBlock
        The response in the model's graph.
    eta_name : str or None
        Name of the weights in a point, where the step draws them.
    features : FeatureWeights, optional
        The weights of features, where the step draws them.
    """

    def __init__(
        self, block: ResponseBlock, eta_name: str | None, features: FeatureWeights | None = None
    ) -> None:
        self.name, self.loss_type, self.kind, self.y = block.name, block.loss, block.kind, block.y
        self.eta_name, self.features = eta_name, features
        self.eta_dtype = np.dtype(block.eta.type.dtype)
        self.n_parameters = len(block.parameters)
        given = ~np.isnan(block.y)
        # True if nothing is missing: then sums need no mask.
        self.given: Any = True if given.all() else given
        self.eta = np.empty((0, 0))
        self.eta_shape: tuple[int, ...] = ()
        self.projection: Floats | None = None
        self.fixed: tuple[Any, ...] = ()
        self.offset: Floats | None = None
        self.loss: Loss
        self.a: Floats
        self.b: Floats  # with all that is added to eta · z̄ moved into it
        self.own_b: Floats  # as the loss gives it

    @property
    def drawn(self) -> bool:
        """Whether the step draws the weights."""
        return self.eta_name is not None

    def read(self, values: ResponseValues, *, n_topics: int) -> None:
        """Take the values of this draw; keep the projection if eta did not change."""
        if not self._holds(values.eta):
            self.invalidate_projection()
            self.eta_shape = (*np.shape(values.eta)[:-1], n_topics)
            eta = self._check("weights", values.eta, self.eta_shape)
            # A copy, as the owner of the point may change it.
            self.eta = np.array(eta, order="C").reshape(self.y.shape[1], n_topics)
        if self.features is not None:
            self.features.read(values.features.weights, self.tasks)
        of_features = values.features[1:]
        rest = (values.offset, values.mean, values.scale, *of_features, *values.parameters)
        # The reader returns the same object as long as a value is the same.
        if len(rest) == len(self.fixed) and all(map(operator.is_, rest, self.fixed)):
            return
        self.fixed = ()  # until all of them are read and found right
        shape = self.y.shape if np.ndim(values.eta) == 2 else self.y.shape[:1]
        offset = self._check("offset", values.offset, shape).reshape(self.y.shape)
        self.offset = offset if offset.any() else None
        self._read_parameters(values.parameters)
        if self.drawn:
            self._read_prior(values.mean, values.scale)
        if self.features is not None:
            self.features.read_prior(*of_features, self.tasks)
        self.fixed = rest

    def _holds(self, eta: Any) -> bool:
        """Say whether the weights are those that are held, and so are known to be right."""
        if np.shape(eta) != self.eta_shape:
            return False
        return bool((self.eta.reshape(self.eta_shape) == eta).all())

    def _shaped(self, name: str, values: Any) -> Floats:
        """Return a or b as a loss computed it, one number for each document and task."""
        if getattr(values, "shape", None) == self.y.shape and values.dtype == np.float64:
            return np.ascontiguousarray(values)
        try:
            return np.array(np.broadcast_to(np.asarray(values, np.float64), self.y.shape))
        except (TypeError, ValueError):
            raise ValueError(
                f"{self.loss_type.__qualname__}.quadratic returned {name} of shape "
                f"{np.shape(values)}; numbers of shape {self.y.shape} are expected, one for each "
                "document and task"
            ) from None

    def _check(self, what: str, value: Any, shape: tuple[int, ...], **rule: bool) -> Floats:
        return check_value(f"{what} of {self.name}", value, shape, **rule)

    def _read_parameters(self, values: Sequence[Any]) -> None:
        for key, value in zip(self.loss_type.parameter_names(), values, strict=True):
            zero = key in self.loss_type.may_be_zero
            checked = self._check(f"loss parameter {key}", value, np.shape(value))
            wrong = (checked < 0) if zero else (checked <= 0)
            if key in self.loss_type.whole:
                wrong |= checked % 1 != 0
            if wrong.any():
                raise ValueError(
                    f"loss parameter {key} of {self.name} is {checked[wrong][0]} at this point; "
                    f"{'whole' if key in self.loss_type.whole else 'positive'} numbers"
                    f"{' or zero' if zero else ''} are allowed"
                )
        self.loss = self.loss_type.from_values([np.asarray(v, np.float64) for v in values])

    def _read_prior(self, mean: Any, scale: Any) -> None:
        # PyTensor keeps constants in float32 where that holds them; squares need more.
        self.mean = self._check("prior mean", mean, self.eta_shape).reshape(self.eta.shape)
        spread = self._check("prior scale", scale, self.eta_shape, positive=True)
        self.spread = spread.reshape(self.eta.shape)
        self.precision = self._check("prior precision", self.spread**-2.0, self.eta.shape)
        self.log_normaliser = log_normaliser(scale, self.eta_shape)

    def invalidate_projection(self) -> None:
        """Invalidate the cached projection: z or eta changed."""
        self.projection = None

    @property
    def tasks(self) -> tuple[int, ...]:
        """(n_tasks,), or () if the weights of a single task have no dim for it."""
        return self.eta_shape[:-1]

    def drawn_values(self) -> dict[str, Any]:
        """Return copies of the weights drawn, as the point holds them, by their names in it."""
        values = {}
        if self.eta_name is not None:
            values[self.eta_name] = self.eta.reshape(self.eta_shape).astype(self.eta_dtype)
        if self.features is not None:
            values[self.features.name] = self.features.as_stored(self.tasks)
        return values

    def added(self) -> Floats | None:
        """Return what is added to eta · z̄: the offset and what features add; None if nothing is."""
        if self.features is None:
            return self.offset
        of_features = self.features.added
        return of_features if self.offset is None else self.offset + of_features

    def discriminant(self, sampler: TopicSampler) -> Floats:
        """Return F = eta · z̄ + w · x + offset, (n_documents, n_tasks)."""
        if self.projection is None:
            self.projection = sampler.project(self.eta)
        added = self.added()
        return self.projection if added is None else self.projection + added

    def augment(self, rng: np.random.Generator, sampler: TopicSampler, power: float = 1.0) -> None:
        """Draw the auxiliary variables and keep (a, b), with all that is added moved into b.

        ``power`` is that of a tempered target.
        """
        loss = self.loss if power == 1.0 else self.loss.tempered(power)
        y, discriminant = self.y, self.discriminant(sampler)
        if not self.loss.is_of_the_package():  # it may write to what it is given
            y, discriminant = y.copy(), discriminant.copy()
        a, b = augment(loss, rng, y, discriminant, self.given, sampler)
        self.a, self.own_b = self._shaped("a", a), self._shaped("b", b)
        self._move_into_b()

    def log_ratio(self, sampler: TopicSampler, power: float, other: float) -> float:
        """Return the log of the factor tempered by ``other`` over that tempered by ``power``."""
        losses = self.loss.value(self.y, self.discriminant(sampler))
        old, new = (self.loss.tempered(p).log_factor_of(losses) for p in (power, other))
        return float(np.sum(new - old, where=self.given))

    def _move_into_b(self) -> None:
        added = self.added()
        self.b = self.own_b if added is None else self.own_b - self.a * added

    def draw_weights(self, rng: np.random.Generator, sampler: TopicSampler) -> None:
        """Draw eta from its Gaussian conditional, rounded as the model stores it."""
        drawn = draw_weights(
            rng,
            sampler.document_topic,
            sampler.present,
            self.a,
            self.b,
            mean=self.mean,
            precision=self.precision,
        )
        self.eta = drawn.astype(self.eta_dtype, copy=False).astype(np.float64, copy=False)
        self.invalidate_projection()

    def draw_feature_weights(self, rng: np.random.Generator, sampler: TopicSampler) -> None:
        """Draw w from its Gaussian conditionals, and move what features add into b again."""
        assert self.features is not None
        if self.projection is None:
            self.projection = sampler.project(self.eta)
        rest = self.projection if self.offset is None else self.projection + self.offset
        self.features.draw(rng, self.a, self.own_b - self.a * rest)
        self._move_into_b()

    def summarise(self, sampler: TopicSampler) -> tuple[float, float, float]:
        """Return the loss, the score, and the log density of the response and the weights drawn."""
        discriminant = self.discriminant(sampler)
        losses = self.loss.value(self.y, discriminant)
        log_density = float(self.loss.log_factor_of(losses).sum(where=self.given))
        if self.drawn:
            error = (self.eta - self.mean) / self.spread
            log_density += self.log_normaliser - 0.5 * float((error**2).sum())
        if self.features is not None:
            log_density += self.features.log_density()
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
