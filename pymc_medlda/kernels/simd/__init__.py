"""Vector loops in eight lanes: definitions (`lanes`, `counted`), and their compiled forms.

`llvm` and `llvm_counted`, the compiled forms, are imported here, so that numba knows them wherever
a kernel calls one of the definitions. May import only `kernels._jit`.
"""

from pymc_medlda.kernels.simd import llvm as llvm
from pymc_medlda.kernels.simd import llvm_counted as llvm_counted
