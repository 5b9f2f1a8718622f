"""The section on calibration: whether the model is as sure as it should be."""

from __future__ import annotations

from pymc_medlda.plots.uncertainty import plot_uncertainty
from pymc_medlda.reporting.markup import Html, element, section
from pymc_medlda.reporting.material import Material
from pymc_medlda.reporting.pictures import axes_of, make_panels, show

HEADING = "Whether it is as sure as it should be"


def describe_certainty(material: Material, y: object) -> Html:
    """Return the picture of stated probabilities or intervals beside what happened.

    ``y`` are the true responses of the held-out documents as they were given, or None.
    """
    judged, response = material.judged, material.response
    if judged.scope == "training" or not judged.known.any():
        reason = (
            "The run is not calibrated, and there are no held-out documents. The training "
            "documents cannot tell how sure the model should be of new ones. Call calibrate first, "
            "or give test and test_y."
        )
        return section("certainty", HEADING, element("p", reason))
    source = material.run if judged.predicted is None else judged.predicted
    figures = make_panels(1, width=4.4, height=3.9)
    plot_uncertainty(source, y, response=response.name, ax=axes_of(figures))
    if material.calibration is None:
        note = (
            "The run is not calibrated. The picture shows how often documents are wrong, or how "
            "large their errors are, against how much the draws disagree about them."
        )
    elif response.kind == "real":
        note = (
            "On the dotted line, intervals hold as many true values as they should. Below it they "
            "are too narrow, and above it too wide."
        )
    else:
        note = (
            "On the dotted line, a class or label is true as often as its stated probability says. "
            "Below it, it is true less often, and above it more often."
        )
    picture = show(figures[0], "stated certainty beside what happened")
    pictures = element("div", picture, class_="pictures")
    return section("certainty", HEADING, pictures, element("p", note, class_="note"))
