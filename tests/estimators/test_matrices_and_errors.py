"""Forms of X and y that the estimators take, pipelines, interrupts and errors."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group

pytest.importorskip("sklearn", minversion="1.8")

from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

from pymc_medlda.estimators import GibbsMedLDAClassifier
from tests.estimators.small import QUICK


@pytest.mark.parametrize(
    "form", [sparse.csc_array, sparse.coo_matrix, sparse.lil_array, np.asarray]
)
def test_every_form_of_matrix_gives_the_same(form, fitted, two_classes):
    X, y = two_classes
    X = X[:80].toarray()
    again = clone(fitted).fit(form(X), np.where(y[:80] > 0, "up", "down"))
    assert np.array_equal(again.decision_function(form(X)), fitted.decision_function(X))


def test_frames_name_words_and_topics(two_classes):
    X, y = two_classes
    frame = pd.DataFrame(X.toarray(), columns=[f"word{t}" for t in range(60)])
    model = GibbsMedLDAClassifier(**QUICK).set_output(transform="pandas").fit(frame, y)
    assert model.feature_names_in_[0] == "word0"
    assert med.top_words(model.idata_, 1)["word 1"].str.startswith("word").all()
    theta = model.transform(frame)
    assert theta.columns.tolist() == model.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])


TEXTS = ["good food and wine", "nice wine", "slow rude service", "rude waiter was slow"] * 6
MOODS = ["up", "up", "down", "down"] * 6


def test_pipelines_grids_and_folds():
    pipeline = Pipeline(
        [("count", CountVectorizer()), ("model", GibbsMedLDAClassifier(**QUICK | {"tune": 10}))]
    )
    assert cross_val_score(pipeline, TEXTS, MOODS, cv=2).mean() > 0.8
    grid = {"model__c": [0.5, 2.0], "model__margin": [16.0], "model__n_topics": [2]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, MOODS)
    assert search.best_score_ > 0.8
    assert search.predict(["wine and food"]).tolist() == ["up"]


def test_pickling_keeps_predictions(fitted, two_classes):
    X = two_classes[0][80:]
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.decision_function(X), fitted.decision_function(X))
    assert np.array_equal(again.components_, fitted.components_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_the_draws_so_far(n_jobs, two_classes, monkeypatch):
    X, y = two_classes
    step, taken = med.GibbsMedLDAStep.step, []

    def interrupted(self, point):
        taken.append(1)
        if len(taken) > limit:
            raise KeyboardInterrupt
        return step(self, point)

    monkeypatch.setattr(med.GibbsMedLDAStep, "step", interrupted)
    model = GibbsMedLDAClassifier(
        **QUICK | {"tune": 3, "chains": 2}, n_jobs=n_jobs, calibrate=False
    )
    limit = 2 * 3 + 2 * 2 + 1  # warm-up, two draws of two chains, and one more of one chain
    with pytest.warns(UserWarning, match="2 of 5 draws"):
        model.fit(X, y)
    assert get_group(model.idata_, "posterior")["z"].shape[:2] == (2, 2)
    assert get_group(model.idata_, "sample_stats")["loss"].shape == (2, 2)
    assert model.predict(X).shape == (120,)
    taken.clear()
    limit = 4
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)


def test_a_bar_is_shown_only_when_asked_for(two_classes, monkeypatch):
    monkeypatch.setattr("pymc_medlda._progress.PATIENCE", 0.0)
    shown = []
    monkeypatch.setattr(
        "pymc_medlda._progress._start", lambda total, text: shown.append(text) or NoBar()
    )
    X, y = two_classes
    GibbsMedLDAClassifier(**QUICK).fit(X, y).predict(X)
    assert shown == []
    GibbsMedLDAClassifier(verbose=1, **QUICK).fit(X, y).predict(X)
    assert shown == ["Sampling", "Predicting"]


class NoBar:
    task_ids = (0,)

    def update(self, *_, **__):
        pass

    def stop(self):
        pass


def test_bad_input_is_refused(two_classes):
    X, y = two_classes
    model = GibbsMedLDAClassifier(**QUICK)
    with pytest.raises(NotFittedError):
        _ = model.components_
    with pytest.raises(ValueError, match="CountVectorizer"):
        make_pipeline(TfidfVectorizer(), model).fit(TEXTS, MOODS)
    with pytest.raises(ValueError, match="Negative values in data"):
        model.fit(-X, y)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.ones(120))
    with pytest.raises(ValueError, match="positive sample_weight have one class"):
        model.fit(X, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match="sample_weight must be finite and zero or more"):
        model.fit(X, y, sample_weight=-np.ones(120))
    with pytest.raises(ValueError, match="no document has a class"):
        model.fit(X, np.full(120, np.nan))
    with pytest.raises(ValueError, match="0 or 1 in each column"):
        model.fit(X, np.stack([np.arange(120) % 3, np.arange(120) % 2], axis=1))
    with pytest.warns(DataConversionWarning):
        model.fit(X, y[:, None])
    for name, value in (("multi_class", "one"), ("fractional_counts", "floor")):
        with pytest.raises(ValueError, match=f"{name} must be"):
            clone(model).set_params(**{name: value}).fit(X, y)
    for name in ("draws", "chains", "n_topics"):
        with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
            clone(model).set_params(**{name: 0}).fit(X, y)


def test_fractions_are_rounded_when_asked_for(two_classes):
    X, y = two_classes
    settings = QUICK | {"fractional_counts": "round"}
    near = X.astype(float)
    near.data = near.data + 0.2
    for matrix in (near, near.toarray()):
        model = GibbsMedLDAClassifier(**settings).fit(matrix, y)
        exact = GibbsMedLDAClassifier(**settings).fit(X, y)
        assert np.array_equal(model.components_, exact.components_)


def test_the_extra_is_named_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"pymc-medlda\[sklearn\]"):
        med.estimators.GibbsMedLDAClassifier  # noqa: B018


def test_integer_classes_with_missing_entries_are_the_same_in_every_form(two_classes):
    X, y = two_classes[0][:20], [1, 2, 3, None] * 5
    text = np.array(["a", "b", "c", None] * 5, dtype=np.dtypes.StringDType(na_object=None))
    quick = {"n_topics": 2, "draws": 1, "tune": 0, "random_state": 1}
    expected = GibbsMedLDAClassifier(**quick).fit(X, y)
    assert expected.classes_.tolist() == [1, 2, 3]
    for form in (pd.Series(y, dtype="Int64"), pd.Categorical(y), text):
        found = GibbsMedLDAClassifier(**quick).fit(X, form)
        assert np.array_equal(found.decision_function(X), expected.decision_function(X))
