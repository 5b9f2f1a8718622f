"""`Explanation`: what `explain` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import xarray as xr

from pymc_medlda.explanation.coloured import (
    Spans,
    Words,
    colour_bag,
    colour_text,
    legend,
    page_style,
)
from pymc_medlda.explanation.sentences import describe


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a document was decided as it was; see `explain`.

    Contributions are in units of the discriminant. Tables have the columns ``mean``, ``lower`` and
    ``upper``, over all draws and chains, and begin with the largest contribution.

    Attributes
    ----------
    document : name of the document, or its position
        None for a new document without a name.
    is_new : bool
        Whether the document is new, and not one of the training documents.
    response, kind : str
        Name of the response; ``"binary"``, ``"multiclass"``, ``"multilabel"`` or ``"real"``.
    target, against : class, label or task
        What positive and negative contributions speak for. ``against`` is None if there is no
        class to compare with.
    decision : class, 0 or 1 for a label, or value
    probability : float or None
        The probability of the target, if the run is calibrated and the document is new.
    interval : float
        Posterior probability between ``lower`` and ``upper``.
    n_unknown : int
        Tokens of words that the model does not know, which contribute nothing.
    no_known_words : bool
        Whether the model knows no word of the document, so that the prior gives its topics.
    text : str or None
        The text of the document, if it is known.
    parts : DataFrame
        ``topics``, ``features``, ``mean`` and ``offset``, as far as there are any, and ``total``.
    topics : DataFrame
        One row per topic: its first ``words``, as in `top_words`, its ``share`` of the document,
        and its contribution.
    words : DataFrame
        One row per distinct word: its ``count``, the ``topic`` of most of its tokens, its
        contribution. If the words are features too, the contribution is the sum of what the word
        says through its topics, ``by_topics``, and as a feature, ``by_feature``.
    features : DataFrame or None
        One row per feature that is not zero: its ``value`` and its contribution.
    draws : Dataset
        The contributions in every draw: ``topics``, ``words``, ``features``, ``mean``, ``offset``,
        and ``discriminant``, which is the sum of all but ``words``.
    spans_of : function
        Splits a text into words of the model with their positions, for colouring.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> why = med.explain(idata, 3)
    >>> why.words.columns.tolist()
    ['count', 'topic', 'mean', 'lower', 'upper']
    >>> why.to_frame()["part"].unique().tolist()
    ['topic', 'word', 'total']
    """

    document: Any
    is_new: bool
    response: str
    kind: str
    target: Any
    against: Any
    decision: Any
    probability: float | None
    interval: float
    n_unknown: int
    text: str | None
    parts: pd.DataFrame
    topics: pd.DataFrame
    words: pd.DataFrame
    features: pd.DataFrame | None
    draws: xr.Dataset
    spans_of: Spans

    @property
    def no_known_words(self) -> bool:
        """Whether the model knows no word of the document, so that the prior gives its topics."""
        return not len(self.words)

    def to_frame(self) -> pd.DataFrame:
        """Return all contributions in one table.

        Returns
        -------
        DataFrame
            ``part`` (topic, word, feature, mean, offset or total), ``name``, ``mean``, ``lower``
            and ``upper``. Words repeat what topics contribute, and what features contribute if
            these are words, so only one of them belongs in a sum.

        Examples
        --------
        >>> import pymc_medlda as med
        >>> med.explain(idata, 3).to_frame().columns.tolist()
        ['part', 'name', 'mean', 'lower', 'upper']
        """
        tables = {"topic": self.topics, "word": self.words}
        if self.features is not None:
            tables["feature"] = self.features
        columns = ["mean", "lower", "upper"]
        rows = [
            table[columns].rename_axis("name").reset_index().assign(part=part)
            for part, table in tables.items()
            if len(table)
        ]
        rest = self.parts.drop(index=["topics", "features"], errors="ignore")
        rows.append(rest.rename_axis("part").reset_index().assign(name=""))
        return pd.concat(rows, ignore_index=True)[["part", "name", *columns]]

    def to_html(self, text: str | None = None) -> str:
        """Return a piece of HTML: the decision in words, the topics, and the coloured document.

        Parameters
        ----------
        text : str, optional
            The text of the document; by default the one that `explain` was given, or the words of
            the document in the order of their contributions.

        Returns
        -------
        str

        Examples
        --------
        >>> import pymc_medlda as med
        >>> med.explain(idata, 3).to_html().startswith('<div class="medlda-why">')
        True
        """
        body = self.colour(text)
        topics = legend(self.topics, self.draws["topic"].values.tolist())
        pieces = [page_style(), describe(self).to_html(), topics, body]
        return f'<div class="medlda-why">{"".join(pieces)}</div>'

    def colour(self, text: str | None = None) -> str:
        """Return the document alone as HTML, with its words coloured; see `to_html`."""
        words = Words.of(self.words, self.draws["topic"].values.tolist())
        shown = self.text if text is None else text
        return colour_bag(words) if shown is None else colour_text(words, shown, self.spans_of)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return describe(self).to_text()
