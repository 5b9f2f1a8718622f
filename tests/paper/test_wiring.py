"""Which results each claim looks at, and which way round it compares them."""

import zlib

import pytest

from paper import claims
from paper.figures import (
    beyond,
    fig01,
    fig02,
    fig03,
    fig04,
    fig05,
    fig06,
    fig08,
    fig09,
    fig10,
    fig11,
    in_words,
)
from paper.settings import FULL

MEASURES = {claim.name: claim.measure for claim in claims.CLAIMS}
OF_RUNS = ("score", "f1", "precision", "recall", "train_cpu", "test_cpu", "setup_cpu")
OF_SWEEPS = (
    *("test_score", "train_score", "train_cpu_at", "train_longest_at"),
    *("test_cpu_at", "test_longest_at"),
)
FIGURES = (fig01, fig02, fig03, fig04, fig05, fig06, fig08, fig09, fig10, fig11, in_words, beyond)


class Read(dict):
    """The result of a job, which notes what is looked up in it."""

    def __init__(self, own, values, seen):
        super().__init__(values)
        self.name, self.seen = describe(own), seen

    def __getitem__(self, key):
        if key != "checkpoints":
            self.seen.add(f"{self.name}: {key}")
        return super().__getitem__(key)

    def get(self, key, default=None):
        return self[key] if key in self else default


def describe(own):
    """Return which jobs a job belongs to: its kind or method, and the corpus."""
    settings = own.settings
    kind = settings["method"] if own.kind == "run" else own.kind
    return f"{kind} {settings.get('corpus', '')}".strip()


def result_of(own):
    """Return made-up values, in which sweeps and settings make a difference."""
    if own.kind == "in_turns":
        times = {name: [1.0, 2.0] for name in own.settings["variants"]}
        return {"train_cpu": times, "setup_cpu": {name: [0.1, 0.1] for name in times}}
    values = dict.fromkeys(OF_RUNS, 0.5 + zlib.crc32(own.arguments.encode()) / 2**40)
    values["setup_cpu"] = 0.01
    points = own.settings.get("checkpoints", [])
    of_sweeps = {name: [values["score"] + m for m in points] for name in OF_SWEEPS}
    return values | {"checkpoints": points} | of_sweeps


@pytest.fixture
def seen():
    return set()


@pytest.fixture
def results(seen):
    jobs = {own for figure in FIGURES for own in figure.jobs(FULL)}
    return {own: Read(own, result_of(own), seen) for own in jobs}


TWO, SIX = "religion", "burn_in religion"
RELIGION = {
    "vmedlda": {"ours religion: score", "vMedLDA religion: score"},
    "gmedlda": {"ours religion: score", "gMedLDA religion: score"},
    "lda": {"ours religion: score", "GibbsLDA + SVM religion: score"},
    "rivals": {"gMedLDA religion: score", "vMedLDA religion: score"},
}
TURNS = {"in_turns religion: train_cpu", "in_turns religion: setup_cpu"}
HOTEL = ("ours hotel", "vMedLDA regression hotel", "sLDA hotel")
TESTED = {"ours religion: test_cpu", "ours religion: setup_cpu"}
TRAINED = {"ours hotel: train_cpu", "ours hotel: setup_cpu"}
OWN_NEWS = {"ours news: score"}
RIVALS_OF_NEWS = {"gMedLDA news: score", "vMedLDA news: score"}
# All accuracies over K are collected before two of them are compared.
BEST = {*OWN_NEWS, *RIVALS_OF_NEWS, "one_vs_all news: test_score"}
READS = {
    "binary-over-vmedlda": RELIGION["vmedlda"],
    "binary-over-vmedlda-equal-c": RELIGION["vmedlda"],
    "binary-over-vmedlda-20": RELIGION["vmedlda"],
    "binary-over-vmedlda-equal-c-20": RELIGION["vmedlda"],
    "binary-over-gmedlda": RELIGION["gmedlda"],
    "binary-over-lda": RELIGION["lda"],
    "binary-over-lda-20": RELIGION["lda"],
    "binary-gmedlda-over-vmedlda": RELIGION["rivals"],
    "binary-gmedlda-over-vmedlda-equal-c": RELIGION["rivals"],
    "binary-tuned-c": {"cross_validate religion: score", "ours religion: score"},
    "binary-train-vmedlda": TURNS,
    "binary-train-vmedlda-short": TURNS,
    "binary-train-gmedlda": TURNS,
    "binary-train-gmedlda-short": TURNS,
    "binary-test-gmedlda": {*TESTED, "gMedLDA religion: test_cpu"},
    "binary-test-lda": {*TESTED, "GibbsLDA + SVM religion: test_cpu"},
    "binary-test-vmedlda": {"ours religion: test_cpu", "vMedLDA religion: test_cpu"},
    "hotel-vmedlda": {f"{own}: score" for own in HOTEL[:2]},
    "hotel-over-slda": {f"{own}: score" for own in HOTEL[::2]},
    "hotel-vmedlda-over-slda": {f"{own}: score" for own in HOTEL[1:]},
    "hotel-words-only": {f"{HOTEL[1]}: score", "vMedLDA regression, words hotel: score"},
    "hotel-train-vmedlda": {*TRAINED, "vMedLDA regression hotel: train_cpu"},
    "hotel-train-slda": {*TRAINED, "sLDA hotel: train_cpu"},
    "hotel-test": {f"{own}: test_cpu" for own in HOTEL},
    "all-over-gmedlda": BEST,
    "all-over-gmedlda-at-all": BEST,
    "all-over-vmedlda": BEST,
    "all-train": {
        *("one_vs_all news: train_cpu_at", "gMedLDA news: train_cpu", "vMedLDA news: train_cpu"),
    },
    "all-parallel": {"one_vs_all news: train_cpu_at", "one_vs_all news: train_longest_at"},
    "tasks-comparable-20-times": {*OWN_NEWS, "one_vs_all news: score"},
    "tasks-comparable": BEST,
    "tasks-over-gmedlda": BEST,
    "tasks-train": {"one_vs_all news: train_cpu_at", "ours news: train_cpu"},
    "tasks-parallel": {"one_vs_all news: train_longest_at", "ours news: train_cpu"},
    "tasks-test": {"one_vs_all news: test_cpu_at", "ours news: test_cpu"},
    "tasks-test-parallel": {"one_vs_all news: test_longest_at", "ours news: test_cpu"},
    "wiki-over-lda": {"ours wiki: f1", "GibbsLDA + SVM wiki: f1"},
    "wiki-margin-stable": {"ours wiki: score"},
    "wiki-alpha-stable": {"ours wiki: score"},
    "wiki-samples-stable": {"ours wiki: score"},
    "wiki-burn-in": {"burn_in wiki: test_score"},
    "burn-in-binary-test": {f"{SIX}: test_score"},
    "burn-in-binary-test-rises": {f"{SIX}: test_score"},
    "burn-in-binary-train": {f"{SIX}: train_score"},
    "burn-in-binary-train-settles": {f"{SIX}: train_score"},
    "burn-in-binary-random": {f"{SIX}: test_score"},
    "burn-in-binary-random-train": {f"{SIX}: train_score"},
    "burn-in-binary-linear": {f"{SIX}: train_cpu_at"},
    "burn-in-binary-topics": {f"{SIX}: train_cpu_at"},
    "burn-in-binary-topics-linear": {f"{SIX}: train_cpu_at"},
    "burn-in-all": {"one_vs_all news: test_score"},
    "burn-in-all-large-k": {"one_vs_all news: test_score"},
    "burn-in-all-competitive": {"one_vs_all news: train_cpu_at", "vMedLDA news: train_cpu"},
    "burn-in-all-linear": {"one_vs_all news: train_cpu_at"},
    "burn-in-tasks": {"burn_in news: test_score"},
    "burn-in-tasks-train": {"burn_in news: train_score"},
    "burn-in-tasks-rises": {"burn_in news: test_score"},
    "burn-in-tasks-train-rises": {"burn_in news: train_score"},
    "burn-in-tasks-linear": {"burn_in news: train_cpu_at"},
    "alpha-stable": {"ours religion: score"},
    "alpha-classes-stable": OWN_NEWS,
    "alpha-topics": {"ours religion: score"},
    "alpha-best": {"ours religion: score"},
    "margin-stable": {"ours religion: score"},
    "margin-all-stable": {"one_vs_all news: score"},
    "margin-classes-stable": OWN_NEWS,
    "samples-stable": {"ours religion: score"},
    "samples-linear": {"ours religion: test_cpu"},
    "samples-classes-stable": OWN_NEWS,
    "samples-classes-linear": {"ours news: test_cpu"},
    "news-averaged": OWN_NEWS,
    "news-with-words": {"ours with words news: score"},
    "hotel-averaged": {"ours hotel: score"},
    "hotel-averaged-over-vmedlda": {f"{own}: score" for own in HOTEL[:2]},
    "hotel-averaged-over-slda": {f"{own}: score" for own in HOTEL[::2]},
    "binary-averaged-over-vmedlda": RELIGION["vmedlda"],
    "binary-tuned-over-vmedlda": RELIGION["vmedlda"],
    "binary-tuned-averaged-over-vmedlda": RELIGION["vmedlda"],
}
# Their results have words, or another form, and they have tests of their own.
ELSEWHERE = {
    *("wiki-over-words", "wiki-lda-over-words", "profiles-differ", "profiles-salient"),
    *("graphics-words", "atheism-words", "other-words"),
}


def test_every_claim_is_in_the_table_or_tested_elsewhere():
    assert READS.keys() | ELSEWHERE == MEASURES.keys()
    assert not READS.keys() & ELSEWHERE


@pytest.mark.parametrize("name", READS)
def test_a_claim_looks_at_its_own_results(results, seen, name):
    MEASURES[name](results, FULL)
    assert seen == READS[name]


OURS, LDA, EQUAL = "GibbsMedLDA", "GibbsLDA + SVM", "vMedLDA, c = 1"
# Claim, figure, the method that should win, the other one, what is compared, and the K that count.
COMPARISONS = [
    ("binary-over-vmedlda", fig01, OURS, "vMedLDA", "score", None),
    ("binary-over-vmedlda-equal-c", fig01, OURS, EQUAL, "score", None),
    ("binary-over-vmedlda-20", fig01, OURS, "vMedLDA", "score", 20),
    ("binary-over-vmedlda-equal-c-20", fig01, OURS, EQUAL, "score", 20),
    ("binary-over-gmedlda", fig01, OURS, "gMedLDA", "score", None),
    ("binary-over-lda", fig01, OURS, LDA, "score", None),
    ("binary-over-lda-20", fig01, OURS, LDA, "score", 20),
    ("binary-gmedlda-over-vmedlda", fig01, "gMedLDA", "vMedLDA", "score", None),
    ("binary-gmedlda-over-vmedlda-equal-c", fig01, "gMedLDA", EQUAL, "score", None),
    ("binary-test-gmedlda", fig01, OURS, "gMedLDA", "test_cpu", 20),
    ("binary-test-lda", fig01, OURS, LDA, "test_cpu", 20),
    ("hotel-vmedlda", fig02, OURS, "vMedLDA", "score", None),
    ("hotel-over-slda", fig02, OURS, "sLDA", "score", None),
    ("hotel-vmedlda-over-slda", fig02, "vMedLDA", "sLDA", "score", None),
    ("hotel-train-vmedlda", fig02, OURS, "vMedLDA", "train_cpu", 20),
    ("hotel-train-slda", fig02, OURS, "sLDA", "train_cpu", 20),
    ("wiki-over-lda", fig05, OURS, LDA, "f1", None),
]


@pytest.mark.parametrize(
    ("name", "figure", "one", "other", "key", "only"), COMPARISONS, ids=[c[0] for c in COMPARISONS]
)
def test_a_comparison_holds_one_way_round_only(results, name, figure, one, other, key, only):
    """All other methods, and numbers of topics that do not count, say the opposite."""

    def holds(winner, loser):
        better, worse = (0.01, 10.0) if key.endswith("cpu") else (0.9, 0.1)
        for (method, k), jobs in figure.table(FULL).items():
            counts = only in (None, k)
            wins = method == (winner if counts else loser)
            for i, own in enumerate(jobs):
                results[own][key] = (better if wins else worse) * (1.0 + 0.001 * i)
        return MEASURES[name](results, FULL).holds

    assert holds(one, other) is True
    assert holds(other, one) is False


TIMES = [
    ("tasks-train", "one_vs_all", "train_cpu_at", "train_cpu", (2.1, 1.9)),
    ("tasks-test", "one_vs_all", "test_cpu_at", "test_cpu", (5.1, 4.9)),
]


@pytest.mark.parametrize(("name", "kind", "above", "below", "ratios"), TIMES)
def test_a_ratio_of_times_has_the_bound_that_its_row_names(
    results, name, kind, above, below, ratios
):
    found = []
    for ratio in ratios:
        for own, result in results.items():
            result[below] = 1.0
            if own.kind == kind:
                result[above] = [ratio] * len(own.settings["checkpoints"])
        found.append(MEASURES[name](results, FULL).holds)
    assert found == [True, False]


BESTS = [
    ("all-over-gmedlda", "one-vs-all", "gMedLDA", 0.01),
    ("all-over-gmedlda-at-all", "one-vs-all", "gMedLDA", 0.0),
    ("all-over-vmedlda", "one-vs-all", "vMedLDA", 0.01),
    ("tasks-comparable", "multi-task", "one-vs-all", -0.03),
    ("tasks-over-gmedlda", "multi-task", "gMedLDA", 0.0),
]


@pytest.mark.parametrize(("name", "one", "other", "bound"), BESTS)
def test_best_scores_on_newsgroups_are_compared_with_the_bound_of_the_row(
    results, name, one, other, bound
):
    jobs = fig03.rivals(FULL) | fig04.table(FULL)
    jobs |= {("one-vs-all", k): own for k, own in fig03.one_vs_all(FULL).items()}
    found = []
    for lead in (bound + 0.005, bound - 0.005):
        for (method, _), of_method in jobs.items():
            # The method that is not compared is far ahead.
            score = {one: 0.5 + lead, other: 0.5}.get(method, 0.9)
            for i, own in enumerate(of_method):
                results[own]["score"] = score + 1e-5 * i
                points = own.settings.get("checkpoints", [])
                results[own]["test_score"] = [score + 1e-5 * i] * len(points)
        found.append(MEASURES[name](results, FULL).holds)
    assert found == [True, False]


TURNED = [
    ("binary-train-vmedlda", "vMedLDA", 50),
    ("binary-train-vmedlda-short", "vMedLDA, 10 iterations", 50),
    ("binary-train-gmedlda", "gMedLDA", 8),
    ("binary-train-gmedlda-short", "gMedLDA, 5 rounds", 8),
]


@pytest.mark.parametrize(("name", "rival", "bound"), TURNED)
def test_times_in_turns_are_compared_with_the_bound_of_the_row(results, name, rival, bound):
    found = []
    for ratio in (bound + 0.1, bound - 0.1):
        for own in fig01.turns(FULL):
            times = {key: [1.0, 2.0] for key in own.settings["variants"]}
            others = [1000.0] if ratio < bound else [0.01]  # they say the opposite
            times |= {key: others for key in times if key not in ("GibbsMedLDA", rival)}
            results[own] = {
                "train_cpu": times | {rival: [ratio]},
                "setup_cpu": {key: [0.1] for key in times},
            }
        found.append(MEASURES[name](results, FULL).holds)
    assert found == [True, False]
