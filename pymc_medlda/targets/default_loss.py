"""The loss of a response for which the user names none."""

from __future__ import annotations

import logging

from pymc_medlda.losses import EpsilonInsensitive, Hinge, Loss
from pymc_medlda.targets.labels import listing
from pymc_medlda.targets.response import Response

# A child of PyMC's logger, so that its messages appear where PyMC's do.
_log = logging.getLogger("pymc.medlda")

# The paper's margins: with one discriminant (two classes), and with several (classes or labels).
MARGIN_OF_ONE, MARGIN_OF_SEVERAL = 164.0, 64.0


def choose_loss(response: Response) -> Loss:
    """Return the loss that fits the kind of the response, and log which one it is."""
    if response.kind == "real":
        loss: Loss = EpsilonInsensitive()
        text = "real values: epsilon-insensitive loss (regression)"
    elif response.kind == "binary":
        loss = Hinge(margin=MARGIN_OF_ONE)
        text = f"two classes {listing(response.classes)}: hinge loss, margin {MARGIN_OF_ONE:g}"
    else:
        loss = Hinge(margin=MARGIN_OF_SEVERAL)
        many, one = ("classes", "class") if response.kind == "multiclass" else ("labels", "label")
        text = (
            f"{response.n_tasks} {many}: one hinge loss per {one} (multi-task), "
            f"margin {MARGIN_OF_SEVERAL:g}"
        )
    _log.info("y has %s", text)
    return loss
