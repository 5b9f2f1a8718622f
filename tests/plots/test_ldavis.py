"""The export to pyLDAvis."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from pymc_medlda.plots import (
    to_pyldavis,
)
from pymc_medlda.run.topics import doc_topics, topic_words
from tests.sampled import planted, sample


def test_pyldavis_gets_distributions_of_the_words_that_occur():
    idata = sample()
    arguments = to_pyldavis(idata, prepare=False, R=5)
    corpus = planted().corpus
    counts = np.bincount(corpus.words, minlength=40)
    assert arguments["term_frequency"].tolist() == counts[counts > 0].tolist()
    assert arguments["vocab"] == corpus.vocabulary[counts > 0].tolist()
    phi = topic_words(idata).values[0][:, counts > 0]
    np.testing.assert_allclose(
        arguments["topic_term_dists"], phi / phi.sum(axis=1, keepdims=True), rtol=1e-12
    )
    np.testing.assert_allclose(arguments["doc_topic_dists"], doc_topics(idata)["mean"].values[0])
    assert arguments["doc_lengths"].tolist() == corpus.lengths.tolist()
    assert arguments["R"] == 5


def test_pyldavis_is_called_where_it_is_installed_and_named_where_not(monkeypatch):
    stand_in = SimpleNamespace(prepare=lambda **arguments: sorted(arguments))
    monkeypatch.setitem(sys.modules, "pyLDAvis", stand_in)
    assert "topic_term_dists" in to_pyldavis(sample())
    monkeypatch.setitem(sys.modules, "pyLDAvis", None)
    with pytest.raises(ImportError, match=r"pip install .pymc-medlda\[vis\]."):
        to_pyldavis(sample())
