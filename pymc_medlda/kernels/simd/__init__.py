"""Vector loops in eight lanes (`lanes`), their compiled form (`llvm`), and what they are made of.

`llvm` is imported here, so that numba knows the compiled form wherever a kernel calls a lane. May
import only `kernels._jit`.
"""

from pymc_medlda.kernels.simd import llvm as llvm
