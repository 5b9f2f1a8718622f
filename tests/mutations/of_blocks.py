"""Mutations of the sweeps in blocks, a part of the list in `kernels`."""

from itertools import product

from tests.mutations import Mutation, changes_of

SWEEPS = "tests/kernels/test_blocked_sweeps.py"
BLOCKS = "tests/kernels/test_blocks.py"
AUGMENTING = "tests/sampling/test_augmenting.py"
COUNTED = "tests/distributed/test_stored_counts.py"
COUNTS = (SWEEPS + "::test_all_counts_are_those_of_z_after_every_sweep",)
FUNCTION = (SWEEPS + "::test_a_sweep_is_a_function_of_topics_and_generator",)


def enumerated(path):
    """Return the test of whole sweeps of a path."""
    name = "test_a_sweep_has_the_law_of_the_enumerated_conditionals"
    cases = product(("medium", "first label missing"), (2, 3))
    return tuple(f"{SWEEPS}::{name}[{setting}-{path}-1-{blocks}]" for setting, blocks in cases)


def replayed(path):
    """Return the test of every draw of a path, with one task and with two."""
    name = "test_every_draw_has_the_law_of_its_conditional"
    return tuple(f"{SWEEPS}::{name}[5-{path}-{tasks}-soft]" for tasks in (1, 2))


MUTATIONS: tuple[Mutation, ...] = (
    *changes_of(
        "sampling/augmenting.py",
        (AUGMENTING + "::test_every_block_is_augmented_with_its_own_numbers_and_parameters",),
        ("default_rng(seeds[m].tolist())", "default_rng(seeds[0].tolist())", "a shared stream"),
        ("loss.of_documents(some)", "loss.of_documents(parts[0])", "parameters of other documents"),
        ("given[some]", "given[parts[0]]", "missing labels of other documents"),
    ),
    *changes_of(
        "kernels/sweeps/blocks.py",
        (BLOCKS + "::test_every_token_is_in_the_block_of_its_word_and_document",),
        ("out[place[B]] = number[t]", "out[place[B]] = t", "words without their numbers"),
        ("out[place[B]] = n\n", "out[place[B]] = n + 1\n", "positions of other tokens"),
        ("out[B, d + 1] = out[B, d]", "pass", "documents that begin too early"),
    ),
    *changes_of(
        "distributed/draws.py",
        (COUNTED + "::test_cells_of_all_blocks_are_sorted_with_their_counts",),
        ("= count, cell", "= cell, count", "sorted by counts"),
        ("    both.sort()\n", "", "cells without order"),
    ),
    *changes_of(
        "kernels/sweeps/masses.py",
        (BLOCKS + "::test_masses_are_dirichlet",),
        ("standard_gamma(shape + 1.0)", "standard_gamma(shape)", "the shape of a mass"),
        ("rng.standard_exponential(shape.shape) / shape", "0.0", "shapes below one"),
        ("beta * n_words[:, None]", "beta", "the prior of a block"),
    ),
    *changes_of(
        "kernels/sweeps/products_document.py",
        enumerated("dense"),
        ("work.own[k] -= work.corpus.log_mass[k]", "pass", "no mass in the table's loop"),
    ),
    *changes_of(
        "kernels/sweeps/document.py",
        replayed("sparse"),
        ("rate[slot] = mass / (topic", "rate[slot] = 1.0 / (topic", "no mass at the start"),
        ("less[j] = document.mass[j] /", "less[j] = document.mass[new] /", "a wrong mass"),
        ("rate[new] = document.mass[new] /", "rate[new] = 1.0 /", "no mass after a move"),
    ),
    *changes_of(
        "kernels/sweeps/plain.py",
        replayed("plain"),
        (" * mass[k] * fraction", " * fraction", "no mass in the plain loop"),
    ),
    *changes_of(
        "kernels/sweeps/products.py",
        enumerated("dense"),
        ("    work.holder[:] = -1\n", "", "rows of the documents of another cell"),
    ),
    *changes_of(
        "kernels/sweeps/blocked.py",
        COUNTS,
        ("self.sweeps[B].end(self.states[B], weights, work[B])", "pass", "stale totals"),
        ("state.tally[:] = 0", "pass", "tallies are added up again and again"),
        ("if moved:", "if moved > 40:", "topics are not written"),
    ),
    *changes_of(
        "kernels/sweeps/blocked.py",
        (SWEEPS + "::test_no_two_cells_use_the_same_random_number",),
        ("counters[m], state", "counters[0], state", "cells share a stream"),
    ),
    *changes_of(
        "kernels/sweeps/blocked.py",
        replayed("dense"),
        ("gamma=state.gamma[documents]", "gamma=state.gamma", "the lengths of other documents"),
        ("a=given.a[documents], b=", "a=given.a, b=", "the losses of other documents"),
    ),
    *changes_of(
        "kernels/sweeps/team.py",
        (BLOCKS + "::test_work_begins_after_what_it_waits_for[5]",),
        ("self.is_finished[before].wait()", "pass", "a cell begins too early"),
    ),
    *changes_of(
        "kernels/sweeps/team.py",
        (BLOCKS + "::test_an_error_is_raised_when_nobody_is_at_work_any_more[3]",),
        ("if not self.errors:", "if True:", "work goes on after an error"),
    ),
    *changes_of(
        "kernels/sweeps/team.py",
        (BLOCKS + "::test_a_forked_process_starts_threads_of_its_own",),
        (" or self._process != os.getpid()", "", "a forked process waits for lost threads"),
    ),
    *changes_of(
        "kernels/sweeps/topic_sampler.py",
        (SWEEPS + "::test_an_interrupt_between_cells_leaves_no_counts_behind",),
        (
            "# an interrupt may leave z behind what else has changed\n            self.z = None",
            "# nothing\n            pass",
            "counts of an interrupted sweep stay",
        ),
    ),
)
