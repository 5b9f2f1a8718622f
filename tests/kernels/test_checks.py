"""No array reaches a kernel unchecked: what is out of range is refused, alike on every path."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

from pymc_medlda import _memory
from pymc_medlda.kernels import weights
from pymc_medlda.kernels.counts import Tokens, list_present
from pymc_medlda.kernels.new_documents import WordTopics, estimate_topics
from pymc_medlda.kernels.prior import draw_words
from pymc_medlda.kernels.sweeps.topic_sampler import SWEEPS, TopicSampler, check_topics_fit
from pymc_medlda.kernels.weights import draw_weights
from tests.kernels.conftest import loaded, parameters

GIGABYTE = 10**9


@pytest.mark.parametrize(
    ("z", "message"),
    [
        (np.array([0, 1, 2, 3, 0], np.uint8), "from 0 to 2, as there are 3 topics, got 0 to 3"),
        (np.array([0, 1, 2, 255, 0], np.uint8), "got 0 to 255"),
        (np.array([0, 1, -1, 2, 0]), "got -1 to 2"),
        (np.array([0, 1, 2**40, 2, 0]), f"got 0 to {2**40}"),
        (np.array([0, 1, -0.5, 2, 0]), "got -0.5 to 2.0"),
        (np.array([0, 1, 1.5, 2, 0]), "whole numbers, got 1.5"),
        (np.array([0, 1, np.nan, 2, 0]), "got nan to nan"),
        (np.ma.array([0, 1, 2, 1, 0], mask=[0, 0, 1, 0, 0]), "z is masked in some places"),
        (np.zeros(4, np.uint8), r"each of the 5 tokens, got an array of uint8 of shape (4,)"),
        (np.zeros((5, 1), np.uint8), "shape (5, 1)"),
        (np.array(list("abcde")), "got an array of <U1"),
        (np.zeros(5, bool), "got an array of bool"),
        (None, "got an array of object"),
    ],
)
@pytest.mark.parametrize("path", SWEEPS)
def test_assignments_out_of_range_are_refused(toy, path, z, message):
    tokens, n_words = toy
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=3, path=path)
    with pytest.raises(ValueError, match=re.escape(message)):
        sampler.load(z)
    assert sampler.z is None


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8, np.int64, np.float32, np.float64])
def test_whole_numbers_of_any_dtype_are_converted(toy, dtype):
    tokens, n_words = toy
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=3)
    assert not sampler.load(np.array([0, 1, 2, 2, 0], dtype))
    assert sampler.z.dtype == np.uint8
    assert sampler.topic.tolist() == [2, 1, 2]
    assert sampler.load(np.array([0, 1, 2, 2, 0], np.uint8))


@pytest.mark.parametrize(
    ("word", "start", "message"),
    [
        ([0, 3], [0, 2], "tokens.word must be from 0 to 2, as there are 3 words, got 0 to 3"),
        ([0, -1], [0, 2], "got -1 to 0"),
        ([0, 1], [0, 3], "tokens.start must ascend from 0 to the number of tokens, 2, got 0 to 3"),
        ([0, 1], [1, 2], "got 1 to 2"),
        ([0, 1, 2], [0, 2, 1, 3], "must ascend"),
        ([0, 1], [], "got nothing"),
        ([0.0, 1.0], [0, 2], "tokens.word must be a flat array of integers, got float64"),
        ([[0, 1]], [0, 2], "of shape (1, 2)"),
    ],
)
def test_tokens_out_of_range_are_refused(word, start, message):
    tokens = Tokens(np.array(word), np.array(start, np.int64))
    with pytest.raises(ValueError, match=re.escape(message)):
        TopicSampler(tokens, n_words=3, n_topics=2)


FAULTS = [
    ("alpha", np.nan),
    ("alpha", 0.0),
    ("alpha", -1.0),
    ("alpha", np.inf),
    ("beta", np.nan),
    ("beta", 0.0),
    ("beta", -0.1),
    ("beta", np.inf),
    ("eta", np.nan),
    ("eta", np.inf),
    ("eta", -np.inf),
    ("a", np.nan),
    ("a", -1e-9),
    ("a", np.inf),
    ("b", np.nan),
    ("b", -np.inf),
    ("a", 1e299),
    ("eta", 1e200),
]


@pytest.mark.parametrize(("name", "value"), FAULTS)
@pytest.mark.parametrize("n_tasks", [1, 2])
def test_every_path_refuses_the_same_parameters_with_the_same_words(medium, name, value, n_tasks):
    given = parameters(medium[0].start.size - 1, 5, n_tasks)
    if name == "beta":
        given["beta"] = value
    else:
        given[name].flat[-1] = value
    said = set()
    for path in SWEEPS:
        sampler = loaded(medium, 5, path)
        before = sampler.z.copy()
        with pytest.raises(ValueError, match=rf"^{name}|^a, b and eta are too large") as caught:
            sampler.sweep(np.random.default_rng(0), **given)
        said.add(str(caught.value))
        np.testing.assert_array_equal(sampler.z, before)
    assert len(said) == 1


@pytest.mark.parametrize("path", SWEEPS)
@pytest.mark.parametrize(("name", "value"), [("a", -0.0), ("a", 1e290), ("b", 1e290)])
def test_large_numbers_and_zeros_are_not_refused(medium, path, name, value):
    given = parameters(medium[0].start.size - 1, 5, 2)
    given[name].flat[-1] = value
    sampler = loaded(medium, 5, path)
    sampler.sweep(np.random.default_rng(0), **given)
    assert sampler.topic.sum() == medium[0].word.size


@pytest.mark.parametrize(("which", "value"), [(0, np.nan), (0, -1.0), (0, np.inf), (1, np.nan)])
def test_a_loss_that_is_not_a_number_is_refused_before_weights_are_drawn(which, value):
    counts = np.ones((4, 3), np.int32)
    factors = [np.ones((4, 1)), np.ones((4, 1))]
    factors[which][2] = value
    prior = {"mean": np.zeros((1, 3)), "precision": np.ones((1, 3))}
    with pytest.raises(ValueError, match=f"^{'ab'[which]} of the loss .*got {value}"):
        draw_weights(np.random.default_rng(0), counts, list_present(counts), *factors, **prior)


@pytest.mark.parametrize("wrong", [3, -1])
def test_words_are_not_drawn_for_topics_that_do_not_exist(wrong):
    z = np.array([0, wrong, 2])
    with pytest.raises(ValueError, match="not from 0 to n_topics - 1"):
        draw_words(np.random.default_rng(0), z, 0.1, 5, 3, np.empty(3, np.int32))


@pytest.mark.parametrize(("word", "z"), [([0, 5], [0, 1]), ([0, -1], [0, 1]), ([0, 1], [0, 3])])
def test_topics_are_not_estimated_from_numbers_out_of_range(word, z):
    out = WordTopics(np.empty((2, 3)), np.empty(3), np.empty(2))
    row = np.array([0, 1, -1, -1, -1])
    with pytest.raises(ValueError, match="out of range"):
        estimate_topics(np.array(word), np.array(z), row, 5, np.ones(3), 0.1, out)


@dataclass
class Shape:
    """A model that would need far more memory than there is, and what its error names."""

    n_documents: int
    n_words: int
    n_topics: int
    path: str
    named: str


LARGE = [
    Shape(10_000, 5, 60_000, "sparse", "60000 topics in 10000 documents alone would take 2.4 GB"),
    Shape(2, 200_000, 3_000, "plain", "the table of 200000 words and 3000 topics alone"),
    Shape(2, 200_000, 3_000, "dense", "the table of 200000 words and 3000 topics alone"),
    Shape(2, 2, 10**9, "auto", "n_topics = 1000000000 needs"),
]


@pytest.mark.parametrize("shape", LARGE, ids=lambda shape: shape.named)
def test_what_does_not_fit_into_memory_is_said_before_it_is_allocated(monkeypatch, shape):
    monkeypatch.setattr(_memory, "physical_memory", lambda: 2 * GIGABYTE)
    tokens = Tokens(np.zeros(4, np.int32), np.r_[np.zeros(shape.n_documents, np.int64), 4])
    with pytest.raises(MemoryError, match=r"there are 2\.0 GB") as caught:
        TopicSampler(tokens, n_words=shape.n_words, n_topics=shape.n_topics, path=shape.path)
    assert shape.named in str(caught.value)


def test_what_fits_is_not_refused(monkeypatch):
    shape = {"n_tokens": 10**6, "n_documents": 10_000, "n_words": 50_000, "n_topics": 200}
    monkeypatch.setattr(_memory, "physical_memory", lambda: GIGABYTE)
    check_topics_fit(**shape)
    monkeypatch.setattr(_memory, "physical_memory", lambda: 10**6)
    with pytest.raises(MemoryError, match="n_topics = 200"):
        check_topics_fit(**shape)
    monkeypatch.setattr(_memory, "physical_memory", lambda: None)  # a system that does not tell
    check_topics_fit(**shape)


def test_more_topics_than_are_counted_are_refused():
    with pytest.raises(ValueError, match="n_topics must be less than 2147483648"):
        check_topics_fit(n_tokens=1, n_documents=1, n_words=1, n_topics=2**31)


def arrays_in(value):
    """Return all arrays that a sweep keeps, also those in tuples."""
    if isinstance(value, tuple):
        return [array for item in value for array in arrays_in(item)]
    return [value] if isinstance(value, np.ndarray) else []


@pytest.mark.parametrize("path", SWEEPS)
@pytest.mark.parametrize("n_different", [600, 1])
def test_the_memory_that_is_named_is_the_memory_that_is_taken(path, n_different):
    """What a path keeps after a tempered sweep, which needs most, against what it says.

    The lists are longest if all words are different, and there are most counts if none are.
    """
    n, n_topics = 600, 40
    tokens = Tokens(np.arange(n, dtype=np.int32) % n_different, np.array([0, n]))
    sampler = TopicSampler(tokens, n_words=n, n_topics=n_topics, path=path)
    sampler.load(np.zeros(n, np.uint8))
    alpha = np.linspace(0.1, 1.0, n_topics)  # one row of powers for each
    eta, one = np.zeros((1, n_topics)), np.ones((1, 1))
    given = {"alpha": alpha, "beta": 0.1, "eta": eta, "a": one, "b": one, "power": 0.5}
    sampler.sweep(np.random.default_rng(0), **given)
    kept = sum(array.nbytes for array in arrays_in(tuple(vars(sampler.method).values())))
    said = SWEEPS[path].memory(n_tokens=n, n_words=n, n_topics=n_topics)
    # The rows of one document are not kept from sweep to sweep.
    lasting = sum(size for name, size in said.items() if "tables of" not in name)
    assert kept <= lasting + 100 + 3 * alpha.nbytes
    if n_different == n:
        assert lasting <= 1.1 * kept
        beside = [vars(sampler.method).get(name) for name in ("rows", "gain")]
        beside = [array.nbytes for array in beside if array is not None]
        said_beside = [size for name, size in said.items() if name.endswith(", in powers")]
        assert said_beside == pytest.approx(beside, abs=64)


def test_weights_that_do_not_fit_are_named(monkeypatch):
    monkeypatch.setattr(_memory, "physical_memory", lambda: GIGABYTE // 2)
    counts = np.ones((1, 6000), np.int32)
    one, prior = np.ones((1, 1)), np.ones((1, 6000))
    monkeypatch.setattr(weights, "costs_less", lambda *_: False)
    with pytest.raises(MemoryError, match="the precision of 1 x 6000 weights alone would take 576"):
        draw_weights(
            np.random.default_rng(0),
            counts,
            list_present(counts),
            one,
            one,
            mean=prior,
            precision=prior,
        )


def test_this_machine_has_memory():
    found = _memory.physical_memory()
    assert found is None or 10**8 < found < 10**14


@pytest.mark.parametrize("path", SWEEPS)
@pytest.mark.parametrize(
    ("name", "shape"),
    [("alpha", (11,)), ("eta", (1, 11)), ("eta", (2, 12)), ("a", (1, 1)), ("b", (3, 2))],
)
def test_parameters_of_other_shapes_are_refused(medium, path, name, shape):
    sampler = loaded(medium, 12, path)
    given = parameters(medium[0].start.size - 1, 12, 1) | {name: np.ones(shape)}
    with pytest.raises(ValueError, match=r"alpha must have shape \(12,\)"):
        sampler.sweep(np.random.default_rng(1), **given)
