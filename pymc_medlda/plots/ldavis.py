"""Hand a run to pyLDAvis."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda.run.draws import chain_positions, mean_word_distributions, word_labels
from pymc_medlda.run.reading import read_topics
from pymc_medlda.run.topics import doc_topics


def to_pyldavis(
    idata: Any,
    *,
    chain: int | None = 0,
    thin: int = 1,
    topics: str | None = None,
    prepare: bool = True,
    **options: Any,
) -> Any:
    """Return a run as pyLDAvis's prepared data, for ``pyLDAvis.display`` and ``save_html``.

    Topics keep their numbers, unless ``sort_topics=True`` or another ``start_index`` is passed on.
    Words that occur in no document are left out, as pyLDAvis takes the logarithm of their counts.

    Parameters
    ----------
    idata : InferenceData or DataTree
        What ``pm.sample`` returned, or a file of it.
    chain : int or None, default 0
        The chain to show; None averages over the chains of an aligned object.
    thin : int, default 1
        Use every ``thin``-th draw.
    topics : str, optional
        Name of the topic assignments, where the model has several.
    prepare : bool, default True
        If False, return the arguments of ``pyLDAvis.prepare`` as a dictionary; this does not need
        pyLDAvis.
    **options
        Passed on to ``pyLDAvis.prepare``.

    Returns
    -------
    pyLDAvis.PreparedData or dict

    Examples
    --------
    >>> import pymc as pm, pymc_medlda as med
    >>> from pymc_medlda.plots import to_pyldavis
    >>> planted = med.datasets.make_planted(20, n_topics=2, n_words=30, seed=1)
    >>> with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=2):
    ...     idata = pm.sample(draws=5, tune=5, chains=1, progressbar=False, random_seed=1)
    >>> sorted(to_pyldavis(idata, prepare=False))[:3]
    ['doc_lengths', 'doc_topic_dists', 'sort_topics']
    """
    stored = read_topics(idata, topics)
    positions = chain_positions(stored, chain)
    phi = mean_word_distributions(stored, chains=positions, thin=thin).mean(axis=0)
    theta = doc_topics(idata, thin=thin, topics=topics)["mean"].values[positions].mean(axis=0)
    counts = np.bincount(stored.tokens.word, minlength=stored.n_words)
    used = counts > 0
    arguments = {
        "topic_term_dists": phi[:, used] / phi[:, used].sum(axis=1, keepdims=True),
        "doc_topic_dists": theta,
        "doc_lengths": np.diff(stored.tokens.start),
        "vocab": word_labels(stored)[used].tolist(),
        "term_frequency": counts[used],
        "sort_topics": False,
        "start_index": 0,
        **options,
    }
    if not prepare:
        return arguments
    try:
        import pyLDAvis
    except ImportError as error:
        raise ImportError(
            'to_pyldavis needs the pyLDAvis package: pip install "pymc-medlda[vis]"'
        ) from error
    return pyLDAvis.prepare(**arguments)
