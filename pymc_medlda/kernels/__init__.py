"""The mathematics, in NumPy, SciPy and numba: counts, draws, sweeps over the topic assignments.

May import no other room of the package, and neither PyMC nor matplotlib.
"""
