"""What all sections of a report are made from, read and computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.frames import as_texts
from pymc_medlda.reporting.judging import Judged, judge_held_out, judge_training
from pymc_medlda.run.calibration import GROUP, Calibration, read_calibration
from pymc_medlda.run.matching import Matching
from pymc_medlda.run.relabelling import relabel_weights
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.topics import mean_proportions
from pymc_medlda.run.words import match_words

MOST_DRAWS = 100
N_WORDS = 12
"""Words that are shown of a topic."""


class Supervision(NamedTuple):
    """A response, its calibration if there is one, and the documents on which it is judged."""

    response: ResponseDraws
    calibration: Calibration | None
    judged: Judged


@dataclass(frozen=True, eq=False)
class Material:
    """A run with everything that was given and computed beside it.

    Attributes
    ----------
    run : Run
    topics : TopicDraws
    matching : Matching
    supervision : Supervision or None
        The response and the documents on which it is judged; None for plain LDA.
    texts : list of str, or None
        The training documents as they are read.
    options : dict
        Features and offset of the held-out documents, and the seed.
    """

    run: Run
    topics: TopicDraws
    matching: Matching
    supervision: Supervision | None
    texts: list[str] | None
    options: dict[str, Any]

    @property
    def response(self) -> ResponseDraws:
        """The response. Only sections of supervised models ask for it."""
        assert self.supervision is not None
        return self.supervision.response

    @property
    def judged(self) -> Judged:
        """The documents whose scores are reported."""
        assert self.supervision is not None
        return self.supervision.judged

    @property
    def calibration(self) -> Calibration | None:
        """What turns discriminants into probabilities, if the run has it."""
        return None if self.supervision is None else self.supervision.calibration

    @cached_property
    def proportions(self) -> Floats:
        """Mean topic proportions of the training documents, (document, topic), aligned."""
        thin = max(1, -(-self.topics.n_draws // MOST_DRAWS))
        total = np.zeros((self.topics.documents.size, self.topics.n_topics))
        for chain, order in enumerate(self.matching.of_chain):  # one by one, to save memory
            total += mean_proportions(self.topics, [chain], thin=thin)[0][:, order]
        return total / self.topics.n_chains

    @cached_property
    def phi(self) -> Floats:
        """Mean word distributions, (topic, word)."""
        return np.asarray(self.matching.phi.mean(axis=0))

    @cached_property
    def share(self) -> Floats:
        """The share of the tokens that each topic has."""
        return np.asarray(self.matching.share.mean(axis=0))

    @cached_property
    def best_words(self) -> NDArray[np.intp]:
        """The most probable words of each topic, (topic, rank)."""
        return np.argsort(-self.phi, axis=1, kind="stable")[:, :N_WORDS]

    @property
    def filled(self) -> NDArray[np.intp]:
        """The topics that hold tokens, the largest first."""
        order = np.argsort(-self.share, kind="stable")
        return order[self.matching.filled[order]]

    def topic_name(self, topic: int, n: int = 3) -> str:
        """Return the label of a topic with its first words."""
        words = ", ".join(self.topics.word_labels[self.best_words[topic, :n]])
        return f"{self.topics.topic_labels[topic]} {words}"

    @cached_property
    def weights(self) -> Floats:
        """Draws of the weights, (chain · draw, task, topic), aligned."""
        eta = relabel_weights(self.response.eta, self.matching.permutation).values
        return np.asarray(eta, np.float64).reshape(-1, self.response.y.shape[1], eta.shape[-1])

    @property
    def task_names(self) -> list[str]:
        """The classes, labels or tasks; for two classes the second one."""
        if self.response.kind == "binary" and self.response.classes is not None:
            return [str(self.response.classes[1])]
        if self.response.kind == "real" and self.response.task_dim is None:
            return [self.response.name]
        return [str(label) for label in self.response.task_labels]


def gather(
    run: Run,
    name: str | None,
    texts: Sequence[str] | None,
    test: Any,
    test_y: Any,
    test_texts: Sequence[str] | None,
    options: dict[str, Any],
) -> Material:
    """Read the run, and predict the held-out documents if there are any."""
    supervised = bool(run.response_names) or name is not None
    response = run.response(name) if supervised else None
    topics = run.topics(response.topics if response else None)
    own = _check_texts("texts", texts, topics.documents.size)
    if response is None:
        if test is not None:
            raise ValueError("test was given, but the model has no response to predict")
        return Material(run, topics, run.matching(topics), None, own, options)
    calibration = read_calibration(run.group(GROUP), response)
    if test is None:
        judged = judge_training(topics, response, calibration, own)
    else:
        known, own_texts = _count(topics, test)
        judged = judge_held_out(run, response, calibration, known, test_y, options)
        given = _check_texts("test_texts", test_texts, known.n_documents)
        judged = replace(judged, texts=own_texts if given is None else given)
    supervision = Supervision(response, calibration, judged)
    return Material(run, topics, run.matching(topics), supervision, own, options)


def _count(topics: TopicDraws, test: Any) -> tuple[Corpus, list[str] | None]:
    """Return held-out documents with the words of the model, and their texts if these are given."""
    if isinstance(test, Corpus):
        return match_words(topics, test)[0], None
    texts, names = as_texts(test, argument="test")
    if topics.recipe is None or topics.vocabulary is None:
        raise ValueError(
            "test holds texts, but the run does not know how to split them: its corpus was not "
            "made by Corpus.from_texts. Give a pymc_medlda.Corpus instead"
        )
    return topics.recipe.count_known(texts, topics.vocabulary.tolist(), names)[0], texts


def _check_texts(name: str, texts: Any, n_documents: int) -> list[str] | None:
    """Return texts as a list after checking that there is one per document."""
    if texts is None:
        return None
    found, _ = as_texts(texts, argument=name)
    if len(found) != n_documents:
        raise ValueError(f"{name} has {len(found)} texts; {n_documents} documents need one each")
    return found
