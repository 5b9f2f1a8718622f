"""`ServedModel`: what `load` returns, and the `Answers` that it gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_probability, check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.serving.calibrating import ServedCalibration
from pymc_medlda.serving.documents import Documents, read_documents
from pymc_medlda.serving.word_features import WordFeatures
from pymc_medlda.serving.word_topics import WordTopics
from pymc_medlda.targets.decisions import decide, share_of_draws

if TYPE_CHECKING:
    import pandas as pd

    from pymc_medlda.corpus.recipe import TextRecipe

INTERVAL = 0.9
"""Coverage of the intervals of real values, if no other is asked for."""


@dataclass(frozen=True, eq=False)
class ServedModel:
    r"""A model that `export` wrote and `load` read: it predicts, and needs no PyMC.

    For each chain of the run it holds the topic-word counts, averaged over the draws and rounded to
    whole tokens, and the weights of these draws. The topic frequencies of a new document are the
    fixed point of

    .. math:: \gamma_{tk} \propto \phi_{kt} \Big(\sum_s n_s \gamma_{sk} - \gamma_{tk}
       + \alpha_k\Big), \qquad \bar z_k = \sum_t n_t \gamma_{tk} \Big/ \sum_t n_t

    in each chain, where a word t occurs :math:`n_t` times. This is the conditional from which
    `predict` draws topics, with the counts of the other tokens replaced by their expectations
    (collapsed variational Bayes of order zero). No random numbers are needed: the same document
    always has the same answer, alone or among others. The answers differ from those of `predict`
    somewhat more than two calls of `predict` with different seeds differ from each other.

    Wherever documents are asked for, they are a list of texts, a pandas series of texts, or a
    `Corpus` whose words have names. Texts are split as those of the training corpus were.

    Attributes
    ----------
    kind : str
        ``"binary"``, ``"multiclass"``, ``"multilabel"`` or ``"real"``.
    response : str
        The name of the response in the run.
    classes : array or None
        Two classes, the classes, the names of the labels or of the tasks.
    words : (n_words,) array of str, or None
        The vocabulary, sorted; None if the words have no names.
    recipe : TextRecipe or None
        How texts are split; None if the run does not say.
    word_topics : WordTopics
    eta : (n_chains, n_draws, n_tasks, n_topics) float array
        The weights of topics. Topics of all chains have the same order.
    location : (n_tasks,) float array
    features : WordFeatures or None
        The weights of single words, if they are features of the model.
    calibration : ServedCalibration or None
    """

    kind: str
    response: str
    classes: NDArray[Any] | None
    words: NDArray[np.str_] | None
    recipe: TextRecipe | None
    word_topics: WordTopics
    eta: Floats
    location: Floats
    features: WordFeatures | None = field(default=None, repr=False)
    calibration: ServedCalibration | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        n_chains, n_draws, _, n_topics = self.eta.shape
        calibrated = "calibrated" if self.calibration is not None else "not calibrated"
        return (
            f"ServedModel({self.kind} response {self.response!r}, {self.word_topics.n_words} words,"
            f" {n_topics} topics, {n_chains} chains of {n_draws} draws, {calibrated})"
        )

    def predict(self, documents: Any, *, interval: float | None = None) -> Answers:
        """Return decisions with their probabilities or intervals.

        Parameters
        ----------
        documents : list of str, series of str or Corpus
        interval : float, optional
            Coverage of intervals of real values, by default 0.9 if the run was calibrated. A run
            that was not has no intervals.

        Returns
        -------
        Answers
            Arrays; its method ``to_frame`` makes a table of them.
        """
        self._check_interval(interval)
        if interval is None and self.kind == "real" and self.calibration is not None:
            interval = INTERVAL
        given = self._read(documents)
        frequency = self._frequencies(given)
        F = self._discriminants(given, frequency)
        compared = self._compared(F)
        lower, upper = self._bounds(compared, interval)
        decision = decide(self.kind, compared, self.classes)
        return Answers(
            documents=given.names,
            decision=self._without_single_task(decision),
            probability=self._probabilities(F),
            lower=lower,
            upper=upper,
            n_known=given.lengths,
            theta=self._theta(given, frequency),
            model=self,
        )

    def predict_proba(self, documents: Any) -> Floats:
        """Return the probability of each class or label, (n_documents, n_classes).

        It is calibrated if the run was (see `calibrate`). Otherwise it is the share of draws that
        decide for the class or set the label.
        """
        given = self._read(documents)
        found = self._probabilities(self._discriminants(given, self._frequencies(given)))
        if found is None:
            raise ValueError(
                "real values have no probabilities: predict(documents, interval=0.9) gives "
                "intervals of a calibrated model"
            )
        return found

    def discriminant(self, documents: Any) -> Floats:
        """Return F of every draw, (n_chains, n_draws, n_documents, n_tasks)."""
        given = self._read(documents)
        return self._discriminants(given, self._frequencies(given))

    def topics(self, n: int = 10) -> pd.DataFrame:
        """Return the best words of each topic, with its share of the tokens and its mean weights.

        Parameters
        ----------
        n : int, default 10
            Words per topic, ranked by their probability.
        """
        import pandas as pd

        check_whole("n", n, at_least=1)
        best = self.best_words(n)
        table = pd.DataFrame(index=pd.RangeIndex(self.eta.shape[-1], name="topic"))
        table["share"] = self.word_topics.size.sum(axis=0) / self.word_topics.size.sum()
        several = self.eta.shape[2] > 1
        for i, weight in enumerate(self.eta.mean(axis=(0, 1))):
            table[f"eta[{self._tasks[i]}]" if several else "eta"] = weight
        ranks = {f"word {rank}": words for rank, words in enumerate(best.T, 1)}
        return pd.concat([table, pd.DataFrame(ranks, index=table.index)], axis=1)

    def best_words(self, n: int) -> NDArray[np.str_]:
        """Return the most probable words of each topic, (n_topics, n)."""
        best = self.word_topics.best_words(n)
        return best.astype(str) if self.words is None else np.asarray(self.words[best])

    @cached_property
    def _ids(self) -> dict[str, int] | None:
        return None if self.words is None else {w: t for t, w in enumerate(self.words.tolist())}

    @property
    def _tasks(self) -> list[Any]:
        if self.classes is None or self.kind == "binary":
            return list(range(self.eta.shape[2]))
        return list(self.classes.tolist())

    def _read(self, documents: Any) -> Documents:
        return read_documents(documents, self._ids, self.word_topics.n_words, self.recipe)

    def _frequencies(self, documents: Documents) -> Floats:
        """Return z̄, (n_chains, n_documents, n_topics)."""
        found = np.empty((self.eta.shape[0], len(documents), self.eta.shape[-1]))
        for d, (words, times) in enumerate(documents):
            found[:, d] = self.word_topics.frequencies(words, times)
        return found

    def _theta(self, documents: Documents, frequency: Floats) -> Floats:
        """Return the mean topic proportions given z̄, (n_documents, n_topics)."""
        length, alpha = documents.lengths[:, None], self.word_topics.alpha[:, None]
        theta = (frequency * length + alpha) / (length + alpha.sum(axis=-1, keepdims=True))
        return np.asarray(theta.mean(axis=0))

    def _discriminants(self, documents: Documents, frequency: Floats) -> Floats:
        """Return F = eta · z̄ + w · x + location of every draw."""
        F = np.einsum("cstk,cdk->csdt", self.eta, frequency) + self.location
        if self.features is not None:
            F += self.features.project(documents)[:, None]
        return np.asarray(F)

    def _compared(self, discriminant: Floats) -> Floats:
        """Return what decides: calibrated log odds or values, or the discriminants themselves."""
        by_chain: Floats = discriminant.mean(axis=1)
        if self.calibration is None:
            return np.asarray(by_chain.mean(axis=0))
        return self.calibration.compared(by_chain)

    def _probabilities(self, discriminant: Floats) -> Floats | None:
        if self.kind == "real":
            return None
        if self.calibration is not None:
            return self.calibration.probabilities(discriminant.mean(axis=1))
        return share_of_draws(self.kind, discriminant)

    def _bounds(self, values: Floats, interval: float | None) -> tuple[Any, Any]:
        """Return the bounds of real values, None for each if no interval is asked for."""
        if interval is None or self.calibration is None:
            return None, None
        lower, upper = self.calibration.interval(values, interval)
        return self._without_single_task(lower), self._without_single_task(upper)

    def _without_single_task(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return real values of one task without the axis of tasks."""
        single = self.kind == "real" and self.classes is None and values.shape[-1] == 1
        return values[..., 0] if single else values

    def _check_interval(self, interval: float | None) -> None:
        if interval is None:
            return
        check_probability("interval", interval)
        if self.kind != "real":
            raise ValueError("interval is for real responses; classes have probabilities")
        if self.calibration is None:
            raise ValueError(
                "interval was given, but the run was not calibrated before it was exported: call "
                "med.calibrate(run) first, and export what it returns"
            )


@dataclass(frozen=True, eq=False)
class Answers:
    """What a `ServedModel` says of new documents.

    Attributes
    ----------
    documents : array
        The names of the documents, or their positions.
    decision : (n_documents,) or (n_documents, n_tasks) array
        The class, 0 or 1 for each label, or the value.
    probability : (n_documents, n_classes) float array, or None for real values
    lower, upper : float arrays in the shape of ``decision``, or None
        The intervals of real values, if the run was calibrated.
    n_known : (n_documents,) int array
        Number of tokens whose words the model knows. A document with none gets the prior, so that
        its decision says nothing about it.
    theta : (n_documents, n_topics) float array
        The topic proportions, averaged over the chains.
    model : ServedModel
        The model that gave the answers.
    """

    documents: NDArray[Any]
    decision: NDArray[Any]
    probability: Floats | None
    lower: Floats | None
    upper: Floats | None
    n_known: NDArray[np.int64]
    theta: Floats
    model: ServedModel = field(repr=False)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per document, or per document and task.

        The columns are those of ``predict(..., as_frame=True)``: ``document``; ``task`` where there
        are several labels or values; the ``decision`` and its ``probability``, or the ``value``
        with ``lower`` and ``upper``; ``topic 1``, ``share 1`` and ``words 1`` to ``topic 3``, the
        largest topics of the document; ``no_known_words``.
        """
        from pymc_medlda.serving.tables import make_frame

        return make_frame(self)
