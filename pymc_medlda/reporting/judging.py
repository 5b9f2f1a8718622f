"""The documents on which the model is judged: held-out ones, or the training documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.prediction.predicting import predict
from pymc_medlda.run.calibration import Calibration
from pymc_medlda.run.reading_predictions import read_discriminants
from pymc_medlda.run.response_draws import ResponseDraws, discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.decisions import choose
from pymc_medlda.targets.documents import align_to_documents

MOST_DRAWS = 100
"""Draws of each chain from which held-out documents are predicted."""
SENTENCES = {
    "held-out": "The scores are those of {n} held-out documents, which the model has not seen.",
    "out-of-fold": (
        "No held-out documents were given. The scores are those of {n} training documents, each "
        "predicted by a chain that had not seen it."
    ),
    "training": (
        "No held-out documents were given, and the run is not calibrated. The scores are those of "
        "the {n} training documents to which the model was fitted, so they say little about new "
        "documents. Give test and test_y, or calibrate the run, to learn more."
    ),
}


@dataclass(frozen=True, eq=False)
class Judged:
    """Documents with their true responses, and what the model says of them.

    Attributes
    ----------
    scope : {"held-out", "out-of-fold", "training"}
    kind : str
        The kind of the response.
    discriminant, truth : (n_documents, n_tasks) float array
        F averaged over chains and draws, and the response as coded. NaN where unknown.
    compared : (n_documents, n_tasks) float array
        What decisions compare: calibrated log odds or values, or the discriminants.
    chances : (n_documents, n_classes) float array, or None
        Calibrated probabilities of classes or labels.
    names : list
        The names of the documents.
    corpus : Corpus or None
        The held-out documents; None for training documents.
    texts : list of str, or None
        The documents as they are read.
    predicted : InferenceData or DataTree, or None
        What `predict` returned for held-out documents.
    """

    scope: str
    kind: str
    discriminant: Floats
    truth: Floats
    compared: Floats
    chances: Floats | None
    names: list[Any]
    corpus: Corpus | None
    texts: list[str] | None
    predicted: Any = None

    @property
    def known(self) -> NDArray[np.bool_]:
        """(document, task): where both a prediction and the truth are known."""
        given = ~np.isnan(self.discriminant) & ~np.isnan(self.truth)
        if self.kind == "multiclass":
            return np.broadcast_to(given.all(axis=1, keepdims=True), given.shape)
        return given

    @property
    def decided(self) -> NDArray[Any]:
        """Positions of classes, (document,); signs, (document, task); or values."""
        if self.kind == "real":
            return self.compared
        return choose(self.kind, np.nan_to_num(self.compared))

    @property
    def sentence(self) -> str:
        """What kind of documents these are."""
        n = int(self.known.any(axis=1).sum())
        return SENTENCES[self.scope].format(n=n)


def judge_held_out(
    run: Run,
    response: ResponseDraws,
    calibration: Calibration | None,
    corpus: Corpus,
    y: Any,
    options: dict[str, Any],
) -> Judged:
    """Predict held-out documents and code their true responses; options are those of `predict`."""
    topics = run.topics(response.topics)
    thin = max(1, -(-topics.n_draws // MOST_DRAWS))
    predicted = predict(
        run,
        corpus,
        response=response.name,
        thin=thin,
        var_names=["discriminant"],
        progressbar=False,
        **options,
    )
    array = read_discriminants(Run(predicted).group("predictions"), response)
    by_chain = array.values.mean(axis=1).reshape(array.shape[0], array.shape[2], -1)
    names = list(array[array.dims[2]].values.tolist())
    coded = code_response(
        align_to_documents(y, names, "test_y"),
        n_documents=len(names),
        takes_labels=response.kind != "real",
        single=response.task_dim is None,
        classes=None if response.classes is None else response.classes.tolist(),
        partial=True,
        name="test_y",
    )
    truth = coded.values.reshape(len(names), -1)
    mean, compared, chances = _compare(response, calibration, by_chain)
    return Judged(
        "held-out", response.kind, mean, truth, compared, chances, names, corpus, None, predicted
    )


def judge_training(
    topics: TopicDraws,
    response: ResponseDraws,
    calibration: Calibration | None,
    texts: list[str] | None,
) -> Judged:
    """Take the training documents: out of fold if the run is calibrated."""
    names = topics.documents.tolist()
    if calibration is not None:
        scope = "out-of-fold"
        mean, compared, chances = _compare(response, calibration, calibration.discriminant[None])
    else:
        mean, scope = _mean_discriminants(topics, response), "training"
        compared, chances = mean, None
    return Judged(scope, response.kind, mean, response.y, compared, chances, names, None, texts)


def _compare(
    response: ResponseDraws, calibration: Calibration | None, by_chain: Floats
) -> tuple[Floats, Floats, Floats | None]:
    """Return mean F, what decisions compare, and the calibrated probabilities, as `predict` does.

    ``by_chain`` (chain, document, task) is F averaged over the draws of each chain.
    """
    mean: Floats = by_chain.mean(axis=0)
    if calibration is None:
        return mean, mean, None
    compared = calibration.compared(by_chain)
    if response.kind == "real":
        return mean, compared, None
    return mean, compared, calibration.probabilities(by_chain)


def _mean_discriminants(topics: TopicDraws, response: ResponseDraws) -> Floats:
    """Return F of the training documents, averaged over chains and at most 100 draws of each."""
    thin = max(1, -(-topics.n_draws // MOST_DRAWS))
    total, n_draws = np.zeros(response.y.shape), 0
    for chain in range(topics.n_chains):
        for draw in range(0, topics.n_draws, thin):
            total += discriminants(topics, response, chain, draw)
            n_draws += 1
    return total / n_draws
