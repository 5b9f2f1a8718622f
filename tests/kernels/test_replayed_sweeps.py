"""Every topic that a sweep draws, against the exact conditional of its visit (see `replay`)."""

import itertools

import numpy as np
import pytest

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.sweeps.document import FEW_TO_OPEN
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from tests.kernels.conftest import log_target
from tests.kernels.replay import Sums, conditionals, functions_of_the_draw

LEVEL = 1e-6  # of one function; there are about twenty for each of a few dozen cases


@pytest.fixture(scope="module")
def corpus():
    """A hundred and twenty documents of up to twelve tokens over twenty words.

    In half of them the words are in order, as in documents that were counted: then many tokens
    follow one of the same word.
    """
    rng = np.random.default_rng(11)
    lengths = np.r_[1, 0, 2, rng.integers(1, 13, 117)]
    word = np.minimum(rng.geometric(0.2, lengths.sum()) - 1, 19).astype(np.int32)
    start = np.r_[0, np.cumsum(lengths)].astype(np.int64)
    for d in range(0, lengths.size, 2):
        word[start[d] : start[d + 1]].sort()
    return Tokens(word, start), 20


def spread_out(rng, n_topics):
    """Weights of many different sizes, so that few of them are close to each other."""
    return rng.permutation(np.linspace(-4.0, 4.0, n_topics)) + 0.1 * rng.standard_normal(n_topics)


def tied(rng, n_topics):
    """Weights of three values: however steep the loss, topics of one value stay possible."""
    return rng.permutation(np.resize([-1.0, 0.0, 1.0], n_topics))


# How eta is made, and how large gamma² a is times the square of eta: this is how steep the
# exponent of a token is. Beyond 150 the quick sweeps take other ways.
SETTINGS = {
    "no labels": (spread_out, 0.0),
    "soft": (spread_out, 0.5),
    "medium": (spread_out, 3.0),
    "refusals": (spread_out, 30.0),
    "hard": (spread_out, 100.0),
    "steep": (spread_out, 900.0),
    "hard, with ties": (tied, 60.0),
    "steep, with ties": (tied, 700.0),
    "very steep, with ties": (tied, 5000.0),
}


def given_parameters(name, corpus, n_topics, n_tasks):
    rng = np.random.default_rng(5)
    make, steepness = SETTINGS[name]
    eta = np.stack([make(rng, n_topics) for _ in range(n_tasks)])
    length = np.diff(corpus[0].start)[:, None]
    a = steepness / np.abs(eta).max() ** 2 / n_tasks * length**2
    a = a * rng.uniform(0.3, 1.0, (length.size, n_tasks))
    margin = rng.uniform(-1.0, 1.0, a.shape) * np.abs(eta).max()
    margin[::7] *= 10.0  # margins that no weights can meet
    alpha = rng.uniform(0.1, 0.6, n_topics)
    return {"alpha": alpha, "beta": 0.3, "eta": eta, "a": a, "b": a * margin}


def replayed(corpus, path, given, assumed=None, n_sweeps=40):
    """Sweep several times; return the levels of all functions and the smallest log q drawn."""
    tokens, n_words = corpus
    n_topics = given["alpha"].size
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path)
    rng = np.random.default_rng(7)
    sampler.load(rng.integers(0, n_topics, tokens.word.size).astype(np.uint16))
    sums, least = Sums(), 0.0
    for _ in range(n_sweeps):
        before = sampler.z.copy()
        sampler.sweep(rng, **given)
        logs, seen = conditionals(corpus, before, sampler.z, **(assumed or given))
        sums.add(sampler.z, logs, functions_of_the_draw(before, logs, seen, given["eta"]))
        least = min(least, logs[np.arange(before.size), sampler.z].min())
    return sums.levels(), least


PATHS = [
    *((path, n_tasks) for path in ("plain", "dense", "sparse") for n_tasks in (1, 2)),
    ("all in runs", 1),
    ("all in runs", 2),
]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
def test_every_draw_has_the_law_of_its_conditional(corpus, path, n_tasks, name, request):
    if path == "all in runs":
        request.getfixturevalue("all_in_runs")
        path = "dense"
    given = given_parameters(name, corpus, 22, n_tasks)
    found, least = replayed(corpus, path, given)
    assert min(found.values()) > LEVEL, found
    assert least > np.log(1e-10), "a topic was drawn that is all but impossible"


@pytest.mark.parametrize(
    ("path", "n_tasks", "n_topics"),
    [("sparse", 1, 250), ("sparse", 1, FEW_TO_OPEN + 44), ("sparse", 2, 250), ("dense", 1, 250)],
)
def test_draws_among_hundreds_of_topics_have_their_law(corpus, path, n_tasks, n_topics):
    """So many topics that a search skips whole blocks, and that a document is opened by its own."""
    given = given_parameters("soft", corpus, n_topics, n_tasks)
    found, _ = replayed(corpus, path, given, n_sweeps=8)
    assert min(found.values()) > LEVEL, found


@pytest.mark.parametrize("changed", ["a", "b", "alpha", "beta", "eta"])
@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_a_wrong_parameter_is_noticed(corpus, path, changed):
    given = given_parameters("soft", corpus, 22, 1)
    wrong = {**given, changed: 1.3 * given[changed]}
    assert min(replayed(corpus, path, wrong, assumed=given)[0].values()) < LEVEL


def test_the_cases_take_all_ways_of_the_sweep_by_bounds(corpus):
    """Refused draws are repeated, and after several of them all weights are computed."""
    refusals = {}
    for name in ("no labels", "refusals"):
        given = given_parameters(name, corpus, 22, 1)
        sampler = TopicSampler(corpus[0], n_words=20, n_topics=22, path="sparse")
        sampler.load(np.zeros(corpus[0].word.size, np.uint8))
        for _ in range(6):
            sampler.sweep(np.random.default_rng(1), **given)
        refusals[name] = sampler.method.refusals / corpus[0].word.size
    assert refusals["no labels"] < 0.2
    assert refusals["refusals"] > 0.5


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_replayed_conditionals_are_ratios_of_the_joint(toy, n_tasks):
    """The formula of the replay is itself derived from the joint density, by enumeration."""
    tokens, n_words = toy
    rng = np.random.default_rng(2)
    before, after = rng.integers(0, 4, (2, 5))
    given = {
        "alpha": rng.uniform(0.2, 1.0, 4),
        "beta": 0.4,
        "eta": rng.normal(0.0, 2.0, (n_tasks, 4)),
        "a": rng.gamma(1.0, 2.0, (3, n_tasks)),
        "b": rng.normal(0.0, 9.0, (3, n_tasks)),
    }
    logs, _ = conditionals(toy, before, after, **given)
    for n, k in itertools.product(range(5), range(4)):
        z = np.r_[after[:n], k, before[n + 1 :]]
        base = np.r_[after[:n], 0, before[n + 1 :]]
        ratio = log_target(tokens, n_words, z, **given) - log_target(tokens, n_words, base, **given)
        assert logs[n, k] - logs[n, 0] == pytest.approx(ratio, abs=1e-9)
