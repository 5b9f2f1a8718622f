"""Trends, and chains that are apart."""

import numpy as np
import pytest
from scipy.stats import f_oneway, kendalltau

from pymc_medlda.run.stationarity import (
    critical_separation,
    find_trend,
    segment_means,
    separation,
)
from tests.run.made_runs import noise


def test_segments_are_of_equal_length_and_end_with_the_chain():
    values = np.arange(11.0)[None, :, None]
    assert segment_means(values, 3)[0, :, 0].tolist() == [3.0, 6.0, 9.0]


def test_score_is_kendalls_of_the_segments(rng):
    series = rng.standard_normal((1, 80)) + np.linspace(0, 0.5, 80)
    means = series.reshape(8, 10).mean(axis=1)
    concordance = kendalltau(np.arange(8), means).statistic * 28  # pairs
    assert find_trend(series).score == pytest.approx(concordance / np.sqrt(8 * 7 * 21 / 18))
    # Chains that move in opposite directions cancel.
    mirrored = find_trend(np.concatenate([series, -series]))
    assert mirrored.score == pytest.approx(0.0)
    assert not mirrored.is_drift


def test_trend_does_not_depend_on_scale_and_turns_with_the_sign(rng):
    series = noise(rng, (3, 200), 0.5) + np.linspace(0, 4, 200)
    found, mirrored = find_trend(series), find_trend(-100.0 * series + 7.0)
    assert found.is_drift
    assert mirrored.is_drift
    np.testing.assert_allclose([found.shift, found.score], [-mirrored.shift, -mirrored.score])
    assert found.n_chains == mirrored.n_chains == 3


def test_what_is_no_drift(rng):
    long = rng.standard_normal((4, 20000)) + np.linspace(0, 0.3, 20000)
    found = find_trend(long)  # beyond doubt, and too small to matter
    assert found.score > 4
    assert not found.is_drift
    assert not find_trend(np.arange(15.0)[None]).is_drift  # too short
    assert not find_trend(np.zeros((2, 40))).is_drift


def test_separation_is_the_f_statistic_of_the_quarters(rng):
    values = rng.standard_normal((3, 40, 2)) + rng.standard_normal((3, 1, 2))
    quarters = values.reshape(3, 4, 10, 2).mean(axis=2)
    np.testing.assert_allclose(separation(values), f_oneway(*quarters).statistic)
    assert np.isnan(separation(values[:1])).all()
    assert np.isnan(separation(values[:, :7])).all()


@pytest.mark.parametrize("n_chains", [2, 4, 8])
def test_separation_of_chains_in_equilibrium_is_critical_once_in_a_thousand(n_chains, rng):
    """Also if the draws have memory, as long as it is short against a quarter of a chain."""
    for memory in (0.0, 0.8):
        draws = noise(rng, (n_chains, 400, 5000), memory)
        critical = critical_separation(n_chains)
        assert 0.0 < np.mean(separation(draws) > critical) < 0.003
        draws[0] += 2.0  # a negative control: one chain is elsewhere
        assert np.mean(separation(draws) > critical) > 0.5
