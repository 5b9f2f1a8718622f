"""Pictures, on matplotlib axes: each function returns the axes it drew on and accepts ``ax``.

May import `run`, `targets` and matplotlib.
"""

from pymc_medlda.plots.alignment import plot_alignment
from pymc_medlda.plots.burn_in import plot_burn_in
from pymc_medlda.plots.classes import plot_class_profile
from pymc_medlda.plots.explanation import plot_explanation
from pymc_medlda.plots.features import plot_top_features
from pymc_medlda.plots.ldavis import to_pyldavis
from pymc_medlda.plots.uncertainty import plot_uncertainty
from pymc_medlda.plots.weights import plot_eta_forest
from pymc_medlda.plots.words import plot_topic_words

__all__ = [
    "plot_alignment",
    "plot_burn_in",
    "plot_class_profile",
    "plot_eta_forest",
    "plot_explanation",
    "plot_top_features",
    "plot_topic_words",
    "plot_uncertainty",
    "to_pyldavis",
]
