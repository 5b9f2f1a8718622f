"""PyMC 5 and 6: the two functions of PyMC that are wrapped, and the columns of its progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pymc_medlda._compat.arviz import computing_in_numpy, get_group, with_group


def extend_checks(
    choose: Callable[[Any], Iterable[Any]], notices: Callable[[Any], list[str]]
) -> None:
    """Keep variables that ``choose(model)`` returns out of PyMC's checks, and add our findings.

    PyMC computes R-hat and ESS of every entry of every free variable, at about a millisecond each.
    With one entry per token this takes longer than the sampling itself, and the topics of tokens
    cannot be compared between chains. ``notices`` returns sentences about a run with such
    variables, which PyMC logs with its own. If a PyMC release has moved the function, its checks
    run unchanged.
    """
    from functools import wraps

    from pymc.sampling import mcmc
    from pymc.stats.convergence import SamplerWarning, WarningType

    original = getattr(mcmc, "run_convergence_checks", None)
    if original is None:
        return

    @wraps(original)
    def run_convergence_checks(idata: Any, model: Any) -> Any:
        free = [rv.name for rv in model.free_RVs]
        skipped = [rv.name for rv in choose(model)]
        posterior = get_group(idata, "posterior")
        if not skipped or posterior is None:
            return original(idata, model)
        own = [SamplerWarning(WarningType.CONVERGENCE, said, "warn") for said in notices(idata)]
        kept = posterior.drop_vars(skipped, errors="ignore")
        if not any(name in kept for name in free):
            return own
        with computing_in_numpy():
            return [*original(with_group(idata, "posterior", kept), model), *own]

    mcmc.run_convergence_checks = run_convergence_checks


def assign_steps_in_context(say: Callable[[list[Any]], None]) -> None:
    """Let step methods see the model when ``pm.sample`` asks which of them fits a variable.

    Whether the Gibbs step can draw weights depends on the whole model, of which ``competence`` is
    told nothing. With ``pm.sample(model=model)`` the model is not in context by itself. ``say`` is
    called with the steps that were given to ``pm.sample``.
    """
    from functools import wraps

    from pymc.sampling import mcmc

    original = mcmc.assign_step_methods

    @wraps(original)
    def assign_step_methods(model: Any, *args: Any, **kwargs: Any) -> Any:
        with model:
            provided, selected = original(model, *args, **kwargs)
        say(provided)
        return provided, selected

    mcmc.assign_step_methods = assign_step_methods


def progress_columns(
    formats: Mapping[str, tuple[str, str]], n_chains: int
) -> tuple[list[Any], dict[str, list[float]]]:
    """Return columns of PyMC's progress bar, and the values with which its bars begin.

    ``formats`` maps a statistic of the step to the header of its column and to its format. PyMC
    asks every step for both in ``_progressbar_config``.
    """
    from rich.progress import TextColumn
    from rich.table import Column

    columns = [
        TextColumn(f"{{task.fields[{name}]:{form}}}", table_column=Column(header, ratio=1))
        for name, (header, form) in formats.items()
    ]
    return columns, {name: [0.0] * n_chains for name in formats}
