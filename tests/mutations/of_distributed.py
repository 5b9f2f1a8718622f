"""Mutations of chains in partitions."""

from tests.mutations import Mutation, changes_of

CHAIN, RUNS = "tests/distributed/test_chain.py", "tests/distributed/test_runs.py"
TWIN = (CHAIN + "::test_a_sweep_equals_the_blocked_sweep_of_one_process[2-binary-dense]",)
STATISTICS = (CHAIN + "::test_counts_and_statistics_are_those_of_the_topics[two tasks]",)
FORM = (RUNS + "::test_a_run_has_the_form_of_pm_sample",)

MUTATIONS: tuple[Mutation, ...] = (
    *changes_of(
        "distributed/cells.py",
        TWIN,
        ("CELL, number, i, B))", "CELL, number, i))", "cells of a partition share a stream"),
        ("weights.log_mass[B].copy()", "weights.log_mass[0].copy()", "the mass of another block"),
        ("if B != i else 0", "if B == i else 0", "moves of an earlier sweep are counted"),
    ),
    *changes_of(
        "distributed/chain.py",
        TWIN,
        ("B = (i + e) % P", "B = (i + 2 * e) % P", "some cells are never visited"),
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
