"""The sampler's tables follow z; its paths agree; extreme losses stay finite."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import gammaln

from pymc_medlda import kernels
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.simd import lanes
from pymc_medlda.kernels.sweeps import bounds, plain, rows, word_lists
from pymc_medlda.kernels.sweeps import sampler as sampler_module
from pymc_medlda.kernels.sweeps.sampler import TopicSampler
from pymc_medlda.kernels.sweeps.word_lists import TOPIC


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
    if sampler.lists is None:
        return sampler.table[:, : sampler.n_topics]
    table = np.zeros((sampler.n_words, sampler.n_topics), int)
    for t, (first, n) in enumerate(zip(sampler.lists.start, sampler.lists.length, strict=False)):
        entries = sampler.lists.entry[first : first + n]
        table[t, entries & TOPIC] = entries >> 16
    return table


CASES = [
    ("plain", 5, 1),
    ("dense", 5, 1),
    ("dense", 100, 2),
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
    tally = np.bincount(word_topic(sampler).ravel(), minlength=sampler.tally.size)
    np.testing.assert_array_equal(sampler.tally[1:], tally[1:])


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
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


@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
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
@pytest.mark.parametrize("quick", ["dense", "sparse"])
def test_paths_agree_in_law(medium, quick, n_topics, n_tasks):
    """Means after two sweeps from one state, over many seeds, within Monte Carlo error."""
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, n_topics, n_tasks)
    start = loaded(medium, n_topics, "plain").z
    seen = {}
    for path in ("plain", quick):
        sampler = loaded(medium, n_topics, path)
        figures = []
        for seed in range(150):
            sampler.load(start)
            rng = np.random.default_rng(seed)
            moved = [sampler.sweep(rng, **given) for _ in range(2)]
            projected = sampler.project(given["eta"])
            fit = (given["b"] * projected - given["a"] * projected**2 / 2).sum()
            logs = sampler.log_words(0.05), sampler.log_assignments(given["alpha"])
            figures.append([*moved, fit, *logs])
        seen[path] = np.array(figures)
    difference = seen["plain"].mean(axis=0) - seen[quick].mean(axis=0)
    error = np.sqrt((seen["plain"].var(axis=0) + seen[quick].var(axis=0)) / 150)
    assert (np.abs(difference) < 4 * error).all()


QUICK = [("dense", 1), ("dense", 2), ("sparse", 1), ("sparse", 2)]


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
@pytest.mark.parametrize("n_topics", [6, 80])
@pytest.mark.parametrize(("a", "scale"), [(1e12, 1e3), (1e4, 1e3), (1e-12, 1e-3), (0.0, 1e3)])
def test_extreme_losses_keep_the_tables_right(medium, path, n_topics, n_tasks, a, scale):
    tokens, _ = medium
    given = parameters(tokens.start.size - 1, n_topics, n_tasks, scale=scale)
    given["a"] = np.full_like(given["a"], a)
    given["b"] = given["a"] * 164.0 * np.sign(given["b"])
    sampler = loaded(medium, n_topics, path)
    rng = np.random.default_rng(5)
    for _ in range(3):
        sampler.sweep(rng, **given)
    assert sampler.z.max() < n_topics
    assert sampler.topic.min() >= 0
    assert sampler.topic.sum() == tokens.word.size
    assert np.isfinite(sampler.log_words(0.05))


@pytest.mark.parametrize("path", ["dense", "sparse"])
def test_documents_that_alpha_holds_in_one_topic_are_drawn_all_the_same(path):
    """Nearly all that is proposed for the only token of a document is the topic it has."""
    tokens = Tokens(np.arange(50, dtype=np.int32), np.arange(51))
    given = parameters(50, 4, 1) | {"alpha": np.full(4, 1e-9), "a": np.zeros((50, 1))}
    given["b"] = np.zeros((50, 1))
    sampler = loaded((tokens, 50), 4, path)
    rng = np.random.default_rng(3)
    moved = [sampler.sweep(rng, **given) for _ in range(40)]
    assert np.mean(moved) == pytest.approx(37.5, abs=4 * np.sqrt(50 * 3 / 16 / 40))


@pytest.mark.parametrize("path", ["dense", "sparse"])
def test_rows_that_must_be_shared_change_nothing(medium, path, monkeypatch):
    """With room for three topics at a time, rows are computed again and again, to the same end."""
    given = parameters(medium[0].start.size - 1, 20, 2)
    results = []
    for most in (512, 0):
        monkeypatch.setattr(rows, "MOST_ROWS", most)
        sampler = loaded(medium, 20, path)
        rng = np.random.default_rng(4)
        results.append([(sampler.sweep(rng, **given), sampler.z.tolist()) for _ in range(10)])
    assert results[0] == results[1]


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
def test_numbers_that_are_not_finite_are_refused(medium, path, n_tasks):
    given = parameters(medium[0].start.size - 1, 5, n_tasks)
    given["b"][0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        loaded(medium, 5, path).sweep(np.random.default_rng(0), **given)


@pytest.mark.parametrize("n_topics", [7, 8, 20])
def test_logarithms_agree_between_paths(medium, n_topics):
    plain, *quick = (loaded(medium, n_topics, path) for path in ("plain", "dense", "sparse"))
    words = np.zeros((n_topics, 40), int)
    np.add.at(words, (plain.z, medium[0].word), 1)
    expected = (gammaln(0.1 + words) - gammaln(0.1)).sum()
    expected -= (gammaln(4.0 + words.sum(axis=1)) - gammaln(4.0)).sum()
    for sampler in (plain, *quick):
        assert sampler.log_words(0.1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("path", "n_tasks"), QUICK)
@pytest.mark.parametrize("scale", [3.0, 60.0])
def test_interpreted_sweep_equals_the_compiled_one(medium, path, n_tasks, scale, monkeypatch):
    """Down to the last function: nothing that a kernel calls stays compiled."""
    given = parameters(medium[0].start.size - 1, 12, n_tasks, scale=scale)
    results = []
    for interpreted in (False, True):
        if interpreted:
            for module in (sampler_module, bounds, rows, plain, word_lists, lanes):
                interpret(module, monkeypatch)
        sampler = loaded(medium, 12, path)
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


def test_a_list_has_room_for_so_many_topics_and_no_more(toy):
    tokens, n_words = toy
    with pytest.raises(ValueError, match=r'path "sparse" takes at most 65536 topics, .* 70000'):
        TopicSampler(tokens, n_words=n_words, n_topics=70_000, path="sparse")


def test_the_path_follows_the_number_of_topics(toy):
    tokens, n_words = toy
    chosen = [TopicSampler(tokens, n_words=n_words, n_topics=k).path for k in (3, 41, 70_000)]
    assert chosen == ["dense", "sparse", "plain"]


def test_topics_are_padded_and_the_extreme_ones_stand_alone():
    eta = np.r_[np.linspace(-1.0, 1.0, 8), 9.0, -7.0, 5.0, -4.0, 3.0, -2.0]
    arranged = bounds.arrange_topics(eta, np.full(14, 0.1), np.arange(14), 2.0)
    assert arranged.single.tolist() == [8, 9, 10, 11, 12, 13]
    assert np.flatnonzero(arranged.shared).tolist() == list(range(8))
    ends = arranged.ends.reshape(2, 8)
    np.testing.assert_array_equal(ends[:, :6], np.tile(eta[8:], (2, 1)))
    assert ends[:, 6].tolist() == [-1.0, 1.0]
    assert (arranged.eta.size, arranged.alpha[14:].sum(), arranged.rate[14:].sum()) == (16, 0, 0)
    few = bounds.arrange_topics(eta[:3], np.full(3, 0.1), np.arange(3), 2.0)
    assert sorted(few.single) == [-1, -1, -1, 0, 1, 2]
    assert not few.shared.any()


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


def test_programs_that_start_together_compile_once(tmp_path):
    script = (
        "import numpy as np\n"
        "from pymc_medlda.kernels.counts import Tokens\n"
        "from pymc_medlda.kernels.sweeps.sampler import TopicSampler\n"
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
    for name in ("sweep_by_rows", "fill_scales", "_accumulate_sparsely"):
        saved = [len(re.findall(rf"data saved to .*\.{name}-", text)) for text in said]
        assert sorted(saved) == [0, 1], (name, saved)


def test_draws_are_the_same_where_numba_is_switched_off():
    script = (
        "import numpy as np\n"
        "from pymc_medlda.kernels.counts import Tokens\n"
        "from pymc_medlda.kernels.sweeps.sampler import TopicSampler\n"
        "sampler = TopicSampler(Tokens(np.arange(30, dtype=np.int32) % 7, np.array([0, 12, 30])),"
        " n_words=7, n_topics=3)\n"
        "sampler.compile(n_tasks=1)\n"
        "sampler.load(np.zeros(30, np.uint8))\n"
        "one = np.ones((2, 1))\n"
        "for _ in range(5):\n"
        "    sampler.sweep(np.random.default_rng(1), alpha=np.ones(3), beta=0.1,"
        " eta=np.array([[1.0, -1.0, 0.5]]), a=one, b=one)\n"
        "print(sampler.z.tolist())\n"
    )
    seen = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in ("0", "1")
    ]
    assert seen[0] == seen[1]
    assert seen[0].count("1") > 0


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
