"""Vector loops in eight lanes: their definitions and compiled forms.

The definitions are `lanes`, `counted`, `unbranched` and `listed`. The compiled forms (`llvm` and
those that begin with it) are imported here, so that numba knows them wherever a kernel calls one of
the definitions. May import only `kernels._jit`.
"""

from pymc_medlda.kernels.simd import llvm as llvm
from pymc_medlda.kernels.simd import llvm_counted as llvm_counted
from pymc_medlda.kernels.simd import llvm_listed as llvm_listed
from pymc_medlda.kernels.simd import llvm_unbranched as llvm_unbranched
