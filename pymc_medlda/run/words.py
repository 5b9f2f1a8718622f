"""Words: which are the best of a topic, and which words of a corpus a run knows."""

from __future__ import annotations

import logging
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pymc_medlda._arguments import check_choice, check_share
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.run.topic_draws import TopicDraws

_log = logging.getLogger("pymc.medlda")

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


def match_words(topics: TopicDraws, corpus: Corpus) -> tuple[Corpus, int]:
    """Return a corpus with the vocabulary of the run, and how many tokens it leaves out."""
    if not isinstance(corpus, Corpus):
        raise TypeError(f"corpus must be a pymc_medlda.Corpus, got {type(corpus).__name__}")
    if topics.vocabulary is None or corpus.vocabulary is None:
        if corpus.n_words != topics.n_words:
            side = "the model" if topics.vocabulary is None else "the corpus"
            raise ValueError(
                f"corpus has {corpus.n_words} words and the model {topics.n_words}, and {side} has "
                "no names for them: words can be matched by name, or by position where the "
                "vocabularies are of one size"
            )
        return corpus, 0
    known, n_dropped = corpus.to_vocabulary([str(word) for word in topics.vocabulary])
    if n_dropped:
        _log.info(
            "%d of %d tokens are of words that the model does not know: they are left out",
            n_dropped,
            corpus.n_tokens,
        )
    return known, n_dropped
