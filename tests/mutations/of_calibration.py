"""Mistakes in calibration, and the tests that notice them."""

from tests.mutations import Mutation

SIGMOID = ("tests/calibrators/test_sigmoid.py",)
AVERAGING = ("tests/calibrators/test_averaging.py",)
SOFTMAX = ("tests/calibrators/test_temperature.py",)
RESIDUALS = ("tests/calibrators/test_residuals.py",)
FOLDS = ("tests/calibration/test_folds.py",)
FOLD_CHAINS = ("tests/calibration/test_fold_chains.py",)
CALIBRATING = ("tests/calibration/test_calibrating.py",)
ESTIMATORS = ("tests/estimators/test_calibrated.py",)

MUTATIONS = (
    Mutation(
        "calibrators/sigmoid.py",
        "(n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0)",
        "1.0, 0.0",
        SIGMOID,
        "separated classes get an endless slope",
    ),
    Mutation(
        "calibrators/sigmoid.py",
        "if slope <= 0.0:",
        "if slope < -1e9:",
        SIGMOID,
        "a slope turns decisions around",
    ),
    Mutation(
        "calibrators/averaging.py",
        "uncertainty = each.var(axis=0, ddof=1) / len(each)",
        "uncertainty = each.var(axis=0, ddof=1)",
        AVERAGING,
        "an average is as uncertain as a single chain",
    ),
    Mutation(
        "calibrators/averaging.py",
        "uncertainty = each.var(axis=0, ddof=1) / len(each)",
        "uncertainty = each.var(axis=0, ddof=1).mean() / len(each)",
        AVERAGING,
        "all documents are equally uncertain",
    ),
    Mutation(
        "calibrators/averaging.py",
        "removed = (n_chains - 1) / n_chains * between",
        "removed = 0.75 * between",
        AVERAGING,
        "the gain is that of four chains, whatever their number",
    ),
    Mutation(
        "calibrators/sigmoid.py",
        "level - slope * centre / scale",
        "level",
        SIGMOID,
        "the intercept belongs to centred discriminants",
    ),
    Mutation(
        "calibrators/temperature.py",
        "weight = n / (n + n_classes)",
        "weight = 1.0",
        SOFTMAX,
        "separated classes get the temperature zero",
    ),
    Mutation(
        "calibrators/temperature.py",
        "if cost < least - (NEEDED if candidate and not best.curvature else 0.0):",
        "if cost < np.inf:",
        SOFTMAX,
        "the largest curvature is taken",
    ),
    Mutation(
        "calibrators/residuals.py",
        "own = residual[group == k]",
        "own = residual",
        RESIDUALS,
        "all thirds have the same bounds",
    ),
    Mutation(
        "calibrators/residuals.py",
        "tail = (1.0 - coverage) / 2.0",
        "tail = 1.0 - coverage",
        RESIDUALS,
        "both tails are as large as one should be together",
    ),
    Mutation(
        "calibration/folds.py",
        "return np.flatnonzero((self.fold != chain) & ~self.witness)",
        "return np.flatnonzero(self.fold != chain)",
        FOLDS,
        "chains see the witnesses",
    ),
    Mutation(
        "calibration/folds.py",
        "fold[own] = (dealt + np.arange(own.size)) % n_folds",
        "fold[own] = rng.integers(n_folds, size=own.size)",
        FOLDS,
        "classes are not spread evenly",
    ),
    Mutation(
        "calibration/fold_chains.py",
        "own = folds.fold[held] == chain",
        "own = folds.fold[held] >= 0",
        FOLD_CHAINS,
        "witnesses get the discriminant of the last chain",
    ),
    Mutation(
        "calibration/fold_chains.py",
        "z[~of_token] = state.z",
        "z[~of_token] = 0",
        FOLD_CHAINS,
        "removed documents come back in one topic",
    ),
    Mutation(
        "calibration/rebuilding.py",
        "if not np.array_equal(lengths, corpus.lengths[rows]):",
        "if lengths.size > corpus.n_documents:",
        CALIBRATING,
        "build may return a model of other documents",
    ),
    Mutation(
        "prediction/results.py",
        "chances = self.calibration.probabilities(by_chain)",
        "chances = self.calibration.probabilities(by_chain.mean(axis=0)[None])",
        CALIBRATING,
        "the average over chains is taken for a single chain",
    ),
    Mutation(
        "prediction/results.py",
        "compared = self.calibration.compared(by_chain)",
        "compared = by_chain.mean(axis=0)",
        CALIBRATING,
        "decisions contradict probabilities",
    ),
    Mutation(
        "calibration/two_stages.py",
        'n_tuning = settings["tune"] + settings["draws"] + settings["settling"]',
        'n_tuning = settings["settling"]',
        ESTIMATORS,
        "the burn-in of the first stage is not counted",
    ),
)
