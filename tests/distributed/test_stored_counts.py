"""Counts of stored draws: compact, in order, and the same in the wide form of huge tables."""

import weakref

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.distributed import draws, results
from pymc_medlda.distributed.draws import sort_together
from pymc_medlda.distributed.running import Run
from pymc_medlda.run.stored_counts import as_dataset, dtype_of_cells
from tests.distributed.small import sample


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_cells_of_all_blocks_are_sorted_with_their_counts(kind):
    rng = np.random.default_rng(1)
    cell = rng.permutation(np.r_[0, np.iinfo(kind).max, rng.choice(10**6, 1000, replace=False)])
    cell, count = cell.astype(kind), rng.integers(1, 2**31, cell.size).astype(np.int32)
    first, second = slice(0, 400), slice(400, None)
    found, of_found = sort_together([(cell[own], count[own]) for own in (first, second)])
    order = np.argsort(cell)
    np.testing.assert_array_equal(found, cell[order])
    np.testing.assert_array_equal(of_found, count[order])
    assert found.dtype == kind
    assert of_found.dtype == np.int32


def test_the_dtype_holds_the_last_cell():
    for n_cells, kind in ((2**31, np.int32), (2**31 + 1, np.int64)):
        assert dtype_of_cells(n_cells) is kind
        assert n_cells - 1 <= np.iinfo(kind).max


def test_a_run_with_wide_cells_is_read_as_one_with_compact_ones(tmp_path, monkeypatch):
    compact = sample()
    for module in ("distributed.cells", "run.stored_counts"):  # which write and read
        monkeypatch.setattr(f"pymc_medlda.{module}.dtype_of_cells", lambda n_cells: np.int64)
    wide = sample()
    for run, kind in ((compact, np.int32), (wide, np.int64)):
        assert run["topic_counts"]["z_cell"].dtype == kind
    wide.to_netcdf(tmp_path / "wide.nc")
    monkeypatch.undo()  # a file of an earlier release has wide cells too
    for other in (wide, str(tmp_path / "wide.nc")):
        for own in (med.topic_words, lambda run: med.align_topics(run)[1].cosine):
            np.testing.assert_array_equal(own(compact), own(other))


@pytest.mark.parametrize(
    ("n_words", "n_topics", "n_tokens", "most"),
    [(10, 5, 10**6, 8 * 50 * 4), (10**6, 100, 1000, 8 * 1000 * 4), (2**30, 3, 7, 12 * 7 * 4)],
)
def test_draws_that_may_not_fit_into_memory_are_told_before(
    n_words, n_topics, n_tokens, most, monkeypatch
):
    sizes = (4, n_words, n_topics, n_tokens)
    monkeypatch.setattr(draws, "physical_memory", lambda: most)
    draws.warn_of_size(*sizes)
    monkeypatch.setattr(draws, "physical_memory", lambda: None)
    draws.warn_of_size(*sizes)
    monkeypatch.setattr(draws, "physical_memory", lambda: most - 1)
    with pytest.warns(UserWarning, match="counts of 4 stored draws may take up to"):
        draws.warn_of_size(*sizes)


def test_a_run_warns_before_its_first_sweep(monkeypatch):
    monkeypatch.setattr(draws, "physical_memory", lambda: 1000)
    monkeypatch.setattr(Run, "sample", lambda *_: pytest.fail("it has begun"))
    with pytest.raises(UserWarning, match=r"12 stored draws .* sweeps_per_draw"):
        sample()


def test_counts_are_not_held_twice_when_a_result_is_made(monkeypatch):
    """Each array is released as soon as it is copied: all together may take most of the memory."""
    seen = []

    def watch(name, cells, counts, *rest):
        held = [weakref.ref(own) for lists in (cells, counts) for chain in lists for own in chain]
        found = as_dataset(name, cells, counts, *rest)
        seen.extend(own() is None for own in held)
        return found

    monkeypatch.setattr(results, "as_dataset", watch)
    sample()
    assert seen == [True] * 24  # cells and counts of two chains of six draws
