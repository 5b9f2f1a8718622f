"""Runs side by side on held-out documents: `compare`, and scores with standard errors.

May import `prediction`, `run`, `targets` and what is below them. Imports no PyMC.
"""
