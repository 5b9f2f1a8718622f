"""Words: which are the best of a topic, and which words of a corpus a run knows."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pymc_medlda._arguments import check_choice, check_share
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.frames import as_texts
from pymc_medlda.run.topic_draws import TopicDraws

_log = logging.getLogger("pymc.medlda")

N_WORDS = 5
"""How many words stand for a topic in a cell of a table."""
Criterion = Literal["probability", "relevance", "frex"]
# The weights that the authors of the two criteria recommend.
WEIGHTS = {"probability": 1.0, "relevance": 0.6, "frex": 0.5}


def check_criterion(by: Any, weight: Any) -> None:
    """Raise unless words can be ranked so; see `top_words`."""
    check_choice("by", by, tuple(WEIGHTS))
    if weight is not None:
        check_share("weight", weight)


def rank_words(
    phi: Floats, share: Floats, *, by: str = "probability", weight: float | None = None
) -> NDArray[np.intp]:
    """Return the words of each topic, the best first, (n_topics, n_words); see `top_words`."""
    w = WEIGHTS[by] if weight is None else float(weight)
    if by == "probability":
        score = phi
    elif by == "relevance":
        # The model's own marginal, positive also for words that occur nowhere in the corpus.
        score = np.log(phi) - (1.0 - w) * np.log(share @ phi)
    else:
        n_words = phi.shape[1]
        exclusive = rankdata(phi / phi.sum(axis=0), method="max", axis=1) / n_words
        frequent = rankdata(phi, method="max", axis=1) / n_words
        score = 1.0 / (w / exclusive + (1.0 - w) / frequent)
    return np.argsort(-score, axis=1, kind="stable")


def list_best_words(topics: TopicDraws, chain: int, n: int = N_WORDS) -> list[str]:
    """Return the most probable words of each topic in a chain, given by position, as one text."""
    phi = topics.mean_phi([chain])[0]
    best = np.argsort(-phi, axis=1, kind="stable")[:, :n]
    return [", ".join(row) for row in topics.word_labels[best]]


def match_words(topics: TopicDraws, documents: Any) -> tuple[Corpus, int]:
    """Return documents with the vocabulary of the run, and how many tokens that leaves out.

    ``documents`` is a corpus, or texts, which are split as those of the training corpus were.
    """
    if isinstance(documents, Corpus):
        known, n_dropped = _match_corpus(topics, documents)
    else:
        known, n_dropped = _count_texts(topics, documents)
    if n_dropped:
        _log.info(
            "left out %d of %d tokens, of words that the model does not know",
            n_dropped,
            known.n_tokens + n_dropped,
        )
    return known, n_dropped


def find_unknown(corpus: Corpus) -> NDArray[np.bool_]:
    """Return which documents have no word; say how many, because only the prior decides there."""
    unknown = corpus.lengths == 0
    if unknown.any():
        _log.warning(
            "the model knows no word in %d of %d documents: the prior alone decides there",
            unknown.sum(),
            unknown.size,
        )
    return unknown


def _match_corpus(topics: TopicDraws, corpus: Corpus) -> tuple[Corpus, int]:
    """Match the words of a corpus by name, or by position where words have no names."""
    if topics.vocabulary is not None and corpus.vocabulary is not None:
        return corpus.to_vocabulary([str(word) for word in topics.vocabulary])
    if corpus.n_words != topics.n_words:
        side = "the model" if topics.vocabulary is None else "the corpus"
        raise ValueError(
            f"corpus has {corpus.n_words} words and the model {topics.n_words}, and {side} has "
            "no names for them: words can be matched by name, or by position where the "
            "vocabularies are of one size"
        )
    return corpus, 0


def _count_texts(topics: TopicDraws, documents: Any) -> tuple[Corpus, int]:
    """Count the known words of texts by the recipe that the run has stored."""
    if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
        raise TypeError(
            "corpus must be a pymc_medlda.Corpus or a list of texts, got "
            f"{documents!r:.80} ({type(documents).__name__})"
        )
    texts, names = as_texts(documents, argument="corpus")
    if topics.recipe is None or topics.vocabulary is None:
        raise ValueError(
            "corpus holds texts, but the run does not know how to split them: its corpus was not "
            "made by Corpus.from_texts, or an earlier release has stored it. Give a "
            "pymc_medlda.Corpus instead, such as Corpus.from_texts(texts, vocabulary=...)"
        )
    return topics.recipe.count_known(texts, topics.vocabulary.tolist(), names)
