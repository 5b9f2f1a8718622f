"""Compiled kernels are shared by all copies of the package with the same sources."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from pymc_medlda.kernels import _jit

SCRIPT = (
    "from pymc_medlda.kernels.first import first\n"
    "from pymc_medlda.kernels.inner.first import first as other\n"
    "print(first(), other(), *(sum(f.stats.cache_hits.values()) for f in (first, other)))"
)


@pytest.fixture
def make_copy(tmp_path):
    """Return a function that writes a small package with kernels to a folder of its own."""

    def make(name, result=1):
        kernels = tmp_path / name / "pymc_medlda" / "kernels"
        (kernels / "inner").mkdir(parents=True)
        for folder in (kernels.parent, kernels, kernels / "inner"):
            (folder / "__init__.py").write_text("")
        (kernels / "_jit.py").write_text(Path(_jit.__file__).read_text())
        head = "from pymc_medlda.kernels._jit import kernel\n@kernel\n"
        (kernels / "first.py").write_text(f"{head}def first(): return {result}\n")
        (kernels / "inner" / "first.py").write_text(f"{head}def first(): return -{result}\n")
        return tmp_path / name

    return make


def run_in(folder, cache):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_copy_in_another_place_finds_what_was_compiled(make_copy, tmp_path):
    cache = tmp_path / "cache"
    one, two, changed = make_copy("one"), make_copy("two"), make_copy("changed", result=2)
    assert run_in(one, cache) == "1 -1 0 0"
    assert run_in(two, cache) == "1 -1 1 1"
    assert run_in(changed, cache) == "2 -2 0 0"
    assert run_in(one, cache) == "1 -1 1 1"
    versions = sorted(cache.iterdir())
    assert len(versions) == 2
    assert all(path.name.endswith(f"-numba-{numba.__version__}") for path in versions)


def test_the_time_of_a_source_does_not_matter(make_copy):
    folder = make_copy("one")
    assert run_in(folder, "") == "1 -1 0 0"
    for path in folder.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    assert run_in(folder, "") == "1 -1 1 1"


def test_old_versions_are_removed(tmp_path):
    for age in range(_jit._KEPT + 3):
        version = tmp_path / f"pymc-medlda-{age:02}-numba-1"
        version.mkdir()
        (version / "kernel.nbi").touch()
        os.utime(version, (1e9 - age, 1e9 - age))
    (tmp_path / "of another package").mkdir()
    _jit._remove_old_versions(tmp_path)
    kept = sorted(path.name for path in tmp_path.glob("pymc-medlda-*"))
    assert kept == [f"pymc-medlda-{age:02}-numba-1" for age in range(_jit._KEPT)]
    assert (tmp_path / "of another package").exists()
