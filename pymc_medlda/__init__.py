"""Max-margin supervised topic models (Gibbs MedLDA) as a PyMC plugin."""

from pymc_medlda import datasets
from pymc_medlda.corpus import Corpus
from pymc_medlda.losses import EpsilonInsensitive, Gaussian, Hinge, Logistic
from pymc_medlda.model import GibbsMedLDA, MaxMargin, TopicAssignments
from pymc_medlda.step import GibbsMedLDAStep, register

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "EpsilonInsensitive",
    "Gaussian",
    "GibbsMedLDA",
    "GibbsMedLDAStep",
    "Hinge",
    "Logistic",
    "MaxMargin",
    "TopicAssignments",
    "datasets",
]

register()
