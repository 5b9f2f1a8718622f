"""Documents that can be read in the report, with their words coloured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import sparse

from pymc_medlda.corpus import Corpus
from pymc_medlda.explanation.documents import take_training
from pymc_medlda.explanation.explaining import explain
from pymc_medlda.explanation.explanation import Explanation
from pymc_medlda.reporting.markup import Html, element, join, number
from pymc_medlda.reporting.material import Material
from pymc_medlda.targets.documents import align_to_documents

MOST_CHARACTERS = 4000
"""A longer text is cut."""
MOST_DRAWS = 50
"""Draws of each chain from which documents are explained."""
LEAST_SHARE = 0.05
"""Topics with a smaller share of a document are not named."""
MOST_WORDS = 150
"""Words of a document without text that are shown."""


class Reader:
    """Explains documents once each, and keeps those to which the report links.

    Parameters
    ----------
    material : Material
    """

    def __init__(self, material: Material) -> None:
        self.material = material
        self._linked: dict[int, Explanation | None] = {}

    def link(self, position: int) -> Html:
        """Return a link to a training document, which is then shown among the documents."""
        if position not in self._linked:
            supervised = self.material.supervision is not None
            self._linked[position] = self.explain_training(position) if supervised else None
        name = self.material.topics.documents[position]
        return element("a", f"document {name}", href=f"#document-{position}")

    def linked(self) -> list[Html]:
        """Return the documents that were linked to, closed until they are wanted."""
        return [self._show_linked(position) for position in sorted(self._linked)]

    def explain_training(self, position: int) -> Explanation:
        """Explain a training document from its stored topics."""
        text = None if self.material.texts is None else self.material.texts[position]
        return explain_stored(self.material, position, text)

    def explain_judged(self, position: int, task: Any = None) -> Explanation:
        """Explain one of the documents that were judged, as it was judged."""
        judged, response = self.material.judged, self.material.response
        text = None if judged.texts is None else judged.texts[position]
        options: dict[str, Any] = {"task": task, "response": response.name, "text": cut(text)}
        options["thin"] = find_thin(self.material)
        if judged.scope == "training":
            return explain_stored(self.material, position, text, task)
        if judged.corpus is not None:
            given, names = self.material.options, judged.corpus.document_labels.tolist()
            for key in ("features", "offset"):
                options[key] = _take(align_to_documents(given[key], names, key), position)
            options["random_seed"] = given["random_seed"]
            return explain(self.material.run, judged.corpus[[position]], **options)
        return explain(
            self.material.run,
            _corpus_of(self.material, position),
            random_seed=self.material.options["random_seed"],
            **_stored_options(self.material, position),
            **options,
        )

    def _show_linked(self, position: int) -> Html:
        material = self.material
        why, name = self._linked[position], material.topics.documents[position]
        shares = material.proportions[position]
        best = [k for k in np.argsort(-shares)[:3] if shares[k] >= LEAST_SHARE]
        topics = ", ".join(f"{shares[k]:.0%} topic {material.topic_name(k, 2)}" for k in best)
        own = "" if why is None else f"{describe_truth(material, position)}; "
        body = self._plain(position) if why is None else coloured(why)
        return element(
            "details",
            element("summary", element("b", f"Document {name}: "), own, topics),
            body,
            id=f"document-{position}",
            class_="document",
        )

    def _plain(self, position: int) -> Html:
        """Return a document of a plain LDA, which has no weights to colour it by."""
        if self.material.texts is not None:
            return element("p", cut(self.material.texts[position]), class_="read")
        words = _corpus_of(self.material, position).words
        return element("p", " ".join(self.material.topics.word_labels[words[:MOST_WORDS]]))


def explain_stored(
    material: Material, position: int, text: str | None, task: Any = None
) -> Explanation:
    """Explain a training document by its position, as several may have the same name."""
    subject = take_training(material.topics, position, cut(text))
    thin = find_thin(material)
    return explain(material.run, subject, task=task, response=material.response.name, thin=thin)


def find_thin(material: Material) -> int:
    """Return how many draws apart those are from which documents are explained."""
    return max(1, -(-material.topics.n_draws // MOST_DRAWS))


def coloured(why: Explanation) -> Html:
    """Return a document with coloured words; of one without text, only the first words."""
    if why.text is None and len(why.words) > MOST_WORDS:
        why = replace(why, words=why.words.head(MOST_WORDS))
    return element("div", Html(why.colour()), class_="medlda-why")


def cut(text: str | None) -> str | None:
    """Return a text, without its end if it is long."""
    if text is None or len(text) <= MOST_CHARACTERS:
        return text
    return text[:MOST_CHARACTERS] + " […]"


def describe_truth(material: Material, position: int) -> str:
    """Return the true response of a training document in words."""
    return name_truth(material, material.response.y[position])


def name_truth(material: Material, coded: Any) -> str:
    """Return a coded response in words: a class, labels, or values."""
    response = material.response
    if np.isnan(coded).all():
        return "no label"
    if response.kind == "real":
        return ", ".join(number(value) for value in coded)
    assert response.classes is not None
    names = [str(label) for label in response.classes]
    if response.kind == "binary":
        return names[int(coded[0] > 0)]
    return ", ".join(name for name, y in zip(names, coded, strict=True) if y > 0) or "no label"


def _corpus_of(material: Material, position: int) -> Corpus:
    """Return a training document as if it were new."""
    topics = material.topics
    begin, end = topics.tokens.start[position : position + 2]
    words = topics.tokens.word[begin:end]
    known = None if topics.vocabulary is None else [str(word) for word in topics.vocabulary]
    names = [topics.documents[position]]
    return Corpus(
        words, [0, words.size], vocabulary=known, n_words=topics.n_words, document_names=names
    )


def _stored_options(material: Material, position: int) -> dict[str, Any]:
    """Return the features and the offset of a training document, as `explain` takes them."""
    response, topics = material.response, material.topics
    features, offset = None, None
    if response.features is not None and response.features.idf is None:
        matrix = response.features.of_training(topics.tokens).by_columns
        features = matrix.tocsr()[[position]]
    if response.has_offset:
        each = [
            [response.offset(c, s)[[position]] for s in range(topics.n_draws)]
            for c in range(topics.n_chains)
        ]
        offset = np.array(each) - response.location
        offset = offset if response.task_dim is not None else offset[..., 0]
    return {"features": features, "offset": offset}


def _take(given: Any, position: int) -> Any:
    """Return the features or the offset of one of several documents, without its name."""
    if given is None:
        return None
    if isinstance(given, pd.DataFrame | pd.Series):
        return given.iloc[[position]].reset_index(drop=True)
    if isinstance(given, xr.DataArray):
        dim = next(dim for dim in given.dims if dim not in ("chain", "draw"))
        return given.isel({dim: [position]}).drop_vars([dim], errors="ignore")
    if sparse.issparse(given):
        return given.tocsr()[[position]]
    if hasattr(given, "columns"):  # a frame of polars, whose columns have names
        return given[[position]]
    array = np.asarray(given)
    return array[[position]] if array.ndim <= 2 else array[:, :, [position]]


def list_links(links: list[Html]) -> Html:
    """Return links one after the other."""
    return join(links, ", ")
