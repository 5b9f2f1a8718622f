"""Values of model expressions at a point, with observed variables at their observed values.

The law: an expression has the value that the model's own log density gives it. Random variables,
free or observed, stand for their values, and data may be changed at any time by ``pm.set_data``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pymc as pm
from pytensor.compile.mode import Mode
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.graph.traversal import ancestors, toposort
from pytensor.tensor.elemwise import DimShuffle

from pymc_medlda.model.expressions import refuse_draws

# What is evaluated once is not worth the time that PyTensor takes to start a compiler.
_IN_PYTHON = Mode(linker="py", optimizer="fast_compile")


class PointReader:
    """Reads the values of expressions at a point; None stands for an expression that is absent.

    A value that is equal to the one read before is the same object, so that a caller can tell by
    identity whether anything changed. Constants are read once, free variables without transform
    from the point, data from where ``pm.set_data`` puts them. Only genuine expressions of these
    (a hierarchical scale, an offset) need a compiled function.

    Parameters
    ----------
    model : pymc.Model
    expressions : mapping from str to Variable or None
        The names are those by which errors call the expressions.
    """

    def __init__(self, model: pm.Model, expressions: Mapping[str, Variable | None]) -> None:
        self.expression_names = tuple(expressions)
        self.values: list[Any] = [None] * len(expressions)
        self.names: dict[int, str] = {}
        self.data: dict[int, SharedVariable] = {}
        compiled: dict[int, Variable] = {}
        given = [(i, key) for i, (key, e) in enumerate(expressions.items()) if e is not None]
        graphs = model.replace_rvs_by_values([expressions[key] for _, key in given])
        for (i, key), graph in zip(given, graphs, strict=True):
            if isinstance(graph, Constant):
                self.values[i] = np.asarray(graph.data)
            elif isinstance(graph, SharedVariable):
                self.data[i] = graph
            elif graph in model.value_vars:
                self.names[i] = str(graph.name)
            else:
                refuse_draws(key, graph)
                compiled[i] = graph
        self._compile(model, compiled)

    def _compile(self, model: pm.Model, graphs: dict[int, Variable]) -> None:
        """Evaluate what is constant; compile what depends on the point or on data."""
        changing = {
            i: graph
            for i, graph in graphs.items()
            if any(v in model.value_vars or isinstance(v, SharedVariable) for v in _sources(graph))
        }
        for i in graphs.keys() - changing.keys():
            self.values[i] = np.asarray(_evaluate_constant(graphs[i]))
        self.compiled = tuple(changing)
        self.input_names: tuple[str, ...] = ()
        if changing:
            needed = set(_sources(*changing.values()))
            inputs = [value for value in model.value_vars if value in needed]
            self.input_names = tuple(str(value.name) for value in inputs)
            outputs = list(changing.values())
            self.function = model.compile_fn(outputs, inputs=inputs, point_fn=False)

    def __call__(self, point: dict[str, Any]) -> list[Any]:
        """Return the values of the expressions at ``point``."""
        for i, name in self.names.items():
            self._keep(i, point[name])
        for i, data in self.data.items():
            self._keep(i, data.get_value(borrow=True))
        if self.compiled:
            results = self._evaluate([point[name] for name in self.input_names])
            for i, value in zip(self.compiled, results, strict=True):
                self._keep(i, value)
        return list(self.values)

    def _evaluate(self, inputs: list[Any]) -> list[Any]:
        try:
            results: list[Any] = self.function(*inputs)
            return results
        except Exception as error:  # whatever PyTensor raises, such as for data of another length
            names = ", ".join(self.expression_names[i] for i in self.compiled)
            reason = str(error).partition("\n")[0]
            raise ValueError(f"cannot evaluate {names} at this point: {reason}") from error

    def _keep(self, i: int, value: Any) -> None:
        """Keep a copy of a value, as its owner may change it, unless the kept one is equal."""
        if self.values[i] is None or not np.array_equal(self.values[i], value):
            self.values[i] = np.array(value)


def _sources(*graphs: Variable) -> Sequence[Variable]:
    """Return what expressions are made of."""
    return [variable for variable in ancestors(graphs) if variable.owner is None]


def _evaluate_constant(graph: Variable) -> Any:
    """Return the value of an expression of constants.

    `eval` builds a function, which takes milliseconds. What only arranges dimensions, as most
    constants of models do, runs as it is. Any other expression is rewritten first, as in the log
    density: some operations exist only afterwards, and others overflow before.
    """
    nodes = list(toposort([graph]))
    if not all(isinstance(node.op, DimShuffle) for node in nodes):
        return graph.eval(mode=_IN_PYTHON)
    cells = {v: [v.data] for v in _sources(graph) if isinstance(v, Constant)}
    for node in nodes:
        cells |= {output: [None] for output in node.outputs}
        computed = {variable: [True] for variable in (*node.inputs, *node.outputs)}
        node.op.make_thunk(node, cells, computed, [], impl="py")()
    return cells[graph][0]
