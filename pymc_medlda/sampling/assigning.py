"""Which variables of a model a Gibbs step draws: by default all that it can, or those named."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pymc as pm
from pymc.model import modelcontext
from pymc.util import get_value_vars_from_user_vars
from pytensor.graph.basic import Variable

from pymc_medlda.sampling.graph import ResponseBlock, TopicBlock, read_blocks

_log = logging.getLogger("pymc.medlda")


@dataclass(frozen=True)
class Assignment:
    """What one step is to draw: a block, and those of its variables that are drawn."""

    block: TopicBlock
    drawn: tuple[Variable, ...]


def model_in_context(model: pm.Model | None, outside: str) -> pm.Model:
    """Return the model that is given or in context.

    ``outside`` begins the error where there is none: who was called, and what to do.
    """
    if model is not None and not isinstance(model, pm.Model):
        raise TypeError(f"model must be a pymc.Model, got {model!r} ({type(model).__name__})")
    try:
        return modelcontext(model)
    except TypeError:
        raise TypeError(f"{outside} in a `with model:` block, or pass model=") from None


def assign_variables(model: pm.Model, vars: Any = None) -> list[Assignment]:
    """Return what each step draws, one for each set of topic assignments concerned.

    By default a step draws z and all weights that it can; others are left to PyMC, which is said
    in one log line each. ``vars`` names the variables to draw instead, or raises if that is
    impossible. The graph is read once.
    """
    blocks = read_blocks(model)
    if not blocks:
        raise ValueError(
            "the model has no topic assignments: add med.TopicAssignments (or use med.GibbsMedLDA) "
            "before building GibbsMedLDAStep"
        )
    if vars is None:
        return _assign_all(blocks)
    listed = list(vars) if isinstance(vars, (list, tuple)) else [vars]
    if not listed:
        raise ValueError(
            "vars is empty: name topic assignments, weights of their responses or both; without "
            "vars the step draws all that it can"
        )
    chosen = [_find_variable(model, variable) for variable in listed]
    assigned = [Assignment(block, _choose_variables(block, chosen)) for block in blocks]
    claimed = [rv for assignment in assigned for rv in assignment.drawn]
    for rv in chosen:
        if rv not in claimed:
            raise ValueError(
                "GibbsMedLDAStep draws topic assignments and the weights of their responses; "
                f"{rv.name} is neither"
            )
    return [assignment for assignment in assigned if assignment.drawn]


def _find_variable(model: pm.Model, variable: Any) -> Variable:
    """Return a random variable of the model, given by itself, by its value or by its name."""
    try:
        named = model[variable] if isinstance(variable, str) else variable
        (value,) = get_value_vars_from_user_vars([named], model)
        return model.values_to_rvs[value]
    except (AttributeError, KeyError, TypeError, ValueError):
        names = ", ".join(str(rv.name) for rv in model.free_RVs)
        raise ValueError(
            f"vars holds {variable!r}, which is not a free variable of the model; it has {names}"
        ) from None


def can_draw(model: pm.Model, rv: Variable) -> bool:
    """Tell whether a step of the model draws a variable by default; log why if it does not."""
    blocks = read_blocks(model)
    for response in (response for block in blocks for response in block.responses):
        _log_refusals(response, only=rv)
    return any(rv in _drawable(block) for block in blocks)


def _log_refusals(response: ResponseBlock, only: Variable | None = None) -> None:
    """Log which weights of a response cannot be drawn, or whether those in ``only`` cannot."""
    for weights, refusal in response.refusals.items():
        if refusal and (only is None or weights is only):
            what = "weights" if weights is response.eta else "feature weights"
            _log.info("the %s of %s are left to PyMC: %s", what, response.name, refusal)


def _drawable(block: TopicBlock) -> tuple[Variable, ...]:
    """Return z and the weights of a block, as far as they can be drawn."""
    weights = [
        variable
        for response in block.responses
        for variable, refusal in response.refusals.items()
        if not refusal
    ]
    return tuple(weights if block.refusal else [block.z, *weights])


def _assign_all(blocks: Sequence[TopicBlock]) -> list[Assignment]:
    """Return assignments of all that can be drawn, and log what is left to PyMC."""
    for block in blocks:
        if block.refusal and block.is_free:  # nothing else in PyMC can draw it
            raise ValueError(f"the Gibbs step cannot draw {block.name}: {block.refusal}")
        for response in block.responses:
            _log_refusals(response)
    assigned = [Assignment(block, _drawable(block)) for block in blocks]
    if not any(assignment.drawn for assignment in assigned):
        reasons = [block.refusal for block in blocks]
        reasons += [
            refusal
            for block in blocks
            for response in block.responses
            for refusal in response.refusals.values()
        ]
        raise ValueError(f"there is nothing for GibbsMedLDAStep to draw: {'; '.join(reasons)}")
    return [assignment for assignment in assigned if assignment.drawn]


def _choose_variables(block: TopicBlock, chosen: list[Variable]) -> tuple[Variable, ...]:
    """Return those of the chosen variables that belong to a block, or raise."""
    refusals = {block.z: block.refusal}
    for response in block.responses:
        refusals |= response.refusals
    for rv in chosen:
        if refusals.get(rv):
            others = ", ".join(str(v.name) for v in _drawable(block))
            raise ValueError(
                f"GibbsMedLDAStep cannot draw {rv.name}: {refusals[rv]}. Leave it to PyMC: give "
                f"the step vars=[{others}] only"
            )
    return tuple(rv for rv in refusals if rv in chosen)
