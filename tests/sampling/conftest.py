import pytest

import pymc_medlda as med


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(40, n_topics=3, n_words=60, length=30, seed=11)
