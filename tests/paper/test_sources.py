"""What single claims look at, in made-up results where every number is another one."""

import itertools
from dataclasses import replace

import pytest

from paper import data, topics
from paper import sources as s
from paper.figures import beyond, fig03, fig04, fig09, fig12, in_words
from paper.settings import FULL, QUICK

OF_SWEEPS = ("test_score", "train_cpu_at", "train_longest_at", "test_cpu_at", "test_longest_at")
# Three seeds of each rival, so that their median is not their mean.
SCALE = replace(FULL, news_rival_seeds={"gMedLDA": 3, "vMedLDA": 3})


@pytest.fixture
def results():
    """All results on 20 Newsgroups: numbers from 1000, of which none occurs twice."""
    number = itertools.count(1000)
    found = {}
    more = *in_words.all_with_many_topics(SCALE), in_words.all_with_many_sweeps(SCALE)
    for one in (*fig04.jobs(SCALE), *more):
        found[one] = {name: float(next(number)) for name in ("score", "train_cpu", "test_cpu")}
        checkpoints = one.settings.get("checkpoints")
        if checkpoints is not None:
            own = {name: [float(next(number)) for _ in checkpoints] for name in OF_SWEEPS}
            found[one] |= {"checkpoints": checkpoints, **own}
    return found


def put(results, jobs, name, values):
    """Put a value for each seed into the results of some jobs."""
    for one, value in zip(jobs, values, strict=True):
        results[one][name] = value


def put_at_20(results, name, values):
    """Put a value for each seed after 20 sweeps, with the largest number of topics."""
    for one, value in zip(fig03.one_vs_all(SCALE)[20], values, strict=True):
        results[one][name][4] = value


ALL = [
    (s.all_train, "train_cpu_at"),
    (s.all_longest, "train_longest_at"),
    (s.all_test, "test_cpu_at"),
    (s.all_test_longest, "test_longest_at"),
]


@pytest.mark.parametrize(("time", "name"), ALL, ids=[name for _, name in ALL])
def test_times_of_one_vs_all_are_those_of_20_sweeps_and_20_topics(results, time, name):
    """Of seeds, the median counts; their mean is 40."""
    put_at_20(results, name, [80.0, 10.0, 30.0])
    assert time(results, SCALE) == 30.0


def test_a_long_run_of_one_vs_all_has_the_time_of_its_last_sweep(results):
    own = results[in_words.all_with_many_sweeps(SCALE)]
    assert own["checkpoints"] == [40, 60]
    own["train_cpu_at"][1] = 30.0
    assert s.all_train_long(results, SCALE) == 30.0


@pytest.mark.parametrize("name", ["gMedLDA", "vMedLDA"])
def test_the_training_time_of_a_rival_is_that_of_80_topics(results, name):
    put(results, fig03.rivals(SCALE)[name, 80], "train_cpu", [80.0, 10.0, 30.0])
    assert s.rival_train(name)(results, SCALE) == 30.0


@pytest.mark.parametrize(
    ("time", "name"), [(s.tasks_train, "train_cpu"), (s.tasks_test, "test_cpu")]
)
def test_times_of_all_classes_in_one_model_are_those_of_40_topics(results, time, name):
    jobs = fig04.table(SCALE)["multi-task", 40]
    put(results, jobs, name, [90.0, 10.0, 30.0, 20.0, 80.0])
    assert time(results, SCALE) == 30.0


@pytest.mark.parametrize("scale", [FULL, QUICK], ids=["full", "quick"])
def test_values_after_20_sweeps_are_found_among_those_of_other_sweeps(scale):
    """Each value says in its digits which K, seed and number of sweeps it belongs to."""
    results = {}
    for k, jobs in fig03.one_vs_all(scale).items():
        for seed, one in enumerate(jobs):
            sweeps = one.settings["checkpoints"]
            own = [10_000 * k + 1000 * seed + m for m in sweeps]
            results[one] = {"checkpoints": sweeps, "here": own, "there": [0.5 * x for x in own]}
    assert fig03.SWEEPS == 20
    expected = (
        ([5, 10, 20], [[x + 20, x + 1020, x + 2020] for x in (50_000, 100_000, 200_000)])
        if scale is FULL
        else ([5], [[50_020]])
    )
    assert fig03.at_sweeps(results, scale, "here") == expected


@pytest.mark.parametrize(
    ("gmedlda", "vmedlda", "holds"),
    [(40.0, 50.0, True), (30.0, 50.0, True), (29.0, 50.0, False), (50.0, 29.0, False)],
)
def test_one_vs_all_must_train_faster_than_each_rival(results, gmedlda, vmedlda, holds):
    """On one core, where it takes 30 seconds; it would take 3 on many cores, and predicts in 2."""
    times = {"train_cpu_at": 30.0, "train_longest_at": 3.0, "test_cpu_at": 2.0}
    for name, time in times.items():
        put_at_20(results, name, [time, time - 1.0, time + 900.0])
    for name, time in (("gMedLDA", gmedlda), ("vMedLDA", vmedlda)):
        jobs = fig03.rivals(SCALE)
        put(results, jobs[name, 80], "train_cpu", [time, 0.1, 999.0])
        # What decides nothing: fewer topics, and times of testing.
        put(results, jobs[name, 20], "train_cpu", [1.0, 1.1, 1.2])
        put(results, jobs[name, 80], "test_cpu", [0.2, 0.3, 0.4])
    found = s.all_train_is_less(results, SCALE)
    assert found.holds == holds
    assert found.words == f"30 s against {gmedlda:g} s (gMedLDA) and {vmedlda:g} s (vMedLDA)"


@pytest.mark.parametrize(
    ("everything", "holds"), [(0.60, True), (0.77, True), (0.775, True), (0.79, False)]
)
def test_all_classes_in_one_model_are_compared_with_models_of_40_topics_each(
    results, everything, holds
):
    """The model for all has a mean of 0.75; both have 40 topics, and seeds hardly differ."""
    put(results, fig04.table(SCALE)["multi-task", 40], "score", [0.748, 0.752, 0.75, 0.749, 0.751])
    own = [everything - 0.001, everything + 0.001, everything]
    put(results, in_words.all_with_many_topics(SCALE), "score", own)
    assert s.tasks_against_all(results, SCALE).holds == holds


@pytest.mark.parametrize(
    ("few", "some", "most", "holds"),
    [(0.80, 0.90, 0.70, True), (0.80, 0.60, 0.70, True), (0.70, 0.60, 0.80, False)],
)
def test_few_topics_are_compared_with_most_at_the_smallest_alpha(few, some, most, holds):
    """With every other α it is the other way round, and so it is for the best seeds."""
    means = {"K = 5": few, "K = 10": some, "K = 20": most}
    results = {}
    for (name, alpha), jobs in fig09.table(FULL).items():
        steps = 0.06 if (name == "K = 20") == holds else 0.001
        for i, one in enumerate(jobs):
            score = means[name] + steps * (i - 2)
            results[one] = {"score": score if alpha == 0.01 else 1.0 - score}
    assert s.few_topics_at_small_alpha(results, FULL).holds == holds


TOTALS = {  # seconds of training and of testing, and accuracy, of runs from short to long
    "vMedLDA": [
        (0.5, 0.25, 0.60), (1.25, 0.75, 0.75), (3.0, 0.5, 0.70),
        (4.5, 1.5, 0.80), (9.0, 2.0, 0.90), (30.0, 5.0, 0.95),
    ],
}  # fmt: skip


def costs():
    """Return made-up results of all runs; those of other methods take no time at all."""
    found = {}
    for (name, i), jobs in beyond.costs(FULL).items():
        train, test, score = TOTALS.get(name, [(0.0, 0.0, 0.111)] * (i + 1))[i]
        for one in jobs:
            found[one] = {"train_cpu": train, "test_cpu": test, "score": score}
    return found


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.7, "–"),  # training alone would take less
        (0.75, "0.600"),
        (2.0, "0.750"),
        (5.0, "0.700"),  # the longest run, not the best; and the next trains in less, but tests
        (6.0, "0.800"),
        (100.0, "0.950"),
    ],
)
def test_the_longest_run_within_a_budget_is_reported(seconds, expected):
    assert beyond.after(costs(), FULL, "vMedLDA", seconds) == expected


def test_a_budget_is_one_of_the_median_time_and_scores_are_averaged():
    results = costs()
    first, second = (beyond.costs(FULL)["GibbsMedLDA", i] for i in (0, 1))
    for jobs, time, score in ((first, 1.0, 0.5), (second, 3.0, 0.7)):
        put(results, jobs, "train_cpu", [time, time, 0.0, time, 99.0])
        put(results, jobs, "score", [score, score, score, score, score + 0.1])
    for i in range(2, 6):
        put(results, beyond.costs(FULL)["GibbsMedLDA", i], "train_cpu", [50.0] * 5)
    assert beyond.after(results, FULL, "GibbsMedLDA", 0.5) == "–"
    assert beyond.after(results, FULL, "GibbsMedLDA", 1.0) == "0.520"
    assert beyond.after(results, FULL, "GibbsMedLDA", 3.0) == "0.720"


def profile(rows, words=None):
    return {fig12.profile(): {"profile": rows, "words": words}}


EVEN = [0.1] * 10
DIFFERENT = {
    "orthogonal": ([[1.0, 0.0], [0.0, 1.0]], True),
    "equal": ([[0.7, 0.3], [0.7, 0.3]], False),
    "equal, with a small product": ([EVEN, EVEN], False),
    "every class has a twin": ([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], False),
    # The nearest have cosines of 1, 1, 0, 0 and 0, whose mean is below a half too.
    "one pair is equal": (
        [[1.0, 0, 0, 0], [1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]],
        True,
    ),
    # The nearest have cosines of 0.6, 0.7 and 0.7; all pairs have 0, 0.6 and 0.7.
    "one lies between the others": ([[1.0, 0, 0], [0, 1.0, 0], [0.6, 0.7, 0.387]], False),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_profiles_differ_by_the_cosine_of_a_class_and_its_nearest(name):
    rows, holds = DIFFERENT[name]
    assert topics.profiles_differ(profile(rows), FULL).holds == holds


ONE = [0.1, 0.1, 0.1, 0.1, 0.6]  # topic that holds half, wherever it stands
THREE = [0.15, 0.2, 0.15, 0.2, 0.15, 0.15]
FOUR = [0.15, 0.15, 0.15, 0.15, 0.1, 0.1, 0.1, 0.1]
SALIENT = {
    "one": ([ONE], True),
    "one of two": ([[0.5, 0.5]], True),
    "three": ([THREE], True),
    "three hold no more than half": ([[0.25, 0.125, 0.125, 0.1, 0.1, 0.1, 0.1, 0.1]], True),
    "four": ([FOUR], False),
    "most have one": ([ONE + [0.0] * 5, ONE + [0.0] * 5, EVEN], True),
    "most have five": ([ONE + [0.0] * 5, EVEN, EVEN], False),
}


@pytest.mark.parametrize("name", SALIENT)
def test_few_topics_hold_half_of_the_tokens_of_the_median_class(name):
    rows, holds = SALIENT[name]
    assert topics.few_salient_topics(profile(rows), FULL).holds == holds


@pytest.mark.parametrize(
    ("own", "holds"),
    [
        (["image", "the", "jpeg"], True),
        (["the", "files", "graphics"], True),
        (["image", "the", "imagine"], False),
        (["file", "the", "files"], False),
        (["god", "the", "people"], False),
    ],
)
def test_the_topic_of_graphics_has_two_of_the_words_of_the_paper(monkeypatch, own, holds):
    """All of them are words of the topics of other classes, if those of graphics are not."""
    names = ["alt.atheism", "comp.graphics", "sci.space"]
    monkeypatch.setattr(data, "class_names", lambda: names)
    rows = [[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.3, 0.6, 0.1]]
    others = ["god"] if holds else ["image", "graphics", "file", "jpeg"]
    found = topics.graphics_words(profile(rows, [others, others, own]), FULL)
    assert found.holds == holds
    assert found.words == ", ".join(own)
