"""Mistakes in annealing and in the rounds of weights, and the tests that notice them."""

from tests.mutations import Mutation

STARTS = "tests/sampling/test_annealed_starts.py"
CANDIDATES = "tests/sampling/test_candidates.py"
CONTRACT = "tests/sampling/test_contract.py"
ESTIMATORS = (
    "tests/estimators/test_estimators.py::test_annealed_chains_start_where_annealing_ends",
)

MUTATIONS = (
    Mutation(
        "sampling/annealing.py",
        "1.0 - (1.0 - first) * (1.0 - end / n_sweeps)",
        "first",
        (f"{STARTS}::test_the_power_rises_to_one",),
        "the power does not rise",
    ),
    Mutation(
        "sampling/annealing.py",
        "chain.log_weight + chain.rng.gumbel()",
        "chain.rng.gumbel()",
        (
            f"{CANDIDATES}::test_candidates_are_drawn_in_proportion_to_their_weights",
            f"{CANDIDATES}::test_the_candidate_with_the_weight_goes_on",
        ),
        "candidates are drawn whatever their weights",
    ),
    Mutation(
        "sampling/conditionals.py",
        "ratio *= other - power",
        "ratio *= other",
        (f"{CANDIDATES}::test_the_log_ratio_is_that_of_the_tempered_joint_densities[hinge]",),
        "the weight is not that of a change of the power",
    ),
    Mutation(
        "sampling/supervision.py",
        "np.sum(new - old, where=self.given)",
        "np.sum(new, where=self.given)",
        (f"{CANDIDATES}::test_the_log_ratio_is_that_of_the_tempered_joint_densities[hinge]",),
        "the weight is not that of a change of the power of the loss",
    ),
    Mutation(
        "sampling/chains.py",
        "Start({**start.point, **next(points)}, start.rng)",
        "Start({**next(points), **start.point}, start.rng)",
        ESTIMATORS,
        "the annealed points are not used",
    ),
    Mutation(
        "sampling/conditionals.py",
        "range(self.weight_rounds if draws_any else 1)",
        "range(1)",
        (f"{CONTRACT}::test_rounds_draw_the_weights_as_often_as_so_many_steps",),
        "there is one round whatever is asked for",
    ),
)
