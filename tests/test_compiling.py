"""Kernels are compiled before chains start, once for all programs that start together."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from pymc_medlda._compat.pytensor import PYTENSOR_3
from pymc_medlda.kernels.counts import Tokens, count_topics, project_present
from pymc_medlda.kernels.sweeps.bounds import sweep_by_bounds
from pymc_medlda.kernels.sweeps.products import sweep_by_products
from pymc_medlda.kernels.sweeps.rows import sweep_by_rows
from pymc_medlda.kernels.sweeps.topic_sampler import SWEEPS, TopicSampler
from pymc_medlda.sampling.compiling import compile_kernels

TOKENS = Tokens(np.arange(30, dtype=np.int32) % 7, np.array([0, 12, 30]))


@pytest.mark.slow
def test_programs_that_start_together_compile_once(tmp_path):
    script = (
        "import numpy as np\n"
        "from pymc_medlda.kernels.counts import Tokens\n"
        "from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler\n"
        "from pymc_medlda.sampling.compiling import compile_kernels\n"
        "tokens = Tokens(np.zeros(2, np.int32), np.array([0, 2]))\n"
        "compile_kernels(TopicSampler(tokens, n_words=1, n_topics=3), n_tasks=1)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DEBUG_CACHE": "1"}
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
        )
        for _ in range(2)
    ]
    said = [program.communicate()[0] for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    for name in ("sweep_by_products", "fill_scales", "accumulate"):
        saved = [len(re.findall(rf"data saved to .*\.{name}-", text)) for text in said]
        assert sorted(saved) == [0, 1], (name, saved)


@pytest.mark.parametrize("path", SWEEPS)
def test_compiling_leaves_the_sampler_alone(path):
    sampler = TopicSampler(TOKENS, n_words=7, n_topics=3, path=path)
    z = np.arange(30, dtype=np.uint8) % 3
    sampler.load(z)
    compile_kernels(sampler, n_tasks=2)
    np.testing.assert_array_equal(sampler.z, z)
    assert sampler.topic.tolist() == [10, 10, 10]


@pytest.mark.parametrize(("path", "n_tasks"), [("dense", 1), ("sparse", 1), ("sparse", 2)])
def test_nothing_is_left_to_compile_for_a_chain(path, n_tasks):
    sampler = TopicSampler(TOKENS, n_words=7, n_topics=3, path=path)
    compile_kernels(sampler, n_tasks)
    loops = (sweep_by_products, sweep_by_rows, sweep_by_bounds, count_topics, project_present)
    before = [len(loop.signatures) for loop in loops]
    sampler.load(np.arange(30, dtype=np.uint8) % 3)
    one = np.ones((2, n_tasks))
    eta = np.ones((n_tasks, 3))
    sampler.sweep(np.random.default_rng(1), alpha=np.ones(3), beta=0.1, eta=eta, a=one, b=one)
    sampler.project(eta)
    assert [len(loop.signatures) for loop in loops] == before


PYTENSOR_SCRIPT = """
import warnings
import pytensor, pytensor.tensor as pt
import pymc_medlda.model.random_variables
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    x = pt.dvector("x")
    print(pytensor.function([x], pt.exp(x).sum() + 1.0)([0.0, 0.0]))
    print(sum("cache of compiled functions" in str(w.message) for w in seen))
"""


@pytest.mark.slow
@pytest.mark.skipif(not PYTENSOR_3, reason="PyTensor 2 does not keep what numba compiled")
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache_of_pytensor_is_compiled_anew(tmp_path, ending):
    environment = {**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={tmp_path}"}

    def run():
        arguments = [sys.executable, "-c", PYTENSOR_SCRIPT]
        done = subprocess.run(
            arguments, capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert run() == ["3.0", "0"]
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:10])
    result, n_warnings = run()
    assert result == "3.0"
    assert int(n_warnings) == 1
    assert run() == ["3.0", "0"]
