"""A loss is a pair (a, b): the contract `Loss`, the losses of labels and those of real values.

May import `kernels`. PyTensor is imported only where a log factor is asked for as an expression.
"""

from pymc_medlda.losses.labels import Hinge, Logistic
from pymc_medlda.losses.loss import Loss, find_loss
from pymc_medlda.losses.standardised import Standardised
from pymc_medlda.losses.values import EpsilonInsensitive, Gaussian

__all__ = [
    "EpsilonInsensitive",
    "Gaussian",
    "Hinge",
    "Logistic",
    "Loss",
    "Standardised",
    "find_loss",
]
