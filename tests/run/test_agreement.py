"""What a disagreement of chains means for documents, computed in another way."""

from itertools import combinations, permutations

import numpy as np
import pytest

from pymc_medlda.run.agreement import compare_chains
from pymc_medlda.run.r_hat import r_hat
from pymc_medlda.targets.decisions import choose


@pytest.mark.parametrize(("kind", "n_tasks"), [("binary", 1), ("multiclass", 3), ("multilabel", 2)])
def test_numbers_are_those_of_loops_over_documents(kind, n_tasks, rng):
    values = rng.standard_normal((3, 50, 6, n_tasks))
    values += rng.standard_normal((3, 1, 6, n_tasks))
    found = compare_chains(values, kind)
    ratios, factors, inside, differ = [], [], [], []
    for d, t in np.ndindex(6, n_tasks):
        chains = values[:, :, d, t]
        means, deviations = chains.mean(axis=1), chains.std(axis=1, ddof=1)
        ratios.append(np.std(means, ddof=1) / deviations.mean())
        within = np.mean(deviations**2)
        factors.append(np.sqrt((within + np.var(means, ddof=1)) / within))
        for a, b in permutations(range(3), 2):
            lower, upper = np.quantile(chains[a], [0.05, 0.95])
            inside.append(lower <= means[b] <= upper)
    for a, b in combinations(range(3), 2):
        for d in range(6):
            one, other = (choose(kind, values[c, :, d].mean(axis=0)) for c in (a, b))
            differ += np.atleast_1d(one != other).tolist()
    assert found.between_to_within == pytest.approx(np.median(ratios))
    assert found.too_narrow == pytest.approx(np.median(factors))
    assert found.coverage == pytest.approx(np.mean(inside))
    assert found.decided_differently == pytest.approx(np.mean(differ))
    of_entries = r_hat(values.reshape(3, 50, -1))
    assert found.r_hat_median == np.median(of_entries)
    assert found.below_1_05 == np.mean(of_entries < 1.05)
    single = [r_hat(chain.reshape(1, 50, -1)) for chain in values]
    assert found.within_chains == np.median(single)


def test_chains_that_agree_and_chains_that_do_not(rng):
    """The intervals of one of two modes, d standard deviations apart, are as narrow as known."""
    same = compare_chains(rng.standard_normal((8, 400, 200, 1)), "binary")
    assert same.too_narrow == pytest.approx(1.0, abs=0.01)
    assert same.between_to_within == pytest.approx(1 / np.sqrt(400), rel=0.1)
    assert same.coverage == 1.0
    assert same.below_1_05 == 1.0
    places = np.repeat([-3.0, 3.0], 4)[:, None, None, None]
    apart = compare_chains(rng.standard_normal((8, 400, 200, 1)) + places, "binary")
    assert apart.too_narrow == pytest.approx(np.sqrt(1 + 9 * 8 / 7), rel=0.01)
    assert apart.coverage == pytest.approx(24 / 56)  # of the ordered pairs share a mode
    assert apart.decided_differently == pytest.approx(16 / 28)
    assert apart.below_1_05 == 0.0
    assert apart.within_chains < 1.05


def test_what_cannot_be_compared(rng):
    single = compare_chains(rng.standard_normal((1, 40, 5, 1)), "binary")
    assert np.isfinite(single[:3]).all()
    assert np.isnan(single[3:]).all()
    assert np.isnan(compare_chains(rng.standard_normal((4, 3, 5, 1)), "binary")).all()
    assert np.isnan(compare_chains(rng.standard_normal((2, 40, 5, 1)), "real").decided_differently)
    values = rng.standard_normal((2, 40, 5, 1))
    values[:, :, 0] = 0.0  # an empty document has F = 0 in every draw
    without = compare_chains(values[:, :, 1:], "binary")
    assert compare_chains(values, "binary")[:6] == without[:6]
    assert np.isnan(compare_chains(np.zeros((2, 40, 5, 1)), "binary")[:6]).all()
