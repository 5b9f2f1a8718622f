"""Values of model expressions at a point: fixed ones are evaluated once, the rest compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.traversal import ancestors


class PointReader:
    """Reads the values of expressions at a point; None stands for an expression that is absent.

    A free variable without transform is read from the point itself. Only genuine expressions of
    random variables (a hierarchical scale, an offset) need a compiled function. A value that does
    not depend on random variables is the same object at every point.
    """

    def __init__(self, model: pm.Model, expressions: Sequence[Variable | None]) -> None:
        self.values: list[Any] = [None] * len(expressions)
        self.names: dict[int, str] = {}
        compiled: list[int] = []
        free = set(model.free_RVs)
        for i, expression in enumerate(expressions):
            if expression is None:
                continue
            if expression in free and model.rvs_to_transforms.get(expression) is None:
                self.names[i] = str(model.rvs_to_values[expression].name)
            elif free.intersection(ancestors([expression])):
                compiled.append(i)
            else:
                self.values[i] = _evaluate(expression)
        self.compiled = tuple(compiled)
        self.input_names: tuple[str, ...] = ()
        if compiled:
            outputs = model.replace_rvs_by_values([expressions[i] for i in compiled])
            needed = set(ancestors(outputs))
            inputs = [value for value in model.value_vars if value in needed]
            self.input_names = tuple(str(value.name) for value in inputs)
            self.function = model.compile_fn(outputs, inputs=inputs, point_fn=False)

    def __call__(self, point: dict[str, Any]) -> list[Any]:
        """Return the values of the expressions at ``point``."""
        values = list(self.values)
        for i, name in self.names.items():
            values[i] = point[name]
        if self.compiled:
            results = self.function(*(point[name] for name in self.input_names))
            for i, value in zip(self.compiled, results, strict=True):
                values[i] = value
        return values


def _evaluate(expression: Variable) -> Any:
    if isinstance(expression, Constant):
        return np.asarray(expression.data)
    if isinstance(expression, SharedVariable):
        return np.asarray(expression.get_value())
    return np.asarray(expression.eval())
