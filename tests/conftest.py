import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")


@pytest.fixture
def rng():
    return np.random.default_rng(20140301)


def pytest_collection_modifyitems(items):
    """Mark tests as laws that take long and do not depend on the generation of PyMC.

    These are the slow tests of the kernels, and all tests of the methods that the paper compares.
    """
    for item in items:
        folder = item.path.parent.name
        if folder == "paper" or (folder == "kernels" and item.get_closest_marker("slow")):
            item.add_marker(pytest.mark.law)
