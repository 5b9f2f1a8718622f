"""What a response gets if the user does not say otherwise: its loss and its number of topics."""

from __future__ import annotations

import logging

from pymc_medlda.losses import Hinge, Loss, Standardised
from pymc_medlda.targets.labels import listing
from pymc_medlda.targets.response import Response

# A child of PyMC's logger, so that its messages appear where PyMC's do.
_log = logging.getLogger("pymc.medlda")


# Several tasks share the topics, so they need more of them. Chosen by experiment.
TOPICS_OF_ONE, TOPICS_OF_SEVERAL = 20, 40


def choose_n_topics(response: Response | None) -> int:
    """Return the number of topics: 20 with one discriminant or without response, 40 with several.

    Examples
    --------
    >>> choose_n_topics(None)
    20
    """
    one = response is None or response.n_tasks == 1
    return TOPICS_OF_ONE if one else TOPICS_OF_SEVERAL


def choose_loss(response: Response) -> Loss | Standardised:
    """Return the loss that fits the kind of the response, and log which one it is."""
    if response.kind == "real":
        loss: Loss | Standardised = Standardised()
        text = "real values: epsilon-insensitive loss of standardised values (regression)"
    elif response.kind == "binary":
        loss = Hinge()
        text = f"two classes {listing(response.classes)}: hinge loss, margin {loss.margin:g}"
    else:
        loss = Hinge()
        many, one = ("classes", "class") if response.kind == "multiclass" else ("labels", "label")
        text = (
            f"{response.n_tasks} {many}: one hinge loss per {one} (multi-task), "
            f"margin {loss.margin:g}"
        )
    _log.info("y has %s", text)
    return loss
