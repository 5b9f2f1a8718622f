"""`Standardised`: a loss whose parameters are meant for responses in units of their spread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.losses.loss import Loss
from pymc_medlda.losses.values import EpsilonInsensitive

DEFAULT_C = 8.0
"""Weight of the epsilon-insensitive loss for responses in units of their standard deviation."""


class Units(NamedTuple):
    """Mean and standard deviation of a response; one value, or one per task."""

    location: Floats
    scale: Floats


@dataclass(frozen=True)
class Standardised:
    r"""A loss for real responses whose parameters do not depend on the scale of the response.

    The parameters of ``loss`` are meant for y in units of its standard deviation s, around its
    mean m. The model itself stays on the scale of y: the discriminant is
    :math:`F = m + \eta \cdot \bar z`, and the parameters are converted, for the epsilon-insensitive
    loss to c/s and epsilon s. In `GibbsMedLDA` the prior scale of the weights becomes nu s. So the
    posterior is that of the same loss with standardised responses, and all results are in the
    user's own units. This is what a real response gets if no loss is named.

    Parameters
    ----------
    loss : Loss, default EpsilonInsensitive(c=8)
        `EpsilonInsensitive`, `Gaussian`, or a loss of one's own that says by ``units`` how its
        parameters change with the unit of y.

    Examples
    --------
    >>> import numpy as np
    >>> units = Standardised().measure(np.array([2.0, 4.0, np.nan]))
    >>> float(units.location), float(units.scale)
    (3.0, 1.0)
    """

    loss: Loss = field(default_factory=lambda: EpsilonInsensitive(c=DEFAULT_C))
    takes_labels: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.loss, Loss):
            hint = ": give an instance" if isinstance(self.loss, type) else ""
            raise TypeError(
                f"loss must be a loss such as med.EpsilonInsensitive(), got {self.loss!r}{hint}"
            )
        if self.loss.takes_labels:
            raise ValueError(
                f"loss must be a loss of real values, which have a scale; got "
                f"{type(self.loss).__name__}, a loss of labels"
            )
        unknown = set(self.loss.parameter_names()) - set(self.loss.units)
        if unknown:
            raise ValueError(
                f"{type(self.loss).__name__}.units must say how {', '.join(sorted(unknown))} "
                "changes with the unit of y, for example {'sigma': 1}"
            )

    def measure(self, values: Floats) -> Units:
        """Return the mean and the standard deviation of the values of each task that are given.

        Documents for which c is zero do not count. The scale of values that do not differ is 1; a
        task without values has the mean 0.
        """
        given = ~np.isnan(values)
        c = getattr(self.loss, "c", None)
        if isinstance(c, np.ndarray) and c.shape == values.shape[:1]:
            given &= (c > 0).reshape(-1, *[1] * (values.ndim - 1))
        count = np.maximum(given.sum(axis=0), 1)
        location = np.sum(values, axis=0, where=given) / count
        deviation = values - location
        scale = np.sqrt(np.sum(deviation * deviation, axis=0, where=given) / count)
        # Less is rounding.
        differ = scale > 1e-12 * np.abs(location)
        return Units(location, np.where(differ, scale, 1.0))


def in_units(loss: type[Loss], key: str, value: Any, scale: Any) -> Any:
    """Return a parameter that was meant for a response in units of ``scale``, for that response."""
    power = loss.units.get(key, 0)
    if not power:
        return value
    if np.ndim(scale) and np.ndim(value) == 1:
        value = value[:, None]  # one value per document: the tasks are the columns
    return value * scale**power
