"""New documents: their topics, discriminants, decisions, scores and perplexity.

May import `run`, `targets`, `losses`, `corpus`, `kernels`. Needs no PyMC.
"""
