import pytest

from pymc_medlda import datasets


@pytest.fixture(scope="module")
def docstrings():
    return datasets.load_docstrings(["numpy", "no_such_package", "xarray"])
