"""The statistics that the step left for every draw, one number per chain and draw."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from pymc_medlda.run.record import STATISTICS


class Statistics(NamedTuple):
    """The statistics of the step, (chain, draw), warm-up first where it was kept."""

    values: xr.Dataset
    n_warm_up: int

    @property
    def after_warm_up(self) -> xr.Dataset:
        """The statistics of the draws that were kept."""
        return self.values.isel(draw=slice(self.n_warm_up, None))


def read_statistics(draws: xr.Dataset | None, warm_up: xr.Dataset | None) -> Statistics:
    """Join the statistics of the draws and of the warm-up, where it was kept."""
    if draws is None or "log_likelihood" not in draws:
        raise ValueError(
            f"idata has no sample_stats of GibbsMedLDAStep ({', '.join(STATISTICS)}): expected "
            "what pm.sample returned"
        )
    names = [name for name in STATISTICS if name in draws]
    kept = _one_per_draw(draws[names])
    if warm_up is None or any(name not in warm_up for name in names):
        return Statistics(kept, 0)
    joined: dict[Any, Any] = {
        name: (("chain", "draw"), np.concatenate([earlier.values, kept[name].values], axis=1))
        for name, earlier in _one_per_draw(warm_up[names]).data_vars.items()
    }
    dataset = xr.Dataset(joined, {"chain": kept["chain"].values})
    return Statistics(dataset, warm_up.sizes["draw"])


def _one_per_draw(statistics: xr.Dataset) -> xr.Dataset:
    """Add up (losses, log joint) or average what the steps of several topic assignments report."""
    whole = {}
    for name, variable in statistics.data_vars.items():
        extra = [dim for dim in variable.dims if dim not in ("chain", "draw")]
        added = name in ("loss", "log_joint")
        whole[name] = variable.sum(extra) if added else variable.mean(extra)
    return xr.Dataset(whole).transpose("chain", "draw")
