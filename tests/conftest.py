import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")


@pytest.fixture
def rng():
    return np.random.default_rng(20140301)
