"""All kinds of jobs by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paper import agreement, methods, printed, turns

KINDS: dict[str, Callable[..., dict[str, Any]]] = {
    "run": methods.run,
    "cross_validate": methods.cross_validate,
    "one_vs_all": methods.one_vs_all,
    "burn_in": methods.burn_in,
    "topic_profiles": methods.topic_profiles,
    "in_turns": turns.in_turns,
    "agreement": agreement.agreement,
    "printed": printed.compare,
}
