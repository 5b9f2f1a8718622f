import numpy as np
import pytest

import pymc_medlda as med
from tests.estimators.small import QUICK, make


@pytest.fixture(scope="module")
def two_classes():
    return make("binary")


@pytest.fixture(scope="module")
def three_classes():
    return make("multiclass", n_tasks=3)


@pytest.fixture(scope="module")
def fitted(two_classes):
    X, y = two_classes
    return med.GibbsMedLDAClassifier(**QUICK).fit(X[:80], np.where(y[:80] > 0, "up", "down"))
