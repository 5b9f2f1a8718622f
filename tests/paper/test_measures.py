"""Measures of claims: each with made-up results for which a claim holds, and for which it fails."""

import pytest

from paper import measures as m
from paper import sources as s
from paper.runner import job
from paper.settings import QUICK


def made_up(name, values):
    """Return a table of jobs, and their results: {variant: {K: a value of each seed}}."""
    grid, results = {}, {}
    for variant, own in values.items():
        for k, seeds in own.items():
            jobs = [job("made up", variant=variant, k=k, seed=i) for i in range(len(seeds))]
            grid[variant, k] = jobs
            results |= {one: {name: x} for one, x in zip(jobs, seeds, strict=True)}
    return lambda scale: grid, results


def at(k, ours, rival):
    """Return values of two methods with one number of topics."""
    return {"ours": {k: ours}, "rival": {k: rival}}


# Two seeds that differ by 0.02 have a standard error of 0.01; of a difference it is 0.0141.
UP, DOWN, LITTLE = [0.80, 0.82], [0.70, 0.72], [0.775, 0.795]
TWO_K = {"ours": {5: UP, 10: UP}, "rival": {5: LITTLE, 10: LITTLE}}  # error 0.01, gap 0.025
MIXED = {"ours": {5: UP, 20: DOWN}, "rival": {5: DOWN, 20: [0.725, 0.745]}}
PAIR = ("ours", "rival")

COMPARISONS = {
    "higher: far apart": (m.higher, (), "score", at(5, UP, DOWN), True),
    "higher: the other way": (m.higher, (), "score", at(5, DOWN, UP), False),
    "higher: equal": (m.higher, (), "score", at(5, UP, UP), False),
    "higher: within two errors": (m.higher, (), "score", at(5, UP, LITTLE), False),
    "higher: the same with more runs": (m.higher, (), "score", TWO_K, True),
    "higher: at one K": (m.higher, ("score", 5), "score", MIXED, True),
    "higher: not at another": (m.higher, ("score", 20), "score", MIXED, False),
    "higher: another score": (m.higher, ("f1",), "f1", at(5, UP, DOWN), True),
    "higher: the spread of one method counts for both": (
        m.higher, (), "score", at(5, [0.76, 0.78], [0.74]), False,
    ),
    "higher: no spread": (m.higher, (), "score", at(5, [0.8], [0.1]), None),
    "comparable: a little lower": (
        m.comparable, (), "score", at(5, [0.700, 0.701], [0.710, 0.711]), True,
    ),
    "comparable: higher": (m.comparable, (), "score", at(5, UP, DOWN), True),
    "comparable: lower": (m.comparable, (), "score", at(5, DOWN, UP), False),
    "comparable: within two errors": (m.comparable, (), "score", at(5, LITTLE, UP), None),
    "comparable: no spread": (m.comparable, (), "score", at(5, [0.9], [0.7]), None),
    "comparable: a wide bound": (m.comparable, ("f1", 0.2), "f1", at(5, DOWN, UP), True),
    "faster: enough": (m.faster, (50,), "train_cpu", at(20, [0.1], [5.1]), True),
    "faster: not enough": (m.faster, (50,), "train_cpu", at(20, [0.1], [4.9]), False),
    "faster: the other way": (m.faster, (50,), "train_cpu", at(20, [5.1], [0.1]), False),
    "faster: half as fast": (m.faster, (0.5, "test_cpu"), "test_cpu", at(20, [1.9], [1]), True),
    "faster: slower": (m.faster, (0.5, "test_cpu"), "test_cpu", at(20, [2.1], [1]), False),
    "faster: medians": (m.faster, (2,), "train_cpu", at(20, [1, 1, 99], [3, 3, 0]), True),
    "faster: at 20 topics": (
        m.faster, (2,), "train_cpu",
        {"ours": {5: [1], 20: [1], 30: [1]}, "rival": {5: [1], 20: [3], 30: [1]}}, True,
    ),
    "faster: at the K next to it": (
        m.faster, (2,), "train_cpu",
        {"ours": {5: [1], 30: [1]}, "rival": {5: [9], 30: [1]}}, False,
    ),
    "faster: at the largest K": (
        m.faster, (2, "test_cpu", 30), "test_cpu",
        {"ours": {20: [1], 30: [1]}, "rival": {20: [1], 30: [3]}}, True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_hold_and_fail(name):
    measure, settings, key, values, holds = COMPARISONS[name]
    table, results = made_up(key, values)
    found = measure(table, *PAIR, *settings)(results, QUICK)
    assert found.holds == holds, found.words


def over_best(values):
    """Compare runs with a method that has several K."""
    table, results = made_up("score", {"rival": values, "another": {5: [0.99, 0.99]}})
    own = [job("own", seed=i) for i in range(2)]
    results |= {one: {"score": x} for one, x in zip(own, [0.62, 0.64], strict=True)}
    return m.over_best(lambda scale: own, table, "rival")(results, QUICK)


def curve(*values, positions=None):
    """Return a curve of one seed, or of several where a value is a list."""
    seeds = [own if isinstance(own, list) else [own] for own in values]
    return (list(range(len(seeds))) if positions is None else positions, seeds)


def seeds_around(*means, apart=0.001):
    """Return a curve of two seeds."""
    return curve(*([own - apart, own + apart] for own in means))


def shape(measure, *settings, **curves):
    """Apply a measure to curves."""
    return measure(lambda results, scale: curves, *settings)({}, QUICK)


def ratio(above, below):
    return m.ratio_of(lambda r, c: above, lambda r, c: below, 2, 20)({}, QUICK)


STABLE = (m.stable, 1, 3, 0.02)
SETTLES = (m.settles, 2, 0.02)
RISES = (m.rises, 0, 1)
LINE, BENT = curve(1.0, 2.1, 2.9, 4.0), curve(0.0, 0.0, 0.0, 9.0)
SHAPES = {
    "over_best": (over_best({5: [0.50, 0.52], 10: [0.55, 0.56]}), True),
    "over_best: the best K counts": (over_best({5: [0.10, 0.12], 10: [0.65, 0.66]}), False),
    "over_best: within two errors": (over_best({5: [0.60, 0.62]}), False),
    "ratio_of": (ratio(10.0, 2.0), True),
    "ratio_of: too low": (ratio(3.0, 2.0), False),
    "ratio_of: too high": (ratio(60.0, 2.0), False),
    "ratio_of: the other way": (ratio(2.0, 10.0), False),
    "stable": (shape(*STABLE, a=seeds_around(0.1, 0.80, 0.81, 0.80, 0.2)), True),
    "stable: a range": (shape(*STABLE, a=seeds_around(0.8, 0.80, 0.83, 0.80, 0.8)), False),
    "stable: within two errors": (
        shape(*STABLE, a=seeds_around(0.8, 0.80, 0.83, 0.80, apart=0.02)), None,
    ),
    "stable: no spread": (shape(*STABLE, a=curve(0.8, 0.80, 0.81, 0.80)), None),
    "stable: every curve": (
        shape(*STABLE, a=seeds_around(1, 1, 1, 1), b=seeds_around(1, 1, 2, 1)), False,
    ),
    "linear": (shape(m.linear, a=LINE), True),
    "linear: bent": (shape(m.linear, a=BENT), False),
    "linear: falling": (shape(m.linear, a=curve(3, 2, 1)), False),
    "linear: every curve": (shape(m.linear, a=LINE, b=BENT), False),
    "linear: distances count": (shape(m.linear, a=curve(1, 2, 9, positions=[1, 2, 9])), True),
    "settles": (shape(*SETTLES, a=curve(0.1, 0.5, 0.79, 0.80)), True),
    "settles: too early": (shape(*SETTLES, a=curve(0.1, 0.5, 0.70, 0.80)), False),
    "settles: falls again": (shape(*SETTLES, a=curve(0.1, 0.5, 0.90, 0.80)), False),
    "settles: every curve": (shape(*SETTLES, a=curve(0, 0, 1, 1), b=curve(0, 0, 0, 1)), False),
    "rises": (shape(*RISES, a=curve(0.5, 0.88, 0.9)), True),
    "rises: slowly": (shape(*RISES, a=curve(0.5, 0.7, 0.9)), False),
    "rises: falls": (shape(*RISES, a=curve(0.5, 0.4, 0.9)), False),
    "rises: every curve": (shape(*RISES, a=curve(0, 1, 1), b=curve(0, 0, 1)), False),
    "grows_with_topics": (shape(m.grows_with_topics, a=curve(9, 1), b=curve(1, 2)), True),
    "grows_with_topics: falls": (shape(m.grows_with_topics, a=curve(0, 2), b=curve(9, 1)), False),
    "grows_with_topics: then falls": (
        shape(m.grows_with_topics, a=curve(1), b=curve(3), c=curve(2)), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_bests_ratios_and_shapes_hold_and_fail(name):
    found, holds = SHAPES[name]
    assert found.holds == holds, found.words


def test_words_say_what_was_measured():
    table, results = made_up("score", at(5, UP, DOWN))
    assert m.higher(table, *PAIR)(results, QUICK).words == "+0.100 ± 0.014 over rival"
    table, results = made_up("train_cpu", at(20, [0.1], [5.0]))
    measure = m.faster(table, *PAIR, 60)
    assert measure(results, QUICK).words == "0.1 s against 5 s: 50.0 times (K = 20)"
    # Compiling is in the time, and decides nothing; the words say how much it is.
    for own in table(QUICK)["ours", 20]:
        results[own]["setup_cpu"] = 0.05
    found = measure(results, QUICK)
    assert "100 without 0.05 s of compiling" in found.words
    assert not found.holds


NEWS = {
    "a": curve([0.70, 0.71], [0.79, 0.81]),
    "b": curve([0.74, 0.76], [0.60, 0.61]),  # 0.05 lower, with an error of 0.014
    "c": curve([0.80, 0.81]),
}
BEST_OF = [
    ("a", "b", 0.0, True),
    ("b", "a", 0.0, False),
    ("a", "b", 0.06, None),
    ("a", "b", 0.09, False),
    ("b", "a", -0.09, True),
    ("a", "c", 0.0, None),  # the mean over seeds, not the best seed
]


@pytest.mark.parametrize(("one", "other", "by", "holds"), BEST_OF)
def test_the_best_mean_over_topics_is_compared(monkeypatch, one, other, by, holds):
    monkeypatch.setattr(s, "news_accuracy", lambda results, scale: NEWS)
    assert s.best_of(one, other, by)({}, QUICK).holds == holds


@pytest.mark.parametrize(("bound", "holds"), [(0.80, True), (0.82, False)])
def test_a_mean_reaches_a_bound(bound, holds):
    table, results = made_up("score", {"ours": {5: UP}})
    assert s.at_least(lambda scale: table(scale)["ours", 5], bound)(results, QUICK).holds == holds


@pytest.mark.parametrize(("words", "holds"), [(0.70, True), (0.715, False), (0.75, False)])
def test_the_best_f1_is_compared_with_that_of_words(words, holds):
    """Three seeds have 0.71, 0.72 and 0.73: two standard errors are 0.012."""
    results = {
        one: {"f1": 0.71 + 0.01 * (i % 3)}
        for own in s.fig05.table(QUICK).values()
        for i, one in enumerate(own)
    }
    results[s.fig05.words()] = {"f1": words}
    assert s.wiki_over_words("GibbsMedLDA")(results, QUICK).holds == holds


@pytest.mark.parametrize("part", ["test", "train"])
@pytest.mark.parametrize(("first", "holds"), [(0.52, True), (0.65, False), (0.05, False)])
def test_accuracy_without_burn_in_is_that_of_guessing(part, first, holds):
    later = [0.9] * (len(QUICK.binary_sweeps) - 1)
    own = {"checkpoints": list(QUICK.binary_sweeps), f"{part}_score": [first, *later]}
    results = {one: own for jobs in s.fig06.table(QUICK).values() for one in jobs}
    assert s.random_at_first(part)(results, QUICK).holds == holds
