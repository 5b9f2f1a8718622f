"""The sampler's tables follow z; its paths agree; extreme losses stay finite."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pymc_medlda.kernels import lanes, many_tasks, one_task, topics, wordlists
from pymc_medlda.kernels import sampler as sampler_module
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sampler import TopicSampler
from pymc_medlda.kernels.wordlists import TOPIC


def parameters(n_documents, n_topics, n_tasks, scale=3.0, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.gamma(1.0, 1.0, (n_documents, n_tasks))
    eta = scale * rng.standard_normal((n_tasks, n_topics))
    b = a * scale * rng.choice([-1.0, 1.0], (n_documents, n_tasks))
    return {"alpha": np.full(n_topics, 1 / n_topics), "beta": 0.05, "eta": eta, "a": a, "b": b}


def loaded(corpus, n_topics, path, seed=0):
    tokens, n_words = corpus
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path)
    dtype = np.uint8 if n_topics <= 256 else np.uint16
    z = np.random.default_rng(seed).integers(0, n_topics, tokens.word.size).astype(dtype)
    sampler.load(z)
    return sampler


def word_topic(sampler):
    if sampler.path == "plain":
        return sampler.word_topic
    table = np.zeros((sampler.n_words, sampler.n_topics), int)
    for t, (first, n) in enumerate(zip(sampler.lists.start, sampler.lists.length, strict=False)):
        entries = sampler.lists.entry[first : first + n]
        table[t, entries & TOPIC] = entries >> 16
    return table


CASES = [
    ("plain", 5, 1),
    ("sparse", 5, 1),
    ("sparse", 5, 3),
    ("sparse", 100, 1),
    ("sparse", 300, 2),
]


@pytest.mark.parametrize(("path", "n_topics", "n_tasks"), CASES)
def test_tables_follow_the_assignments(medium, path, n_topics, n_tasks):
    tokens, n_words = medium
    sampler = loaded(medium, n_topics, path)
    rng = np.random.default_rng(1)
    given = parameters(tokens.start.size - 1, n_topics, n_tasks)
    for _ in range(5):
        before = sampler.z.copy()
        moved = sampler.sweep(rng, **given)
        assert moved == np.count_nonzero(before != sampler.z)
    again = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path)
    again.load(sampler.z)
    np.testing.assert_array_equal(word_topic(sampler), word_topic(again))
    np.testing.assert_array_equal(sampler.document_topic, again.document_topic)
    np.testing.assert_array_equal(sampler.topic, again.topic)
    assert word_topic(sampler).sum() == sampler.topic.sum() == tokens.word.size


@pytest.mark.parametrize("path", ["plain", "sparse"])
def test_load_copies_and_recounts_only_what_is_new(medium, path):
    sampler = loaded(medium, 5, path)
    held = sampler.z
    sampler.load(held.copy())
    assert sampler.z is held
    other = held.copy()
    other[0] = (other[0] + 1) % 5
    sampler.load(other)
    assert sampler.z is not other
    assert sampler.document_topic[0, other[0]] == 1


@pytest.mark.parametrize("path", ["plain", "sparse"])
def test_equal_seeds_give_equal_sweeps_and_others_differ(medium, path):
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, 100, 1)
    results = []
    for seed in (1, 1, 2):
        sampler = loaded(medium, 100, path)
        rng = np.random.default_rng(seed)
        for _ in range(3):
            sampler.sweep(rng, **given)
        results.append(sampler.z)
    np.testing.assert_array_equal(results[0], results[1])
    assert (results[0] != results[2]).any()


@pytest.mark.parametrize(("n_topics", "n_tasks"), [(6, 1), (6, 2), (80, 1)])
def test_paths_agree_in_law(medium, n_topics, n_tasks):
    """Means after two sweeps from one state, over many seeds, within Monte Carlo error."""
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, n_topics, n_tasks)
    start = loaded(medium, n_topics, "plain").z
    seen = {}
    for path in ("plain", "sparse"):
        sampler = loaded(medium, n_topics, path)
        rows = []
        for seed in range(150):
            sampler.load(start)
            rng = np.random.default_rng(seed)
            moved = [sampler.sweep(rng, **given) for _ in range(2)]
            projected = sampler.project(given["eta"])
            fit = (given["b"] * projected - given["a"] * projected**2 / 2).sum()
            logs = sampler.log_words(0.05), sampler.log_assignments(given["alpha"])
            rows.append([*moved, fit, *logs])
        seen[path] = np.array(rows)
    difference = seen["plain"].mean(axis=0) - seen["sparse"].mean(axis=0)
    error = np.sqrt((seen["plain"].var(axis=0) + seen["sparse"].var(axis=0)) / 150)
    assert (np.abs(difference) < 4 * error).all()


@pytest.mark.parametrize("n_tasks", [1, 2])
@pytest.mark.parametrize("n_topics", [6, 80])
@pytest.mark.parametrize(("a", "scale"), [(1e12, 1e3), (1e4, 1e3), (1e-12, 1e-3), (0.0, 1e3)])
def test_extreme_losses_keep_the_tables_right(medium, n_topics, n_tasks, a, scale):
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, n_topics, n_tasks, scale=scale)
    given["a"] = np.full_like(given["a"], a)
    given["b"] = given["a"] * 164.0 * np.sign(given["b"])
    sampler = loaded(medium, n_topics, "sparse")
    rng = np.random.default_rng(5)
    for _ in range(3):
        sampler.sweep(rng, **given)
    assert sampler.z.max() < n_topics
    assert sampler.topic.min() >= 0
    assert sampler.topic.sum() == tokens.word.size
    assert np.isfinite(sampler.log_words(0.05))


def test_documents_that_alpha_holds_in_one_topic_are_drawn_all_the_same():
    """Nearly all that is proposed for the only token of a document is the topic it has."""
    tokens = Tokens(np.arange(50, dtype=np.int32), np.arange(51))
    given = parameters(50, 4, 1) | {"alpha": np.full(4, 1e-9), "a": np.zeros((50, 1))}
    given["b"] = np.zeros((50, 1))
    sampler = loaded((tokens, 50), 4, "sparse")
    rng = np.random.default_rng(3)
    moved = [sampler.sweep(rng, **given) for _ in range(40)]
    assert np.mean(moved) == pytest.approx(37.5, abs=4 * np.sqrt(50 * 3 / 16 / 40))


def test_rows_that_must_be_shared_change_nothing(medium, monkeypatch):
    """With room for three topics at a time, rows are computed again and again, to the same end."""
    given = parameters(medium[0].start.size - 1, 20, 2)
    results = []
    for most in (512, 0):
        monkeypatch.setattr(many_tasks, "MOST_ROWS", most)
        sampler = loaded(medium, 20, "sparse")
        rng = np.random.default_rng(4)
        results.append([(sampler.sweep(rng, **given), sampler.z.tolist()) for _ in range(10)])
    assert results[0] == results[1]


def test_numbers_that_are_not_finite_are_refused(medium):
    given = parameters(medium[0].start.size - 1, 5, 1)
    given["b"][0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        loaded(medium, 5, "sparse").sweep(np.random.default_rng(0), **given)


def test_logarithms_agree_between_paths(medium):
    plain, sparse = loaded(medium, 7, "plain"), loaded(medium, 7, "sparse")
    assert plain.log_words(0.1) == pytest.approx(sparse.log_words(0.1), rel=1e-13)


@pytest.mark.parametrize(("sweep", "n_tasks"), [("sweep_one_task", 1), ("sweep_many_tasks", 2)])
@pytest.mark.parametrize("scale", [3.0, 60.0])
def test_interpreted_sweep_equals_the_compiled_one(medium, sweep, n_tasks, scale, monkeypatch):
    """Down to the last function: nothing that a kernel calls stays compiled."""
    given = parameters(medium[0].start.size - 1, 12, n_tasks, scale=scale)
    results = []
    for interpreted in (False, True):
        if interpreted:
            for module in (sampler_module, one_task, many_tasks, topics, wordlists, lanes):
                interpret(module, monkeypatch)
        sampler = loaded(medium, 12, "sparse")
        rng = np.random.default_rng(8)
        with np.errstate(over="ignore"):  # bits of exponents that wrap around, as they may
            results.append([(sampler.sweep(rng, **given), sampler.z.tolist()) for _ in range(3)])
    assert results[0] == results[1]


def interpret(module, monkeypatch):
    """Put the Python function in the place of every kernel that a module names."""
    for name, value in vars(module).copy().items():
        if hasattr(value, "py_func"):
            monkeypatch.setattr(module, name, value.py_func)


def test_unknown_path_is_refused(toy):
    tokens, n_words = toy
    with pytest.raises(ValueError, match="path must be one of"):
        TopicSampler(tokens, n_words=n_words, n_topics=3, path="quick")


def test_topics_are_padded_and_the_extreme_ones_stand_alone():
    eta = np.r_[np.linspace(-1.0, 1.0, 8), 9.0, -7.0, 5.0, -4.0, 3.0, -2.0]
    arranged = one_task.arrange_topics(eta, np.full(14, 0.1), np.arange(14), 2.0)
    assert arranged.single.tolist() == [8, 9, 10, 11, 12, 13]
    assert np.flatnonzero(arranged.shared).tolist() == list(range(8))
    ends = arranged.ends.reshape(2, 8)
    np.testing.assert_array_equal(ends[:, :6], np.tile(eta[8:], (2, 1)))
    assert ends[:, 6].tolist() == [-1.0, 1.0]
    assert (arranged.eta.size, arranged.alpha[14:].sum(), arranged.rate[14:].sum()) == (16, 0, 0)
    few = one_task.arrange_topics(eta[:3], np.full(3, 0.1), np.arange(3), 2.0)
    assert sorted(few.single) == [-1, -1, -1, 0, 1, 2]
    assert not few.shared.any()


def test_an_unwritable_cache_is_survived_with_one_warning(tmp_path):
    """In a process of its own, from a copy of the package that nobody may write beside."""
    package = tmp_path / "pymc_medlda" / "kernels"
    package.mkdir(parents=True)
    (tmp_path / "pymc_medlda" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    source = Path(sampler_module.__file__).parent
    for name in ("_jit", "exponential", "augmentation"):
        (package / f"{name}.py").write_text((source / f"{name}.py").read_text())
    script = (
        "import warnings; from numba.core import caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    import pymc_medlda.kernels.augmentation\n"
        "    from pymc_medlda.kernels.exponential import exponential\n"
        "assert exponential(0.0) == 1.0\n"
        "print(sum('compiled anew' in str(w.message) for w in seen))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.stdout.strip() == "1", result.stderr


def test_programs_that_start_together_compile_once(tmp_path):
    script = (
        "import numpy as np\n"
        "from pymc_medlda.kernels.counts import Tokens\n"
        "from pymc_medlda.kernels.sampler import TopicSampler\n"
        "tokens = Tokens(np.zeros(2, np.int32), np.array([0, 2]))\n"
        "TopicSampler(tokens, n_words=1, n_topics=3).compile(n_tasks=1)\n"
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
    for name in ("sweep_one_task", "draw_scales", "_accumulate_sparsely"):
        saved = [len(re.findall(rf"data saved to .*\.{name}-", text)) for text in said]
        assert sorted(saved) == [0, 1], (name, saved)


def test_compile_leaves_the_state_alone(toy):
    sampler = loaded(toy, 3, "sparse")
    before = sampler.z.copy()
    sampler.compile(n_tasks=2)
    np.testing.assert_array_equal(sampler.z, before)


def test_a_pickled_sampler_leaves_its_tables_behind():
    tokens = Tokens(np.zeros(50_000, np.int32), np.array([0, 50_000]))
    sampler = TopicSampler(tokens, n_words=1, n_topics=300)
    sampler.load(np.zeros(50_000, np.uint16))
    packed = pickle.dumps(sampler)
    assert len(packed) < tokens.word.nbytes + 2000
    twin = pickle.loads(packed)
    assert twin.z is None
    assert (twin.n_words, twin.n_topics, twin.path) == (1, 300, sampler.path)
