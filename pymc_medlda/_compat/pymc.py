"""PyMC 5 and 6: the one function of PyMC that is wrapped."""

from __future__ import annotations

from typing import Any

from pymc_medlda._compat.arviz import get_group, with_group


def pass_over_in_checks(op_type: type) -> None:
    """Keep variables of an op type out of PyMC's convergence checks after sampling.

    PyMC computes R-hat and ESS of every entry of every free variable, at about a millisecond each.
    With one entry per token this takes longer than the sampling itself, and the topics of tokens
    cannot be compared between chains. If a PyMC release has moved the function, its checks run
    unchanged.
    """
    from functools import wraps

    from pymc.sampling import mcmc

    original = getattr(mcmc, "run_convergence_checks", None)
    if original is None:
        return

    @wraps(original)
    def run_convergence_checks(idata: Any, model: Any) -> Any:
        free = {rv.name: rv for rv in model.free_RVs}
        skipped = [name for name, rv in free.items() if isinstance(rv.owner.op, op_type)]
        posterior = get_group(idata, "posterior")
        if not skipped or posterior is None:
            return original(idata, model)
        kept = posterior.drop_vars(skipped, errors="ignore")
        if not any(name in kept for name in free):
            return []
        return original(with_group(idata, "posterior", kept), model)

    mcmc.run_convergence_checks = run_convergence_checks
