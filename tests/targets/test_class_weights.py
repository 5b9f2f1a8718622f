"""Weights that a user gives per class: every document has that of its own class."""

import numpy as np
import pytest

from pymc_medlda.targets.class_weights import weigh_classes
from pymc_medlda.targets.coding import code_response

WEIGHTS = {"a": 2.0, "b": 0.5, "d": 7.0}  # class "c" is not named, and weighs 1


@pytest.mark.parametrize("classes", ["ab", "ba", "abcd", "dcba"])
@pytest.mark.parametrize("missing", [False, True])
def test_a_document_has_the_weight_of_its_class(classes, missing):
    y = [*classes, *classes, *reversed(classes)]
    if missing:
        y[1] = None
    response = code_response(y, n_documents=len(y), classes=list(classes), takes_labels=True)
    c = {name: value for name, value in WEIGHTS.items() if name in classes}
    found = weigh_classes(c, response)
    assert found.shape == response.values.shape
    for label, row in zip(y, found.reshape(len(y), -1), strict=True):
        if label is not None:  # the loss of a missing response is not used
            assert set(row) == {WEIGHTS.get(label, 1.0)}


def test_a_task_has_the_weight_of_its_label():
    response = code_response([["a"], ["a", "c"], ["b"], []], n_documents=4)
    found = weigh_classes({"a": 2.0, "b": 0.5}, response)
    np.testing.assert_array_equal(found, np.tile([2.0, 0.5, 1.0], (4, 1)))
    with pytest.raises(ValueError, match="c weighs 'z', but the classes are 'a', 'b', 'c'"):
        weigh_classes({"z": 1.0}, response)
