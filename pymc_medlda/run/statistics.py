"""The statistics that the step left for every draw, one number per chain and draw."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pymc_medlda._arrays import Floats
from pymc_medlda.run.checking import check_finite
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.record import STATISTICS


class Statistics(NamedTuple):
    """The statistics of the step, (chain, draw), warm-up first where it was kept."""

    values: xr.Dataset
    n_warm_up: int

    @property
    def after_warm_up(self) -> xr.Dataset:
        """The statistics of the draws that were kept."""
        return self.values.isel(draw=slice(self.n_warm_up, None))

    def take(self, name: str) -> Floats:
        """Return a statistic, (chain, draw)."""
        self.check(name)
        return np.asarray(self.values[name].values, np.float64)

    def check(self, *names: str) -> None:
        """Raise unless the run has these statistics."""
        missing = [name for name in names if name not in self.values]
        if missing:
            raise ValueError(
                f"idata has no {', '.join(missing)} in sample_stats, where GibbsMedLDAStep leaves "
                "it: keep that whole group"
            )


def read_statistics(draws: xr.Dataset | None, warm_up: xr.Dataset | None) -> Statistics:
    """Join the statistics of the draws and of the warm-up, where it was kept."""
    names = [] if draws is None else [name for name in STATISTICS if name in draws]
    if draws is None or not names:
        raise ValueError(
            f"idata has no sample_stats of GibbsMedLDAStep ({', '.join(STATISTICS)}): expected "
            "what pm.sample returned"
        )
    kept = _one_per_draw(draws[names], "sample_stats")
    if warm_up is None or any(name not in warm_up for name in names):
        return Statistics(kept, 0)
    earlier = _one_per_draw(warm_up[names], "warmup_sample_stats")
    if earlier.sizes["chain"] != kept.sizes["chain"]:
        raise ValueError(
            f"warmup_sample_stats has {earlier.sizes['chain']} chains, but sample_stats has "
            f"{kept.sizes['chain']}: keep the same chains in all groups"
        )
    joined: dict[Any, Any] = {
        name: (("chain", "draw"), np.concatenate([before.values, kept[name].values], axis=1))
        for name, before in earlier.data_vars.items()
    }
    dataset = xr.Dataset(joined, {"chain": kept["chain"].values})
    return Statistics(dataset, warm_up.sizes["draw"])


def _one_per_draw(statistics: xr.Dataset, group: str) -> xr.Dataset:
    """Add up (losses, log joint) or average what the steps of several topic assignments report."""
    whole = {}
    for name, variable in statistics.data_vars.items():
        if not {"chain", "draw"} <= set(variable.dims):
            raise ValueError(
                f"{name!r} of {group} has the dims {variable.dims}: keep chain and draw, selecting "
                "by lists (idata.sel(chain=[0]))"
            )
        # Without responses there is no score.
        check_finite(f"{name} of {group}", variable.values, or_missing=name == "score")
        extra = [dim for dim in variable.dims if dim not in ("chain", "draw")]
        added = name in ("loss", "log_joint")
        whole[name] = variable.sum(extra) if added else variable.mean(extra)
    return xr.Dataset(whole).transpose("chain", "draw")


def check_same_draws(group: xr.Dataset, posterior: xr.Dataset, name: str) -> None:
    """Raise unless a group has the chains and draws of the posterior, with the same labels."""
    for dim in ("chain", "draw"):
        found, expected = (labels_of(dataset, dim).tolist() for dataset in (group, posterior))
        if found != expected:
            raise ValueError(
                f"{name} has {len(found)} labels of {dim}, which are not the {len(expected)} that "
                "the posterior has: select the same chains and draws in both"
            )
