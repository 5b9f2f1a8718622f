"""Fitted estimators and pipelines stand for their runs, with the words of their vectorisers."""

import logging

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import pymc_medlda as med
from tests.estimators.small import QUICK
from tests.reviews import NEW, STARS, TEXTS

SMALL = {**QUICK, "n_topics": 2}


@pytest.fixture(scope="module")
def pipe():
    estimator = med.GibbsMedLDAClassifier(**SMALL)
    return make_pipeline(CountVectorizer(ngram_range=(1, 2)), estimator).fit(TEXTS, STARS)


def words_in(table):
    return set(table.filter(like="word ").to_numpy().ravel())


def test_topics_of_a_pipeline_have_words(pipe):
    known = set(pipe[0].get_feature_names_out())
    assert "good wine" in known
    assert words_in(med.top_words(pipe, 3)) < known
    assert set(med.topic_words(pipe)["word"].values) == known
    phi = med.topic_words(pipe)
    np.testing.assert_array_equal(phi, med.topic_words(pipe[-1]))
    assert phi["word"].values.tolist() == pipe[0].get_feature_names_out().tolist()


def test_an_estimator_alone_knows_the_columns_of_a_frame(pipe):
    assert words_in(med.top_words(pipe[-1], 3)) < {str(i) for i in range(30)}
    counts = CountVectorizer().fit(TEXTS)
    frame = pd.DataFrame(counts.transform(TEXTS).toarray(), columns=counts.get_feature_names_out())
    estimator = med.GibbsMedLDAClassifier(**SMALL).fit(frame, STARS)
    assert words_in(med.top_words(estimator, 3)) < set(estimator.feature_names_in_)


def test_pictures_of_a_pipeline_have_words(pipe):
    axes = med.plot_topic_words(pipe, 2)
    shown = {label.get_text() for ax in np.ravel(axes) for label in ax.get_yticklabels()}
    assert "rude" in shown


def test_a_pipeline_takes_texts_in_predict(pipe):
    table = med.predict(pipe, NEW, as_frame=True, random_seed=1, progressbar=False)
    assert table["decision"].tolist()[:2] == ["up", "down"] == pipe.predict(NEW).tolist()[:2]
    assert table["no_known_words"].tolist() == [False, False, True, True]


def test_words_come_through_the_steps_between():
    estimator = med.GibbsMedLDAClassifier(**SMALL)
    chosen = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=4), estimator)
    chosen.fit(TEXTS, STARS)
    selected = set(chosen[:-1].get_feature_names_out())
    assert words_in(med.top_words(chosen, 4)) == selected
    with pytest.raises(ValueError, match="does not know how to split"):
        med.predict(chosen, NEW)
    nameless = make_pipeline(CountVectorizer(), FunctionTransformer(), estimator)
    assert words_in(med.top_words(nameless.fit(TEXTS, STARS), 2)) < {str(i) for i in range(30)}


def test_a_search_stands_for_its_best_pipeline():
    estimator = med.GibbsMedLDAClassifier(**{**SMALL, "tune": 2})
    search = GridSearchCV(
        make_pipeline(CountVectorizer(), estimator),
        {"gibbsmedldaclassifier__c": [1.0]},
        cv=2,
    ).fit(TEXTS, STARS)
    assert words_in(med.top_words(search, 2)) < set(CountVectorizer().fit(TEXTS).vocabulary_)


def test_documents_without_known_words_are_counted(pipe, caplog):
    with caplog.at_level(logging.WARNING, "pymc.medlda"):
        pipe.predict(NEW)
    assert caplog.messages == [
        "the model knows no word in 2 of 4 documents: the prior alone decides there"
    ]


def test_what_is_not_fitted_or_not_ours_is_refused(pipe):
    with pytest.raises(ValueError, match="GibbsMedLDAClassifier that is not fitted"):
        med.top_words(med.GibbsMedLDAClassifier())
    with pytest.raises(ValueError, match="not fitted"):
        med.top_words(make_pipeline(CountVectorizer(), med.GibbsMedLDAClassifier()))
    other = make_pipeline(CountVectorizer(), TfidfTransformer(), LogisticRegression())
    with pytest.raises(ValueError, match="ends in a LogisticRegression"):
        med.top_words(other.fit(TEXTS, STARS))
    each = med.GibbsMedLDAClassifier(**SMALL, multi_class="one_vs_all")
    each.fit(pipe[0].transform(TEXTS), ["a", "b", "c", "d"] * 5)
    with pytest.raises(ValueError, match="4 models, one per class"):
        med.top_words(each)


def test_models_of_several_classes_are_asked_for_one_of_their_runs(tmp_path):
    planted = med.datasets.make_planted(12, n_topics=2, n_words=20, seed=1)
    models = med.OneVsAll(["a", "b"], (object(), object()))
    for function in (
        lambda: med.top_words(models),
        lambda: med.export(models, tmp_path / "model.npz"),
        lambda: med.report(models, tmp_path / "report.html"),
        lambda: med.explain(models, "a text"),
        lambda: med.compare({"all": models}, planted.corpus, planted.y),
    ):
        with pytest.raises(ValueError, match=r"2 runs, one per class: give one of its \.runs"):
            function()
