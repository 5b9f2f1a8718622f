"""Methods from outside the paper: the supervised LDA of tomotopy, and linear models of words."""

import numpy as np
import pytest

import pymc_medlda as med
from paper import methods
from paper.rivals import outsiders


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(160, n_topics=3, n_words=60, length=40, n_tasks=2, seed=3)


@pytest.mark.parametrize("corpus", ["drawn-two", "drawn-values"])
def test_tomotopy_runs_as_the_other_methods_do(corpus):
    pytest.importorskip("tomotopy")
    result = methods.run("tomotopy sLDA", corpus, n_topics=5, seed=1)
    assert result["score"] > (0.65 if corpus == "drawn-two" else 0.2)
    assert result["train_cpu"] > 0


def test_tomotopy_decides_several_tasks_and_takes_empty_documents(planted):
    pytest.importorskip("tomotopy")
    y = np.where(np.asarray(planted.y) > 0, 1.0, -1.0)
    model = outsiders.fit_tomotopy(planted.corpus[:120], y[:120], n_topics=3, seed=1)
    found = model.discriminants(planted.corpus[120:])
    assert found.shape == (40, 2)
    assert np.abs(found).max() <= 0.5
    assert ((np.sign(found) == y[120:]).mean(axis=0) > 0.6).all()
    empty = med.Corpus.from_tokens([[], [0, 1]], n_words=60)
    assert np.isfinite(model.discriminants(empty)).all()


@pytest.mark.parametrize("fit", [outsiders.fit_tfidf, outsiders.fit_raw_words])
def test_machines_on_words_have_one_column_per_task(planted, fit):
    y = np.where(np.asarray(planted.y) > 0, 1.0, -1.0)
    model = fit(planted.corpus[:120], y[:120])
    found = model.discriminants(planted.corpus[120:])
    assert ((np.sign(found) == y[120:]).mean(axis=0) > 0.6).all()
