"""Losses of real values: `EpsilonInsensitive` and `Gaussian`; symbols as in `losses.loss`."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels.augmentation import draw_scales
from pymc_medlda.losses.loss import Loss


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
    >>> EpsilonInsensitive(epsilon=0.5).value(np.array([1.0, 2.0]), np.array([1.1, 1.0])).tolist()
    [0.0, 0.5]
    """

    takes_labels = False
    may_be_zero = ("c", "epsilon")
    units = MappingProxyType({"c": -1, "epsilon": 1})

    c: Any = 1.0
    epsilon: Any = 1e-3

    @classmethod
    def paper(cls) -> Self:
        """Return the loss with the paper's settings: c = 1 and epsilon = 1e-3.

        Examples
        --------
        >>> EpsilonInsensitive.paper().epsilon
        0.001
        """
        return cls(c=1.0, epsilon=1e-3)

    def log_factor(self, y: Any, discriminant: Any) -> Any:
        """Return -2c max(0, abs(y - F) - epsilon)."""
        import pytensor.tensor as pt  # here, because NumPy values do not need PyTensor

        return -2.0 * self.c * pt.maximum(0.0, pt.abs(y - discriminant) - self.epsilon)

    def value(self, y: Floats, discriminant: Floats) -> Floats:
        """Return max(0, abs(y - F) - epsilon)."""
        return np.maximum(0.0, np.abs(y - discriminant) - self.epsilon)

    def log_factor_of(self, value: Floats) -> Floats:
        """Return -2c times the loss."""
        return -2.0 * self.c * value

    def draw_auxiliary(
        self, rng: np.random.Generator, y: Floats, discriminant: Floats
    ) -> dict[str, Floats]:
        """Draw λ and ω, one for each side of the tube."""
        c, epsilon = self.c, self.epsilon
        error = y - discriminant
        return {
            "lam": draw_scales(rng, c * np.abs(error - epsilon)),
            "omega": draw_scales(rng, c * np.abs(error + epsilon)),
        }

    def quadratic(self, y: Floats, auxiliary: dict[str, Floats]) -> tuple[Floats, Floats]:
        """Return c² (1/λ + 1/ω) and c² ((y - ε)/λ + (y + ε)/ω)."""
        c, epsilon = self.c, self.epsilon
        above, below = c**2 / auxiliary["lam"], c**2 / auxiliary["omega"]
        return above + below, (y - epsilon) * above + (y + epsilon) * below

    def tempered(self, power: float) -> Self:
        """Return the loss with c times the power."""
        return replace(self, c=power * self.c)

    def draw_response(self, rng: np.random.Generator, discriminant: Floats) -> Floats:
        """Draw F plus noise that is uniform in the tube and exponential with rate 2c outside."""
        c, epsilon, _ = np.broadcast_arrays(self.c, self.epsilon, discriminant)
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
    >>> Gaussian(2.0).value(np.array([1.0]), np.array([3.0])).tolist()
    [2.0]
    """

    takes_labels = False
    units = MappingProxyType({"sigma": 1})

    sigma: Any = 1.0

    def log_factor(self, y: Any, discriminant: Any) -> Any:
        """Return the log density of N(F, sigma²) at y."""
        import pytensor.tensor as pt  # here, because NumPy values do not need PyTensor

        error = (y - discriminant) / self.sigma
        return -0.5 * error**2 - pt.log(self.sigma) - 0.5 * np.log(2.0 * np.pi)

    def value(self, y: Floats, discriminant: Floats) -> Floats:
        """Return (y - F)²/2."""
        return 0.5 * (y - discriminant) ** 2

    def log_factor_of(self, value: Floats) -> Floats:
        """Return -loss/sigma² - log(sigma √(2π))."""
        return -value / np.square(self.sigma) - np.log(self.sigma * np.sqrt(2.0 * np.pi))

    def draw_auxiliary(
        self, rng: np.random.Generator, y: Floats, discriminant: Floats
    ) -> dict[str, Floats]:
        """Return nothing: the factor is Gaussian already."""
        return {}

    def quadratic(self, y: Floats, auxiliary: dict[str, Floats]) -> tuple[Floats, Floats]:
        """Return 1/sigma² and y/sigma²."""
        precision = np.broadcast_to(1.0 / np.square(self.sigma), y.shape)
        return precision, y * precision

    def tempered(self, power: float) -> Self:
        """Return the loss with sigma divided by the root of the power."""
        return replace(self, sigma=self.sigma / np.sqrt(power))

    def draw_response(self, rng: np.random.Generator, discriminant: Floats) -> Floats:
        """Draw from N(F, sigma²)."""
        return discriminant + self.sigma * rng.standard_normal(discriminant.shape)
