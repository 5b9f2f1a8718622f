"""How well probabilities and intervals are calibrated, at which cost: one command per figure.

    python -m tests.benchmarks.calibration religion | resplit | news | reuters | hotel | cost

Each command fits the estimators with and without calibration, on one core per job, and compares
them. Settings are arguments: ``--margin``, ``--c``, ``--topics``, ``--tune``, ``--draws``,
``--chains``, ``--sweeps``; ``--defaults`` uses those of the estimators for whatever is not given,
and ``--words`` adds the words themselves as features.
"""

import argparse
import time

import numpy as np
from scipy import sparse
from scipy.special import expit

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.calibrators.reliability import calibration_error
from pymc_medlda.prediction.evaluation import score_labels
from tests.benchmarks import data

STUDIED = {"topics": 20, "tune": 40, "draws": 30, "chains": 4, "sweeps": 1}
NAMES = {"topics": "n_topics", "sweeps": "sweeps_per_draw"}


def settings(options, **own):
    """Return the parameters of an estimator: given ones before those of the study."""
    wanted = {} if options.defaults else {**STUDIED, **own}
    for name in ("topics", "tune", "draws", "chains", "sweeps", "margin", "c"):
        given = getattr(options, name)
        if given is not None and (name not in ("margin", "c") or name in own):
            wanted[name] = given
    if options.words:
        wanted["features"] = "words"
    return {NAMES.get(name, name): value for name, value in wanted.items()}


def matrices(name):
    (train, y), (test, truth) = data.load(name), data.load(name, "test")
    return train.to_dtm(), y, test.to_dtm(), truth


def fit(estimator, X, y, seed, options, *, calibrate, **own):
    """Return the fitted estimator and its processor time, in seconds."""
    model = estimator(
        **settings(options, **own), calibrate=calibrate, random_state=seed, n_jobs=options.jobs
    )
    begin = time.process_time()
    model.fit(X, y)
    return model, time.process_time() - begin


def compare_classes(parts, options, **own):
    """Print accuracy, calibration error and log loss of (seed, X, y, X_test, truth), pooled."""
    kept = {False: [], True: []}
    for seed, X, y, X_test, truth in parts:
        for calibrate, rows in kept.items():
            estimator = med.GibbsMedLDAClassifier
            model, seconds = fit(estimator, X, y, seed, options, calibrate=calibrate, **own)
            p, chosen = model.predict_proba(X_test), model.predict(X_test)
            position = np.searchsorted(model.classes_, truth)
            rows.append((p, position, chosen == truth, seconds))
            if calibrate and len(model.classes_) == 2:
                group = get_group(model.idata_, "calibration")
                S, v = float(group["variance"]), float(group["between_chains"])
                print(f"seed {seed}: S {S:.0f}, v {v:.0f}", flush=True)
    for calibrate, rows in kept.items():
        p, position, right, seconds = (list(column) for column in zip(*rows, strict=True))
        p, position, right = (np.concatenate(column) for column in (p, position, right))
        if p.shape[1] == 2:
            error = calibration_error(p[:, 1], position == 1)
        else:
            error = calibration_error(p.max(axis=1), p.argmax(axis=1) == position)
        own_class = np.maximum(p[np.arange(len(p)), position], 1e-3)
        print(
            f"{'calibrated' if calibrate else 'share of draws'}: accuracy {right.mean():.4f}, "
            f"expected calibration error {error:.4f}, log loss {-np.log(own_class).mean():.3f}, "
            f"certain {(p.max(axis=1) > 1 - 1e-9).mean():.2f}, {sum(seconds):.1f} s",
            flush=True,
        )


def religion(options):
    """20ng_religion, the published split, whose test part drifts; pooled over seeds."""
    parts = ((seed, *matrices("20ng_religion")) for seed in range(options.seeds))
    compare_classes(parts, options, margin=164.0)


def resplit(options):
    """20ng_religion, split at random; pooled over seeds."""

    def parts():
        X, y, X_test, truth = matrices("20ng_religion")
        both, labels = sparse.vstack([X, X_test]).tocsr(), np.concatenate([y, truth])
        for seed in range(options.seeds):
            order = np.random.default_rng(seed).permutation(len(labels))
            one, two = order[: len(y)], order[len(y) :]
            yield seed, both[one], labels[one], both[two], labels[two]

    compare_classes(parts(), options, margin=164.0)


def news(options):
    """20ng_bydate_nostop, 20 classes; the probability of the class that is chosen."""
    seeds = range(min(options.seeds, 1))
    parts = ((seed, *matrices("20ng_bydate_nostop")) for seed in seeds)
    compare_classes(parts, options, margin=64.0)


def reuters(options):
    """reuters21578_r90, 90 labels: micro F1, and the calibration error over all labels."""
    X, y, X_test, truth = matrices("reuters21578_r90")
    for calibrate in (False, True):
        model, seconds = fit(
            med.GibbsMedLDAClassifier, X, y, 0, options, calibrate=calibrate, margin=64.0
        )
        p, chosen = model.predict_proba(X_test), model.predict(X_test) > 0
        coded = np.where(truth > 0, 1.0, -1.0)
        print(
            f"calibrate={calibrate}: micro F1 {score_labels(chosen, coded)['f1']:.4f}, "
            f"calibration error {calibration_error(p.ravel(), coded.ravel() > 0):.4f}, "
            f"Brier {np.mean((p - (coded > 0)) ** 2):.5f}, {seconds:.1f} s",
            flush=True,
        )
        if calibrate:
            F = model._discriminant(X_test)
            plain = F.mean(axis=(0, 1)) > 0
            one = model._calibration().compared(F.mean(axis=(0, 1))[None])
            print(
                f"  by the sign of F {score_labels(plain, coded)['f1']:.4f}, without the gain of "
                f"averaging {score_labels(one > 0, coded)['f1']:.4f} and "
                f"{calibration_error(expit(one).ravel(), coded.ravel() > 0):.4f}",
                flush=True,
            )


def hotel(options):
    """hotel_reviews: coverage of 90 % intervals, also by thirds of the prediction."""
    X, y, X_test, truth = matrices("hotel_reviews")
    y, truth = np.asarray(y, float), np.asarray(truth, float)
    centre, scale = (0.0, 1.0) if options.defaults else (y.mean(), y.std())
    covered, thirds, width, r2 = [], [], [], {False: [], True: []}
    for seed in range(options.seeds):
        for calibrate in (False, True):
            model, seconds = fit(
                med.GibbsMedLDARegressor,
                X,
                (y - centre) / scale,
                seed,
                options,
                calibrate=calibrate,
                c=8.0,
            )
            value = centre + scale * model.predict(X_test)
            r2[calibrate].append(1.0 - np.mean((truth - value) ** 2) / truth.var())
        low, high = (centre + scale * model.predict_interval(X_test, 0.9)).T
        inside = (low <= truth) & (truth <= high)
        third = np.searchsorted(np.quantile(value, [1 / 3, 2 / 3]), value)
        covered.append(inside.mean())
        thirds.append([inside[third == k].mean() for k in range(3)])
        width.append((high - low).mean() / y.std())
        print(
            f"seed {seed}: R2 {r2[False][-1]:.3f} uncalibrated, {r2[True][-1]:.3f} calibrated; "
            f"coverage {covered[-1]:.3f}, thirds {np.round(thirds[-1], 3).tolist()}, mean width "
            f"{width[-1]:.2f} standard deviations of y; {seconds:.1f} s",
            flush=True,
        )
    print(
        f"mean: R2 {np.mean(r2[False]):.3f} and {np.mean(r2[True]):.3f}; coverage "
        f"{np.mean(covered):.3f}, thirds {np.round(np.mean(thirds, axis=0), 3).tolist()}, width "
        f"{np.mean(width):.2f}"
    )


def cost(options):
    """Processor time of the calibrated fit over the uncalibrated one, best of three, in turns."""
    for name, estimator, own in (
        ("20ng_religion", med.GibbsMedLDAClassifier, {"margin": 164.0}),
        ("hotel_reviews", med.GibbsMedLDARegressor, {"c": 8.0}),
    ):
        X, y, _, _ = matrices(name)
        y = np.asarray(y, float)
        y = (y - y.mean()) / y.std() if name == "hotel_reviews" else y
        best = {False: np.inf, True: np.inf}
        for seed in range(3):
            for calibrate, least in best.items():
                _, seconds = fit(estimator, X, y, seed, options, calibrate=calibrate, **own)
                best[calibrate] = min(least, seconds)
        print(
            f"{name}: {best[False]:.2f} s uncalibrated, {best[True]:.2f} s calibrated, ratio "
            f"{best[True] / best[False]:.2f}",
            flush=True,
        )


FIGURES = {f.__name__: f for f in (religion, resplit, news, reuters, hotel, cost)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--defaults", action="store_true")
    parser.add_argument("--words", action="store_true")
    for name in ("topics", "tune", "draws", "chains", "sweeps"):
        parser.add_argument(f"--{name}", type=int)
    for name in ("margin", "c"):
        parser.add_argument(f"--{name}", type=float)
    options = parser.parse_args()
    if not data.available():
        parser.exit(message=f"{data.MISSING}\n")
    FIGURES[options.figure](options)


if __name__ == "__main__":
    main()
