"""Array types that annotations share. Imports NumPy only, so that every room may use it."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
