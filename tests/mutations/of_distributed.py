"""Mutations of chains in partitions."""

from tests.mutations import Mutation, changes_of

CHAIN, RUNS = "tests/distributed/test_chain.py", "tests/distributed/test_runs.py"
TWIN = (CHAIN + "::test_a_sweep_equals_the_blocked_sweep_of_one_process[2-binary-dense]",)
STATISTICS = (CHAIN + "::test_counts_and_statistics_are_those_of_the_topics[two tasks-False]",)
CLUSTER = "tests/distributed/test_cluster.py"
THREADS = (CLUSTER + "::test_draws_do_not_depend_on_workers_and_threads[3-1-3]",)
STOPPED = (RUNS + "::test_a_run_that_was_stopped_goes_on_with_the_same_draws[7]",)
OFFSET = (
    RUNS + "::test_an_offset_is_what_the_weights_need_not_explain",
    RUNS + "::test_real_values_are_standardised[True]",
)
ZARR = (RUNS + "::test_all_topics_are_written_to_zarr[None]",)
FORM = (RUNS + "::test_a_run_has_the_form_of_pm_sample",)

MUTATIONS: tuple[Mutation, ...] = (
    *changes_of(
        "distributed/cells.py",
        TWIN,
        ("CELL, number, i, B))", "CELL, number, i))", "cells of a partition share a stream"),
        ("weights.log_mass[B]", "weights.log_mass[0]", "the mass of another block"),
        ("if B != i else 0", "if B == i else 0", "moves of an earlier sweep are counted"),
    ),
    *changes_of(
        "distributed/stations.py",
        TWIN,
        ("B = (i + e) % P", "B = (i + 2 * e) % P", "blocks that are not there are waited for"),
    ),
    *changes_of(
        "distributed/stations.py",
        THREADS,
        (
            "(c, sweep, i), before)",
            "(c, sweep, self.number + 1), before)",
            "numbers depend on the station",
        ),
    ),
    *changes_of(
        "distributed/running.py",
        STOPPED,
        ("own[self.n_written :]", "own[self.n_written + 1 :]", "a draw is missing in a checkpoint"),
    ),
    *changes_of(
        "distributed/weights.py",
        OFFSET,
        ("b -= a * shift", "b += a * shift", "the sign of an offset"),
        ("(nu * unit) ** -2.0", "(nu / unit) ** -2.0", "the unit of the weights"),
    ),
    *changes_of(
        "distributed/storing.py",
        ZARR,
        ("z[order] = part", "z[: part.size] = part", "topics are in the order of the blocks"),
    ),
    *changes_of(
        "distributed/weights.py",
        STATISTICS,
        ("log_joint -= 0.5 * float(", "log_joint -= float(", "the prior of the weights"),
        ("axis=(0, 1))", "axis=(0, 1)) + 1", "the sizes of topics"),
    ),
    *changes_of(
        "distributed/running.py",
        FORM,
        ("return sweep > self.tune", "return sweep >= self.tune", "a draw too early is stored"),
    ),
)
