"""Docstrings of installed packages as a labelled corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pymc_medlda._arguments import check_positive, check_scalar, check_seed, check_whole
from pymc_medlda.corpus import Corpus
from pymc_medlda.datasets.docstring_words import gather
from pymc_medlda.datasets.labelled import LabelledCorpus


def load_docstrings(
    packages: Sequence[str] = ("numpy", "scipy", "pandas", "xarray", "pytensor", "pymc"),
    *,
    min_words: int = 20,
    min_df: int = 5,
    max_df: float = 0.5,
    n_documents_per_package: int | None = None,
    seed: int = 0,
) -> LabelledCorpus:
    """Load the docstrings of installed packages, a corpus that needs no download.

    A document is the docstring of a public function, class or method; its label is the package.
    Only prose is kept: no code, markup, references, stop words or names of packages. Of equal
    texts only one is kept. The source files are parsed; the packages are not imported.

    Parameters
    ----------
    packages : sequence of str
        The packages to read; those that are not installed are skipped.
    min_words : int
        Smallest number of words in a document, not counting stop words.
    min_df : int
        Smallest number of documents in which a word of the vocabulary occurs.
    max_df : float
        Largest share of the documents in which a word of the vocabulary occurs.
    n_documents_per_package : int, optional
        Largest number of documents per package; a package with more is sampled at random.
    seed : int
        Seed of that sampling.

    Returns
    -------
    LabelledCorpus
        The name of a document is that of the documented object. Which documents there are
        depends on the installed versions of the packages.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> data = med.datasets.load_docstrings(["numpy"], n_documents_per_package=50)
    >>> data.corpus.n_documents, data.names
    (50, ('numpy',))
    """
    is_list = isinstance(packages, Sequence) and not isinstance(packages, str)
    if not is_list or not all(isinstance(package, str) for package in packages):
        raise TypeError(f"packages must be a sequence of names; got {packages!r}")
    check_whole("min_words", min_words, at_least=0)
    check_whole("min_df", min_df, at_least=1)
    check_positive("max_df", max_df, at_most=1.0)
    check_scalar("max_df", max_df)
    check_seed("seed", seed)
    if n_documents_per_package is not None:
        check_whole("n_documents_per_package", n_documents_per_package, at_least=1)
    rng = np.random.default_rng(seed)
    documents: dict[tuple[str, ...], tuple[str, str]] = {}
    for package in packages:
        found = [(name, words) for name, words in gather(package) if len(words) >= min_words]
        fresh = [(name, words) for name, words in found if words not in documents]
        if n_documents_per_package is not None and len(fresh) > n_documents_per_package:
            chosen = rng.choice(len(fresh), n_documents_per_package, replace=False)
            fresh = [fresh[row] for row in np.sort(chosen)]
        documents |= {words: (name, package) for name, words in fresh}
    if not documents:
        raise ValueError(
            f"packages must name an installed package with docstrings; got {list(packages)}"
        )
    names, labels = zip(*documents.values(), strict=True)
    corpus = Corpus.from_tokens(
        list(documents),
        vocabulary=_common_words(documents, min_df, max_df),
        document_names=names,
        unknown="drop",
    )
    return LabelledCorpus(corpus, np.array(labels), tuple(dict.fromkeys(labels)))


def _common_words(documents: Iterable[tuple[str, ...]], min_df: int, max_df: float) -> list[str]:
    """Return the words that occur neither in too few nor in too many documents, sorted."""
    sets = [set(words) for words in documents]
    frequency = Counter(word for words in sets for word in words)
    most = max_df * len(sets)
    return sorted(word for word, count in frequency.items() if min_df <= count <= most)
