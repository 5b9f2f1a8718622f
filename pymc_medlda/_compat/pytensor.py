"""PyTensor 2 and 3: random variables, and what runs under numba's linker and out of its cache."""

from __future__ import annotations

import functools
import warnings
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
    between calls, which needs the interpreter; the detour takes microseconds per call.
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


def heal_compiled_cache() -> None:
    """Let a damaged file in PyTensor's cache of compiled functions count as missing.

    PyTensor 3 keeps what numba compiled in a folder of its own. A file there that was cut off, such
    as by a full disk, would raise an error of pickle from inside PyTensor in every later process.
    The functions are compiled again and saved again instead.
    """
    if not PYTENSOR_3:
        return
    from numba.core.caching import IndexDataCacheFile
    from pytensor.link.numba.cache import NUMBA_CACHE_PATH

    def heal(name: str, missing: Any) -> None:
        original = getattr(IndexDataCacheFile, name)

        @functools.wraps(original)
        def load(self: Any, *arguments: Any) -> Any:
            if str(self._cache_path) != str(NUMBA_CACHE_PATH):
                return original(self, *arguments)
            try:
                return original(self, *arguments)
            except Exception as error:  # unpickling damaged bytes raises errors of any kind
                _warn_of_damage(str(NUMBA_CACHE_PATH), repr(error))
                return missing()

        setattr(IndexDataCacheFile, name, load)

    heal("_load_index", dict)
    heal("load", lambda: None)


@functools.cache
def _warn_of_damage(folder: str, reason: str) -> None:
    warnings.warn(
        f"PyTensor's cache of compiled functions in {folder} is damaged ({reason}): what is "
        "needed is compiled anew",
        RuntimeWarning,
        stacklevel=2,
    )
