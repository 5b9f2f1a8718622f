"""Estimators with words as features beside the topics."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group

QUICK = {"n_topics": 2, "draws": 4, "tune": 10, "sweeps_per_draw": 1, "random_state": 0}


def documents(seed=0, n=60):
    """Return counts in which one rare word decides the class, and no topic does."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.0, (n, 20))
    y = rng.integers(2, size=n)
    counts[:, 3] = 2 * y
    return counts, y


def test_words_decide_what_topics_cannot():
    (counts, y), (new, truth) = documents(), documents(1)
    topics = med.GibbsMedLDAClassifier(**QUICK).fit(counts, y)
    both = med.GibbsMedLDAClassifier(features="words", **QUICK).fit(counts, y)
    assert both.score(new, truth) > 0.95
    assert both.score(new, truth) > topics.score(new, truth)
    w = get_group(both.idata_, "posterior")["w"].mean(("chain", "draw")).values
    assert w.shape == (20,)
    assert np.abs(w).argmax() == 3


@pytest.mark.parametrize("multi_class", ["multi_task", "one_vs_all"])
def test_several_classes(multi_class):
    counts, _ = documents()
    y = np.arange(60) % 3
    counts[:, :3] = 3 * np.eye(3, dtype=int)[y]
    model = med.GibbsMedLDAClassifier(features="words", multi_class=multi_class, **QUICK)
    model.fit(counts, y)
    assert model.predict_proba(counts).shape == (60, 3)
    assert model.score(counts, y) > 0.9
    again = clone(model).fit(counts, y).decision_function(counts)
    np.testing.assert_array_equal(again, model.decision_function(counts))


def test_the_regressor_with_chains_and_annealing():
    counts, y = documents()
    model = med.GibbsMedLDARegressor(features="words", tau=2.0, chains=2, anneal=5, c=4.0, **QUICK)
    model.fit(counts, y - 0.5)
    assert model.score(counts, y - 0.5) > 0.5
    assert float(get_group(model.idata_, "posterior")["w"].std()) > 0


def test_the_scale_can_be_searched_for():
    counts, y = documents()
    grid = {"features": ["words"], "tau": [1e-4, 6.0]}
    search = GridSearchCV(med.GibbsMedLDAClassifier(**QUICK), grid, cv=2).fit(counts, y)
    assert search.best_params_["tau"] == 6.0


def test_without_features_the_scale_has_no_effect():
    counts, y = documents()
    one, other = (
        med.GibbsMedLDAClassifier(tau=tau, **QUICK).fit(counts, y).decision_function(counts)
        for tau in (None, 3.0)
    )
    np.testing.assert_array_equal(one, other)
