"""Functions of users that split texts: named by their import path, and found again by it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any] | str
"""A function, or its import path ``"module:name"``."""


def path_of(function: Callable[..., Any]) -> str | None:
    """Return the import path of a function, None if it has none.

    A lambda, a function inside a function, a bound method and an object with ``__call__`` have
    none: no import statement gives them back. Nor has a function of a script or a notebook: its
    module ``__main__`` is another one in every process.

    Examples
    --------
    >>> path_of(str.split)
    'builtins:str.split'
    >>> path_of(lambda text: text.split()) is None
    True
    """
    name = getattr(function, "__qualname__", None)
    owner = getattr(function, "__objclass__", function)  # methods of built-in types have one
    module = getattr(owner, "__module__", None)
    if not isinstance(name, str) or not isinstance(module, str) or module == "__main__":
        return None
    path = f"{module}:{name}"
    try:
        return path if find_function(path) == function else None
    except ValueError:
        return None


def find_function(path: str) -> Callable[..., Any]:
    """Import the function of an import path; raise if there is none."""
    module, _, name = path.partition(":")
    try:
        found: Any = sys.modules.get(module) or importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # the code of a module may raise anything
        raise ValueError(f"the function {path!r} cannot be imported: {error}") from error
    if not callable(found):
        raise ValueError(f"{path!r} is not a function, but a {type(found).__name__}")
    return found


def find_hook(hook: Hook) -> Callable[..., Any]:
    """Return a function that was given or that has this import path."""
    return find_function(hook) if isinstance(hook, str) else hook


def is_path(value: Any) -> bool:
    """Tell whether a value has the form of an import path."""
    module, colon, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    parts = [*module.split("."), *name.split(".")]
    return bool(colon) and all(part.isidentifier() for part in parts)


def explain_no_path(name: str, hook: Any) -> str:
    """Say why a run cannot take texts that were split by a function without an import path."""
    what = getattr(hook, "__qualname__", None) or f"an object of type {type(hook).__name__}"
    why = "has no import path"
    if getattr(hook, "__module__", None) == "__main__" and what.isidentifier():
        why = "was defined in a script or a notebook and therefore has no import path"
    return (
        f"this model cannot split texts: its corpus was made with {name}={what}, which {why}, so "
        "that it could not be stored. Define it as a function of a module, or give a Corpus built "
        "with vocabulary= instead of texts"
    )
