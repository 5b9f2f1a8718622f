"""What the paper says in words about settings and sizes that its figures do not show.

The full run has these jobs. They ask whether 20 Newsgroups and Wikipedia are as little sensitive as
two classes are, what tuning c gains, how models with more topics or more sweeps compare, whether
regression needs the likelihood of the ratings, and what depends on when the rivals stop.
"""

from __future__ import annotations

from typing import Any

from paper.figures.tables import (
    Grid,
    Results,
    burn_in_jobs,
    curves_over_sweeps,
    flat,
    spread,
    values,
)
from paper.runner import Job, job
from paper.settings import CHOSEN, HOTEL, NEWS, SETTLED, SHORT, WIKI, Scale, grid

ALPHAS = (0.1, 1.0, 10.0)
MARGINS = (25.0, 64.0, 164.0, 625.0)
SAMPLES = (1, 7, 13, 19)
CS = (0.25, 1.0, 4.0, 16.0, 64.0)
NO_RATINGS = "vMedLDA regression, words"
TOPICS = 40  # of 20 Newsgroups and Wikipedia


def vary(corpus: str, fixed: dict[str, Any], name: str, options: Any, seeds: Any) -> Grid:
    """Return the jobs of each value of one setting."""
    own = {"n_topics": TOPICS, **fixed}
    return {
        (f"K = {own['n_topics']}", value): [
            job("run", corpus=corpus, seed=s, **own, **{name: value}) for s in seeds
        ]
        for value in options
    }


def news_margins(scale: Scale) -> Grid:
    """Return the jobs of one model for 20 classes with several margins."""
    return vary("news", NEWS["multi-task"], "margin", MARGINS, scale.news_seeds[:3])


def news_alphas(scale: Scale) -> Grid:
    """Return the jobs of one model for 20 classes with several α."""
    return vary("news", NEWS["multi-task"], "alpha", ALPHAS, scale.news_seeds[:3])


def all_margins(scale: Scale) -> Grid:
    """Return the jobs of one model per class, with 20 topics each, with several margins."""
    return {
        ("K = 20 each", margin): [
            job("one_vs_all", corpus="news", n_topics=20, seed=s, checkpoints=[20], margin=margin)
            for s in scale.one_vs_all_seeds
        ]
        for margin in MARGINS
    }


def news_samples(scale: Scale) -> Grid:
    """Return the jobs of one model for 20 classes with several numbers of z samples."""
    return vary("news", NEWS["multi-task"], "n_samples", SAMPLES, scale.news_seeds[:3])


def wiki_alphas(scale: Scale) -> Grid:
    """Return the jobs of Wikipedia with several α."""
    return vary("wiki", WIKI["GibbsMedLDA"], "alpha", ALPHAS, scale.seeds[:3])


def wiki_margins(scale: Scale) -> Grid:
    """Return the jobs of Wikipedia with several margins."""
    return vary("wiki", WIKI["GibbsMedLDA"], "margin", MARGINS, scale.seeds[:3])


def wiki_samples(scale: Scale) -> Grid:
    """Return the jobs of Wikipedia with several numbers of z samples."""
    return vary("wiki", WIKI["GibbsMedLDA"], "n_samples", SAMPLES, scale.seeds[:3])


def wiki_burn_in(scale: Scale) -> dict[int, list[Job]]:
    """Return the jobs of Wikipedia that go on beyond the 40 sweeps of the paper."""
    return burn_in_jobs("wiki", [TOPICS], scale.seeds[:3], [5, 10, 20, 40, 60, 80])


def hotel_by_words(scale: Scale) -> Grid:
    """Return the jobs of vMedLDA for hotel reviews, with and without the likelihood of ratings."""
    words = {"method": NO_RATINGS, "c": CHOSEN["hotel"][NO_RATINGS]}
    variants = {"vMedLDA": HOTEL["vMedLDA"], "vMedLDA, words only": words}
    return grid("hotel", variants, [10], range(scale.hotel_seeds["vMedLDA"]))


def stops(scale: Scale) -> Grid:
    """Return the jobs of rivals for two classes that stop earlier or later than in Figure 1."""
    return grid("religion", SHORT | SETTLED, [20], scale.seeds)


def over_c(scale: Scale) -> Grid:
    """Return the jobs of two classes with several c."""
    return vary("religion", {"method": "ours", "n_topics": 20}, "c", CS, scale.seeds)


def folds(scale: Scale) -> dict[float, list[Job]]:
    """Return the jobs that cross-validate each c with two classes."""
    own = {"method": "ours", "corpus": "religion", "n_topics": 20}
    return {c: [job("cross_validate", seed=s, c=c, **own) for s in scale.seeds] for c in CS}


def all_with_many_topics(scale: Scale) -> list[Job]:
    """Return the jobs of one model per class that has as many topics as one model for all."""
    return [
        job("one_vs_all", corpus="news", n_topics=TOPICS, seed=s, checkpoints=[20])
        for s in scale.one_vs_all_seeds
    ]


def all_with_many_sweeps(scale: Scale) -> Job:
    """Return the job of one model per class that goes on to 60 sweeps."""
    k = scale.one_vs_all_topics[-1]
    return job("one_vs_all", corpus="news", n_topics=k, seed=0, checkpoints=[40, 60])


def jobs(scale: Scale) -> list[Job]:
    """Return all jobs."""
    grids = (
        *(news_alphas, news_margins, news_samples, all_margins),
        *(wiki_alphas, wiki_margins, wiki_samples),
        *(hotel_by_words, stops, over_c),
    )
    return [
        *(own for grid in grids for own in flat(grid(scale))),
        *flat(folds(scale)),
        *flat(wiki_burn_in(scale)),
        *all_with_many_topics(scale),
        all_with_many_sweeps(scale),
    ]


def describe(results: Results, scale: Scale) -> dict[str, str]:
    """Return the scores over each setting, as Markdown."""
    lines = ["| corpus and measure | setting | seeds | scores |", "|---|---|---|---|"]
    rows = [
        ("20 newsgroups, accuracy, K = 40", "α", news_alphas(scale)),
        ("20 newsgroups, accuracy, K = 40", "ℓ", news_margins(scale)),
        ("20 newsgroups, accuracy, one-vs-all, K = 20", "ℓ", all_margins(scale)),
        ("20 newsgroups, accuracy, K = 40", "samples of z", news_samples(scale)),
        ("Wikipedia, F1, K = 40", "ℓ", wiki_margins(scale)),
        ("Wikipedia, F1, K = 40", "α", wiki_alphas(scale)),
        ("Wikipedia, F1, K = 40", "samples of z", wiki_samples(scale)),
        ("two religion groups, accuracy, K = 20", "c", over_c(scale)),
        (
            "two religion groups, cross-validated accuracy, K = 20",
            "c",
            {("", c): own for c, own in folds(scale).items()},
        ),
    ]
    for name, setting, table in rows:
        cells = [f"{x:g}: {spread(values(results, own, 'score'))}" for (_, x), own in table.items()]
        seeds = len(next(iter(table.values())))
        lines.append(f"| {name} | {setting} | {seeds} | {'; '.join(cells)} |")
    many = values(results, all_with_many_topics(scale), "score")
    lines.append(
        f"| 20 newsgroups, accuracy, one-vs-all | 40 topics each | {len(many)} | {spread(many)} |"
    )
    found = curves_over_sweeps(results, wiki_burn_in(scale), "test_score")[f"K = {TOPICS}"]
    cells = [f"{x}: {spread(own)}" for x, own in zip(*found, strict=True)]
    lines.append(f"| Wikipedia, F1, K = 40 | burn-in sweeps | 3 | {'; '.join(cells)} |")
    for (name, _), own in stops(scale).items():
        scores = values(results, own, "score")
        lines.append(
            f"| two religion groups, accuracy, K = 20 | {name} | {len(scores)} | {spread(scores)} |"
        )
    for (name, _), own in hotel_by_words(scale).items():
        scores = values(results, own, "score")
        lines.append(f"| hotel reviews, R², K = 10 | {name} | {len(scores)} | {spread(scores)} |")
    return {"in_words": "\n".join(lines)}
