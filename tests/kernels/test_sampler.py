"""The sampler's tables follow z; its paths agree; extreme losses stay finite."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pymc_medlda.kernels import sampler as sampler_module
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sampler import TopicSampler, padded_size, put_extremes_first
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
            projected = np.zeros((tokens.start.size - 1, n_tasks))
            sampler.project(given["eta"], projected)
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


def test_logarithms_agree_between_paths(medium):
    plain, sparse = loaded(medium, 7, "plain"), loaded(medium, 7, "sparse")
    assert plain.log_words(0.1) == pytest.approx(sparse.log_words(0.1), rel=1e-13)


def test_interpreted_sweep_equals_the_compiled_one(toy, monkeypatch):
    given = parameters(3, 4, 2)
    results = []
    for interpreted in (False, True):
        if interpreted:
            kernel = sampler_module.sweep_sparsely
            monkeypatch.setattr(sampler_module, "sweep_sparsely", kernel.py_func)
        sampler = loaded(toy, 4, "sparse")
        rng = np.random.default_rng(8)
        results.append([(sampler.sweep(rng, **given), sampler.z.tolist()) for _ in range(20)])
    assert results[0] == results[1]


def test_unknown_path_is_refused(toy):
    tokens, n_words = toy
    with pytest.raises(ValueError, match="path must be one of"):
        TopicSampler(tokens, n_words=n_words, n_topics=3, path="quick")


def test_padding_and_order_of_topics():
    assert [padded_size(k, for_tree=True) for k in (1, 8, 9, 100)] == [8, 8, 16, 128]
    assert [padded_size(k, for_tree=False) for k in (1, 8, 9, 100)] == [8, 8, 16, 104]
    np.testing.assert_array_equal(put_extremes_first(np.array([0.0, 9.0, 1.0, -5.0])), [2, 0, 3, 1])


def test_an_unwritable_cache_is_survived_with_one_warning(tmp_path):
    """In a process of its own, from a copy of the package that nobody may write beside."""
    package = tmp_path / "pymc_medlda" / "kernels"
    package.mkdir(parents=True)
    (tmp_path / "pymc_medlda" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    source = Path(sampler_module.__file__).parent
    for name in ("_jit", "exponential", "sumtree"):
        (package / f"{name}.py").write_text((source / f"{name}.py").read_text())
    script = (
        "import warnings; from numba.core import caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    import pymc_medlda.kernels.sumtree\n"
        "    from pymc_medlda.kernels.exponential import exponential\n"
        "assert exponential(0.0) == 1.0\n"
        "print(sum('compiled anew' in str(w.message) for w in seen))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.stdout.strip() == "1", result.stderr


def test_compile_leaves_the_state_alone(toy):
    sampler = loaded(toy, 3, "sparse")
    before = sampler.z.copy()
    sampler.compile()
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
