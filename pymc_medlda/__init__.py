"""Max-margin supervised topic models (Gibbs MedLDA) as a PyMC plugin.

Build a `Corpus`, put it in a `GibbsMedLDA` model (or in parts: `TopicAssignments`, `MaxMargin`),
sample with ``pm.sample``, then `predict`, `top_words`, `diagnose`.
"""

from typing import Any

from pymc_medlda import datasets
from pymc_medlda.alignment import align_topics
from pymc_medlda.auxiliary import draw_augmentation
from pymc_medlda.coherence import coherence
from pymc_medlda.continuing import last_points
from pymc_medlda.corpus import Corpus
from pymc_medlda.diagnostics import diagnose
from pymc_medlda.heldout import perplexity
from pymc_medlda.losses import EpsilonInsensitive, Gaussian, Hinge, Logistic
from pymc_medlda.model import GibbsMedLDA, MaxMargin, TopicAssignments
from pymc_medlda.one_vs_all import OneVsAll
from pymc_medlda.plots import (
    plot_alignment,
    plot_burn_in,
    plot_class_profile,
    plot_eta_forest,
    plot_topic_words,
    plot_uncertainty,
    to_pyldavis,
)
from pymc_medlda.prediction import predict
from pymc_medlda.scores import evaluate
from pymc_medlda.step import GibbsMedLDAStep, register
from pymc_medlda.topics import doc_topics, top_words, topic_words

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "EpsilonInsensitive",
    "Gaussian",
    "GibbsMedLDA",
    "GibbsMedLDAClassifier",
    "GibbsMedLDARegressor",
    "GibbsMedLDAStep",
    "Hinge",
    "Logistic",
    "MaxMargin",
    "OneVsAll",
    "TopicAssignments",
    "align_topics",
    "coherence",
    "datasets",
    "diagnose",
    "doc_topics",
    "draw_augmentation",
    "evaluate",
    "last_points",
    "perplexity",
    "plot_alignment",
    "plot_burn_in",
    "plot_class_profile",
    "plot_eta_forest",
    "plot_topic_words",
    "plot_uncertainty",
    "predict",
    "to_pyldavis",
    "top_words",
    "topic_words",
]

register()


def __getattr__(name: str) -> Any:
    """Import the estimators when asked for: scikit-learn is optional."""
    if name in ("GibbsMedLDAClassifier", "GibbsMedLDARegressor"):
        from pymc_medlda import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
