import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")


@pytest.fixture
def rng():
    return np.random.default_rng(20140301)


def pytest_collection_modifyitems(items):
    """Mark the slow tests of the kernels as laws: they do not depend on the generation of PyMC."""
    for item in items:
        if item.path.parent.name == "kernels" and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.law)
