"""A corpus that is larger than the memory a process may use is sampled and predicted."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("zarr", reason="needs the extra files")

from pymc_medlda.corpus import Corpus

N_DOCUMENTS, LENGTH, N_WORDS = 60_000, 100, 500


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(1)
    words = rng.integers(N_WORDS, size=N_DOCUMENTS * LENGTH, dtype=np.int32)
    starts = np.arange(0, words.size + 1, LENGTH)
    place = tmp_path_factory.mktemp("large")
    Corpus(words, starts, n_words=N_WORDS).to_folder(place / "corpus")
    return place


def run(folder, kind):
    """Return the exit code and the errors of a process that samples within a limit."""
    command = [sys.executable, "-m", "tests.distributed.within_limit", str(folder), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit memory otherwise")
def test_half_of_tokens_and_topics_is_enough_memory(folder):
    code, errors = run(folder, "on disk")
    assert code == 0, errors


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit memory otherwise")
def test_the_same_limit_is_too_small_for_arrays_in_memory(folder):
    code, errors = run(folder, "in memory")
    assert code != 0
    assert "MemoryError" in errors or "Unable to allocate" in errors
