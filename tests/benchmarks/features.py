"""Topics and words in one model, compared with tf-idf and a linear model: one command per figure.

    python -m tests.benchmarks.features religion | hotel | news | reuters | cost

Every figure compares, in one run, tf-idf with a linear support vector machine (ridge for real
values), the model with topics alone, and the model with topics and words. The penalty of the
linear model, c of the regression and tau are chosen on the training part. Four chains are averaged.
Real values are predicted by the calibrated estimator, as it is by default.
The script also prints what topics and words contribute, and the coherence of the topics.
"""

import argparse
import time
from dataclasses import dataclass, field

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, r2_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.targets.default_scale import STRENGTH
from tests.benchmarks import data
from tests.benchmarks.accuracy import run


@dataclass(frozen=True)
class Figure:
    """A corpus, its model, and how a prediction is scored."""

    name: str
    kind: str
    n_topics: int
    margin: float = 1.0  # that of the hinge loss; 1 where y is standardised
    losses: tuple = (1.0,)  # the values of c to choose among
    strengths: tuple = (0.25, 0.5, 1.0, 2.0)  # the values of 2 c tau² / margin to choose among
    folds: int = 3
    used_folds: int = 3
    draws: int = 50
    tune: int = 50
    seeds: tuple = (1,)
    linear: tuple = (0.1, 0.3, 1.0, 3.0)
    trial: dict = field(default_factory=lambda: {"draws": 10, "tune": 30, "chains": 2})


FIGURES = {
    "religion": Figure(
        "20ng_religion",
        "binary",
        20,
        margin=20.0,
        strengths=(0.25, 0.5, 0.7, 1.0, 1.4, 2.0),
        folds=5,
        used_folds=5,
        seeds=(1, 2, 3, 4, 5),
        trial={"draws": 30, "tune": 50, "chains": 4},
    ),
    "hotel": Figure(
        "hotel_reviews",
        "real",
        20,
        losses=(2.0, 4.0, 8.0),
        strengths=(0.25, 0.5, 0.7, 1.0),
        linear=(0.3, 1, 3, 10),
        trial={"draws": 20, "tune": 40, "chains": 4},
    ),
    "news": Figure(  # margin, draws and warm-up are the defaults
        "20ng_bydate_nostop",
        "multiclass",
        40,
        margin=20.0,
        draws=25,
        tune=50,
        seeds=(1, 2, 3),
        trial={"draws": 15, "tune": 40, "chains": 4},
    ),
    "reuters": Figure(
        "reuters21578_r90", "multilabel", 40, margin=64.0, used_folds=1, draws=20, tune=40
    ),
}


def load(figure):
    train, y = data.load(figure.name)
    test, truth = data.load(figure.name, "test")
    y, truth = np.asarray(y), np.asarray(truth)
    if figure.kind == "multilabel":
        y, truth = y[:, :10], truth[:, :10]
    if figure.kind == "real":  # the scale of y is that of the weights
        middle, spread = y.mean(), y.std()
        y, truth = (y - middle) / spread, (truth - middle) / spread
    return train, y, test, truth


def score(figure, discriminant, truth, classes):
    if figure.kind == "real":
        return r2_score(truth, discriminant)
    if figure.kind == "multilabel":
        return f1_score(truth > 0, discriminant > 0, average="micro")
    if figure.kind == "binary":
        return np.mean(classes[(discriminant > 0).astype(int)] == truth)
    return np.mean(classes[discriminant.argmax(axis=1)] == truth)


def fit(figure, train, y, *, c, strength, chains, draws, tune, seed):
    """Sample the model; ``strength`` None stands for topics alone."""
    words = {}
    if strength is not None:
        words = {"features": "words", "tau": (strength * figure.margin / (2 * c)) ** 0.5}
    settings = {
        "n_topics": figure.n_topics,
        "draws": draws,
        "tune": tune,
        "chains": chains,
        **words,
    }
    if figure.kind == "real":
        model = med.GibbsMedLDARegressor(c=c, random_state=seed, n_jobs=-1, **settings)
        return model.fit(train.to_dtm(), y).idata_
    return run(train, y, loss=med.Hinge(c=c, margin=figure.margin), seed=seed, **settings)


def predict(idata, test, names=("discriminant",)):
    wanted = [*names, "decision"]
    predicted = med.predict(idata, test, var_names=wanted, random_seed=1, progressbar=False)
    group = get_group(predicted, "predictions")
    values = [group[name].mean(("chain", "draw")).values for name in names]
    if group["decision"].dtype.kind == "f":  # a real value, calibrated
        values[0] = group["decision"].values
    return values


def linear_model(figure, penalty):
    weigh = TfidfTransformer(sublinear_tf=True)
    if figure.kind == "real":
        return make_pipeline(weigh, Ridge(alpha=1.0 / penalty))
    machine = LinearSVC(C=penalty, max_iter=5000)
    if figure.kind == "multilabel":
        machine = OneVsRestClassifier(machine)
    return make_pipeline(weigh, machine)


def decide(model, figure, test):
    counts = test.to_dtm()
    return model.predict(counts) if figure.kind == "real" else model.decision_function(counts)


def cross_validate(figure, train, y, predict_part):
    """Return the score of all held-out parts of the training documents together."""
    fold = np.random.default_rng(0).integers(0, figure.folds, len(y))
    values, truths = [], []
    for k in range(figure.used_folds):
        values.append(predict_part(train[fold != k], y[fold != k], train[fold == k], k))
        truths.append(y[fold == k])
    return score(figure, np.concatenate(values), np.concatenate(truths), np.unique(y))


def choose(figure, train, y, label, candidates, predict_part):
    """Return the candidate with the best cross-validated score."""
    scores = {}
    for candidate in candidates:
        scores[candidate] = cross_validate(
            figure, train, y, lambda *part, own=candidate: predict_part(own, *part)
        )
    listed = ", ".join(f"{key}: {value:.4f}" for key, value in scores.items())
    print(f"  {label}, cross-validated on the training part: {listed}", flush=True)
    return max(scores, key=scores.get)


def rival(figure, train, y, test, truth):
    def part(penalty, train, y, held, seed):
        return decide(linear_model(figure, penalty).fit(train.to_dtm(), y), figure, held)

    best = choose(figure, train, y, "linear model, penalty", figure.linear, part)
    model = linear_model(figure, best).fit(train.to_dtm(), y)
    return score(figure, decide(model, figure, test), truth, np.unique(y))


def ours(figure, train, y, test, truth, strengths):
    def part(candidate, train, y, held, seed):
        c, strength = candidate
        idata = fit(figure, train, y, c=c, strength=strength, seed=seed, **figure.trial)
        return predict(idata, held)[0]

    candidates = [(c, strength) for c in figure.losses for strength in strengths]
    c, strength = candidates[0]
    if len(candidates) > 1:
        label = "c and 2 c tau² / margin" if strengths[0] is not None else "c"
        c, strength = choose(figure, train, y, label, candidates, part)
    names = ["discriminant"]
    if strength is not None:
        names += ["discriminant_topics", "discriminant_features"]
    results = []
    for seed in figure.seeds:
        full = {"draws": figure.draws, "tune": figure.tune, "chains": 4, "seed": seed}
        idata = fit(figure, train, y, c=c, strength=strength, **full)
        values = predict(idata, test, names)
        scores = [score(figure, value, truth, np.unique(y)) for value in values]
        results.append([*scores, float(med.coherence(idata).mean()), topics_in_use(idata)])
    return (c, strength), results


def topics_in_use(idata):
    """Return the number of topics that the tokens are spread over: exp of the entropy."""
    z = get_group(idata, "posterior")["z"].values[:, -1]
    shares = [np.bincount(chain)[np.bincount(chain) > 0] / chain.size for chain in z]
    return float(np.mean([np.exp(-(share * np.log(share)).sum()) for share in shares]))


def compare(figure):
    corpora = load(figure)
    print(f"{figure.name}, K = {figure.n_topics}", flush=True)
    print(f"  tf-idf + linear model: {rival(figure, *corpora):.4f}", flush=True)
    for label, strengths in (("topics", (None,)), ("topics and words", figure.strengths)):
        (c, strength), results = ours(figure, *corpora, strengths)
        mean = np.mean(results, axis=0)
        spread = ", ".join(f"{row[0]:.4f}" for row in results) if len(results) > 1 else ""
        parts = ""
        if strength is not None:
            tau = (strength * figure.margin / (2 * c)) ** 0.5
            parts = f" (topics alone {mean[1]:.4f}, words alone {mean[2]:.4f}; tau {tau:.3g})"
        print(
            f"  {label}, c = {c:g}: {mean[0]:.4f}{parts} {spread}; "
            f"coherence {mean[-2]:.3f}, topics in use {mean[-1]:.1f}",
            flush=True,
        )


def cost():
    """Print the processor times of steps with and without words, which run in turns."""
    for name in ("religion", "news"):
        figure = FIGURES[name]
        train, y, _, _ = load(figure)
        loss = med.Hinge(margin=figure.margin)
        chains = []
        for words in ({}, {"features": "words"}):
            with med.GibbsMedLDA(train, y, n_topics=figure.n_topics, loss=loss, **words) as model:
                step = med.GibbsMedLDAStep(rng=1)
                chains.append([step, model.initial_point(1)])
        times = [[], []]
        for draw in range(40):
            for own, chain in zip(times, chains, strict=True):
                begin = time.process_time()
                chain[1], _ = chain[0].step(chain[1])
                if draw >= 20:
                    own.append(time.process_time() - begin)
        without, with_words = (1000 * np.median(own) for own in times)
        print(
            f"{figure.name}, K = {figure.n_topics}: a step takes {without:.1f} ms with topics, "
            f"{with_words:.1f} ms with topics and words, {with_words / without:.2f} times as long",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", choices=[*FIGURES, "cost"])
    options = parser.parse_args()
    if not data.available("20ng_religion"):
        raise SystemExit(data.MISSING)
    begin = time.perf_counter()
    if options.figure == "cost":
        cost()
    else:
        print(f"the default of tau is that of 2 c tau² / margin = {STRENGTH}")
        compare(FIGURES[options.figure])
    print(f"{options.figure}: {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
