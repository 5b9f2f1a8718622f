"""Names that doctests may use without making them: one stored run serves all of them."""

import pytest


@pytest.fixture(autouse=True)
def _names_in_doctests(request, doctest_namespace):
    """Offer ``idata``, a small run of two chains, and documents that were held out of it."""
    if not isinstance(request.node, pytest.DoctestItem):
        return
    if "idata" not in request.node.dtest.docstring:
        return
    from tests import sampled

    planted = sampled.planted_for_doctests()
    doctest_namespace["idata"] = sampled.run_for_doctests()
    doctest_namespace["new_corpus"] = planted.corpus[30:]
    doctest_namespace["new_y"] = planted.y[30:]
