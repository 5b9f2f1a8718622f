"""What all sections of a report are made from, read and computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.frames import as_texts
from pymc_medlda.explanation.coloured import can_split
from pymc_medlda.reporting.judging import Judged, judge_held_out, judge_training
from pymc_medlda.run.calibration import GROUP, Calibration, read_calibration
from pymc_medlda.run.matching import Matching
from pymc_medlda.run.relabelling import relabel_weights
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.topics import mean_proportions
from pymc_medlda.run.words import match_words
from pymc_medlda.targets.documents import align_to_documents

MOST_DRAWS = 100
N_WORDS = 12
"""Words that are shown of a topic."""
N_CHECKED = 20
"""Texts that are compared with the words of their documents."""


class Supervision(NamedTuple):
    """A response, its calibration if there is one, and the documents on which it is judged."""

    response: ResponseDraws
    calibration: Calibration | None
    judged: Judged


class Documents(NamedTuple):
    """The documents to which texts belong: their names, their words, and where each begins."""

    names: list[Any]
    words: NDArray[np.integer[Any]]
    starts: NDArray[np.integer[Any]]

    def words_of(self, document: int) -> NDArray[np.integer[Any]]:
        """Return the words of a document in the order of the vocabulary."""
        return np.sort(self.words[self.starts[document] : self.starts[document + 1]])

    def find(self, words: NDArray[np.integer[Any]]) -> int | None:
        """Return the first document that has exactly these sorted words, None if there is none."""
        same_size = np.flatnonzero(np.diff(self.starts) == words.size)
        return next((d for d in same_size.tolist() if (self.words_of(d) == words).all()), None)


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
        """Mean word distributions of the first chain, (topic, word).

        Topics keep the numbers that they have there, so a number has the words of `top_words`.
        """
        return np.asarray(self.matching.phi[0])

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
    trained = Documents(topics.documents.tolist(), topics.tokens.word, topics.tokens.start)
    own = _check_texts("texts", texts, topics, trained)
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
        new = Documents(known.document_labels.tolist(), known.words, known.starts)
        given = _check_texts("test_texts", test_texts, topics, new)
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


def _check_texts(name: str, texts: Any, topics: TopicDraws, read: Documents) -> list[str] | None:
    """Return texts in the order of the documents after checking that they belong to these."""
    if texts is None:
        return None
    found, _ = as_texts(align_to_documents(texts, read.names, name), argument=name)
    if len(found) != len(read.names):
        raise ValueError(
            f"{name} has {len(found)} texts; {len(read.names)} documents need one each"
        )
    if can_split(topics.recipe) and topics.vocabulary is not None:
        _check_words(name, found, topics, read)
    return found


def _check_words(name: str, texts: list[str], topics: TopicDraws, read: Documents) -> None:
    """Raise if some of the texts, split as in training, have other words than their documents.

    Texts may be longer than their documents, or written a little differently. They are refused if
    a text has exactly the words of another document, or if less than half of the words are found.
    """
    assert topics.recipe is not None
    assert topics.vocabulary is not None
    places = np.unique(np.linspace(0, len(texts) - 1, N_CHECKED).astype(int)).tolist()
    split = topics.recipe.count([texts[d] for d in places], topics.vocabulary.tolist())
    starts = split.starts
    n_found = n_wanted = 0
    for i, d in enumerate(places):
        wanted, given = read.words_of(d), np.sort(split.words[starts[i] : starts[i + 1]])
        n_wanted += wanted.size
        n_common = (Counter(wanted.tolist()) & Counter(given.tolist())).total()
        n_found += n_common
        if n_common < wanted.size and (other := read.find(given)) is not None:
            raise ValueError(
                f"{name} must be in the order of the documents: the text at position {d} has the "
                f"words of document {read.names[other]!r}, and not those of {read.names[d]!r}"
            )
    if 2 * n_found < n_wanted:
        raise ValueError(
            f"{name} must hold the texts of the documents, in their order: of {n_wanted} words of "
            f"the documents that were checked, only {n_found} are in the texts"
        )
