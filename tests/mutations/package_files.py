"""Mistakes in reading, continuing and joining stored runs, and the tests that notice them."""

from tests.mutations import Mutation

TRACES = "tests/run/test_trace_store.py"
ARRAYS = "tests/run/test_zarr_arrays.py"
JOINING = "tests/run/test_joining.py"
RESUMING = "tests/sampling/test_resuming.py"
KILLS = "tests/sampling/test_kills.py"

MUTATIONS = (
    Mutation(
        "run/stored_chains.py",
        "int(self.n_warm_up[kept].min())",
        "int(self.n_warm_up[kept].max())",
        (f"{JOINING}::test_the_warm_up_that_is_kept_ends_where_the_draws_begin",),
        "the warm-up is cut to that of the longest chain",
    ),
    Mutation(
        "run/stored_chains.py",
        "self.n_warm_up[kept] - n_warm_up if n_draws else",
        "self.n_warm_up[kept] * 0 if n_draws else",
        (f"{JOINING}::test_the_warm_up_that_is_kept_ends_where_the_draws_begin",),
        "there is a gap between the warm-up and the draws",
    ),
    Mutation(
        "run/stored_chains.py",
        "new = described.token or ruled",
        "new = ruled",
        (f"{TRACES}::test_the_dims_of_tokens_do_not_depend_on_the_names",),
        "the dims of tokens are exchanged",
    ),
    Mutation(
        "run/files.py",
        "mask_and_scale=False",
        "mask_and_scale=True",
        (f"{ARRAYS}::test_integers_with_a_value_for_missing_ones_stay_integers",),
        "topics become floating-point numbers, and some are taken for missing",
    ),
    Mutation(
        "run/files.py",
        "    check_blocks(root[name])\n",
        "",
        (f"{ARRAYS}::test_no_function_goes_on_with_a_block_that_is_missing",),
        "a missing block is read as whatever the memory holds",
    ),
    Mutation(
        "run/zarr_arrays.py",
        "    _check_array(array)\n    return",
        "    return",
        (f"{ARRAYS}::test_data_of_a_trace_that_lack_a_block_are_refused",),
        "a missing block of the data of a trace is filled in",
    ),
    Mutation(
        "run/trace_store.py",
        " or _is_reported(place)",
        " or True",
        (f"{TRACES}::test_statistics_that_no_step_reports_do_not_count",),
        "no draw is complete if a statistic is never reported",
    ),
    Mutation(
        "run/trace_store.py",
        " or name.endswith(OWN)",
        "",
        (f"{TRACES}::test_a_statistic_of_ours_counts_also_where_it_is_lost",),
        "draws whose statistics are lost are read",
    ),
    Mutation(
        "run/comparing.py",
        "run.topics(name).check_assignments(run.topics(name).z.values)",
        "run.topics(name)",
        (f"{JOINING}::test_every_part_is_checked",),
        "topics that the model does not have are joined",
    ),
    Mutation(
        "run/comparing.py",
        "check_same_draws(dataset, groups",
        "check_same_draws(dataset, dataset or groups",
        (f"{JOINING}::test_statistics_of_other_draws_are_refused",),
        "draws are paired with the statistics of others",
    ),
    Mutation(
        "run/generator_states.py",
        "    bit_generator.state = dict(state)\n",
        "",
        (f"{RESUMING}::test_a_restored_generator_goes_on_where_the_stored_one_was",),
        "a generator begins anew",
    ),
    Mutation(
        "run/generator_states.py",
        "digest.update(np.ascontiguousarray(value, kind).data)",
        "digest.update(b'')",
        (f"{RESUMING}::test_a_generator_belongs_to_the_point_and_not_to_the_number_of_the_chain",),
        "all points have the same digest",
    ),
    Mutation(
        "sampling/resuming.py",
        "if given is self.current:",
        "if self.current is not None:",
        (f"{KILLS}::test_joined_parts_are_the_run_that_was_never_stopped",),
        "later chains of a process do not take their own generators",
    ),
)
