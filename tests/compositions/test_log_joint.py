"""The law: the step's log joint is the model's own log density, whatever the model is made of."""

import numpy as np
import pytest
from pytensor.graph.traversal import ancestors

import pymc_medlda as med
import tests.compositions.with_features  # noqa: F401  # adds models to the table
from pymc_medlda.model.random_variables import ResponseRV, WordsRV
from pymc_medlda.sampling.point_reader import PointReader
from tests.compositions.table import COMPOSITIONS


def build(name):
    """Return a model of the table, and the change to make after the step was built."""
    built = COMPOSITIONS[name]()
    return built if isinstance(built, tuple) else (built, lambda: None)


def steps_of(model, **settings):
    with model:
        step = med.GibbsMedLDAStep(rng=5, **settings)
    return getattr(step, "methods", [step])


def log_density(model, step):
    """Compile the model's own log density of what a step draws and of what depends on it."""
    drawn = [model.values_to_rvs[value] for value in step.vars]
    z = model[step.conditionals.z_name]
    factors = {rv.name: rv for rv in [*drawn, z] if rv in model.basic_RVs}
    for rv in model.observed_RVs:
        if isinstance(rv.owner.op, (WordsRV, ResponseRV)) and z in ancestors(rv.owner.inputs[2:3]):
            factors[rv.name] = rv
    return model.compile_logp(vars=list(factors.values()), mode="FAST_COMPILE")


def largest_difference(model, change, n_draws=4, **settings):
    """Return how far log_joint is from the log density over some draws, with a change half-way."""
    rng = np.random.default_rng(3)
    point = model.initial_point(1)
    steps = steps_of(model, **settings)
    densities = [log_density(model, step) for step in steps]
    drawn = {value.name for step in steps for value in step.vars}
    differences = []
    for draw in range(n_draws):
        if draw == n_draws // 2:
            change()
        for name in sorted(point.keys() - drawn - {"z"}):  # as NUTS would
            point[name] = point[name] + rng.normal(0, 0.3, point[name].shape)
        for step, density in zip(steps, densities, strict=True):
            point, (statistics,) = step.step(point)
            differences.append(abs(statistics["log_joint"] - density(point)))
    return max(differences)


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_log_joint_is_the_density_of_the_model(name):
    model, change = build(name)
    assert largest_difference(model, change) < 1e-8


def test_the_table_is_large():
    assert len(COMPOSITIONS) >= 60


@pytest.mark.parametrize(
    "settings",
    [
        {"path": "plain"},
        {"path": "sparse"},
        {"path": "dense", "sweeps_per_draw": 3},
        {"weight_rounds": 2},
        {"blocks": 2, "threads": 2},
    ],
)
@pytest.mark.parametrize("name", ["everything_random", "two_responses", "offset_of_data"])
def test_on_every_path(name, settings):
    model, change = build(name)
    assert largest_difference(model, change, **settings) < 1e-8


@pytest.mark.parametrize("vars", [["z"], ["y_weights"]])
def test_for_a_part_of_the_variables(vars):
    model, change = build("everything_random")
    assert largest_difference(model, change, vars=[model[name] for name in vars]) < 1e-8


@pytest.mark.parametrize(
    "name",
    ["offset_observed", "alpha_and_beta_observed", "mean_and_scale_observed", "sigma_observed"],
)
def test_the_law_notices_a_wrong_value(name, monkeypatch):
    """Negative control: a step that draws what is observed from its prior, as it once did."""
    original = PointReader.__init__

    def forget_observed(self, model, expressions):
        original(self, model, expressions)
        for i, expression in enumerate(expressions.values()):
            if expression is not None and self.values[i] is not None:
                self.values[i] = np.asarray(expression.eval())

    monkeypatch.setattr(PointReader, "__init__", forget_observed)
    model, change = build(name)
    assert largest_difference(model, change) > 1e-3


def test_the_law_notices_stale_data(monkeypatch):
    """Negative control: a step that reads data once only."""
    original = PointReader.__call__

    def read_once(self, point):
        if not hasattr(self, "first"):
            self.first = original(self, point)
        return self.first

    monkeypatch.setattr(PointReader, "__call__", read_once)
    model, change = build("offset_of_data")
    assert largest_difference(model, change) > 1e-3
