"""A small model for serving: `export` writes it from a run, and `load` reads it.

`export` may import `run`, `targets`, `calibrators` and `corpus`. What a loaded model needs imports
only NumPy, `targets.decisions`, `calibrators` and `corpus.recipe`, so that a new process answers
quickly: neither PyMC nor numba, xarray or pandas, and SciPy only for several classes.
"""

from pymc_medlda.serving.served_model import Answers, ServedModel

__all__ = ["Answers", "ServedModel"]
