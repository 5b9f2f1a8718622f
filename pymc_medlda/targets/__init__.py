"""Responses as users give them: coded as numbers a loss understands, weighed and scored.

May import `losses`. Imports nothing of PyMC, so that predictions and pictures can code y too.
"""
