"""The model in PyMC's vocabulary: random variables, log densities, dims, and the record it leaves.

May import `run.record` (what is stored with the results), `targets`, `losses`, `corpus`, `kernels`.
"""
