"""Vector loops in eight lanes: definitions (`lanes`), compiled form (`llvm`, `emitter`), parts.

`llvm` is imported here, so that numba knows the compiled form wherever a kernel calls a function of
`lanes`. May import only `kernels._jit`.
"""

from pymc_medlda.kernels.simd import llvm as llvm
