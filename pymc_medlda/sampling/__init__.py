"""PyMC's step contract: the Gibbs step, the model's graph as it reads it, and running chains.

May import `model`, `run`, `targets`, `losses`, `kernels`. The step is imported first: it and the
random variables need each other, and this order works from wherever an import begins.
"""

import pymc_medlda.sampling.step  # noqa: F401
