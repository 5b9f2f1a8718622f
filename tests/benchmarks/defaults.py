"""Compare all defaults with a search at ten times the cost, on real corpora.

    python -m tests.benchmarks.defaults defaults   every corpus, all defaults and the search
    python -m tests.benchmarks.defaults choices    one setting at a time around the defaults
    python -m tests.benchmarks.defaults lengths    chains, tune and draws at equal and other costs
    python -m tests.benchmarks.defaults paper      the margins of the paper

The search fits nine settings to three quarters of the training part, keeps the one with the best
score on the last quarter, and fits it to the whole training part. Scores are those of the test
part: accuracy, micro-F1 of the ten largest labels (Reuters), or R² (hotel reviews). The scores of
``choices`` are those of a quarter of the training part, from short chains without calibration.
``small`` is the number of topics with less than 1 % of the tokens, averaged over chains.
"""

import argparse
import itertools
import logging
import time

import numpy as np

from pymc_medlda._compat.arviz import get_group
from pymc_medlda.estimators import GibbsMedLDAClassifier, GibbsMedLDARegressor
from pymc_medlda.prediction.evaluation import score_labels
from pymc_medlda.run.notices import look_at
from tests.benchmarks import data

NAMES = {
    "religion": "20ng_religion",
    "hotel": "hotel_reviews",
    "reuters": "reuters21578_r90",
    "news": "20ng_bydate_nostop",
}
PAPER = {"religion": 164.0, "reuters": 64.0, "news": 64.0}


def load(corpus, part):
    documents, y = data.load(NAMES[corpus], part)
    y = np.asarray(y, float) if corpus == "hotel" else np.asarray(y)
    return documents.to_dtm().tocsr(), y[:, :10] if corpus == "reuters" else y


def fit(corpus, X, y, seed, **settings):
    kind = GibbsMedLDARegressor if corpus == "hotel" else GibbsMedLDAClassifier
    return kind(random_state=seed, n_jobs=2, **settings).fit(X, y)


def score(corpus, model, X, y):
    decided = model.predict(X)
    if corpus == "hotel":
        return 1.0 - np.square(y - decided).sum() / np.square(y - y.mean()).sum()
    if corpus == "reuters":
        return score_labels(decided > 0, np.where(y > 0, 1.0, -1.0))["f1"]
    return np.mean(decided == y)


def count_small(model):
    z = get_group(model.idata_, "posterior")["z"].values[:, -1]
    shares = [np.bincount(chain, minlength=model._n_topics) / chain.size for chain in z]
    return np.mean([(share < 0.01).sum() for share in shares])


def grid(corpus):
    """Return nine settings: topics, and how much the response weighs against the words."""
    weight = {"c": (4.0, 8.0, 16.0)} if corpus == "hotel" else {"margin": (10.0, 20.0, 40.0)}
    ((name, values),) = weight.items()
    topics = (10, 20, 40) if corpus in ("hotel", "religion") else (20, 40, 60)
    return [{"n_topics": k, name: value} for k, value in itertools.product(topics, values)]


def hold_out(y, seed):
    """Return the positions of three quarters of the training part, and of the rest."""
    order = np.random.default_rng(seed).permutation(len(y))
    return np.split(order, [3 * len(y) // 4])


SHORT = {"chains": 4, "tune": 25, "draws": 10, "calibrate": False}


def settings_around_defaults(corpus):
    """Return settings to choose from: each differs from the defaults in one respect."""
    margins = [{"margin": value} for value in (5.0, 10.0, 20.0, 40.0, 64.0, 164.0)]
    weights = [{"c": value} for value in (2.0, 4.0, 8.0, 16.0, 32.0)]
    lengths = [  # 140 sweeps in all
        {"chains": 1, "tune": 110, "draws": 30},
        {"chains": 2, "tune": 50, "draws": 20},
        {"chains": 8, "tune": 12, "draws": 5},
    ]
    return [
        *(weights if corpus == "hotel" else margins),
        *({"n_topics": value} for value in (10, 20, 40, 80)),
        *({"alpha": value} for value in (5.0, 20.0)),
        *lengths,
    ]


def choices(options):
    """Compare settings on a quarter of the training part, at equal numbers of sweeps."""
    for corpus in options.corpora:
        X, y = load(corpus, "train")
        for settings in settings_around_defaults(corpus):
            scores, small = [], []
            for seed in range(options.seeds):
                own, held = hold_out(y, seed)
                model = fit(corpus, X[own], y[own], seed, **{**SHORT, **settings})
                scores.append(score(corpus, model, X[held], y[held]))
                small.append(count_small(model))
            print(
                f"{corpus:9s} {settings}: {np.mean(scores):.3f}  "
                f"small {np.mean(small):.1f} of {model._n_topics}",
                flush=True,
            )


def search(corpus, X, y, seed):
    """Return the setting with the best score on a quarter of the training part."""
    own, held = hold_out(y, seed)
    scores = []
    for settings in grid(corpus):
        model = fit(corpus, X[own], y[own], seed, **settings)
        scores.append(score(corpus, model, X[held], y[held]))
    return grid(corpus)[int(np.argmax(scores))]


def defaults(options):
    """Fit all defaults, and what a search at ten times the cost finds; compare on the test part."""
    for corpus in options.corpora:
        (X, y), test = load(corpus, "train"), load(corpus, "test")
        own, best, small, seconds = [], [], [], []
        for seed in range(options.seeds):
            start = time.perf_counter()
            model = fit(corpus, X, y, seed)
            seconds.append(time.perf_counter() - start)
            own.append(score(corpus, model, *test))
            small.append(count_small(model))
            found = search(corpus, X, y, seed)
            best.append(score(corpus, fit(corpus, X, y, seed, **found), *test))
            print(f"  {corpus} seed {seed}: {own[-1]:.3f}; {found}: {best[-1]:.3f}", flush=True)
        said = {notice.kind for notice in look_at(model.idata_)}
        print(
            f"{corpus:9s} defaults {np.mean(own):.3f}  search {np.mean(best):.3f}  "
            f"small {np.mean(small):.1f} of {model._n_topics}  {np.mean(seconds):.1f} s  "
            f"said: {', '.join(said) or 'nothing'}",
            flush=True,
        )


LENGTHS = [  # chains, tune, draws, sweeps_per_draw
    (1, 110, 30, 1),
    (2, 50, 20, 1),
    (4, 25, 10, 1),
    (8, 12, 5, 1),
    (1, 110, 30, 2),
    (4, 25, 10, 2),
    (4, 50, 20, 2),
]


def lengths(options):
    """Compare numbers and lengths of chains; all other settings are the defaults."""
    names = ("chains", "tune", "draws", "sweeps_per_draw")
    for corpus in options.corpora:
        (X, y), test = load(corpus, "train"), load(corpus, "test")
        for row in LENGTHS:
            settings = dict(zip(names, row, strict=True))
            scores = [
                score(corpus, fit(corpus, X, y, seed, **settings), *test)
                for seed in range(options.seeds)
            ]
            sweeps = row[0] * (row[1] + row[2]) * row[3]
            print(f"{corpus:9s} {settings} {sweeps} sweeps: {np.mean(scores):.3f}", flush=True)


def paper(options):
    """Fit with the margins of the paper, and print what the package says about them."""
    for corpus in options.corpora:
        if corpus not in PAPER:
            continue
        (X, y), test = load(corpus, "train"), load(corpus, "test")
        model = fit(corpus, X, y, 0, margin=PAPER[corpus])
        print(f"{corpus:9s} margin {PAPER[corpus]:g}: {score(corpus, model, *test):.3f}")
        for notice in look_at(model.idata_):
            print(f"  {notice.text}", flush=True)


FIGURES = {f.__name__: f for f in (defaults, choices, lengths, paper)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--corpora", nargs="+", choices=NAMES, default=list(NAMES))
    options = parser.parse_args()
    if not data.available("20ng_religion"):
        raise SystemExit(data.MISSING)
    logging.getLogger("pymc").setLevel(logging.ERROR)
    FIGURES[options.figure](options)


if __name__ == "__main__":
    main()
