"""The binary models of `OneVsAll`: one per class, of all documents or of a part of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.corpus import Corpus
from pymc_medlda.estimators.settings import select_loss
from pymc_medlda.losses import Loss
from pymc_medlda.model.gibbs_medlda import GibbsMedLDA
from pymc_medlda.model.offsets import as_offset
from pymc_medlda.targets.class_weights import weigh_classes
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.documents import align_to_documents
from pymc_medlda.targets.features import WORDS, read_features
from pymc_medlda.targets.labels import listing
from pymc_medlda.targets.response import Response


@dataclass(frozen=True, eq=False)
class ClassModels:
    """Builds the binary models of the classes.

    Attributes
    ----------
    corpus : Corpus
        All documents.
    response : Response
        Their classes.
    loss : Loss
        With numbers for parameters, or arrays over the documents.
    arguments : dict
        The other arguments of `GibbsMedLDA`, as the user gave them.
    """

    corpus: Corpus
    response: Response
    loss: Loss
    arguments: Mapping[str, Any]

    def build(self, position: int, rows: NDArray[np.intp] | None = None) -> GibbsMedLDA:
        """Return the model of a class, of the documents at some positions or of all."""
        y = self.response.values[:, position]
        if rows is None or rows.size == self.corpus.n_documents:
            return GibbsMedLDA(self.corpus, y, loss=self.loss, **self.arguments)
        given = {name: values[rows] for name, values in self.given.items()}
        if "offset" in given:
            given["offset"] = given["offset"][:, 0]
        arguments = {**self.arguments, **given}
        return GibbsMedLDA(
            self.corpus[rows], y[rows], loss=select_loss(self.loss, rows), **arguments
        )

    @property
    def weighs(self) -> NDArray[np.bool_] | None:
        """Which documents weigh anything; None if all weigh the same."""
        c: Any = getattr(self.loss, "c", 1.0)
        return np.asarray(c) > 0 if np.ndim(c) else None

    @cached_property
    def given(self) -> dict[str, Any]:
        """The offset (n_documents, 1) and the features of all documents, if they were given.

        The features are a sparse matrix; those of the words are not among them, because every model
        computes them from its documents.
        """
        found: dict[str, Any] = {}
        names = self.corpus.document_labels.tolist()
        offset, features = (self.arguments.get(name) for name in ("offset", "features"))
        if offset is not None:
            binary = replace(self.response, kind="binary", values=self.response.values[:, 0])
            numbers = as_offset(align_to_documents(offset, names, "offset"), binary)
            if not hasattr(numbers, "data"):
                raise TypeError(
                    f"offset must hold numbers if calibrate is True, got {offset!r}: each chain "
                    "predicts documents that it has sampled without"
                )
            found["offset"] = numbers.data[:, None]
        if features is not None and not (isinstance(features, str) and features == WORDS):
            matrix = read_features(features, names).matrix
            found["features"] = matrix.by_columns.tocsr()
        return found


def code_classes(corpus: Corpus, y: Any, classes: Sequence[Any] | None) -> Response:
    """Return +1 and -1 for each document and class, and the classes; raise for another y."""
    response = code_response(
        align_to_documents(y, corpus.document_labels.tolist(), "y"),
        n_documents=corpus.n_documents,
        takes_labels=True,
        single=False,
        classes=classes,
    )
    if response.kind != "multiclass" or response.classes is None:
        raise ValueError("y must give one class per document; for labels use GibbsMedLDA itself")
    absent = [
        name
        for name, own in zip(response.classes, response.values.T, strict=True)
        if not (own > 0).any()
    ]
    if absent:
        raise ValueError(
            f"classes holds {listing(absent)}, to which no document belongs: OneVsAll needs at "
            "least one document of each class"
        )
    return response


def weigh_documents(loss: Loss, response: Response) -> Loss:
    """Return the loss with one weight per document where c is a mapping from class to weight.

    The weight of a class applies to its documents in the models of all classes, as it does in a
    model of several classes.
    """
    c = getattr(loss, "c", None)
    if not isinstance(c, Mapping):
        return loss
    own = {key: getattr(loss, key) for key in loss.parameter_names()}
    return type(loss)(**{**own, "c": weigh_classes(c, response)[:, 0]})


def check_scalars(loss: Loss) -> None:
    """Raise if the loss has a parameter for each document, which folds would have to divide."""
    for key in loss.parameter_names():
        if np.ndim(getattr(loss, key)):
            raise ValueError(
                f"{key} of the loss must be one number if calibrate is True; it has the shape "
                f"{np.shape(getattr(loss, key))}"
            )
