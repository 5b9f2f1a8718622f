"""Data to try the models on: planted topics with known truth, docstrings at hand, 20 Newsgroups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pymc_medlda._optional import import_sklearn
from pymc_medlda.corpus import Corpus
from pymc_medlda.datasets.docstring_words import gather

Response = Literal["binary", "real", "multiclass", "multilabel"]


@dataclass(frozen=True, eq=False)
class Planted:
    """A synthetic corpus with the truth that made it; see `make_planted`.

    Attributes
    ----------
    corpus : Corpus
    y : (n_documents,) or (n_documents, n_tasks) array
        The response.
    z : (n_tokens,) int32 array
        The topic of each token.
    theta : (n_documents, n_topics) array
        The topic distribution of each document.
    phi : (n_topics, n_words) array
        The word distribution of each topic.
    eta : (n_topics,) or (n_tasks, n_topics) array
        The weights.
    discriminant : (n_documents,) or (n_documents, n_tasks) array
        The weights times the topic frequencies, without noise.

    Examples
    --------
    >>> from pymc_medlda.datasets import make_planted
    >>> make_planted(10, n_topics=3, seed=1).theta.shape
    (10, 3)
    """

    corpus: Corpus
    y: NDArray[Any]
    z: NDArray[np.int32]
    theta: NDArray[np.float64]
    phi: NDArray[np.float64]
    eta: NDArray[np.float64]
    discriminant: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelledCorpus:
    """Documents with a class each.

    Attributes
    ----------
    corpus : Corpus
    y : (n_documents,) str array
        The class of each document.
    names : tuple of str
        The classes there are, each once.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_medlda.corpus import Corpus
    >>> from pymc_medlda.datasets import LabelledCorpus
    >>> corpus = Corpus.from_tokens([["goal"], ["vote"]])
    >>> LabelledCorpus(corpus, np.array(["sport", "politics"]), ("politics", "sport")).corpus
    Corpus(2 documents, 2 tokens, 2 words)
    """

    corpus: Corpus
    y: NDArray[np.str_]
    names: tuple[str, ...]


def make_planted(
    n_documents: int = 200,
    *,
    n_topics: int = 5,
    n_words: int = 500,
    length: float = 80,
    n_tasks: int | None = None,
    response: Response = "binary",
    alpha: float = 1.0,
    beta: float = 0.05,
    eta: ArrayLike | None = None,
    noise: float = 0.1,
    seed: int | np.random.Generator | None = None,
) -> Planted:
    r"""Draw a corpus from LDA and a response from the topic frequencies of its documents.

    .. math::

        \theta_d \sim Dir(\alpha / K), \quad \phi_k \sim Dir(\beta), \quad
        F_d^i = \eta_i \cdot \bar z_d + \sigma \epsilon_d^i

    with standard normal :math:`\epsilon` and :math:`\sigma` the noise. A small ``beta`` gives
    topics with few words in common.

    Parameters
    ----------
    n_documents, n_topics, n_words : int
        Sizes. The words are called ``word0000`` and so on.
    length : float
        Mean number of tokens of a document, which is Poisson but at least 1.
    n_tasks : int, optional
        Number of tasks, classes or labels. None gives one task, with one-dimensional ``eta``
        and ``y``, or 3 classes or labels.
    response : {"binary", "real", "multiclass", "multilabel"}
        ``y`` is -1 or 1, on either side of the median of F; F itself; the index of the class
        with the largest F; or a 0/1 matrix, again on either side of the medians.
    alpha, beta : float
        Priors of the topic and word distributions; ``alpha`` is spread over the topics.
    eta : (n_topics,) or (n_tasks, n_topics) array, optional
        The weights. By default evenly spaced in [-2, 2] in random order for each task; for
        classes about 2 at the topics of a class and about 0 elsewhere.
    noise : float
        Standard deviation of the noise in F.
    seed : int or Generator, optional
        Seed of the draws.

    Returns
    -------
    Planted
        Corpus and response, and the truth. The tokens of a document come in the order of
        their topics.

    Examples
    --------
    >>> planted = make_planted(100, n_topics=4, seed=1)
    >>> planted.corpus.n_documents, planted.eta.shape
    (100, (4,))
    >>> int((planted.y == 1).sum())
    50
    """
    for name, size in {
        "n_documents": n_documents,
        "n_topics": n_topics,
        "n_words": n_words,
    }.items():
        if size < 1:
            raise ValueError(f"{name} must be 1 or more; got {size}")
    if alpha <= 0 or beta <= 0 or length <= 0 or noise < 0:
        raise ValueError(
            "alpha, beta and length must be positive and noise not negative; "
            f"got {alpha}, {beta}, {length} and {noise}"
        )
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(n_topics, alpha / n_topics), size=n_documents)
    phi = rng.dirichlet(np.full(n_words, beta), size=n_topics)
    weights = _plant_weights(rng, eta, n_tasks, n_topics, response)
    lengths = np.maximum(rng.poisson(length, size=n_documents), 1)
    counts = rng.multinomial(lengths, theta)
    z = np.repeat(np.tile(np.arange(n_topics, dtype=np.int32), n_documents), counts.ravel())
    words = np.empty(z.size, np.int32)
    for k in range(n_topics):
        words[z == k] = rng.choice(n_words, size=int((z == k).sum()), p=phi[k])
    corpus = Corpus(
        words,
        np.concatenate([[0], np.cumsum(lengths)]),
        vocabulary=[f"word{t:04d}" for t in range(n_words)],
    )
    discriminant = (counts / lengths[:, None]) @ weights.T
    y = _respond(discriminant + noise * rng.standard_normal(discriminant.shape), response)
    return Planted(corpus, y, z, theta, phi, weights, discriminant)


def _plant_weights(
    rng: np.random.Generator,
    eta: ArrayLike | None,
    n_tasks: int | None,
    n_topics: int,
    response: Response,
) -> NDArray[np.float64]:
    several = response in ("multiclass", "multilabel")
    if response not in ("binary", "real") and not several:
        raise ValueError(
            f"response must be 'binary', 'real', 'multiclass' or 'multilabel'; got {response!r}"
        )
    if eta is not None:
        weights = np.array(eta, dtype=np.float64)
        tasks = weights.shape[:-1]
        if weights.ndim not in (1 + several, 2) or weights.shape[-1] != n_topics:
            raise ValueError(f"eta must have {n_topics} columns, one a topic; got {weights.shape}")
        if n_tasks is not None and tasks != (n_tasks,):
            raise ValueError(f"eta must have {n_tasks} rows, one a task; got {weights.shape}")
        return weights
    rows = n_tasks if n_tasks is not None else (3 if several else 1)
    if rows < 1 or (response == "multiclass" and not 2 <= rows <= n_topics):
        allowed = f"2 to {n_topics}, the topics," if response == "multiclass" else "1 or more"
        raise ValueError(f"n_tasks must be {allowed} for a {response} response; got {rows}")
    if response == "multiclass":
        own = np.arange(n_topics) % rows == np.arange(rows)[:, None]
        return 2.0 * own + 0.1 * rng.standard_normal((rows, n_topics))
    weights = rng.permuted(np.tile(np.linspace(-2, 2, n_topics), (rows, 1)), axis=1)
    return weights if several or n_tasks is not None else weights[0]


def _respond(scores: NDArray[np.float64], response: Response) -> NDArray[Any]:
    if response == "real":
        return scores
    if response == "multiclass":
        return scores.argmax(axis=1)
    above = scores > np.median(scores, axis=0)
    return above.astype(np.int64) if response == "multilabel" else np.where(above, 1, -1)


def load_docstrings(
    packages: Sequence[str] = ("numpy", "scipy", "pandas", "xarray", "pytensor", "pymc"),
    *,
    min_words: int = 20,
    min_df: int = 5,
    max_df: float = 0.5,
    n_documents_per_package: int | None = None,
    seed: int = 0,
) -> LabelledCorpus:
    """Load the docstrings of installed packages, a corpus that every installation carries.

    A document is the docstring of a public function, class or method, its label the package.
    Only prose is kept: no code, markup, references, stop words or names of packages. Equal
    texts are kept once. The sources are read and not imported.

    Parameters
    ----------
    packages : sequence of str
        The packages to read; those that are not installed are passed over.
    min_words : int
        Least number of words of a document, stop words not counted.
    min_df : int
        Least number of documents a word of the vocabulary occurs in.
    max_df : float
        Largest share of the documents a word of the vocabulary occurs in.
    n_documents_per_package : int, optional
        Draw at most so many documents of each package.
    seed : int
        Seed of that draw.

    Returns
    -------
    LabelledCorpus
        The document names are those of the objects. The documents depend on the installed
        versions of the packages.

    Examples
    --------
    >>> from pymc_medlda.datasets import load_docstrings
    >>> data = load_docstrings(["numpy"], n_documents_per_package=50)
    >>> data.corpus.n_documents, data.names
    (50, ('numpy',))
    """
    if isinstance(packages, str):
        raise TypeError(f"packages must be a sequence of names; got the string {packages!r}")
    if n_documents_per_package is not None and n_documents_per_package < 1:
        raise ValueError(
            f"n_documents_per_package must be 1 or more; got {n_documents_per_package}"
        )
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
        documents,
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


def train_test_split(
    labelled: LabelledCorpus, *, test_fraction: float = 0.25, seed: int = 0
) -> tuple[LabelledCorpus, LabelledCorpus]:
    """Set aside the same share of each class at random.

    Parameters
    ----------
    labelled : LabelledCorpus
        The documents and their classes.
    test_fraction : float
        Share of the documents to set aside, between 0 and 1.
    seed : int
        Seed of the choice.

    Returns
    -------
    train, test : LabelledCorpus
        The documents in the order they had, with the same vocabulary.

    Examples
    --------
    >>> from pymc_medlda.datasets import load_docstrings, train_test_split
    >>> train, test = train_test_split(load_docstrings(["numpy"], n_documents_per_package=60))
    >>> len(train.corpus), len(test.corpus)
    (45, 15)
    """
    if not 0 < test_fraction < 1:
        raise ValueError(f"test_fraction must lie between 0 and 1; got {test_fraction}")
    rng = np.random.default_rng(seed)
    is_test = np.zeros(len(labelled.corpus), bool)
    for name in labelled.names:
        rows = rng.permutation(np.flatnonzero(labelled.y == name))
        is_test[rows[: round(test_fraction * rows.size)]] = True
    train, test = (
        LabelledCorpus(labelled.corpus[rows], labelled.y[rows], labelled.names)
        for rows in (~is_test, is_test)
    )
    return train, test


def fetch_20newsgroups(
    subset: Literal["train", "test", "all"] = "train",
    *,
    categories: Sequence[str] | None = None,
    remove: Sequence[str] = (),
    data_home: str | None = None,
    **kwargs: Any,
) -> LabelledCorpus:
    """Fetch the 20 Newsgroups messages with scikit-learn, which downloads them once.

    Parameters
    ----------
    subset : {"train", "test", "all"}
        Which part of the split by date.
    categories : sequence of str, optional
        The newsgroups; by default all of them.
    remove : sequence of {"headers", "footers", "quotes"}
        Parts of the messages to leave out.
    data_home : path, optional
        Where scikit-learn keeps its data.
    **kwargs
        Arguments of `pymc_medlda.Corpus.from_texts`: the training vocabulary for the test
        part, ``stop_words``, ``min_df``, ...

    Returns
    -------
    LabelledCorpus

    Examples
    --------
    >>> from pymc_medlda.datasets import fetch_20newsgroups
    >>> pair = ["alt.atheism", "talk.religion.misc"]
    >>> train = fetch_20newsgroups(categories=pair, min_df=2)  # doctest: +SKIP
    >>> test = fetch_20newsgroups(
    ...     "test", categories=pair, vocabulary=train.corpus.vocabulary
    ... )  # doctest: +SKIP
    """
    bunch = import_sklearn("datasets").fetch_20newsgroups(
        subset=subset,
        categories=None if categories is None else list(categories),
        remove=tuple(remove),
        data_home=data_home,
    )
    names = np.array(bunch.target_names)
    corpus = Corpus.from_texts(bunch.data, **kwargs)
    return LabelledCorpus(corpus, names[bunch.target], tuple(names.tolist()))
