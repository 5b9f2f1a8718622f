"""The one seam to PyMC 5 / 6, PyTensor 2 / 3 and ArviZ 0.x / 1.x."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor
from pytensor.tensor.random.op import RandomVariable

PYTENSOR_3 = int(pytensor.__version__.split(".")[0]) >= 3


def call_random_variable(op: RandomVariable, *parameters: Any, size: Any = None) -> Any:
    """Return the random variable that ``op`` makes of ``parameters``, with its own generator."""
    rng = pytensor.shared(np.random.default_rng())
    if PYTENSOR_3:
        return op(*parameters, size=size, rng=rng, return_next_rng=True)[1]
    return op(*parameters, size=size, rng=rng)


def run_in_python(op_type: type) -> None:
    """Let numba's linker call the Python ``perform`` of an op, without its warning.

    PyTensor 3 compiles to numba by default. Our ops call compiled kernels and remember counts
    between calls, which needs the interpreter; the detour costs microseconds a call.
    """
    if not PYTENSOR_3:
        return
    import numba
    from pytensor.link.numba.dispatch.basic import get_numba_type, numba_funcify, numba_njit

    def funcify(op: Any, node: Any, **kwargs: Any) -> Any:
        single = len(node.outputs) == 1
        types = [get_numba_type(output.type) for output in node.outputs]
        signature = types[0] if single else numba.types.Tuple(types)

        def call(inputs: tuple[Any, ...]) -> Any:
            storage: list[list[Any]] = [[None] for _ in node.outputs]
            op.perform(node, inputs, storage)
            return storage[0][0] if single else tuple(cell[0] for cell in storage)

        @numba_njit
        def perform(*inputs):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN202
            with numba.objmode(result=signature):
                result = call(inputs)
            return result

        return perform

    if issubclass(op_type, RandomVariable):
        from pytensor.link.numba.dispatch.random import numba_core_rv_funcify

        numba_core_rv_funcify.register(op_type)(_funcify_random)
    else:
        numba_funcify.register(op_type)(funcify)


def _funcify_random(op: Any, node: Any) -> Any:
    """Return a numba function that draws with the op's own ``rng_fn``."""
    import numba
    from pytensor.link.numba.dispatch.basic import get_numba_type, numba_njit

    signature = get_numba_type(node.outputs[1].type)

    def draw(rng: np.random.Generator, parameters: tuple[Any, ...]) -> Any:
        return op.rng_fn(rng, *parameters, None)

    @numba_njit
    def core(rng, *parameters):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN202
        with numba.objmode(result=signature):
            result = draw(rng, parameters)
        return result

    return core, None


def get_group(idata: Any, name: str) -> Any:
    """Return a group of an `InferenceData` or `DataTree` as an xarray Dataset, None if absent."""
    if hasattr(idata, "groups") and callable(idata.groups):  # InferenceData, ArviZ 0.x
        return idata[name] if name in idata.groups() else None
    if name not in getattr(idata, "children", {}):
        return None
    return idata[name].to_dataset()


def with_group(idata: Any, name: str, dataset: Any) -> Any:
    """Return a shallow copy of ``idata`` in which the group is ``dataset``."""
    if hasattr(idata, "groups") and callable(idata.groups):
        groups = {group: idata[group] for group in idata.groups()}
        return type(idata)(**{**groups, name: dataset}, warn_on_custom_groups=False)
    import xarray as xr

    result = idata.copy()
    result[name] = xr.DataTree(dataset)
    return result


def pass_over_in_checks(op_type: type) -> None:
    """Keep variables of an op type out of PyMC's convergence checks after sampling.

    PyMC computes R-hat and ESS of every entry of every free variable, at about a millisecond each:
    with one entry a token that dwarfs the sampling, and the topics of tokens are not comparable
    between chains anyway. Where a PyMC release has moved the function, its checks run unchanged.
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


def convergence(values: Any) -> tuple[Any, Any, Any]:
    """Return rank-normalised split R-hat, bulk and tail ESS of the entries of (chain, draw, entry).

    ArviZ wants two chains for R-hat: a single one is cut into halves, which are then compared.
    Fewer than four draws give NaN.
    """
    import arviz as az
    import xarray as xr

    n_chains, n_draws, n_entries = values.shape
    if n_draws < 4 or n_entries == 0:
        unknown = np.full(n_entries, np.nan)
        return unknown, unknown, unknown

    def as_dataset(array: Any) -> Any:
        return xr.Dataset({"x": (("chain", "draw", "entry"), array)})

    compared = values
    if n_chains == 1:
        half = n_draws // 2
        compared = values[0, : 2 * half].reshape(2, half, n_entries)
    r_hat = np.full(n_entries, np.nan)
    if compared.shape[1] >= 4:
        r_hat = np.asarray(az.rhat(as_dataset(compared))["x"])
    bulk, tail = (np.asarray(az.ess(as_dataset(values), method=m)["x"]) for m in ("bulk", "tail"))
    return r_hat, bulk, tail
