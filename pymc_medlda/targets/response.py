"""The kinds of response, and the coded response that the rest of the package works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from pymc_medlda._arrays import Floats

Kind = Literal["binary", "multiclass", "multilabel", "real"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class Response:
    """A response coded as numbers, with what is needed to decode decisions.

    Attributes
    ----------
    kind : str
        ``"binary"``, ``"multiclass"``, ``"multilabel"`` or ``"real"``.
    values : (n_documents,) or (n_documents, n_tasks) float array
        ±1 for labels, the given numbers otherwise; NaN where the entry is missing.
    classes : array or None
        The two classes (the second is coded +1), the classes, or the names of the labels; for
        real values the names of the tasks, or None if there are none.
    """

    kind: str
    values: Floats
    classes: NDArray[Any] | None

    @property
    def n_tasks(self) -> int:
        """Number of discriminants of each document."""
        return 1 if self.values.ndim == 1 else self.values.shape[1]
