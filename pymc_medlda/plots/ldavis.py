"""Hand a run to pyLDAvis."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from pymc_medlda._arguments import check_bool, check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda._optional import import_optional
from pymc_medlda.run.run import Run
from pymc_medlda.run.topics import mean_proportions


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
    In the browser, topic 0 is selected by a click on its circle: in the input box of pyLDAvis, 0
    stands for no topic.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
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
        Passed on to ``pyLDAvis.prepare``. By default ``mds`` places the topics by the distances and
        the method that pyLDAvis uses, with coordinates that are always real numbers.

    Returns
    -------
    pyLDAvis.PreparedData or dict

    Examples
    --------
    >>> import pymc_medlda as med
    >>> sorted(med.to_pyldavis(idata, prepare=False))[:3]
    ['doc_lengths', 'doc_topic_dists', 'mds']
    """
    check_bool("prepare", prepare)
    check_whole("thin", thin, at_least=1)
    drawn = Run.of(idata).topics(topics)
    chains = drawn.find_chains(chain)
    phi = drawn.mean_phi(chains, thin=thin).mean(axis=0)
    theta = mean_proportions(drawn, chains, thin=thin).mean(axis=0)
    counts = np.bincount(drawn.tokens.word, minlength=drawn.n_words)
    used = counts > 0
    arguments = {
        "topic_term_dists": phi[:, used] / phi[:, used].sum(axis=1, keepdims=True),
        "doc_topic_dists": theta,
        "doc_lengths": np.diff(drawn.tokens.start),
        "vocab": drawn.word_labels[used].tolist(),
        "term_frequency": counts[used],
        "mds": place_topics,
        "sort_topics": False,
        "start_index": 0,
        **options,
    }
    if not prepare:
        return arguments
    package = "the pyLDAvis package"
    visualiser = import_optional("pyLDAvis", needed_by="to_pyldavis", package=package, extra="vis")
    return visualiser.prepare(**arguments)


def place_topics(phi: Floats) -> Floats:
    """Return a point of the plane for each topic, by classical scaling of their distances.

    The distances are Jensen-Shannon divergences, as in pyLDAvis. That package finds the
    eigenvectors with a routine for general matrices. Its results can be complex numbers, which it
    cannot write to a page.
    """
    distances = squareform(pdist(phi, "jensenshannon") ** 2)
    centred = distances**2
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    places = np.zeros((len(phi), 2))
    largest = np.argsort(-values)[:2]
    places[:, : largest.size] = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0))
    return places
