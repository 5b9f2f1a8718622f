"""The export to pyLDAvis."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import rel_entr

from pymc_medlda.plots import (
    to_pyldavis,
)
from pymc_medlda.plots.ldavis import place_topics
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


def test_topics_are_placed_at_their_distances():
    """Three points of a plane can have all three distances; the divergences are pyLDAvis's."""
    phi = np.random.default_rng(1).dirichlet(np.full(30, 0.3), size=3)
    places = place_topics(phi)
    assert places.dtype == np.float64
    np.testing.assert_allclose(places.mean(axis=0), 0.0, atol=1e-12)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        middle = (phi[i] + phi[j]) / 2
        divergence = (rel_entr(phi[i], middle) + rel_entr(phi[j], middle)).sum() / 2
        assert np.linalg.norm(places[i] - places[j]) == pytest.approx(divergence)


@pytest.mark.parametrize("n_topics", [1, 2, 30])
def test_few_and_many_topics_have_real_places(n_topics):
    phi = np.random.default_rng(2).dirichlet(np.full(40, 0.1), size=n_topics)
    places = place_topics(phi)
    assert places.shape == (n_topics, 2)
    assert np.isfinite(places).all()


def test_the_page_of_pyldavis_can_be_written():
    pyldavis = pytest.importorskip("pyLDAvis")
    page = pyldavis.prepared_data_to_html(to_pyldavis(sample(), n_jobs=1))
    assert "LDAvis" in page
