"""When a chain has settled."""

import numpy as np
import pandas as pd

from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.burn_in import burn_in_table, recommend, settle
from pymc_medlda.run.run import Run
from tests.sampled import sample


def relax(n, time, rng, noise=0.1):
    """A series that decays from 10 to 0 with a time constant, then fluctuates."""
    return 10 * np.exp(-np.arange(n) / time) + noise * rng.standard_normal(n)


def test_burn_in_is_where_a_series_reaches_its_last_half(rng):
    # 10 exp(-t/10) falls below 0.3, three standard deviations, at t = 35.
    assert 30 <= settle(relax(400, 10.0, rng)) <= 45
    assert settle(relax(400, 40.0, rng)) > 100
    assert settle(rng.standard_normal(400)) == 0


def test_a_series_that_drifts_or_is_too_short_has_not_settled(rng):
    assert settle(np.linspace(0, 1, 200) + 0.01 * rng.standard_normal(200)) is None
    assert settle(relax(100, 80.0, rng)) is None
    assert settle(np.arange(5.0)) is None
    assert settle(np.full(40, np.nan)) is None
    assert settle(np.full(40, 3.0)) == 0


def test_when_a_series_settles_does_not_depend_on_its_sign_or_scale(rng):
    drift = np.linspace(0, 1, 200) + 0.01 * rng.standard_normal(200)
    for series in (relax(400, 10.0, rng), relax(400, 40.0, rng), drift, rng.standard_normal(80)):
        expected = settle(series)
        for scale in (-1.0, 5.0, -0.01):
            assert settle(scale * series + 100.0 * scale) == expected


def test_a_series_settles_after_its_last_excursion(rng):
    series = 0.1 * rng.standard_normal(400)
    series[60:100] += 5.0
    series[10:30] -= 5.0
    # The window of twenty draws reaches back into the excursion that ends at 100.
    assert 95 <= settle(series) <= 100
    series[350:390] += 5.0
    assert settle(series) is None


def test_recommended_burn_in_is_the_slowest_rounded_up():
    table = pd.DataFrame({"chain 0": [3.0, 21.0], "chain 1": [0.0, 7.0]}, ["loss", "log_joint"])
    assert recommend(table) == 30
    assert recommend(table * 0) == 0
    table.iloc[0, 0] = np.nan
    assert recommend(table) is None


def test_warm_up_is_read_where_it_was_kept():
    statistics, n_warm_up = Run(sample()).statistics
    assert n_warm_up == 6
    assert statistics.sizes["draw"] == 18
    kept = get_group(sample(), "sample_stats")["loss"].values
    np.testing.assert_array_equal(statistics["loss"].values[:, 6:], kept)
    assert burn_in_table(sample()).shape == (3, 2)
    assert burn_in_table(sample(None)).index.tolist() == ["log_likelihood", "log_joint"]
