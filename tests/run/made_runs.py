"""Runs made by hand, whose state is known: what `diagnose` has to find."""

from dataclasses import dataclass, field

import numpy as np
import pymc as pm
import xarray as xr
from scipy.signal import lfilter

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from tests.sampled import OPTIONS, planted, sample, shared

STATISTICS = ("loss", "score", "log_likelihood", "log_joint", "moved")


@shared
def sample_two_responses():
    """Return the draws of a model with a label and a value of each document."""
    truth = planted()
    with pm.Model():
        z = med.TopicAssignments("z", truth.corpus, n_topics=3)
        for name, y in (("label", truth.y), ("value", truth.discriminant)):
            eta = pm.Normal(f"eta_{name}", 0.0, 1.0, dims="topic")
            loss = med.Hinge(margin=2.0) if name == "label" else med.Gaussian()
            med.MaxMargin(name, z, eta, observed=y, loss=loss)
        return pm.sample(**OPTIONS)


def noise(rng, shape, memory=0.0):
    """Return standard normal series, (chain, draw, ...), with this correlation of neighbours."""
    n_early = 0 if memory == 0.0 else int(20 / (1 - memory))  # to forget the start
    steps = rng.standard_normal((shape[0], n_early + shape[1], *shape[2:]))
    return lfilter([np.sqrt(1 - memory**2)], [1.0, -memory], steps, axis=1)[:, n_early:]


@dataclass
class MadeRun:
    """A run in equilibrium, to which trends and modes are added.

    ``shifts`` are added to the statistic of that name, broadcast to (chain, draw), in standard
    deviations; "eta" means all weights.
    """

    n_chains: int = 4
    n_draws: int = 400
    memory: float = 0.0
    response: str | None = "binary"
    shifts: dict = field(default_factory=dict)
    topics_differ: bool = False
    seed: int = 1

    def build(self):
        """Return the run as ``pm.sample`` would."""
        rng = np.random.default_rng(self.seed)
        shape = (self.n_chains, self.n_draws)
        labels = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
        original = sample_two_responses() if self.response == "two" else sample(self.response)
        # Every draw of z is one of the twelve of the first chain, at random: all chains are alike.
        first = get_group(original, "posterior").isel(chain=0).drop_vars(["chain", "draw"])
        posterior = first.isel(
            draw=xr.DataArray(rng.integers(0, 12, shape), dims=("chain", "draw"))
        )
        posterior = posterior.assign_coords(labels)
        for name in [str(name) for name in posterior if str(name).startswith("eta")]:
            posterior[name] = self._make_weights(rng, posterior[name])
        if self.topics_differ:
            posterior["z"] = exchange(posterior["z"])
        made = {name: (("chain", "draw"), self._make(rng, name, shape)) for name in STATISTICS}
        if self.response is None:
            made["loss"] = (("chain", "draw"), np.zeros(shape))
        result = with_group(original, "posterior", posterior)
        result = with_group(result, "sample_stats", xr.Dataset(made, labels))
        unused = get_group(original, "warmup_sample_stats").drop_vars("loss")
        return with_group(result, "warmup_sample_stats", unused)

    def _make(self, rng, name, shape):
        extra = np.asarray(self.shifts.get(name, 0.0))
        return noise(rng, shape, self.memory) + extra.reshape(
            extra.shape + (1,) * (extra.ndim == 1)
        )

    def _make_weights(self, rng, eta):
        ordered = eta.transpose("chain", "draw", ...)
        values = 5.0 + noise(rng, ordered.shape, self.memory)
        if self.topics_differ:
            values[..., 1] = values[..., 0]  # so that it does not matter which of the two it is
        shift = np.asarray(self.shifts.get("eta", 0.0))
        values += shift.reshape(shift.shape + (1,) * (values.ndim - shift.ndim) * (shift.ndim > 0))
        return ordered.copy(data=values)


def exchange(z):
    """Exchange topics 0 and 1 of every other token in the last chain, so that they are mixed."""
    changed = z.transpose("chain", "draw", ...).copy(deep=True)
    part = changed.values[-1, :, ::2]
    changed.values[-1, :, ::2] = np.array([1, 0, 2], part.dtype)[part]
    return changed


def modes(*places):
    """Return shifts of chains: one place for each chain."""
    return np.array(places, float)


def trend(n_draws, size, time=None):
    """Return a trend: linear, or one that levels off after a time."""
    draw = np.arange(n_draws)
    return (size * (draw / n_draws if time is None else np.exp(-draw / time)))[None]
