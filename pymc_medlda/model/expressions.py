"""Expressions of a model's variables: whether they have a value at a point of the model."""

from __future__ import annotations

from typing import Any

import pymc as pm
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.type import RandomType

from pymc_medlda._arguments import is_symbolic


def check_expression(name: str, value: Any, model: pm.Model) -> None:
    """Raise if ``value`` is an expression without a value at a point of the model."""
    if is_symbolic(value):
        # Variables of the models around a nested one are known to the outermost.
        root = model.root
        graph = root.replace_rvs_by_values([value])[0]
        refuse_draws(name, graph)
        known = {*root.value_vars, *root.rvs_to_values.values()}
        for source in ancestors([graph]):
            is_input = source.owner is None and not isinstance(source, (Constant, SharedVariable))
            if is_input and source not in known:
                raise ValueError(
                    f"{name} depends on {source}, which has no value in the model: give numbers, "
                    "pm.Data, or variables that are registered in the model"
                )


def refuse_draws(name: str, graph: Variable) -> None:
    """Raise if a graph, with the model's variables at their values, still holds random draws."""
    if any(isinstance(variable.type, RandomType) for variable in ancestors([graph])):
        raise ValueError(
            f"{name} depends on random draws that are not variables of the model, so it has no "
            "value of its own: pm.Minibatch and variables made with .dist() are not allowed here; "
            "give numbers, pm.Data, or variables that are registered in the model"
        )
