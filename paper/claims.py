"""Every claim that section 5 of the paper makes in words: claimed, how measured, holds or not.

The text of the paper gives no accuracies, only comparisons. `expected.json` records which claims
are expected to hold, so that a change which breaks one is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from paper import measures as m
from paper import sources as s
from paper import topics as t
from paper.figures import beyond, fig01, fig02, fig05, fig09, fig10, fig11, in_words
from paper.figures.tables import Results, curves
from paper.measures import Found, Measure
from paper.runner import Job
from paper.settings import FULL, Scale

EXPECTED = Path(__file__).with_name("expected.json")
OURS = "GibbsMedLDA"
LDA = "GibbsLDA + SVM"


class Claim(NamedTuple):
    """What the paper says, and how it is measured here."""

    name: str
    figure: str
    text: str
    how: str
    measure: Measure


MORE = "mean over K higher by two standard errors"
AT = "mean higher by two standard errors"
LINE = "R² of a line at least 0.95"
CLAIMS = [
    Claim("binary-over-vmedlda", "1", "GibbsMedLDA is more accurate than vMedLDA",
          f"{MORE}; c of vMedLDA by cross-validation", m.higher(fig01.table, OURS, "vMedLDA")),
    Claim("binary-over-vmedlda-equal-c", "1", "GibbsMedLDA is more accurate than vMedLDA",
          f"{MORE}; both with c = 1 and margin 164", m.higher(fig01.table, OURS, "vMedLDA, c = 1")),
    Claim("binary-over-vmedlda-20", "1", "GibbsMedLDA is more accurate than vMedLDA, with 20 topics",
          f"{AT}; c of vMedLDA by cross-validation", m.higher(fig01.table, OURS, "vMedLDA", only=20)),
    Claim("binary-over-vmedlda-equal-c-20", "1", "GibbsMedLDA is more accurate than vMedLDA, with 20 topics",
          f"{AT}; both with c = 1", m.higher(fig01.table, OURS, "vMedLDA, c = 1", only=20)),
    Claim("binary-over-gmedlda", "1", "GibbsMedLDA is more accurate than gMedLDA", MORE,
          m.higher(fig01.table, OURS, "gMedLDA")),
    Claim("binary-over-lda", "1", "GibbsMedLDA is more accurate than LDA with an SVM", MORE,
          m.higher(fig01.table, OURS, LDA)),
    Claim("binary-over-lda-20", "1", "GibbsMedLDA is more accurate than LDA with an SVM, with 20 topics", AT,
          m.higher(fig01.table, OURS, LDA, only=20)),
    Claim("binary-gmedlda-over-vmedlda", "1", "gMedLDA is slightly more accurate than vMedLDA",
          f"{MORE}; c of both by cross-validation", m.higher(fig01.table, "gMedLDA", "vMedLDA")),
    Claim("binary-gmedlda-over-vmedlda-equal-c", "1", "gMedLDA is slightly more accurate than vMedLDA",
          f"{MORE}; both with c = 1", m.higher(fig01.table, "gMedLDA", "vMedLDA, c = 1")),
    Claim("binary-tuned-c", "1", "tuning c can produce slightly better results than c = 1",
          f"{AT}; c by cross-validation, K = 20", s.tuned_c),
    Claim("binary-train-vmedlda", "1", "training is about two orders of magnitude faster than vMedLDA",
          "at least 50 times, processor time, K = 20, best of rounds in turns; at most 100 iterations of vMedLDA",
          s.faster_in_turns(OURS, "vMedLDA", 50)),
    Claim("binary-train-vmedlda-short", "1", "training is about two orders of magnitude faster than vMedLDA, if that has 10 iterations",
          "at least 50 times; 10 iterations is the limit in the settings published with the code of its authors",
          s.faster_in_turns(OURS, "vMedLDA, 10 iterations", 50)),
    Claim("binary-train-gmedlda", "1", "training is about one order of magnitude faster than gMedLDA",
          "at least 8 times, processor time, K = 20, best of rounds in turns; 20 rounds of gMedLDA",
          s.faster_in_turns(OURS, "gMedLDA", 8)),
    Claim("binary-train-gmedlda-short", "1", "training is about one order of magnitude faster than gMedLDA, if that has 5 rounds",
          "at least 8 times", s.faster_in_turns(OURS, "gMedLDA, 5 rounds", 8)),
    Claim("binary-test-gmedlda", "1", "testing takes about as long as with gMedLDA",
          "at most twice as long", m.faster(fig01.table, OURS, "gMedLDA", 0.5, "test_cpu")),
    Claim("binary-test-lda", "1", "testing takes about as long as with GibbsLDA",
          "at most twice as long", m.faster(fig01.table, OURS, LDA, 0.5, "test_cpu")),
    Claim("binary-test-vmedlda", "1", "testing is faster than with vMedLDA, the more so for large K",
          "faster at every K, and more so at the largest than at the smallest",
          m.faster_with_topics(fig01.table, OURS, ["vMedLDA"], 1.0)),
    Claim("hotel-vmedlda", "2", "R² is comparable with that of vMedLDA, or better", "mean over K at most 0.02 lower",
          m.comparable(fig02.table, OURS, "vMedLDA")),
    Claim("hotel-over-slda", "2", "R² is better than that of sLDA", MORE,
          m.higher(fig02.table, OURS, "sLDA")),
    Claim("hotel-vmedlda-over-slda", "2", "R² of vMedLDA is better than that of sLDA",
          MORE, m.higher(fig02.table, "vMedLDA", "sLDA")),
    Claim("hotel-words-only", "2", "MedLDA with a likelihood of words only does not perform well in regression",
          "vMedLDA without the likelihood of ratings is lower by two standard errors, K = 10",
          m.higher(in_words.hotel_by_words, "vMedLDA", "vMedLDA, words only")),
    Claim("hotel-train-vmedlda", "2", "training is about two orders of magnitude faster than vMedLDA",
          "at least 50 times, processor time", m.faster(fig02.table, OURS, "vMedLDA", 50)),
    Claim("hotel-train-slda", "2", "training is about two orders of magnitude faster than sLDA",
          "at least 50 times, processor time", m.faster(fig02.table, OURS, "sLDA", 50)),
    Claim("hotel-test", "2", "testing is much faster than with vMedLDA and sLDA, most for large K",
          "faster than both at every K, at least 3 times at the largest, and more than at the smallest",
          m.faster_with_topics(fig02.table, OURS, ["vMedLDA", "sLDA"], 3.0)),
    Claim("all-over-gmedlda", "3", "one-vs-all is clearly more accurate than gMedLDA",
          "best mean over K higher by 0.01", s.best_of("one-vs-all", "gMedLDA", 0.01)),
    Claim("all-over-vmedlda", "3", "one-vs-all is clearly more accurate than vMedLDA",
          "best mean over K higher by 0.01", s.best_of("one-vs-all", "vMedLDA", 0.01)),
    Claim("all-train", "3", "one-vs-all trains in slightly less time than vMedLDA and gMedLDA",
          "processor time on one core, the largest K of each (20 in each of 20 models)", s.all_train_is_less),
    Claim("all-parallel", "3", "training the models of all classes at once saves a lot of time",
          "20 cores (the model that takes longest) at least 10 times faster than one, largest K", m.ratio_of(s.all_train, s.all_longest, 10, np.inf)),
    Claim("tasks-comparable-20-times", "4", "multi-task is comparable with one-vs-all, or better, with 20 times fewer topics",
          "40 topics and 40 in each of 20 models, mean at most 0.03 lower", s.tasks_against_all),
    Claim("tasks-comparable", "4", "multi-task is comparable with one-vs-all, or better, with the best number of topics of each",
          "best mean over K at most 0.03 lower", s.best_of("multi-task", "one-vs-all", -0.03)),
    Claim("all-over-gmedlda-at-all", "4", "one-vs-all is more accurate than gMedLDA", "best mean over K higher",
          s.best_of("one-vs-all", "gMedLDA")),
    Claim("tasks-over-gmedlda", "4", "multi-task is more accurate than gMedLDA", "best mean over K higher",
          s.best_of("multi-task", "gMedLDA")),
    Claim("tasks-train", "4", "on one core multi-task trains about 3 times faster than one-vs-all",
          "at least twice; 40 topics against the largest K of one-vs-all", m.ratio_of(s.all_train, s.tasks_train, 2, np.inf)),
    Claim("tasks-parallel", "4", "on 20 cores one-vs-all trains about 7 times faster than multi-task",
          "2 to 20 times; 40 topics against the largest K of one-vs-all", m.ratio_of(s.tasks_train, s.all_longest, 2, 20)),
    Claim("tasks-test", "4", "on one core multi-task tests about 20 times faster than one-vs-all",
          "at least 5 times; 40 topics against the largest K of one-vs-all", m.ratio_of(s.all_test, s.tasks_test, 5, np.inf)),
    Claim("tasks-test-parallel", "4", "on 20 cores one-vs-all tests at least as fast as multi-task",
          "at least as fast; the largest K of one-vs-all against 40 topics", m.ratio_of(s.tasks_test, s.all_test_longest, 1, np.inf)),
    Claim("wiki-over-lda", "5", "multi-task GibbsMedLDA improves much over LDA with an SVM",
          f"F1: {MORE}", m.higher(fig05.table, OURS, LDA, "f1")),
    Claim("wiki-over-words", "5", "multi-task GibbsMedLDA performs much better than an SVM on words",
          "F1 higher by two standard errors, with the K that is best on the test part", s.wiki_over_words(OURS)),
    Claim("wiki-lda-over-words", "5", "LDA with an SVM has a better F1 than an SVM on words",
          "F1 higher by two standard errors, with the K that is best on the test part", s.wiki_over_words(LDA)),
    Claim("wiki-margin-stable", "5", "the model is insensitive to other parameters: the margin",
          "F1, means within 0.03 for margins from 25 to 625, K = 40",
          m.stable(lambda r, c: curves(r, in_words.wiki_margins(c), "score"), 25, 625, 0.03)),
    Claim("wiki-alpha-stable", "5", "the model is insensitive to other parameters: α",
          "F1, means within 0.03 for α from 0.1 to 10, K = 40",
          m.stable(lambda r, c: curves(r, in_words.wiki_alphas(c), "score"), 0.1, 10, 0.03)),
    Claim("wiki-samples-stable", "5", "the model is insensitive to other parameters: the samples of z",
          "F1, means within 0.03 for 1 to 19 samples, K = 40",
          m.stable(lambda r, c: curves(r, in_words.wiki_samples(c), "score"), 1, 19, 0.03)),
    Claim("wiki-burn-in", "5", "40 burn-in sweeps are sufficiently large",
          "F1 from 40 to 80 sweeps within 0.02 of the end, K = 40",
          m.settles(s.wiki_scores, 40, 0.02)),
    Claim("burn-in-binary-test", "6", "test accuracy is stable after 5 to 10 sweeps",
          "within 0.02 of the end from 10", m.settles(s.sweeps_of(6, "test_score"), 10, 0.02)),
    Claim("burn-in-binary-test-rises", "6", "test accuracy rises very quickly",
          "80 % of its rise in 5 sweeps", m.rises(s.sweeps_of(6, "test_score"), 0, 5)),
    Claim("burn-in-binary-train", "6", "training accuracy rises very quickly",
          "80 % of its rise in 5 sweeps", m.rises(s.sweeps_of(6, "train_score"), 0, 5)),
    Claim("burn-in-binary-train-settles", "6", "training accuracy is stable after 5 to 10 sweeps too",
          "within 0.02 of the end from 10", m.settles(s.sweeps_of(6, "train_score"), 10, 0.02)),
    Claim("burn-in-binary-random", "6", "without burn-in the model is essentially random",
          "test accuracy below 0.6", s.random_at_first("test")),
    Claim("burn-in-binary-random-train", "6", "without burn-in the model is essentially random on training documents",
          "training accuracy below 0.6", s.random_at_first("train")),
    Claim("burn-in-binary-linear", "6", "training time grows about linearly with the sweeps",
          LINE, m.linear(s.sweeps_of(6, "train_cpu_at"))),
    Claim("burn-in-binary-topics", "6", "training time grows with the number of topics",
          "time of the last sweep", m.grows_with_topics(s.sweeps_of(6, "train_cpu_at"))),
    Claim("burn-in-binary-topics-linear", "6", "training time grows linearly with the number of topics",
          f"{LINE} over K", m.linear_in_topics(s.sweeps_of(6, "train_cpu_at"))),
    Claim("burn-in-all", "7", "with one-vs-all accuracy is quite stable after 20 sweeps",
          "within 0.02 of the end", m.settles(s.sweeps_of(7, "test_score"), 20, 0.02)),
    Claim("burn-in-all-large-k", "7", "with one-vs-all accuracy is stable after 20 sweeps, especially when K is large",
          "range of means from 20 sweeps on: at most 2/3 of that with the smallest K",
          m.steadier_with_topics(s.sweeps_of(7, "test_score"), 20)),
    Claim("burn-in-all-competitive", "7", "training with 40 or 60 sweeps is still competitive with vMedLDA",
          "60 sweeps at most twice as long, one core, the largest K of each",
          m.ratio_of(s.all_train_long, s.rival_train("vMedLDA"), 0, 2)),
    Claim("burn-in-all-linear", "7", "the training time of one-vs-all grows about linearly with the sweeps",
          LINE, m.linear(s.sweeps_of(7, "train_cpu_at"))),
    Claim("burn-in-tasks", "8", "with multi-task accuracy has converged after about 30 sweeps",
          "within 0.02 of the end", m.settles(s.sweeps_of(8, "test_score"), 30, 0.02)),
    Claim("burn-in-tasks-train", "8", "with multi-task training accuracy has converged after about 30 sweeps",
          "within 0.02 of the end", m.settles(s.sweeps_of(8, "train_score"), 30, 0.02)),
    Claim("burn-in-tasks-rises", "8", "with multi-task test accuracy rises very quickly",
          "80 % of its rise in 10 sweeps", m.rises(s.sweeps_of(8, "test_score"), 0, 10)),
    Claim("burn-in-tasks-train-rises", "8", "with multi-task training accuracy rises very quickly",
          "80 % of its rise in 10 sweeps", m.rises(s.sweeps_of(8, "train_score"), 0, 10)),
    Claim("burn-in-tasks-linear", "8", "the training time of multi-task grows about linearly with the sweeps",
          LINE, m.linear(s.sweeps_of(8, "train_cpu_at"))),
    Claim("alpha-stable", "9", "accuracy is quite stable for α from 0.1 to 10",
          "means within 0.03", m.stable(lambda r, c: curves(r, fig09.table(c), "score"), 0.1, 10, 0.03)),
    Claim("alpha-classes-stable", "3", "several classes are insensitive to α too",
          "means within 0.03 from 0.1 to 10, multi-task, K = 40",
          m.stable(lambda r, c: curves(r, in_words.news_alphas(c), "score"), 0.1, 10, 0.03)),
    Claim("alpha-topics", "9", "more topics need a larger α: with a small α fewer topics are slightly better",
          "at the smallest α, fewest topics above most by two standard errors", s.few_topics_at_small_alpha),
    Claim("alpha-best", "9", "more topics need a larger α to get the best results",
          "α of the best mean never falls with K, and is larger at the largest K", s.best_alpha_grows),
    Claim("margin-stable", "10", "accuracy is quite stable for margins from 25 to 625",
          "means within 0.03", m.stable(lambda r, c: curves(r, fig10.table(c), "score"), 25, 625, 0.03)),
    Claim("margin-all-stable", "10", "the margin matters as little for several classes, one-vs-all",
          "means within 0.03 from 25 to 625, 20 topics each",
          m.stable(lambda r, c: curves(r, in_words.all_margins(c), "score"), 25, 625, 0.03)),
    Claim("margin-classes-stable", "10", "the margin matters as little for several classes, multi-task",
          "means within 0.03 from 25 to 625, multi-task, K = 40",
          m.stable(lambda r, c: curves(r, in_words.news_margins(c), "score"), 25, 625, 0.03)),
    Claim("samples-stable", "11", "accuracy is quite stable for 1 to 19 samples of z",
          "means within 0.03", m.stable(lambda r, c: curves(r, fig11.table(c), "score"), 1, 19, 0.03)),
    Claim("samples-linear", "11", "testing time grows about linearly with the samples of z",
          LINE, m.linear(lambda r, c: curves(r, fig11.table(c), "test_cpu"))),
    Claim("samples-classes-stable", "11", "several classes are insensitive to the samples of z too",
          "means within 0.03 for 1 to 19 samples, multi-task, K = 40",
          m.stable(lambda r, c: curves(r, in_words.news_samples(c), "score"), 1, 19, 0.03)),
    Claim("samples-classes-linear", "11", "with several classes testing time grows about linearly with the samples too",
          f"{LINE}, multi-task, K = 40",
          m.linear(lambda r, c: curves(r, in_words.news_samples(c), "test_cpu"))),
    Claim("profiles-differ", "12", "average topic representations differ much between categories",
          "cosine of a class and the one nearest to it below 0.5, median over classes", t.profiles_differ),
    Claim("profiles-salient", "12", "documents of a category have very few salient topics",
          "half of the tokens in at most 3 topics, median", t.few_salient_topics),
    Claim("graphics-words", "T1", "the most salient topic of comp.graphics speaks of images and files",
          "two of image, graphics, file and jpeg among its ten words, or their plurals", t.graphics_words),
    Claim("atheism-words", "T1", "the two most salient topics of alt.atheism reflect its meaning",
          "in each, two of its ten words at least 3 times as frequent in the group as elsewhere", t.atheism_words),
    Claim("other-words", "T1", "the most salient topics of the other categories reflect their meaning",
          "in each, two of its ten words at least 3 times as frequent in the group as elsewhere", t.words_of_others),
    Claim("news-averaged", "beyond", "(not in the paper) 20 classes with 40 topics, draws of 80 chains averaged",
          "accuracy of at least 0.825", s.at_least(beyond.news_averaged, 0.825)),
    Claim("news-with-words", "beyond", "(not in the paper) 20 classes with 40 topics and words as features, 4 chains averaged",
          "accuracy of at least 0.825", s.at_least(beyond.news_with_words, 0.825)),
    Claim("hotel-averaged", "beyond", "(not in the paper) hotel reviews, draws of 8 chains averaged",
          "R² of at least 0.62", s.at_least(beyond.hotel_averaged, 0.62)),
    Claim("hotel-averaged-over-vmedlda", "beyond", "(not in the paper) hotel reviews, averaged draws over vMedLDA",
          f"{AT}; vMedLDA at its best K", m.over_best(beyond.hotel_averaged, fig02.table, "vMedLDA")),
    Claim("hotel-averaged-over-slda", "beyond", "(not in the paper) hotel reviews, averaged draws over sLDA",
          f"{AT}; sLDA at its best K", m.over_best(beyond.hotel_averaged, fig02.table, "sLDA")),
    Claim("binary-averaged-over-vmedlda", "beyond",
          "(not in the paper) averaged draws of several chains over vMedLDA with tuned c, K = 20",
          f"{AT}; settings of ours and c of vMedLDA by cross-validation",
          m.higher(beyond.averaged_against_rival, "averaged", "vMedLDA")),
    Claim("binary-tuned-over-vmedlda", "beyond",
          "(not in the paper) one draw over vMedLDA, both tuned by cross-validation, K = 20, five runs",
          f"{AT}; c, margin and α of both were chosen", m.higher(beyond.tuned, "ours", "vMedLDA")),
    Claim("binary-tuned-averaged-over-vmedlda", "beyond",
          "(not in the paper) averaged draws over vMedLDA, both tuned by cross-validation, K = 20",
          f"{AT}; c, margin and α of both were chosen", m.higher(beyond.tuned, "averaged", "vMedLDA")),
]  # fmt: skip


def measure(results: Results, scale: Scale) -> dict[str, Found]:
    """Measure every claim whose jobs were run."""
    found = {}
    for claim in CLAIMS:
        try:
            found[claim.name] = claim.measure(results, scale)
        except KeyError as error:
            if not _was_left_out(error.args[0], scale):
                raise
    return found


def _was_left_out(missing: object, scale: Scale) -> bool:
    """Say whether something is missing because nobody asked for it; nothing else may be.

    A job is left out with its figure, and a rival on 20 Newsgroups where only the full run has it.
    """
    name = missing[0] if isinstance(missing, tuple) else missing
    left_out = FULL.news_rival_seeds.keys() - scale.news_rival_seeds.keys()
    return isinstance(missing, Job) or name in left_out


def answer(found: Found) -> str:
    """Return yes, no or undecided."""
    return {True: "yes", False: "**no**", None: "undecided"}[found.holds]


def as_markdown(found: dict[str, Found]) -> str:
    """Return the table "claimed / measured / holds"."""
    lines = ["| figure | claimed | criterion | measured | holds |", "|---|---|---|---|---|"]
    for claim in CLAIMS:
        if claim.name in found:
            own = found[claim.name]
            cells = claim.figure, claim.text, claim.how, own.words, answer(own)
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def summary(found: dict[str, Found], seconds: Sequence[float]) -> str:
    """Say in two sentences how many claims hold, and how long the jobs of the run took."""
    answers = [answer(found[claim.name]) for claim in CLAIMS if claim.name in found]
    yes, no, undecided = (answers.count(word) for word in ("yes", "**no**", "undecided"))
    return (
        f"Of {len(answers)} comparisons, {yes} hold, {no} do not hold, and {undecided} are "
        f"undecided. The run had {len(seconds)} jobs, which took {sum(seconds) / 60:.0f} minutes "
        "in all, each on one core."
    )


def as_text(found: dict[str, Found]) -> str:
    """Return one line per claim, for a terminal."""
    mark = {True: "holds ", False: "FAILS ", None: "open  "}
    return "\n".join(f"{mark[own.holds]} {name}: {own.words}" for name, own in found.items())


def check(found: dict[str, Found], *, quick: bool, whole: bool = True) -> int:
    """Return 1 and say so if a claim that is expected to hold does not; otherwise 0.

    In a whole run a claim that is expected to hold must have been measured.
    """
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))["quick" if quick else "full"]
    broken = [name for name in expected if name in found and not found[name].holds]
    lost = [name for name in expected if name not in found] if whole else []
    if broken:
        print("Claims that held before do not hold any more: " + ", ".join(broken))
    if lost:
        print("Claims that should be measured are not: " + ", ".join(lost))
    return 1 if broken or lost else 0
