"""Whole fits behind one object: scikit-learn's estimators, and one binary model per class.

May import everything but `plots`. Only the two scikit-learn classes, and `fit`, which uses them,
need scikit-learn, so they are imported when they are asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from pymc_medlda._optional import import_optional

if TYPE_CHECKING:
    from pymc_medlda.estimators.classifier import GibbsMedLDAClassifier
    from pymc_medlda.estimators.fitting import fit
    from pymc_medlda.estimators.regressor import GibbsMedLDARegressor

__all__ = ["GibbsMedLDAClassifier", "GibbsMedLDARegressor", "fit"]

_MODULES = {
    "GibbsMedLDAClassifier": "classifier",
    "GibbsMedLDARegressor": "regressor",
    "fit": "fitting",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_optional(
        "sklearn", needed_by=f"{__name__}.{name}", package="scikit-learn", extra="sklearn"
    )
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
