"""Laws of the estimators: settings that mean the same give the same draws."""

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group

pytest.importorskip("sklearn", minversion="1.8")

from sklearn.base import clone

from pymc_medlda.estimators import GibbsMedLDAClassifier, GibbsMedLDARegressor
from pymc_medlda.run.run import Run
from tests.estimators.small import QUICK, make

SHORT = QUICK | {"tune": 5, "draws": 2}


def draws(model):
    posterior = get_group(model.idata_, "posterior")
    return posterior["z"].values, posterior["eta"].values


def assert_equal_draws(one, other):
    for mine, theirs in zip(draws(one), draws(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("estimator", [GibbsMedLDAClassifier, GibbsMedLDARegressor])
def test_weights_of_documents_are_factors_of_c(estimator, two_classes):
    X, y = two_classes
    weight = np.linspace(0.5, 2.0, 120)
    settings = SHORT | ({"margin": 2.0} if estimator is GibbsMedLDAClassifier else {})
    one = estimator(c=2.0, **settings).fit(X, y, sample_weight=weight)
    other = estimator(c=1.0, **settings).fit(X, y, sample_weight=2.0 * weight)
    assert_equal_draws(one, other)
    even = estimator(c=2.0, **settings).fit(X, y, sample_weight=np.ones(120))
    assert_equal_draws(even, estimator(c=2.0, **settings).fit(X, y))
    assert not np.array_equal(draws(one)[1], draws(even)[1])


def test_topics_of_several_chains_are_matched(three_classes):
    """Aligning once more changes nothing, and did change something the first time."""
    X, y = three_classes
    aligned = 0
    for seed in range(4):
        model = GibbsMedLDAClassifier(**SHORT | {"random_state": seed, "tune": 20, "chains": 2})
        model.fit(X, y)
        _, report = med.align_topics(model.idata_)
        assert report.permutation.values.tolist() == [[0, 1, 2]] * 2
        phi = Run(model.idata_).topics().mean_phi()
        np.testing.assert_allclose(model.components_, phi.mean(axis=0))
        np.testing.assert_allclose(model.eta_, draws(model)[1].mean(axis=(0, 1)))
        aligned += report.cosine.values.min() > 0.7
    assert aligned  # chains that found different topics would prove nothing


def test_one_model_per_class_is_the_binary_model_of_each_class(three_classes):
    X, y = three_classes
    apart = GibbsMedLDAClassifier(multi_class="one_vs_all", **SHORT).fit(X, y)
    for label, run in zip(apart.classes_, apart.idata_, strict=True):
        alone = GibbsMedLDAClassifier(**SHORT).fit(X, np.where(y == label, 1, -1))
        mine, theirs = Run(run).response(), Run(alone.idata_).response()
        assert mine.loss_at(0, 0) == theirs.loss_at(0, 0)
        np.testing.assert_array_equal(mine.y, theirs.y)


@pytest.mark.parametrize(("multi_class", "n_topics"), [("multi_task", 40), ("one_vs_all", 3 * 20)])
def test_tasks_that_share_topics_have_more_of_them_by_default(three_classes, multi_class, n_topics):
    X, y = three_classes
    settings = SHORT | {"n_topics": None, "tune": 0}
    model = GibbsMedLDAClassifier(multi_class=multi_class, **settings).fit(X, y)
    assert len(model.get_feature_names_out()) == n_topics
    assert model.components_.shape == (n_topics, X.shape[1])


def test_counts_are_rounded_to_the_nearest(two_classes):
    X, y = two_classes
    dense = X.toarray().astype(float)
    model = GibbsMedLDAClassifier(**SHORT | {"fractional_counts": "round"})
    exact = clone(model).fit(dense, y)
    for near in (dense + 0.4, np.maximum(dense - 0.4, 0.0)):
        assert_equal_draws(clone(model).fit(near, y), exact)
        assert_equal_draws(clone(model).fit(type(X)(near), y), exact)


def test_decisions_of_one_vs_all_follow_from_all_draws():
    X, y = make("multiclass", n_tasks=3)
    model = GibbsMedLDAClassifier(multi_class="one_vs_all", **SHORT | {"draws": 6}).fit(X, y)
    found = med.OneVsAll(model.classes_, model.idata_).predict(
        med.Corpus.from_dtm(X), random_seed=1, progressbar=False
    )
    f = found["discriminant"].values
    mean = f.mean(axis=(0, 1))
    np.testing.assert_array_equal(found["decision"], model.classes_[mean.argmax(axis=-1)])
    np.testing.assert_array_equal(found["y"], model.classes_[f.argmax(axis=-1)])
    assert (found["decision"] != found["y"][0, 0]).any()  # one draw does not decide
