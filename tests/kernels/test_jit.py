"""The cache of compiled kernels: renewed when sources change, and not needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pymc_medlda import kernels


@pytest.fixture
def copy(tmp_path):
    """A copy of a few kernels, to be imported by a process of its own."""
    package = tmp_path / "pymc_medlda" / "kernels"
    (package / "simd").mkdir(parents=True)
    for folder in (tmp_path / "pymc_medlda", package, package / "simd"):
        (folder / "__init__.py").write_text("")
    source = Path(kernels.__file__).parent
    for name in ("_jit.py", "simd/exponential.py", "augmentation.py"):
        (package / name).write_text((source / name).read_text())
    arrays = source.parent / "_arrays.py"
    (package.parent / "_arrays.py").write_text(arrays.read_text())
    return package


def run_beside(package, script):
    folder = package.parent.parent
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_a_kernel_is_compiled_anew_when_what_it_calls_has_changed(copy):
    head = "from pymc_medlda.kernels._jit import kernel\n"
    (copy / "caller.py").write_text(
        f"{head}from pymc_medlda.kernels.called import called\n"
        "@kernel\ndef caller(): return called()\n"
    )
    script = (
        "from pymc_medlda.kernels.caller import caller\n"
        "print(caller(), sum(caller.stats.cache_hits.values()))"
    )
    seen = []
    for result in ("1", "1", "2"):
        (copy / "called.py").write_text(f"{head}@kernel\ndef called(): return {result}\n")
        seen.append(run_beside(copy, script))
    assert seen == ["1 0", "1 1", "2 0"]


def test_an_unwritable_cache_is_survived_with_one_warning(copy):
    script = (
        "import warnings; from numba.core import caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    import pymc_medlda.kernels.augmentation\n"
        "    from pymc_medlda.kernels.simd.exponential import exponential\n"
        "assert exponential(0.0) == 1.0\n"
        "print(sum('compiled anew' in str(w.message) for w in seen))\n"
    )
    assert run_beside(copy, script) == "1"
