"""Why a document was decided as it was: what topics, words and features add to a discriminant.

May import `prediction`, `run`, `targets`, `losses`, `corpus`, `kernels`. Needs no PyMC.
"""
