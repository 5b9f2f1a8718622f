"""Small changes to the package that make it wrong, and the tests that should notice each of them.

A module of this package holds a tuple ``MUTATIONS``, and may hold a dictionary ``KNOWN`` that says
why a change, named by its file and its old text, makes no difference that a test could see.
``python -m tests.mutations [filter]`` applies the changes one at a time to a copy of the repository
and runs the tests that each of them names.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = "pymc_medlda"


@dataclass(frozen=True)
class Mutation:
    """One change of one place in the source, and what should notice it."""

    file: str  # below the folder of the package
    old: str  # occurs exactly once in the file
    new: str
    tests: tuple[str, ...]  # paths or node ids, from the root of the repository
    why: str = ""  # what the change makes wrong


def changes_of(file, tests, *changes) -> tuple[Mutation, ...]:
    """Return mutations of one file, given as old text, new text and reason."""
    return tuple(Mutation(file, old, new, tests, why) for old, new, why in changes)


def _lists():
    names = sorted(found.name for found in iter_modules(__path__) if found.name != "__main__")
    return {name: import_module(f"{__name__}.{name}") for name in names}


def collect() -> list[tuple[str, Mutation]]:
    """Return all mutations, each with the name of its list."""
    lists = _lists().items()
    return [(name, m) for name, module in lists for m in getattr(module, "MUTATIONS", ())]


def known_survivors() -> dict[tuple[str, str], str]:
    """Return why some mutations, each named by its file and old text, are not noticed."""
    known: dict[tuple[str, str], str] = {}
    for module in _lists().values():
        known.update(getattr(module, "KNOWN", {}))
    return known
