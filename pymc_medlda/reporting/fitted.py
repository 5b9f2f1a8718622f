"""The section that tells what was fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymc_medlda.reporting.markup import Html, element, number, section
from pymc_medlda.reporting.material import Material

KINDS = {
    "binary": "two classes",
    "multiclass": "{n} classes",
    "multilabel": "{n} labels, of which a document may have several",
    "real": "real values",
}


def describe_fit(material: Material) -> Html:
    """Return the sizes of the data, the model and the sampling."""
    topics = material.topics
    lengths = np.diff(topics.tokens.start)
    n_tokens = topics.counts.n_counted if topics.counts is not None else lengths.sum()
    hold = "holds" if material.filled.size == 1 else "hold"
    facts: dict[str, Any] = {
        "Documents": _describe_documents(material),
        "Tokens": f"{number(n_tokens)}, {number(np.median(lengths))} in the median document",
        "Words": number(topics.n_words),
        "Topics": f"{topics.n_topics}, of which {material.filled.size} {hold} tokens",
        "Chains and draws": f"{topics.n_chains} chains of {number(topics.n_draws)} draws",
    }
    facts |= _describe_response(material)
    facts |= _describe_sampling(material)
    pairs = [
        element("div", element("dt", name), element("dd", value)) for name, value in facts.items()
    ]
    return section("fitted", "What was fitted", element("dl", *pairs, class_="facts"))


def _describe_documents(material: Material) -> str:
    """Return how many documents there are; of a sample, also what that means for the report."""
    topics = material.topics
    if not topics.is_sample:
        return number(topics.documents.size)
    return (
        f"{topics.said_of_sample}, which the run holds: topics and their words are those of all "
        "documents; scores of training documents, and models that are fitted for comparison, are "
        "those of the sample"
    )


def _describe_response(material: Material) -> dict[str, str]:
    if material.supervision is None:
        return {"Response": "none: a plain topic model"}
    response = material.response
    n_missing = int(np.isnan(response.y).all(axis=1).sum())
    missing = f"; missing in {number(n_missing)} documents" if n_missing else ""
    kind = KINDS[response.kind].format(n=response.y.shape[1])
    facts = {"Response": f"{response.name}: {kind}{missing}", "Loss": _describe_loss(material)}
    if response.features is not None:
        n = response.features.names.size
        words = "the words (tf-idf)" if response.features.idf is not None else number(n)
        facts["Features beside topics"] = words
    if response.has_offset:
        facts["Offset"] = "yes"
    facts["Calibrated"] = "yes" if material.calibration is not None else "no"
    return facts


def _describe_loss(material: Material) -> str:
    response = material.response
    fixed = response.fixed_parameters or {}
    values = ", ".join(
        f"{name} {number(float(value))}" for name, value in fixed.items() if value.ndim == 0
    )
    return f"{response.loss_key} ({values})" if values else response.loss_key


def _describe_sampling(material: Material) -> dict[str, str]:
    """Return time and versions, as far as the run tells."""
    from pymc_medlda import __version__

    attributes = material.run.group("posterior").attrs
    facts = {"pymc-medlda": __version__}
    seconds = attributes.get("sampling_time")
    if isinstance(seconds, int | float) and seconds > 0:
        facts["Sampling time"] = f"{number(float(seconds))} s"
    library, version = (
        attributes.get(name) for name in ("inference_library", "inference_library_version")
    )
    if library:
        facts["Sampled with"] = f"{library} {version or ''}".strip()
    created = attributes.get("created_at")
    if created:
        facts["Sampled on"] = str(created)[:10]
    return facts
