"""Vector loops in eight lanes: definitions (`lanes`, `counted`, `listed`) and compiled forms.

`llvm`, `llvm_counted` and `llvm_listed`, the compiled forms, are imported here, so that numba knows
them wherever a kernel calls one of the definitions. May import only `kernels._jit`.
"""

from pymc_medlda.kernels.simd import llvm as llvm
from pymc_medlda.kernels.simd import llvm_counted as llvm_counted
from pymc_medlda.kernels.simd import llvm_listed as llvm_listed
