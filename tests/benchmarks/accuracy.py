"""Predictive figures on real corpora: one command per figure.

    python -m tests.benchmarks.accuracy religion | rivals | hotel | news | one_vs_all | reuters

The corpora are those described by the data folder's own notes (20 Newsgroups, hotel reviews,
Reuters-21578); without the folder the script says so and stops.
"""

import argparse
import itertools
import time

import numpy as np
import pymc as pm

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.prediction.evaluation import score_labels
from tests.benchmarks import data

QUIET = {"progressbar": False, "compute_convergence_checks": False, "quiet": True}


def run(corpus, y, *, n_topics, loss, draws, tune, chains, seed, **arguments):
    with med.GibbsMedLDA(corpus, y, n_topics=n_topics, loss=loss, **arguments):
        return pm.sample(
            draws=draws,
            tune=tune,
            chains=chains,
            cores=min(chains, 2),
            step=med.GibbsMedLDAStep(),
            random_seed=seed,
            **QUIET,
        )


def score(idata, corpus, y, **arguments):
    arguments = {"progressbar": False, "random_seed": 1, **arguments}
    names = ["discriminant", "decision"]
    return med.evaluate(med.predict(idata, corpus, var_names=names, **arguments), y)


def religion(options):
    """20ng_religion: one draw after 10 sweeps, averaged over ``--seeds``; then 4 x 50 draws.

    The 4 x 50 draws are averaged in a prediction, and its accuracy over ``--averaged-seeds``.
    """
    (train, y), (test, truth) = data.load("20ng_religion"), data.load("20ng_religion", "test")
    loss = med.Hinge(c=1.0, margin=164.0)
    for n_topics in (5, 10, 20):
        single = [
            score(
                run(train, y, n_topics=n_topics, loss=loss, draws=1, tune=10, chains=1, seed=seed),
                test,
                truth,
                random_seed=seed,
                n_samples=options.z_samples,
            )["accuracy"]
            for seed in range(options.seeds)
        ]
        many = {"n_topics": n_topics, "loss": loss, "draws": 50, "tune": 50, "chains": 4}
        averaged = [
            score(run(train, y, seed=seed, **many), test, truth)["accuracy"]
            for seed in range(1, options.averaged_seeds + 1)
        ]
        print(
            f"K={n_topics:3d}  one draw {np.mean(single):.3f} "
            f"(standard error {np.std(single, ddof=1) / len(single) ** 0.5:.3f}; "
            f"{', '.join(f'{a:.3f}' for a in single[:5])})  "
            f"4 x 50 averaged {np.mean(averaged):.3f}",
            flush=True,
        )


def rivals(options):
    """20ng_religion, K = 20: accuracy and time of this package and of alternatives, on one core."""
    import tomotopy
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    (train, y), (test, truth) = data.load("20ng_religion"), data.load("20ng_religion", "test")

    def ours():
        settings = {"n_topics": 20, "loss": med.Hinge.paper(), "draws": 50, "tune": 50}
        idata = run(train, y, chains=1, seed=1, **settings)
        return score(idata, test, truth, cores=1)["accuracy"]

    def lda_svm():
        lda = LatentDirichletAllocation(20, doc_topic_prior=1 / 20, random_state=1)
        model = make_pipeline(lda, LinearSVC(C=10.0)).fit(train.to_dtm(), y)
        return model.score(test.to_dtm(), truth)

    def tfidf_svm():
        model = make_pipeline(TfidfTransformer(sublinear_tf=True), LinearSVC())
        return model.fit(train.to_dtm(), y).score(test.to_dtm(), truth)

    def tomotopy_slda():
        model = tomotopy.SLDAModel(k=20, vars="b", alpha=1 / 20, eta=0.01, seed=1)
        for d in range(train.n_documents):
            words = train.words[train.starts[d] : train.starts[d + 1]]
            model.add_doc([train.vocabulary[t] for t in words], y=[float(y[d])])
        model.train(100, workers=1)
        held = [
            model.make_doc([test.vocabulary[t] for t in test.words[first:last]])
            for first, last in itertools.pairwise(test.starts)
        ]
        model.infer(held, workers=1)
        decided = np.array([model.estimate(document)[0] > 0.5 for document in held])
        return np.mean(decided == (truth > 0))

    for name, fit in (
        ("pymc-medlda, one chain, 50 draws after 50, averaged", ours),
        ("scikit-learn LDA + linear SVM", lda_svm),
        ("tomotopy SLDA (binary), 100 sweeps", tomotopy_slda),
        ("tf-idf + linear SVM (no topics)", tfidf_svm),
    ):
        start = time.perf_counter()
        accuracy = fit()
        print(f"{name}: accuracy {accuracy:.3f}, {time.perf_counter() - start:.1f} s", flush=True)


def hotel(options):
    """hotel_reviews: c by cross-validation on the training part, then 4 x 50 averaged."""
    (train, y), (test, truth) = data.load("hotel_reviews"), data.load("hotel_reviews", "test")
    y, truth = np.asarray(y, float), np.asarray(truth, float)
    fold = np.random.default_rng(0).integers(0, 3, y.size)
    for n_topics in (10, 20):
        scores = {}
        for c in (2.0, 8.0, 16.0, 32.0, 64.0):
            loss = med.EpsilonInsensitive(c=c, epsilon=1e-3)
            parts = [
                score(
                    run(
                        train[fold != k],
                        y[fold != k],
                        n_topics=n_topics,
                        loss=loss,
                        draws=10,
                        tune=40,
                        chains=1,
                        seed=k,
                    ),
                    train[fold == k],
                    y[fold == k],
                )["r2"]
                for k in range(3)
            ]
            scores[c] = np.mean(parts)
            print(f"K={n_topics:3d}  c={c:4.0f}  cross-validated R2 {scores[c]:.3f}", flush=True)
        best = max(scores, key=scores.get)
        loss = med.EpsilonInsensitive(c=best, epsilon=1e-3)
        idata = run(train, y, n_topics=n_topics, loss=loss, draws=50, tune=50, chains=4, seed=1)
        r2 = score(idata, test, truth)["r2"]
        print(f"K={n_topics:3d}  c={best:.0f} by cross-validation: test R2 {r2:.3f}", flush=True)


def news(options):
    """20ng_bydate_nostop, 20 classes as tasks: one draw, then 4 x 20 draws averaged."""
    name = "20ng_bydate_nostop"
    (train, y), (test, truth) = data.load(name), data.load(name, "test")
    idata = run(
        train, y, n_topics=40, loss=med.Hinge(margin=64.0), draws=20, tune=40, chains=4, seed=1
    )
    one = score(idata, test, truth, single_draw=True)["accuracy"]
    print(f"multi-task, K=40: one draw {one:.3f}", flush=True)
    print(f"multi-task, K=40: 4 x 20 averaged {score(idata, test, truth)['accuracy']:.3f}")


def one_vs_all(options):
    """20ng_bydate_nostop, one binary model per class, K = 20, 10 draws after 20."""
    name = "20ng_bydate_nostop"
    (train, y), (test, truth) = data.load(name), data.load(name, "test")
    models = med.OneVsAll.sample(
        train,
        y,
        n_topics=20,
        loss=med.Hinge.paper(),
        draws=10,
        tune=20,
        random_seed=1,
        progressbar=False,
    )
    predictions = models.predict(test, random_seed=1, progressbar=False)
    accuracy = np.mean(predictions["decision"].values == np.asarray(truth))
    print(f"one-vs-all, K=20 per class: accuracy {accuracy:.3f}")


def reuters(options):
    """reuters21578_r90, ten largest labels: micro-F1, compared with LDA + linear SVM."""
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    name = "reuters21578_r90"
    (train, y), (test, truth) = data.load(name), data.load(name, "test")
    y, truth = np.asarray(y)[:, :10], np.asarray(truth)[:, :10]
    n_topics = 40
    idata = run(
        train,
        y,
        n_topics=n_topics,
        loss=med.Hinge(margin=64.0),
        draws=20,
        tune=40,
        chains=4,
        seed=1,
    )
    scores = score(idata, test, truth)
    print("multi-label, K=40, 4 x 20 averaged: " + listing(scores), flush=True)
    with med.GibbsMedLDA(train, n_topics=n_topics):
        lda = pm.sample(draws=20, tune=180, chains=1, random_seed=1, **QUIET)
    theta = {}
    for part, corpus in (("train", train), ("test", test)):
        predicted = med.predict(lda, corpus, random_seed=1, progressbar=False)
        theta[part] = get_group(predicted, "predictions")["theta"].mean(("chain", "draw")).values
    best = {}
    for c in (1.0, 10.0, 100.0):
        svm = OneVsRestClassifier(LinearSVC(C=c)).fit(theta["train"], y)
        decided = svm.predict(theta["test"]) > 0
        best[c] = score_labels(decided, np.where(truth > 0, 1.0, -1.0))
    c = max(best, key=lambda key: best[key]["f1"])
    print(f"LDA (200 sweeps, theta of 20 draws) + linear SVM (C={c:.0f}, best): {listing(best[c])}")


def listing(scores):
    return ", ".join(f"{key} {value:.3f}" for key, value in scores.items())


FIGURES = {f.__name__: f for f in (religion, rivals, hotel, news, one_vs_all, reuters)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--seeds", type=int, default=5, help="runs with one draw (religion)")
    parser.add_argument(
        "--averaged-seeds", type=int, default=1, help="runs of 4 x 50 draws (religion)"
    )
    parser.add_argument(
        "--z-samples",
        type=int,
        default=10,
        help="samples of z per new document in runs with one draw (religion)",
    )
    options = parser.parse_args()
    if not data.available("20ng_religion"):
        raise SystemExit(data.MISSING)
    start = time.perf_counter()
    FIGURES[options.figure](options)
    print(f"{options.figure}: {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
