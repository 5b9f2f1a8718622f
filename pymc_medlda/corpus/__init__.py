"""Text and counts in: `Corpus`, the readers behind its constructors, and checks of what is read.

May import `kernels` (for the token arrays). Imports nothing of PyMC.
"""

from pymc_medlda.corpus.corpus import Corpus

__all__ = ["Corpus"]
