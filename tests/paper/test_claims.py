"""Claims ask what their rows say, and say so where nothing was measured or little is known."""

import json
import sys

import numpy as np
import pytest

from paper import __main__ as command
from paper import claims, data, files, methods, sources, topics, turns
from paper.figures import beyond, fig01, fig03, fig04, fig09, fig12, in_words
from paper.measures import (
    Found,
    faster_with_topics,
    linear_in_topics,
    steadier_with_topics,
)
from paper.runner import Bar, Runner, job
from paper.settings import BINARY, FULL, QUICK


def test_a_claim_that_should_be_measured_and_is_not_is_noticed(monkeypatch, tmp_path, capsys):
    expected = tmp_path / "expected.json"
    expected.write_text('{"quick": ["a"], "full": []}', encoding="utf-8")
    monkeypatch.setattr(claims, "EXPECTED", expected)
    assert claims.check({}, quick=True) == 1
    assert "a" in capsys.readouterr().out
    assert claims.check({}, quick=True, whole=False) == 0
    assert claims.check({"a": Found("", None)}, quick=True) == 1


def test_a_result_with_another_key_is_an_error_and_not_a_missing_figure():
    results = {own: {"renamed": 0.5} for own in fig01.jobs(QUICK)}
    with pytest.raises(KeyError, match="score"):
        claims.measure(results, QUICK)
    assert claims.measure({}, QUICK) == {}


@pytest.fixture
def rows(monkeypatch):
    """Return what was found for six claims that are listed in the place of the paper's."""
    holds = [True, True, True, False, False, None]
    listed = [claims.Claim(str(i), "1", "text", "how", None) for i in range(len(holds))]
    monkeypatch.setattr(claims, "CLAIMS", listed)
    return {str(i): Found("0.5", own) for i, own in enumerate(holds)}


def test_the_table_says_what_holds_and_what_is_undecided(rows):
    lines = claims.as_markdown(rows).splitlines()
    answers = [line.rsplit("|", 2)[1].strip() for line in lines[2:]]
    assert answers == ["yes", "yes", "yes", "**no**", "**no**", "undecided"]
    assert claims.as_text(rows).splitlines()[-1].startswith("open")


def test_the_summary_counts_answers_and_adds_up_the_time(rows):
    assert claims.summary(rows, [60.0, 90.0, 30.0]) == (
        "Of 6 comparisons, 3 hold, 2 do not hold, and 1 are undecided. "
        "The run had 3 jobs, which took 3 minutes in all, each on one core."
    )


def test_every_expected_claim_can_be_measured_in_its_own_run():
    """What the quick run expects must not need jobs that only the full run has."""
    modules = [command.importlib.import_module(f"paper.figures.{n}") for n in command.FIGURES]
    names = ("score", "f1", "train_cpu", "test_cpu", "setup_cpu", "test_score", "train_score")
    results = {}
    for own in {own for module in modules for own in module.jobs(QUICK)}:
        results[own] = dict.fromkeys(names, 0.5)
        if checkpoints := own.settings.get("checkpoints"):
            at = ("train_cpu_at", "train_longest_at", "test_cpu_at", "test_longest_at")
            rising = [float(i + 1) for i in range(len(checkpoints))]
            results[own] |= dict.fromkeys((*names, *at), rising) | {"checkpoints": checkpoints}
        if own.kind == "in_turns":
            results[own] = {
                time: {name: [1.0] for name in own.settings["variants"]}
                for time in ("train_cpu", "setup_cpu")
            }
    results[fig12.profile()] = made_up_topics()
    expected = json.loads(claims.EXPECTED.read_text(encoding="utf-8"))["quick"]
    with np.errstate(all="ignore"):
        found = claims.measure(results, QUICK)
    assert set(expected) <= set(found)


@pytest.mark.parametrize(
    ("missing", "left_out"),
    [(("vMedLDA", 40), True), ("vMedLDA", True), ("multi-task", False), ("score", False)],
)
def test_only_methods_without_seeds_may_be_missing(monkeypatch, missing, left_out):
    """The quick run has no vMedLDA on 20 Newsgroups; any other missing name is a mistake."""

    def fail(results, scale):
        raise KeyError(missing)

    monkeypatch.setattr(claims, "CLAIMS", [claims.CLAIMS[0]._replace(measure=fail)])
    if left_out:
        assert claims.measure({}, QUICK) == {}
    else:
        with pytest.raises(KeyError):
            claims.measure({}, QUICK)
    with pytest.raises(KeyError):
        claims.measure({}, FULL)


def made_up_topics(without=()):
    """Return topics of which each belongs to one class, with typical words for most classes."""
    n = 20
    rows = [[["a", "b"] if name not in without else [] for _ in range(n)] for name in NAMES]
    return {
        "profile": (0.9 * np.eye(n) + 0.005).tolist(),
        "words": [["image", "files"] for _ in range(n)],
        "typical": rows,
    }


NAMES = ["alt.atheism", "comp.graphics", *(f"group.{i}" for i in range(18))]


@pytest.fixture(autouse=True)
def names(monkeypatch):
    monkeypatch.setattr(data, "class_names", lambda: NAMES)


@pytest.mark.parametrize("name", ["atheism_words", "words_of_others", "graphics_words"])
def test_topics_that_were_not_computed_need_no_files(monkeypatch, name):
    """A claim whose job was not run is left out, also on machines without the corpora."""

    def read():
        raise FileNotFoundError("the names of the classes")

    monkeypatch.setattr(data, "class_names", read)
    with pytest.raises(KeyError) as missing:
        getattr(topics, name)({}, FULL)
    assert missing.value.args == (fig12.profile(),)


def test_topics_must_have_typical_words():
    found = {fig12.profile(): made_up_topics()}
    assert topics.atheism_words(found, FULL).holds
    assert topics.words_of_others(found, FULL) == Found("18 of 18 groups", True)
    found = {fig12.profile(): made_up_topics(["alt.atheism", "group.3"])}
    assert not topics.atheism_words(found, FULL).holds
    assert topics.words_of_others(found, FULL) == Found("17 of 18 groups, not group.3", False)


def test_words_of_a_class_are_found_in_drawn_documents():
    problem = data.load("drawn-two")
    two = data.Problem(
        "classes", problem.train, np.hstack([problem.y, -problem.y]), problem.test, problem.truth
    )
    ratios = methods.class_ratios(two)
    inside = problem.train.to_dtm()[problem.y[:, 0] > 0].sum(axis=0)
    outside = problem.train.to_dtm()[problem.y[:, 0] < 0].sum(axis=0) + 1.0
    expected = (inside / inside.sum()) / (outside / outside.sum())
    np.testing.assert_allclose(ratios[0], np.asarray(expected).ravel())


def test_methods_take_turns(monkeypatch):
    seen = []

    def look(problem, method, **settings):
        seen.append(method)
        return {"train_cpu": float(len(seen)), "setup_cpu": 0.0}

    monkeypatch.setattr(methods, "run_on", look)
    monkeypatch.setattr(methods, "warm_up", lambda *given: None)
    variants = {"GibbsMedLDA": {"method": "ours"}, "vMedLDA": {"method": "vMedLDA"}}
    found = turns.in_turns("drawn-two", n_topics=5, seed=0, rounds=2, variants=variants)
    assert seen == ["ours", "vMedLDA", "ours", "vMedLDA"]
    assert found["train_cpu"] == {"GibbsMedLDA": [1.0, 3.0], "vMedLDA": [2.0, 4.0]}


@pytest.mark.parametrize(("rival", "holds"), [([9.0, 5.0], True), ([9.0, 3.9], False)])
def test_training_in_turns_is_judged_by_the_best_round(rival, holds):
    result = {
        "train_cpu": {"GibbsMedLDA": [0.2, 0.1], "vMedLDA": rival},
        "setup_cpu": {"GibbsMedLDA": [0.03, 0.02], "vMedLDA": [0.0, 0.0]},
    }
    results = dict.fromkeys(fig01.turns(FULL), result)
    found = sources.faster_in_turns("GibbsMedLDA", "vMedLDA", 50)(results, FULL)
    assert found.holds == holds
    assert f"{min(rival) / 0.1:.1f} times" in found.words


def grid_of(times):
    """Return a table and results: testing times of methods over K."""
    grid = {(name, k): [job("run", method=name, n_topics=k)] for name in times for k in (5, 10, 20)}
    results = {
        own[0]: {"test_cpu": times[name][i]}
        for name in times
        for i, own in enumerate(grid[name, k] for k in (5, 10, 20))
    }
    return (lambda scale: grid), results


@pytest.mark.parametrize(
    ("rival", "holds"),
    [
        ([1.5, 2.0, 4.0], True),
        ([0.9, 2.0, 4.0], False),  # slower with few topics
        ([1.5, 2.0, 2.5], False),  # not by as much as was asked
        ([5.0, 4.0, 3.5], False),  # less so with many topics
    ],
)
def test_testing_must_be_faster_everywhere_and_most_with_many_topics(rival, holds):
    table, results = grid_of({"one": [1.0, 1.0, 1.0], "easy": [2.0, 3.0, 9.0], "other": rival})
    measure = faster_with_topics(table, "one", ["easy", "other"], 3.0)
    assert measure(results, FULL).holds == holds


@pytest.mark.parametrize(
    ("ends", "holds"), [((1.0, 2.0, 4.0), True), ((1.0, 4.0, 2.0), False), ((4, 2, 0), False)]
)
def test_times_lie_on_a_rising_line_over_topics(ends, holds):
    curves = {
        f"K = {k}": ([1, 2], [[0.1], [own]]) for k, own in zip((5, 10, 20), ends, strict=True)
    }
    assert linear_in_topics(lambda r, s: curves)({}, FULL).holds == holds


@pytest.mark.parametrize(
    ("last", "apart", "holds"), [(0.003, 0.001, True), (0.015, 0.001, False), (0.003, 0.005, None)]
)
def test_curves_are_steadier_with_more_topics(last, apart, holds):
    def around(*means):
        return [20, 40], [[own - apart, own + apart] for own in means]

    few, many = around(0.70, 0.71), around(0.80, 0.80 + last)
    curves = {
        "K = 5": ([0, *few[0]], [[0.1], *few[1]]),
        "K = 20": ([0, *many[0]], [[0.1], *many[1]]),
    }
    assert steadier_with_topics(lambda r, s: curves, 20)({}, FULL).holds == holds


def news(rivals, ours):
    """Return made-up accuracies on 20 Newsgroups."""
    results = {}
    for (name, _), jobs in fig03.rivals(FULL).items():
        results |= {one: {"score": rivals[name] + 0.003 * (i - 1)} for i, one in enumerate(jobs)}
    for (name, _), jobs in fig04.table(FULL).items():
        if name == "multi-task":
            results |= {one: {"score": 0.77} for one in jobs}
    for jobs in fig03.one_vs_all(FULL).values():
        for one, score in zip(jobs, ours, strict=True):
            checkpoints = one.settings["checkpoints"]
            results[one] = {"checkpoints": checkpoints, "test_score": [score] * len(checkpoints)}
    return results


@pytest.mark.parametrize(
    ("rival", "holds"), [(0.60, True), (0.775, None), (0.779, None), (0.80, False)]
)
def test_a_lead_near_the_bound_decides_nothing(rival, holds):
    results = news({"gMedLDA": 0.7, "vMedLDA": rival}, [0.78, 0.787, 0.794])
    assert sources.best_of("one-vs-all", "vMedLDA", 0.01)(results, FULL).holds is holds


def test_c_is_tuned_by_cross_validation_and_judged_on_the_test_part():
    results = {}
    for c, jobs in in_words.folds(FULL).items():
        results |= {one: {"score": 0.9 + 0.01 * (c == 4.0)} for one in jobs}
    for (_, c), jobs in in_words.over_c(FULL).items():
        results |= {
            one: {"score": 0.8 + 0.02 * (c == 4.0) + 0.001 * i} for i, one in enumerate(jobs)
        }
    found = sources.tuned_c(results, FULL)
    assert found.holds
    assert found.words.startswith("c = 4: +0.020")


@pytest.mark.parametrize(
    ("best", "apart", "holds"),
    [
        ((0, 1, 2), 0.001, True),
        ((2, 1, 2), 0.001, False),
        ((1, 1, 1), 0.001, False),
        ((0, 1, 2), 0.01, None),
        ((2, 1, 2), 0.01, None),
    ],
)
def test_the_best_alpha_must_grow_with_the_topics(best, apart, holds):
    """What is apart by less than the spread over seeds may be the best too."""
    results = {}
    for (name, alpha), jobs in fig09.table(FULL).items():
        place = best[[5, 10, 20].index(int(name.split()[-1]))]
        mean = 0.8 + 0.01 * (alpha == FULL.alphas[place])
        results |= {one: {"score": mean + apart * (i - 2)} for i, one in enumerate(jobs)}
    assert sources.best_alpha_grows(results, FULL).holds is holds


def test_the_cost_of_a_run_has_training_and_testing():
    one = job("run", seed=0)
    assert beyond.seconds_of({one: {"train_cpu": 1.0, "test_cpu": 0.5}}, [one]) == 1.5


def test_results_of_another_corpus_are_not_found(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "FOLDER", tmp_path / "data")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "20ng_religion.npz").write_bytes(b"one")
    one = job("run", corpus="religion", seed=0)
    runner = Runner(tmp_path / "cache", show=False)
    runner.store(one, {"score": 0.5}, 1.0)
    assert runner.find(one) == {"score": 0.5}
    other = tmp_path / "other"
    other.mkdir()
    (other / "20ng_religion.npz").write_bytes(b"two")
    monkeypatch.setattr(files, "FOLDER", other)
    assert runner.find(one) is None


def test_the_files_of_the_challenge_stand_for_the_small_wikipedia(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    assert "wiki_multilabel_5k.npz" in files.missing()
    for name in files.FULL_WIKI:
        (tmp_path / name).write_text("1 2:3\n", encoding="utf-8")
    assert "wiki_multilabel_5k.npz" not in files.missing()
    assert files.digest("wiki")


def test_jobs_of_unknown_length_are_counted_and_not_guessed(tmp_path):
    runner = Runner(tmp_path, workers=1, show=False)
    short, long = job("run", seed=0, chains=1), job("run", seed=0, chains=40)
    bar = Bar(runner, [short, long])
    bar.close()
    assert bar.estimate() == "no estimate yet"
    runner.store(short, {}, 60.0)
    assert bar.estimate() == "about 1 minutes left, and 1 jobs of unknown length"
    bar.advance(short)
    bar.advance(long)
    assert bar.estimate() == "about 0 minutes left"


@pytest.mark.parametrize("other", [["--quick"], ["--only", "fig01"]])
def test_only_whole_runs_are_published(monkeypatch, other):
    monkeypatch.setattr(sys, "argv", ["paper", "--publish", *other])
    with pytest.raises(SystemExit):
        command.read_options()


def test_parts_leave_the_table_of_claims_alone(monkeypatch, tmp_path):
    """Some parts need a folder of their own too, although they draw nothing."""
    monkeypatch.setattr(command.files, "missing", list)
    monkeypatch.setattr(sys, "argv", ["paper", "--only", "fig06", "--output", str(tmp_path)])
    monkeypatch.setattr(command, "load_modules", lambda options: {})
    monkeypatch.setattr(command.Runner, "run", lambda self, jobs: {})
    assert command.main() == 0
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["claims-of-parts.md"]


def test_methods_in_turns_are_those_of_the_figure_and_two_that_stop_early():
    for own in fig01.turns(FULL):
        variants = own.settings["variants"]
        assert variants.pop("vMedLDA, 10 iterations") == BINARY["vMedLDA"] | {"iterations": 10}
        assert variants.pop("gMedLDA, 5 rounds") == BINARY["gMedLDA"] | {"rounds": 5}
        for name, settings in variants.items():
            assert settings == BINARY[name]
