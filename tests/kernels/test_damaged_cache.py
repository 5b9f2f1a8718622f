"""A damaged cache of compiled kernels heals: compiled anew, one warning, files replaced."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

from pymc_medlda.kernels import _jit

DAMAGE = {
    "empty": lambda contents: b"",
    "cut off": lambda contents: contents[: len(contents) // 2],
    "cut off in its checksum": lambda contents: contents[:7],
    "random bytes": lambda contents: np.random.default_rng(0).bytes(len(contents)),
    "one bit changed": lambda contents: contents[:-9] + bytes([contents[-9] ^ 4]) + contents[-8:],
    "bytes added": lambda contents: contents + b"more",
    "written by numba itself": lambda contents: contents[_jit._CHECKSUM :],
}


def double(x):
    return 2 * x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder in which this process stores compiled kernels, and nothing else."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def run_anew(*arguments):
    """Run a kernel as a new process would: return its results, cache hits and warnings."""
    _jit._warned_of_damage = False
    compiled = _jit.kernel(double)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        results = [compiled(x) for x in arguments]
    return results, sum(compiled.stats.cache_hits.values()), [str(w.message) for w in seen]


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_compiled_anew_and_replaced(cache, kind, damage):
    assert run_anew(3) == ([6], 0, [])
    assert run_anew(3) == ([6], 1, [])
    (file,) = cache.rglob(f"*.{kind}")
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    results, hits, said = run_anew(3)
    assert (results, hits) == ([6], 0)
    assert len(said) == 1
    assert str(file.parent) in said[0]
    assert run_anew(3) == ([6], 1, [])


def test_files_that_are_damaged_together_give_one_warning(cache):
    run_anew(3, 1.5, np.ones(2))
    files = sorted(cache.rglob("*.nb?"))
    assert len(files) == 4
    for file in files:
        file.write_bytes(b"")
    results, hits, said = run_anew(3, 1.5)
    assert (results, hits, len(said)) == ([6, 3.0], 0, 1)
    assert run_anew(3, 1.5) == ([6, 3.0], 2, [])


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_missing_file_is_no_damage(cache, kind):
    run_anew(3)
    for file in cache.rglob(f"*.{kind}"):
        file.unlink()
    assert run_anew(3) == ([6], 0, [])
    assert run_anew(3) == ([6], 1, [])


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_file_that_cannot_be_read_or_replaced_is_survived(cache, kind):
    """A folder in its place can be neither read nor replaced, whatever the user's rights."""
    run_anew(3)
    (file,) = cache.rglob(f"*.{kind}")
    file.unlink()
    file.mkdir()
    results, hits, said = run_anew(3)
    assert (results, hits, len(said)) == ([6], 0, 1)
    assert "cannot be read" in said[0]


def test_a_full_disk_is_survived(cache, monkeypatch):
    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_jit._CheckedFiles, "_open_for_write", no_space)
    results, _, said = run_anew(3)
    assert results == [6]
    assert len(said) == 1
    assert "No space left" in said[0]


def test_a_form_that_another_process_saved_under_the_same_name_is_not_used(cache):
    run_anew(3, 1.5)
    whole, real = sorted(cache.rglob("*.nbc"))
    real.write_bytes(whole.read_bytes())
    assert run_anew(3, 1.5) == ([6, 3.0], 1, [])
    assert run_anew(3, 1.5) == ([6, 3.0], 2, [])


def test_processes_that_meet_a_damaged_cache_together_all_go_on(tmp_path):
    """The kernels of the package, in processes of their own: every file of the cache is empty."""
    script = (
        "import warnings, numpy as np\n"
        "warnings.simplefilter('always')\n"
        "from pymc_medlda.kernels.augmentation import scale_of, fill_scales\n"
        "out = np.empty(3)\n"
        "fill_scales(np.ones(3), np.zeros(3), np.full(3, 0.5), out)\n"
        "print(*out, scale_of(2.0, 0.0, 0.5))\n"
    )
    package = Path(_jit.__file__).parents[2]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(package)}

    def run(n):
        programs = [
            subprocess.Popen(
                [sys.executable, "-c", script],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            for _ in range(n)
        ]
        said = [program.communicate() for program in programs]
        assert all(out == "1.0 1.0 1.0 2.0\n" for out, _ in said), said
        return [error.count("is damaged") for _, error in said]

    assert run(1) == [0]
    for file in tmp_path.rglob("*.nb?"):
        file.write_bytes(b"")
    warned = run(3)
    assert max(warned) == 1
    assert run(1) == [0]
