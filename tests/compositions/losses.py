"""Losses as a user would write them: nothing in the package knows them."""

import numpy as np

import pymc_medlda as med
from pymc_medlda.losses import Loss


class SquaredHinge(Loss):
    """A Gaussian around the label: the factor is exp(-weight (y - F)²)."""

    takes_labels = True
    weight: float = 1.0

    def log_factor(self, y, discriminant):
        return -self.weight * (y - discriminant) ** 2

    def value(self, y, discriminant):
        return (y - discriminant) ** 2

    def log_factor_of(self, value):
        return -self.weight * value

    def draw_auxiliary(self, rng, y, discriminant):
        return {}

    def quadratic(self, y, auxiliary):
        twice = np.broadcast_to(2.0 * self.weight, y.shape)
        return twice.copy(), twice * y

    def draw_response(self, rng, discriminant):
        probability = 1.0 / (1.0 + np.exp(-4.0 * self.weight * discriminant))
        return np.where(rng.random(discriminant.shape) < probability, 1.0, -1.0)


class Hinge(med.Hinge):
    """Not the package's hinge: its loss counts twice."""

    def log_factor(self, y, discriminant):
        return 2.0 * super().log_factor(y, discriminant)

    def log_factor_of(self, value):
        return 2.0 * super().log_factor_of(value)

    def draw_auxiliary(self, rng, y, discriminant):
        return med.Hinge(2.0 * self.c, self.margin).draw_auxiliary(rng, y, discriminant)

    def quadratic(self, y, auxiliary):
        return med.Hinge(2.0 * self.c, self.margin).quadratic(y, auxiliary)
