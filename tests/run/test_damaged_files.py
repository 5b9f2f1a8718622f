"""Files whose bytes were flipped: the file library or the package refuses them, nothing crashes."""

import subprocess
import sys

import pytest

from tests.prediction.comparing import is_tree, save
from tests.run.damage import build, whole

GROUPS = ("posterior", "sample_stats", "observed_data", "constant_data")


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("form", ["netcdf", "zarr"])
@pytest.mark.parametrize("n_files", [20, pytest.param(80, marks=pytest.mark.slow)])
def test_flipped_bytes_are_an_error_or_an_answer(form, n_files, tmp_path):
    path = tmp_path / "run"
    idata = build({name: whole()[name] for name in GROUPS})
    if form == "netcdf" and not is_tree(idata):
        idata.to_netcdf(str(path), compress=False)  # flipped bytes shall become other values
    else:
        save(idata, str(path), form)
    script = [sys.executable, "-m", "tests.run.read_damaged", str(path), form]
    done = subprocess.run(
        [*script, str(n_files), str(n_files)], capture_output=True, text=True, timeout=600
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (lines[-1:], done.stderr[-2000:])
    assert len(lines) == n_files
    assert [line for line in lines if " failed: " in line] == []
    # Some files are readable, and some are not: the bytes were flipped and the files were read.
    assert any("unreadable" in line or "refused" in line for line in lines)
    assert any(line.endswith(("same", "another answer")) for line in lines)
