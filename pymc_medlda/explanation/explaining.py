"""`explain`: why a document was decided as it was."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda._arguments import check_probability, check_whole
from pymc_medlda.explanation.contributions import Contributions, Parts, collect
from pymc_medlda.explanation.direction import choose_direction
from pymc_medlda.explanation.documents import Subject, find_document
from pymc_medlda.explanation.explanation import Explanation
from pymc_medlda.explanation.tables import tabulate
from pymc_medlda.explanation.token_topics import iterate_new_topics, iterate_stored_topics
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.kernels.new_documents import Schedule
from pymc_medlda.prediction.new_documents import as_seed
from pymc_medlda.prediction.new_features import find_new_features
from pymc_medlda.prediction.offsets import check_offset
from pymc_medlda.run.calibration import GROUP, read_calibration
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws

# The sampler of new documents runs as it does in `predict` by default.
N_SAMPLES, MAX_BURN_IN, TOLERANCE = 10, 100, 1e-3


def explain(
    idata: Any,
    document: Any,
    *,
    task: Any = None,
    against: Any = None,
    response: str | None = None,
    text: str | None = None,
    features: Any = None,
    offset: Any = None,
    interval: float = 0.9,
    thin: int = 1,
    random_seed: Any = None,
) -> Explanation:
    r"""Say why a document was decided as it was: what its topics, words and features contribute.

    .. math:: F = \sum_k \eta_k \bar z_k + w \cdot x + location + offset

    Topic k contributes :math:`\eta_k \bar z_k`. A token with topic z contributes
    :math:`\eta_z / N`, where N is the number of tokens of the document; the contributions of equal
    words are added up. In every draw the contributions of topics, features and constants sum to the
    discriminant F, and those of the words sum to those of the topics. Topics are matched over
    chains as `align_topics` does, so that a number means the same topic in all of them.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it; no model is needed.
    document : int, str or Corpus
        A training document, by its name or its position, or a new one: a text, if the model was
        made from texts, or a `Corpus` with one document. Names go before positions and texts; a
        list that holds one text is always a text.
    task : class, label or task, optional
        What to explain. By default the class that is decided, the label with the largest
        discriminant (of a calibrated run, with the largest log odds), or the first real value.
    against : class or "runner-up", optional
        Of several classes, explain why the class is preferred to this one: the difference of their
        discriminants. ``"runner-up"`` is the best of the other classes.
    response : str, optional
        Name of the response, where the model has several.
    text : str, optional
        The text of the document, for reading: `Explanation.to_html` colours its words.
    features, offset : array, optional
        Of a new document, as in `predict`.
    interval : float, default 0.9
        Posterior probability between the bounds; equal shares lie below and above them.
    thin : int, default 1
        Use every ``thin``-th draw.
    random_seed : int, sequence of int or numpy.random.Generator, optional
        Seed of the topics of a new document. With the seed of `predict`, the contributions sum to
        the discriminants that `predict` returns if it is given this document alone. Among other
        documents it has other random numbers there, and the sums differ by chance.

    Returns
    -------
    Explanation
        Tables of the contributions with intervals, and the draws behind them. Notebooks show it
        with the words of the document coloured by topic and weight.

    Notes
    -----
    For two classes, positive contributions speak for the class that is explained and negative ones
    for the other. For real values the mean of the training values is a part of its own, and the
    other contributions say how far they move the prediction away from it.

    A new document without any known word has the topics of the prior, so topics contribute although
    there are no words. `Explanation.no_known_words` tells so, and the explanation says it.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> why = med.explain(idata, 3)
    >>> why.parts.index.tolist()
    ['topics', 'total']
    >>> bool(abs(why.topics["mean"].sum() - why.parts.loc["total", "mean"]) < 1e-9)
    True
    """
    check_probability("interval", interval)
    check_whole("thin", thin, at_least=1)
    seed = as_seed(random_seed)
    run = Run.of(idata)
    found = run.response(response)
    topics = run.topics(found.topics)
    subject = find_document(topics, document, text)
    contributions, parts = decompose(run, found, subject, features, offset, thin, seed)
    calibration = read_calibration(run.group(GROUP), found)
    direction = choose_direction(found, contributions.discriminant, calibration, task, against)
    if subject.position is not None:
        # The model has been fitted to the label of this document, so its probability means nothing.
        direction = direction._replace(probability=None)
    return tabulate(topics, subject, contributions, parts, direction, thin, float(interval))


def decompose(
    run: Run,
    response: ResponseDraws,
    subject: Subject,
    features: Any,
    offset: Any,
    thin: int,
    seed: np.random.SeedSequence,
) -> tuple[Contributions, Parts]:
    """Return what adds up to the discriminants of a document, and the parts it was made from."""
    topics = run.topics(response.topics)
    if not topics.n_chains or not topics.n_draws:
        raise ValueError(
            f"the posterior is empty: {topics.n_chains} chains of {topics.n_draws} draws"
        )
    _, row = np.unique(subject.corpus.words, return_inverse=True)
    draws = range(0, topics.n_draws, thin)
    positions = [(chain, draw) for chain in range(topics.n_chains) for draw in draws]
    matching = run.matching(topics)
    if subject.position is None:
        shift = check_offset(offset, response, topics.z.shape[:2], subject.corpus)[:, :, 0]
        of_features = find_new_features(features, response, subject.corpus)
        parts = Parts(response, matching, row, of_features, shift)
        schedule = Schedule(-(-N_SAMPLES // len(draws)), MAX_BURN_IN, TOLERANCE, thin)
        drawn = iterate_new_topics(topics, subject.corpus, row, positions, schedule, seed)
    else:
        _refuse(features=features, offset=offset)
        own = _features_of(topics, response, subject.position)
        parts = Parts(response, matching, row, own, _offset_of(topics, response, subject.position))
        drawn = iterate_stored_topics(topics, subject.position, row, positions)
    return collect(drawn, positions, parts), parts


def _refuse(**given: Any) -> None:
    """Raise if a training document is given what the run has stored of it."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"{name} was given, but document is a training document, whose {name} is stored"
            )


def _features_of(
    topics: TopicDraws, response: ResponseDraws, position: int
) -> FeatureMatrix | None:
    """Return the features of a training document, None if the model has none."""
    if response.features is None:
        return None
    matrix = response.features.of_training(topics.tokens).by_columns
    return FeatureMatrix(matrix.tocsr()[[position]])


def _offset_of(topics: TopicDraws, response: ResponseDraws, position: int) -> Any:
    """Return the offset of a training document without the location, (chain, draw, task)."""
    each = [
        [response.offset(chain, draw)[position] for draw in range(topics.n_draws)]
        for chain in range(topics.n_chains)
    ]
    return np.array(each) - response.location
