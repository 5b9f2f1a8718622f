"""The figures of section 5: one small module for each, over the shared runner.

A module has ``jobs(scale)``, all that must be run, and ``draw(results, scale)``, which returns a
figure. The first line of its docstring is the caption.
"""
