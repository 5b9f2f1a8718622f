"""PyMC's step contract: the Gibbs step, the model's graph as it reads it, and running chains.

May import `model`, `run`, `targets`, `losses`, `kernels`.
"""
