"""The 20 Newsgroups messages as a labelled corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from pymc_medlda._arguments import check_choice
from pymc_medlda._optional import import_sklearn
from pymc_medlda.corpus import Corpus
from pymc_medlda.datasets.labelled import LabelledCorpus


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
        Which messages: those before a certain date, those after it, or all of them.
    categories : sequence of str, optional
        The newsgroups; by default all of them.
    remove : sequence of {"headers", "footers", "quotes"}
        Parts of each message to leave out.
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
    check_choice("subset", subset, ("train", "test", "all"))
    for name, value in {"categories": categories, "remove": remove}.items():
        if isinstance(value, str) or not isinstance(value, Iterable | None):
            raise TypeError(f"{name} must be a sequence of names, got {value!r}")
    bunch = import_sklearn("datasets").fetch_20newsgroups(
        subset=subset,
        categories=None if categories is None else list(categories),
        remove=tuple(remove),
        data_home=data_home,
    )
    names = np.array(bunch.target_names)
    corpus = Corpus.from_texts(bunch.data, **kwargs)
    return LabelledCorpus(corpus, names[bunch.target], tuple(names.tolist()))
