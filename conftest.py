"""What all tests share: folders for compiled code and sampled runs, and names for doctests."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Compiled kernels stay here between runs and between copies of the repository; a folder inside is
# named after the kernels' sources. Set before anything imports numba, and for all subprocesses.
_CACHES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
os.environ.setdefault("NUMBA_CACHE_DIR", str(_CACHES / "pymc-medlda" / "numba"))


# Its examples need Dask, which may be missing.
_LOADERS = "pymc_medlda/distributed/loaders.py"
collect_ignore = [] if importlib.util.find_spec("distributed") else [_LOADERS]


def pytest_configure(config: pytest.Config) -> None:
    """Give the workers of pytest-xdist one folder for what any of them sampled."""
    if not hasattr(config, "workerinput"):
        os.environ["MEDLDA_TEST_RUN"] = tempfile.mkdtemp(prefix="medlda-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove that folder."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop("MEDLDA_TEST_RUN", ""), ignore_errors=True)


@pytest.fixture(autouse=True)
def _names_in_doctests(
    request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]
) -> Iterator[None]:
    """Offer ``idata``, a small run of two chains, and documents that were held out of it."""
    if (
        not isinstance(request.node, pytest.DoctestItem)
        or "idata" not in request.node.dtest.docstring
    ):
        yield
        return
    from tests import sampled

    planted = sampled.planted_for_doctests()
    names = {
        "idata": sampled.run_for_doctests(),
        "new_corpus": planted.corpus[30:],
        "new_y": planted.y[30:],
    }
    doctest_namespace.update(names)
    yield
    for name in names:  # the namespace is shared by all doctests of a session
        del doctest_namespace[name]
