"""The mathematics: NumPy and numba only; importing this package does not import PyMC."""

from pymc_medlda.kernels import vectors as vectors  # numba's form of `lanes`
