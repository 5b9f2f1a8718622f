"""The mathematics: NumPy and numba only; importing this package does not import PyMC."""
