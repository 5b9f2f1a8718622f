"""What all tasks of a run are given, and where their random numbers come from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.losses import Loss
from pymc_medlda.losses.standardised import Units, in_units

# What a stream of random numbers is for. Together with the numbers of the chain, the sweep, the
# partition and the block, it names the stream.
START, AUGMENT, WEIGHTS, CELL = range(4)


class ScalePrior(NamedTuple):
    """A random scale of the weights: nu² ~ InverseGamma(shape, rate).

    Parameters
    ----------
    shape, rate : float
        The mean of nu² is rate / (shape - 1).

    Examples
    --------
    >>> import pymc_medlda as med
    >>> med.distributed.ScalePrior(3.0, 2.0)
    ScalePrior(shape=3.0, rate=2.0)
    """

    shape: float
    rate: float


class Settings(NamedTuple):
    """The model and the seed: the same for all tasks of a run."""

    n_topics: int
    alpha: Floats  # (n_topics,)
    beta: float
    nu: float | ScalePrior
    kind: str  # of the response; empty for plain LDA
    n_tasks: int
    loss: Loss | None  # as it was given: see `loss_in_units`
    n_partitions: int
    path: str  # of the sweeps
    seed: int
    units: Units | None = None  # of a standardised response, one for each task

    @property
    def loss_in_units(self) -> Loss | None:
        """The loss on the scale of the response."""
        if self.loss is None or self.units is None:
            return self.loss
        kind = type(self.loss)
        converted = {
            key: in_units(kind, key, getattr(self.loss, key), self.units.scale)
            for key in kind.parameter_names()
        }
        return kind(**converted)

    @property
    def scale(self) -> Any:
        """What the prior scale of the weights is multiplied by, for each task."""
        return np.ones(self.n_tasks) if self.units is None else self.units.scale

    @property
    def topic_dtype(self) -> Any:
        """The smallest dtype that holds a topic, for which the kernels are compiled."""
        return np.min_scalar_type(self.n_topics - 1)


def generator(seed: int, *key: int) -> np.random.Generator:
    """Return the random numbers that belong to a key.

    A task that is computed twice, by any worker, draws the same numbers twice.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
