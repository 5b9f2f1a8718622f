"""The checks that scikit-learn runs on estimators; those expected to fail name their reason."""

import pytest

pytest.importorskip("sklearn", minversion="1.8")

from sklearn.utils.estimator_checks import parametrize_with_checks

from pymc_medlda.estimators import GibbsMedLDAClassifier, GibbsMedLDARegressor

# Many checks feed random floats, which only an estimator that was asked to round can take. With
# the paper's single draw the decision of the mean is that of the draws, which one check expects.
CHECKED = {
    "n_topics": 3,
    "draws": 1,
    "tune": 2,
    "chains": 1,
    "sweeps_per_draw": 1,
    "n_samples": 2,
    "fractional_counts": "round",
}
WEIGHTS = "a weight multiplies the loss; a repeated document also repeats its words"
BATCHES = "predictions are Monte Carlo averages, drawn for the documents of a call together"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    "check_methods_sample_order_invariance": BATCHES,
    "check_methods_subset_invariance": BATCHES,
}
EXPECTED_OF_CLASSIFIER = {
    "check_decision_proba_consistency": (
        "shares of draws are tied where discriminants are not, all the more with a single draw"
    ),
    "check_classifiers_multilabel_output_format_predict_proba": (
        "the check wants probabilities above 0; the share of draws may be 0"
    ),
}


def expected_failures(estimator):
    is_classifier = isinstance(estimator, GibbsMedLDAClassifier)
    return EXPECTED | (EXPECTED_OF_CLASSIFIER if is_classifier else {})


@parametrize_with_checks(
    [GibbsMedLDAClassifier(**CHECKED), GibbsMedLDARegressor(**CHECKED)],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
