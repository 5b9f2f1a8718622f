"""Max-margin supervised topic models (Gibbs MedLDA) as a PyMC plugin.

Build a `Corpus`, put it in a `GibbsMedLDA` model (or in parts: `TopicAssignments`, `MaxMargin`),
sample with ``pm.sample``, then `predict`, `top_words`, `diagnose`.

Names are imported when they are first used; ``__init__.pyi`` lists them with their modules.
"""

import importlib
import importlib.util
import threading
from typing import Any

import lazy_loader

__version__ = "0.1.0"

_find_name, _, __all__ = lazy_loader.attach_stub(__name__, __file__)

_ROOMS = frozenset({"corpus", "estimators", "losses", "plots"})
"""Folders that users may also reach as attributes, such as ``med.losses.Loss``."""

_one_at_a_time = threading.RLock()
"""PyTensor's modules import each other in circles. If two threads enter such a circle at different
places, Python lets one of them see a module that is not complete yet, and its import fails."""


def __getattr__(name: str) -> Any:
    with _one_at_a_time:
        if name in _ROOMS:
            return importlib.import_module(f"{__name__}.{name}")
        return _find_name(name)


def __dir__() -> list[str]:
    # Tools that look at every name, such as help(), must not meet one that cannot be imported.
    if importlib.util.find_spec("sklearn") is not None:
        return list(__all__)
    need_sklearn = importlib.import_module(f"{__name__}.estimators").__all__
    return [name for name in __all__ if name not in need_sklearn]
