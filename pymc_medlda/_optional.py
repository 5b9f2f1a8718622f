"""Imports of packages that only some functions need."""

from __future__ import annotations

import importlib
from types import ModuleType


def missing_package(*, needed_by: str, package: str, extra: str) -> ImportError:
    """Return the error that names the package and the extra to install."""
    return ImportError(f'{needed_by} needs {package}: pip install "pymc-medlda[{extra}]"')


def import_optional(module: str, *, needed_by: str, package: str, extra: str) -> ModuleType:
    """Import a module, or raise an error that names the package and the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise missing_package(needed_by=needed_by, package=package, extra=extra) from error


def import_sklearn(module: str) -> ModuleType:
    """Import a module of scikit-learn."""
    return import_optional(
        f"sklearn.{module}", needed_by="this", package="scikit-learn", extra="sklearn"
    )
