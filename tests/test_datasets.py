import sys
from types import SimpleNamespace

import numpy as np
import pytest

from pymc_medlda import datasets
from pymc_medlda.corpus import Corpus
from pymc_medlda.datasets.docstring_words import PACKAGE_NAMES, STOP_WORDS, extract_words
from tests.benchmarks import data


def topic_frequencies(planted):
    n_topics = planted.theta.shape[1]
    spans = zip(planted.corpus.starts[:-1], planted.corpus.starts[1:], strict=True)
    return np.array([np.bincount(planted.z[i:j], minlength=n_topics) / (j - i) for i, j in spans])


@pytest.mark.parametrize("response", ["binary", "real", "multiclass", "multilabel"])
def test_planted_truth_agrees_with_itself(response):
    planted = datasets.make_planted(120, n_topics=4, response=response, noise=0.0, seed=2)
    np.testing.assert_allclose(planted.discriminant, topic_frequencies(planted) @ planted.eta.T)
    np.testing.assert_allclose(planted.phi.sum(axis=1), 1)
    np.testing.assert_allclose(planted.theta.sum(axis=1), 1)
    above = planted.discriminant > np.median(planted.discriminant, axis=0)
    expected = {
        "binary": np.where(above, 1, -1),
        "real": planted.discriminant,
        "multilabel": above.astype(int),
        "multiclass": planted.discriminant.argmax(axis=-1),
    }[response]
    np.testing.assert_array_equal(planted.y, expected)


def test_planted_words_follow_their_topics():
    planted = datasets.make_planted(400, n_topics=3, n_words=40, seed=5)
    for k in range(3):
        words = planted.corpus.words[planted.z == k]
        shares = np.bincount(words, minlength=40) / words.size
        error = np.sqrt(planted.phi[k] * (1 - planted.phi[k]) / words.size)
        assert (np.abs(shares - planted.phi[k]) < 5 * error + 1e-6).all()
    assert planted.corpus.vocabulary[17] == "word0017"


def test_planted_topics_are_well_separated():
    phi = datasets.make_planted(5, seed=3).phi
    overlap = [np.minimum(phi[k], phi[j]).sum() for k in range(5) for j in range(k)]
    assert max(overlap) < 0.25


def test_planted_seed():
    first, again, other = (datasets.make_planted(30, seed=seed) for seed in (1, 1, 2))
    assert first.corpus == again.corpus
    assert (first.y == again.y).all()
    assert first.corpus != other.corpus


def test_planted_shapes():
    one = datasets.make_planted(30, n_tasks=1, seed=1)
    assert (one.eta.shape, one.y.shape) == ((1, 5), (30, 1))
    given = datasets.make_planted(30, n_topics=2, eta=[-1.0, 1.0], response="real", seed=1)
    assert given.eta.tolist() == [-1, 1]
    classes = datasets.make_planted(300, n_topics=6, n_tasks=4, response="multiclass", seed=1)
    assert np.unique(classes.y).tolist() == [0, 1, 2, 3]
    assert datasets.make_planted(300, length=0.1, seed=1).corpus.lengths.min() == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_topics": 0}, "n_topics must be 1 or more"),
        ({"alpha": 0.0}, "alpha, beta and length must be positive"),
        ({"noise": -1.0}, "noise not negative"),
        ({"response": "ordinal"}, "response must be"),
        ({"eta": [1.0, 2.0]}, "eta must have 5 columns"),
        ({"eta": np.ones((2, 5)), "n_tasks": 3}, "eta must have 3 rows"),
        ({"response": "multiclass", "n_tasks": 9}, "n_tasks must be 2 to 5"),
        ({"n_tasks": 0}, "n_tasks must be 1 or more"),
    ],
)
def test_planted_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.make_planted(10, **arguments)


DOCSTRING = r"""
    Smooth a signal that doesn't wander, as numpy would.

    .. versionadded:: 1.2

    The kernel :math:`\sum_i k_i` is :func:`numpy.exp` scaled, see ``secret_code``::

        hidden = literal(block)

    Visible paragraph.

    .. math::

        \hidden{formula}

    Parameters
    ----------
    signal : array_like, optional
        Noisy observations.

    Examples
    --------
    >>> hidden(1)
    output
    """


def test_only_prose_is_left_of_a_docstring():
    assert extract_words(DOCSTRING) == (
        "smooth signal wander kernel scaled visible paragraph noisy observations".split()
    )


@pytest.fixture(scope="module")
def docstrings():
    return datasets.load_docstrings(["numpy", "no_such_package", "xarray"])


def test_docstrings_look_like_text(docstrings):
    corpus, y = docstrings.corpus, docstrings.y
    assert docstrings.names == ("numpy", "xarray")
    assert corpus.n_documents == len(y) == len(set(corpus.document_names))
    for name in docstrings.names:
        assert (y == name).sum() > 200
        assert all(
            label.startswith(f"{name}.") for label in corpus.document_names[y == name].tolist()
        )
    assert 30 < corpus.lengths.mean() < 100
    words = set(corpus.vocabulary)
    assert {"dimension", "polynomial", "dataset"} <= words
    assert not words & (STOP_WORDS | PACKAGE_NAMES)
    assert all(word.isalpha() and word.islower() and len(word) > 2 for word in words)


def test_docstring_documents_are_distinct_and_words_neither_rare_nor_everywhere():
    data = datasets.load_docstrings(["xarray"], min_df=8, max_df=0.3)
    frequency = (data.corpus.to_dtm() > 0).sum(axis=0)
    assert frequency.min() >= 8
    assert frequency.max() <= 0.3 * data.corpus.n_documents
    whole = datasets.load_docstrings(["xarray"], min_df=1, max_df=1.0).corpus
    spans = zip(whole.starts[:-1], whole.starts[1:], strict=True)
    assert len({whole.words[i:j].tobytes() for i, j in spans}) == whole.n_documents
    assert whole.lengths.min() >= 20


SOURCE = r'''
raise RuntimeError("a package must not be imported to be read")

def shown():
    """Estimate gentle curves."""

    def inner():
        """Nested helper."""

def copied():
    """Estimate gentle curves."""

def _private():
    """Hidden thing."""

class Shown:
    """Collect sturdy boxes."""

    def method(self):
        """Open wooden doors \s."""

add_newdoc("fenced.core", "compiled", ("attribute", """Describe distant hills."""))
'''


def test_public_docstrings_are_read_without_importing(monkeypatch, tmp_path):
    (tmp_path / "fenced" / "tests").mkdir(parents=True)
    (tmp_path / "fenced" / "__init__.py").write_text(SOURCE)
    (tmp_path / "fenced" / "tests" / "test_it.py").write_text('def f():\n    """Test words."""')
    monkeypatch.syspath_prepend(tmp_path)
    found = datasets.load_docstrings(["fenced"], min_words=1, min_df=1)
    assert "fenced" not in sys.modules
    corpus = found.corpus
    texts = {
        name: " ".join(corpus.vocabulary[corpus[[d]].words])
        for d, name in enumerate(corpus.document_names)
    }
    assert texts == {
        "fenced.shown": "estimate gentle curves",
        "fenced.Shown": "collect sturdy boxes",
        "fenced.Shown.method": "open wooden doors",
        "fenced.core.compiled.attribute": "distant hills",
    }


def test_docstring_sample_is_seeded():
    arguments = {"packages": ["xarray"], "n_documents_per_package": 40}
    first = datasets.load_docstrings(**arguments).corpus
    assert first.n_documents == 40
    assert first == datasets.load_docstrings(**arguments).corpus
    assert first != datasets.load_docstrings(**arguments, seed=1).corpus


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"packages": "numpy"}, TypeError, "sequence of names"),
        ({"packages": ["no_such_package"]}, ValueError, "no_such_package"),
        ({"n_documents_per_package": 0}, ValueError, "1 or more; got 0"),
    ],
)
def test_docstrings_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        datasets.load_docstrings(**arguments)


def test_split_keeps_the_shares_of_the_classes(docstrings):
    train, test = datasets.train_test_split(docstrings, test_fraction=0.2, seed=4)
    names = np.concatenate([train.corpus.document_names, test.corpus.document_names])
    assert sorted(names) == sorted(docstrings.corpus.document_names)
    for name in docstrings.names:
        assert (test.y == name).sum() == round(0.2 * (docstrings.y == name).sum())
    assert train.corpus.vocabulary is test.corpus.vocabulary
    assert datasets.train_test_split(docstrings, test_fraction=0.2, seed=4)[1].corpus == test.corpus
    assert datasets.train_test_split(docstrings, test_fraction=0.2, seed=5)[1].corpus != test.corpus
    with pytest.raises(ValueError, match="between 0 and 1; got 1"):
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
