"""Sweeps over the topic assignments: the plain one and the two quick ones, all equal in law.

May import `kernels.simd` and the count tables in `kernels`.
"""
