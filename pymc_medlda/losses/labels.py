"""Losses of labels, y = ±1: `Hinge` and `Logistic`; symbols as in `losses.loss`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda._optional import import_optional
from pymc_medlda.kernels.augmentation import draw_scales
from pymc_medlda.losses.loss import Loss

DEFAULT_MARGIN = 20.0
"""Chosen by experiment: with the paper's 164 and 64 the labels outweigh the words."""


class Hinge(Loss):
    r"""Hinge loss of ±1 labels, max(0, margin - y F), with weight c.

    .. math:: \exp(-2 c \max(0, \ell - y F)) = \int_0^\infty \frac{1}{\sqrt{2 \pi \lambda}}
       \exp\Big(-\frac{(\lambda + c (\ell - y F))^2}{2 \lambda}\Big) d\lambda

    so that 1/λ ~ IG(1/(c abs(ℓ - y F)), 1), a = c²/λ and b = c y (λ + c ℓ)/λ.

    Parameters
    ----------
    c : float or array or mapping, default 1
        Weight of the loss; a vector over documents, or a mapping from class to weight, for
        imbalanced data. With c = 0 the document counts as unlabelled.
    margin : float, default 20
        Discriminants beyond it cost nothing. A larger margin gives the labels more influence on the
        topics, a smaller one the words. `Hinge.paper` has the margins of the paper.

    Examples
    --------
    >>> import numpy as np
    >>> Hinge(c=1.0, margin=1.0).value(np.array([1.0, -1.0]), np.array([0.5, 0.5])).tolist()
    [0.5, 1.5]
    """

    takes_labels = True
    may_be_zero = ("c",)

    c: Any = 1.0
    margin: Any = DEFAULT_MARGIN

    @classmethod
    def paper(cls, n_tasks: int = 1) -> Self:
        """Return the loss with the paper's settings: c = 1, margin 164, or 64 for several tasks.

        Parameters
        ----------
        n_tasks : int, default 1
            Number of discriminants: 1 for two classes, else one per class or label.

        Examples
        --------
        >>> Hinge.paper().margin, Hinge.paper(n_tasks=20).margin
        (164.0, 64.0)
        """
        check_whole("n_tasks", n_tasks, at_least=1)
        return cls(c=1.0, margin=164.0 if n_tasks == 1 else 64.0)

    def log_factor(self, y: Any, discriminant: Any) -> Any:
        """Return -2c max(0, margin - y F)."""
        import pytensor.tensor as pt  # here, because NumPy values do not need PyTensor

        return -2.0 * self.c * pt.maximum(0.0, self.margin - y * discriminant)

    def value(self, y: Floats, discriminant: Floats) -> Floats:
        """Return max(0, margin - y F)."""
        return np.maximum(0.0, self.margin - y * discriminant)

    def log_factor_of(self, value: Floats) -> Floats:
        """Return -2c times the loss."""
        return -2.0 * self.c * value

    def draw_auxiliary(
        self, rng: np.random.Generator, y: Floats, discriminant: Floats
    ) -> dict[str, Floats]:
        """Draw λ ~ GIG(1/2, 1, c² (margin - y F)²)."""
        return {"lam": draw_scales(rng, self.c * np.abs(self.margin - y * discriminant))}

    def quadratic(self, y: Floats, auxiliary: dict[str, Floats]) -> tuple[Floats, Floats]:
        """Return c²/λ and c y (λ + c margin)/λ."""
        c, margin, lam = self.c, self.margin, auxiliary["lam"]
        return c**2 / lam, c * y * (1.0 + c * margin / lam)

    def tempered(self, power: float) -> Self:
        """Return the loss with c times the power."""
        return replace(self, c=power * self.c)

    def draw_response(self, rng: np.random.Generator, discriminant: Floats) -> Floats:
        """Draw a label with odds exp(-2c max(0, margin - F)) to exp(-2c max(0, margin + F))."""
        wrong = np.maximum(0.0, self.margin + discriminant)
        right = np.maximum(0.0, self.margin - discriminant)
        log_odds = 2.0 * self.c * (wrong - right)
        return np.where(rng.logistic(size=discriminant.shape) < log_odds, 1.0, -1.0)


class Logistic(Loss):
    r"""Logistic loss of ±1 labels, log(1 + exp(-y F)), with weight c, by Pólya-Gamma augmentation.

    ω ~ PG(c, F), a = ω and b = c y / 2. Needs the ``polyagamma`` package. Annealed starts leave
    this loss as it is, because c must be whole.

    Parameters
    ----------
    c : int or array or mapping, default 1
        Weight of the loss: the factor of a document is its Bernoulli likelihood to the power c.
        Whole numbers only: of the package's samplers only Devroye's is exact, and it needs them
        (with c = 2.5 the others miss E exp(-ω/2) by twenty Monte Carlo errors of two million
        draws).

    Examples
    --------
    >>> import numpy as np
    >>> Logistic().value(np.array([1.0]), np.array([0.0])).round(4).tolist()
    [0.6931]
    """

    takes_labels = True
    may_be_zero = ("c",)
    whole = ("c",)

    c: Any = 1.0

    def log_factor(self, y: Any, discriminant: Any) -> Any:
        """Return -c log(1 + exp(-y F))."""
        import pytensor.tensor as pt  # here, because NumPy values do not need PyTensor

        return -self.c * pt.softplus(-y * discriminant)

    def value(self, y: Floats, discriminant: Floats) -> Floats:
        """Return log(1 + exp(-y F)); log 2 where y is missing, as logaddexp warns of NaN."""
        return np.logaddexp(0.0, np.nan_to_num(-y * discriminant))

    def log_factor_of(self, value: Floats) -> Floats:
        """Return -c times the loss."""
        return -self.c * value

    def draw_auxiliary(
        self, rng: np.random.Generator, y: Floats, discriminant: Floats
    ) -> dict[str, Floats]:
        """Draw ω ~ PG(c, F); where c = 0 the law is a point mass at zero."""
        polyagamma = import_optional(
            "polyagamma",
            needed_by="the Logistic loss",
            package="the polyagamma package",
            extra="logistic",
        )
        c = np.broadcast_to(self.c, discriminant.shape)
        omega = polyagamma.random_polyagamma(
            np.where(c > 0, c, 1.0), discriminant, method="devroye", random_state=rng
        )
        return {"omega": np.where(c > 0, omega, 0.0)}

    def quadratic(self, y: Floats, auxiliary: dict[str, Floats]) -> tuple[Floats, Floats]:
        """Return ω and c y / 2."""
        return auxiliary["omega"], 0.5 * self.c * y

    def draw_response(self, rng: np.random.Generator, discriminant: Floats) -> Floats:
        """Draw a label with log odds c F."""
        log_odds = self.c * discriminant
        return np.where(rng.logistic(size=discriminant.shape) < log_odds, 1.0, -1.0)
