"""The losses: each one small class with its value, its augmentation, its draw and its decision.

A loss is known to the rest of the package only through these methods. Once augmented, it is a pair
(a, b) for each document and task, the log factor being b F - a F²/2; the kernels that draw topics
and weights know no loss. To add one: subclass `Loss`, name its parameters, write the five methods,
and list it in `LOSSES`.

Symbols: F the discriminant, y the response (±1 for labels), c the weight of the loss, lam (λ) and
omega (ω) the auxiliary variables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.augmentation import draw_scales


class Loss(ABC):
    """What a response contributes to the joint density: one factor a document and task.

    The parameters of an instance are numbers, arrays over documents (or documents and tasks), or
    PyTensor variables; the static methods below receive their values, broadcast against F.
    """

    parameters: ClassVar[tuple[str, ...]]
    takes_labels: ClassVar[bool]
    """Whether y is a label, coded ±1, or a real value."""
    whole: ClassVar[tuple[str, ...]] = ()
    """Parameters that must be whole numbers."""

    @staticmethod
    @abstractmethod
    def log_factor(y: Any, discriminant: Any, *parameters: Any) -> Any:
        """Return the log factor of each entry of y as a PyTensor expression."""

    @staticmethod
    @abstractmethod
    def value(y: Floats, discriminant: Floats, *parameters: Floats) -> Floats:
        """Return the loss of each entry, as users know it (not multiplied by 2c)."""

    @staticmethod
    @abstractmethod
    def log_factor_of(value: Floats, *parameters: Floats) -> Floats:
        """Return the log factor, as numbers, of entries with these losses."""

    @staticmethod
    @abstractmethod
    def draw_auxiliary(
        rng: np.random.Generator, y: Floats, discriminant: Floats, *parameters: Floats
    ) -> dict[str, Floats]:
        """Draw the auxiliary variables from their conditional given (y, F)."""

    @staticmethod
    @abstractmethod
    def quadratic(
        y: Floats, auxiliary: dict[str, Floats], *parameters: Floats
    ) -> tuple[Floats, Floats]:
        """Return (a, b): given the auxiliary variables the log factor is b F - a F²/2 + const."""

    @staticmethod
    @abstractmethod
    def draw_response(
        rng: np.random.Generator, discriminant: Floats, *parameters: Floats
    ) -> Floats:
        """Draw y given F from the factor, normalised over y."""

    @classmethod
    def augment(
        cls,
        rng: np.random.Generator,
        y: Floats,
        discriminant: Floats,
        *parameters: Floats,
        given: Any,
    ) -> tuple[Floats, Floats]:
        """Draw the auxiliary variables and return (a, b); (0, 0) where y is not ``given``.

        ``given`` is a mask of y, or True where nothing is missing.
        """
        auxiliary = cls.draw_auxiliary(rng, y, discriminant, *parameters)
        a, b = cls.quadratic(y, auxiliary, *parameters)
        if given is not True:
            a, b = np.where(given, a, 0.0), np.where(given, b, 0.0)
        return a, b


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
    margin : float, default 164
        The ℓ of the paper: 164 for two classes, 64 for several.

    Examples
    --------
    >>> import numpy as np
    >>> Hinge.value(np.array([1.0, -1.0]), np.array([0.5, 0.5]), 1.0, 1.0).tolist()
    [0.5, 1.5]
    """

    parameters = ("c", "margin")
    takes_labels = True

    def __init__(self, c: Any = 1.0, margin: Any = 164.0) -> None:
        self.c = c
        self.margin = margin

    @staticmethod
    def log_factor(y: Any, discriminant: Any, *parameters: Any) -> Any:
        """Return -2c max(0, margin - y F)."""
        import pytensor.tensor as pt  # here, as numbers need no PyTensor

        c, margin = parameters
        return -2.0 * c * pt.maximum(0.0, margin - y * discriminant)

    @staticmethod
    def value(y: Floats, discriminant: Floats, *parameters: Floats) -> Floats:
        """Return max(0, margin - y F)."""
        return np.maximum(0.0, parameters[1] - y * discriminant)

    @staticmethod
    def log_factor_of(value: Floats, *parameters: Floats) -> Floats:
        """Return -2c times the loss."""
        return -2.0 * parameters[0] * value

    @staticmethod
    def draw_auxiliary(
        rng: np.random.Generator, y: Floats, discriminant: Floats, *parameters: Floats
    ) -> dict[str, Floats]:
        """Draw λ ~ GIG(1/2, 1, c² (margin - y F)²)."""
        c, margin = parameters
        return {"lam": draw_scales(rng, c * np.abs(margin - y * discriminant))}

    @staticmethod
    def quadratic(
        y: Floats, auxiliary: dict[str, Floats], *parameters: Floats
    ) -> tuple[Floats, Floats]:
        """Return c²/λ and c y (λ + c margin)/λ."""
        c, margin = parameters
        lam = auxiliary["lam"]
        return c**2 / lam, c * y * (1.0 + c * margin / lam)

    @staticmethod
    def draw_response(
        rng: np.random.Generator, discriminant: Floats, *parameters: Floats
    ) -> Floats:
        """Draw a label with odds exp(-2c max(0, margin - F)) to exp(-2c max(0, margin + F))."""
        c, margin = parameters
        log_odds = (
            2.0
            * c
            * (np.maximum(0.0, margin + discriminant) - np.maximum(0.0, margin - discriminant))
        )
        return np.where(rng.logistic(size=discriminant.shape) < log_odds, 1.0, -1.0)


class EpsilonInsensitive(Loss):
    r"""Epsilon-insensitive loss of real responses, max(0, abs(y - F) - epsilon), with weight c.

    Two auxiliary variables: 1/λ ~ IG(1/(c abs(y - F - ε)), 1), 1/ω ~ IG(1/(c abs(y - F + ε)), 1);
    then a = c² (1/λ + 1/ω) and b = c² ((y - ε)/λ + (y + ε)/ω). The paper's formulas lack
    a factor c.

    Parameters
    ----------
    c : float or array, default 1
        Weight of the loss; it plays the part of an inverse noise scale, so its best value
        depends on the scale of y: standardise y or choose c by cross-validation.
    epsilon : float, default 1e-3
        Half the width of the tube without loss.

    Examples
    --------
    >>> import numpy as np
    >>> EpsilonInsensitive.value(np.array([1.0, 2.0]), np.array([1.1, 1.0]), 1.0, 0.5).tolist()
    [0.0, 0.5]
    """

    parameters = ("c", "epsilon")
    takes_labels = False

    def __init__(self, c: Any = 1.0, epsilon: Any = 1e-3) -> None:
        self.c = c
        self.epsilon = epsilon

    @staticmethod
    def log_factor(y: Any, discriminant: Any, *parameters: Any) -> Any:
        """Return -2c max(0, abs(y - F) - epsilon)."""
        import pytensor.tensor as pt  # here, as numbers need no PyTensor

        c, epsilon = parameters
        return -2.0 * c * pt.maximum(0.0, pt.abs(y - discriminant) - epsilon)

    @staticmethod
    def value(y: Floats, discriminant: Floats, *parameters: Floats) -> Floats:
        """Return max(0, abs(y - F) - epsilon)."""
        return np.maximum(0.0, np.abs(y - discriminant) - parameters[1])

    @staticmethod
    def log_factor_of(value: Floats, *parameters: Floats) -> Floats:
        """Return -2c times the loss."""
        return -2.0 * parameters[0] * value

    @staticmethod
    def draw_auxiliary(
        rng: np.random.Generator, y: Floats, discriminant: Floats, *parameters: Floats
    ) -> dict[str, Floats]:
        """Draw λ and ω, one for each side of the tube."""
        c, epsilon = parameters
        error = y - discriminant
        return {
            "lam": draw_scales(rng, c * np.abs(error - epsilon)),
            "omega": draw_scales(rng, c * np.abs(error + epsilon)),
        }

    @staticmethod
    def quadratic(
        y: Floats, auxiliary: dict[str, Floats], *parameters: Floats
    ) -> tuple[Floats, Floats]:
        """Return c² (1/λ + 1/ω) and c² ((y - ε)/λ + (y + ε)/ω)."""
        c, epsilon = parameters
        above, below = c**2 / auxiliary["lam"], c**2 / auxiliary["omega"]
        return above + below, (y - epsilon) * above + (y + epsilon) * below

    @staticmethod
    def draw_response(
        rng: np.random.Generator, discriminant: Floats, *parameters: Floats
    ) -> Floats:
        """Draw F plus noise that is uniform in the tube and exponential with rate 2c outside."""
        c, epsilon = np.broadcast_arrays(*parameters, discriminant)[:2]
        shape = discriminant.shape
        # Mass inside 2 epsilon, in each tail 1/(2c).
        inside = rng.random(shape) * (2 * c * epsilon + 1.0) < 2 * c * epsilon
        within = epsilon * (2.0 * rng.random(shape) - 1.0)
        beyond = epsilon + rng.standard_exponential(shape) / (2.0 * c)
        sign = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
        return discriminant + np.where(inside, within, sign * beyond)


class Gaussian(Loss):
    r"""Gaussian response, y ~ N(F, sigma²): supervised LDA for regression in the same frame.

    No auxiliary variable: a = 1/σ² and b = y/σ².

    Parameters
    ----------
    sigma : float or array or PyTensor variable, default 1
        Noise scale; a random variable of the model is sampled beside the Gibbs step.

    Examples
    --------
    >>> import numpy as np
    >>> Gaussian.value(np.array([1.0]), np.array([3.0]), 2.0).tolist()
    [2.0]
    """

    parameters = ("sigma",)
    takes_labels = False

    def __init__(self, sigma: Any = 1.0) -> None:
        self.sigma = sigma

    @staticmethod
    def log_factor(y: Any, discriminant: Any, *parameters: Any) -> Any:
        """Return the log density of N(F, sigma²) at y."""
        import pytensor.tensor as pt  # here, as numbers need no PyTensor

        (sigma,) = parameters
        return -0.5 * ((y - discriminant) / sigma) ** 2 - pt.log(sigma) - 0.5 * np.log(2.0 * np.pi)

    @staticmethod
    def value(y: Floats, discriminant: Floats, *parameters: Floats) -> Floats:
        """Return (y - F)²/2."""
        return 0.5 * (y - discriminant) ** 2

    @staticmethod
    def log_factor_of(value: Floats, *parameters: Floats) -> Floats:
        """Return -loss/sigma² - log(sigma √(2π))."""
        return -value / np.square(parameters[0]) - np.log(parameters[0] * np.sqrt(2.0 * np.pi))

    @staticmethod
    def draw_auxiliary(
        rng: np.random.Generator, y: Floats, discriminant: Floats, *parameters: Floats
    ) -> dict[str, Floats]:
        """Return nothing: the factor is Gaussian already."""
        return {}

    @staticmethod
    def quadratic(
        y: Floats, auxiliary: dict[str, Floats], *parameters: Floats
    ) -> tuple[Floats, Floats]:
        """Return 1/sigma² and y/sigma²."""
        precision = np.broadcast_to(1.0 / np.square(parameters[0]), y.shape)
        return precision, y * precision

    @staticmethod
    def draw_response(
        rng: np.random.Generator, discriminant: Floats, *parameters: Floats
    ) -> Floats:
        """Draw from N(F, sigma²)."""
        return discriminant + parameters[0] * rng.standard_normal(discriminant.shape)


class Logistic(Loss):
    r"""Logistic loss of ±1 labels, log(1 + exp(-y F)), with weight c, by Pólya-Gamma augmentation.

    ω ~ PG(c, F), a = ω and b = c y / 2. Needs the ``polyagamma`` package.

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
    >>> Logistic.value(np.array([1.0]), np.array([0.0]), 1.0).round(4).tolist()
    [0.6931]
    """

    parameters = ("c",)
    takes_labels = True
    whole = ("c",)

    def __init__(self, c: Any = 1.0) -> None:
        self.c = c

    @staticmethod
    def log_factor(y: Any, discriminant: Any, *parameters: Any) -> Any:
        """Return -c log(1 + exp(-y F))."""
        import pytensor.tensor as pt  # here, as numbers need no PyTensor

        return -parameters[0] * pt.softplus(-y * discriminant)

    @staticmethod
    def value(y: Floats, discriminant: Floats, *parameters: Floats) -> Floats:
        """Return log(1 + exp(-y F)); log 2 where y is missing, as logaddexp warns of NaN."""
        return np.logaddexp(0.0, np.nan_to_num(-y * discriminant))

    @staticmethod
    def log_factor_of(value: Floats, *parameters: Floats) -> Floats:
        """Return -c times the loss."""
        return -parameters[0] * value

    @staticmethod
    def draw_auxiliary(
        rng: np.random.Generator, y: Floats, discriminant: Floats, *parameters: Floats
    ) -> dict[str, Floats]:
        """Draw ω ~ PG(c, F); where c = 0 the law is a point mass at zero."""
        try:
            from polyagamma import random_polyagamma
        except ImportError as error:
            raise ImportError(
                "the Logistic loss needs the polyagamma package: "
                'pip install "pymc-medlda[logistic]"'
            ) from error
        c = np.broadcast_to(parameters[0], discriminant.shape)
        omega = random_polyagamma(
            np.where(c > 0, c, 1.0), discriminant, method="devroye", random_state=rng
        )
        return {"omega": np.where(c > 0, omega, 0.0)}

    @staticmethod
    def quadratic(
        y: Floats, auxiliary: dict[str, Floats], *parameters: Floats
    ) -> tuple[Floats, Floats]:
        """Return ω and c y / 2."""
        return auxiliary["omega"], 0.5 * parameters[0] * y

    @staticmethod
    def draw_response(
        rng: np.random.Generator, discriminant: Floats, *parameters: Floats
    ) -> Floats:
        """Draw a label with log odds F."""
        return np.where(rng.logistic(size=discriminant.shape) < discriminant, 1.0, -1.0)


LOSSES: dict[str, type[Loss]] = {
    loss.__name__: loss for loss in (Hinge, EpsilonInsensitive, Gaussian, Logistic)
}
