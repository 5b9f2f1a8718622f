"""Responses as users give them: coded as numbers for a loss, weighed by class, and scored.

May import `losses`. Imports nothing of PyMC, so that predictions and plots can code y too.
"""
