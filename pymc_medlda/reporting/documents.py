"""The section of the documents to which the topics link."""

from __future__ import annotations

from pymc_medlda.reporting.markup import Html, element, section
from pymc_medlda.reporting.reading import Reader

NOTE = (
    "Training documents that are typical of a topic. Open one to read it. Colours tell topics, and "
    "strong colours strong contributions to the decision; a click on a word marks all words of its "
    "topic."
)


def describe_documents(reader: Reader) -> Html:
    """Return the documents that were linked to so far."""
    return section(
        "documents", "Typical documents", element("p", NOTE, class_="note"), *reader.linked()
    )
