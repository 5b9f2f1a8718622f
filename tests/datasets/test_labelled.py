"""Splitting a labelled corpus, 20 Newsgroups, and the data of the benchmarks."""

from types import SimpleNamespace

import numpy as np
import pytest

from pymc_medlda import datasets
from pymc_medlda.corpus import Corpus
from tests.benchmarks import data


def test_split_keeps_the_shares_of_the_classes(docstrings):
    train, test = datasets.train_test_split(docstrings, test_fraction=0.2, seed=4)
    names = np.concatenate([train.corpus.document_names, test.corpus.document_names])
    assert sorted(names) == sorted(docstrings.corpus.document_names)
    for name in docstrings.names:
        assert (test.y == name).sum() == round(0.2 * (docstrings.y == name).sum())
    assert train.corpus.vocabulary is test.corpus.vocabulary
    assert datasets.train_test_split(docstrings, test_fraction=0.2, seed=4)[1].corpus == test.corpus
    assert datasets.train_test_split(docstrings, test_fraction=0.2, seed=5)[1].corpus != test.corpus
    with pytest.raises(ValueError, match="between 0 and 1, got 1"):
        datasets.train_test_split(docstrings, test_fraction=1)


def test_20newsgroups_through_a_stand_in(monkeypatch):
    asked = {}

    def fetch(**arguments):
        asked.update(arguments)
        return SimpleNamespace(
            data=["the goal and the ball", "the vote", "a ball"],
            target=np.array([1, 0, 1]),
            target_names=["politics", "sport"],
        )

    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", fetch)
    found = datasets.fetch_20newsgroups("test", remove=["headers"], stop_words=["and", "the"])
    assert asked == {
        "subset": "test",
        "categories": None,
        "remove": ("headers",),
        "data_home": None,
    }
    assert found.y.tolist() == ["sport", "politics", "sport"]
    assert found.names == ("politics", "sport")
    assert found.corpus == Corpus.from_texts(
        ["goal ball", "vote", "ball"], vocabulary=["ball", "goal", "vote"]
    )


@pytest.mark.skipif(not data.available(), reason=data.MISSING)
def test_benchmark_data():
    for part, n_documents, n_tokens in (("train", 856, 113_533), ("test", 569, 78_460)):
        corpus, y = data.load("20ng_religion", part)
        assert (corpus.n_documents, corpus.n_words, corpus.n_tokens) == (
            n_documents,
            17400,
            n_tokens,
        )
        assert len(y) == n_documents
