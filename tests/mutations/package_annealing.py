"""Mistakes in annealing and in the rounds of weights, and the tests that notice them."""

from tests.mutations import Mutation

STARTS = "tests/sampling/test_annealed_starts.py"
WEIGHTS = "tests/sampling/test_annealing_weights.py"
CONTRACT = "tests/sampling/test_contract.py"
DENSITY = (f"{WEIGHTS}::test_the_tempered_density_is_that_of_the_oracle",)
MEAN = (f"{WEIGHTS}::test_the_mean_weight_is_the_ratio_of_normalising_constants",)
CHOSEN = (f"{WEIGHTS}::test_points_are_chosen_in_proportion_to_their_weights",)
ESTIMATORS = (
    "tests/estimators/test_estimators.py::test_annealed_chains_start_where_annealing_ends",
)

MUTATIONS = (
    Mutation(
        "sampling/conditionals.py",
        "log_density = power * self.sampler.log_words(self.beta)",
        "log_density = self.sampler.log_words(self.beta)",
        DENSITY,
        "the words are not tempered in the weight",
    ),
    Mutation(
        "sampling/conditionals.py",
        "log_density += power * self.sampler",
        "log_density += self.sampler",
        DENSITY,
        "the topics are not tempered in the weight",
    ),
    Mutation(
        "sampling/supervision.py",
        "self.loss.tempered(power).log_factor_of",
        "self.loss.log_factor_of",
        DENSITY,
        "the labels are not tempered in the weight",
    ),
    Mutation(
        "sampling/annealing.py",
        "                self.log_weight += change\n",
        "                self.log_weight -= change\n",
        MEAN,
        "the weight is inverted",
    ),
    Mutation(
        "sampling/annealing.py",
        "        self.power = step.power\n",
        "        self.power = 0.4\n",
        MEAN,
        "the weight compares with the first power",
    ),
    Mutation(
        "sampling/annealing.py",
        "<= log_weight - self.log_total",
        "<= 0.0",
        CHOSEN,
        "the last candidate is chosen",
    ),
    Mutation(
        "sampling/annealing.py",
        "np.logaddexp(self.log_total, log_weight)",
        "max(self.log_total, log_weight)",
        CHOSEN,
        "the best candidate is chosen",
    ),
    Mutation(
        "sampling/annealing.py",
        "1.0 - (1.0 - first) * (1.0 - end / n_sweeps)",
        "first",
        (f"{STARTS}::test_the_power_rises_to_one",),
        "the power does not rise",
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
        "range(self.weight_rounds if response.drawn else 1)",
        "range(1)",
        (f"{CONTRACT}::test_rounds_draw_the_weights_as_often_as_so_many_steps",),
        "there is one round whatever is asked for",
    ),
)
