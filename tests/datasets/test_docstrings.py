"""Docstrings of installed packages: what is read, what is left out."""

import sys

import pytest

from pymc_medlda import datasets
from pymc_medlda.datasets.docstring_words import PACKAGE_NAMES, STOP_WORDS, extract_words

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
        (
            {"n_documents_per_package": 0},
            ValueError,
            "per_package must be at least 1, got 0",
        ),
    ],
)
def test_docstrings_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        datasets.load_docstrings(**arguments)
