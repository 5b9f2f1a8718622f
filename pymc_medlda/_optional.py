"""Imports of packages that only some functions need."""

from __future__ import annotations

import importlib
from types import ModuleType


def import_sklearn(module: str) -> ModuleType:
    """Import a module of scikit-learn, or raise an error that names the extra to install."""
    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError as error:
        raise ImportError('this needs scikit-learn: pip install "pymc-medlda[sklearn]"') from error
