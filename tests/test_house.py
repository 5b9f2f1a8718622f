"""The laws of the house: sizes of files and functions, what folders say of themselves, plain words.

Which room may import which is stated in ``pyproject.toml`` and checked by ``make lint``.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import pymc_medlda as med

PACKAGE = Path(__file__).resolve().parents[1] / "pymc_medlda"
FILES = sorted(PACKAGE.rglob("*.py"))
BENCHMARKS = sorted((PACKAGE.parent / "tests" / "benchmarks").glob("*.py"))
PUBLIC = {*med.__all__, *med.datasets.__all__, *med.distributed.__all__}

# The aim is 300 lines; what is a little longer may stay whole.
MOST_LINES_OF_A_FILE = 320
MOST_LINES_OF_A_FUNCTION = 60
MOST_ARGUMENTS = 8

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE.parent).as_posix()


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, Function]]:
    """Yield all functions with the name of the class or function they stand in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield owner, node
        inner = getattr(node, "name", owner) if isinstance(node, Function | ast.ClassDef) else owner
        yield from functions(node, inner)


def n_lines(function: Function) -> int:
    """Return the number of lines of a function, from its ``def``, without its docstring."""
    first = function.body[0]
    documented = ast.get_docstring(function) is not None
    docstring = first.end_lineno - first.lineno + 1 if documented else 0
    return function.end_lineno - function.lineno + 1 - docstring


def n_arguments(function: Function) -> int:
    """Return the number of arguments, without ``self``; ``*args`` and ``**kwargs`` count as one."""
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names += [a.arg for a in (given.vararg, given.kwarg) if a is not None]
    return len([name for name in names if name not in ("self", "cls")])


def is_public(path: Path, owner: str, function: Function) -> bool:
    """Tell whether users know the signature: a public function, or a method of a public class."""
    if function.name in PUBLIC and not owner:
        return True
    is_face = function.name == "__init__" or not function.name.startswith("_")
    inherited = bool(owner) and path.parent.name == "estimators"
    inherited |= owner.startswith("From")  # the parents of Corpus, which hold its constructors
    return is_face and (owner in PUBLIC or inherited)


def is_dispatched(function: Function) -> bool:
    """Tell whether PyMC calls the function with the inputs of a node, as many as there are."""
    calls = [node.func for node in function.decorator_list if isinstance(node, ast.Call)]
    return any(isinstance(call, ast.Attribute) and call.attr == "register" for call in calls)


def expect_at_most(most: int, found: dict[str, int]) -> None:
    beyond = [f"{name}: {n}" for name, n in found.items() if n > most]
    assert not beyond, f"more than {most}:\n" + "\n".join(beyond)


def test_files_are_short():
    found = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    expect_at_most(MOST_LINES_OF_A_FILE, found)


def test_functions_are_short():
    found = {
        f"{name_of(path)}:{function.lineno} {function.name}": n_lines(function)
        for path in FILES
        for _, function in functions(parse(path))
    }
    expect_at_most(MOST_LINES_OF_A_FUNCTION, found)


def test_functions_take_few_arguments():
    """Public signatures are what users know; kernels take arrays one by one, as numba wants."""
    found = {
        f"{name_of(path)}:{function.lineno} {function.name}": n_arguments(function)
        for path in FILES
        if PACKAGE / "kernels" not in path.parents
        for owner, function in functions(parse(path))
        if not is_public(path, owner, function) and not is_dispatched(function)
    }
    expect_at_most(MOST_ARGUMENTS, found)


def test_folders_say_what_they_may_import():
    folders = {path.parent for path in FILES} - {PACKAGE}
    silent = []
    for folder in sorted(folders):
        path = folder / "__init__.py"
        text = (ast.get_docstring(parse(path)) or "") if path.exists() else ""
        if not re.search(r"\b([Mm]ay\s+import|[Ii]mports\s+(no|nothing|only))\b", text):
            silent.append(name_of(folder))
    assert not silent


def test_modules_open_with_a_docstring():
    assert not [name_of(path) for path in FILES if not ast.get_docstring(parse(path))]


def test_folders_list_the_names_they_export():
    bare = []
    for path in FILES:
        if path.name != "__init__.py" or path.parent == PACKAGE:
            continue
        tree = parse(path)
        exported = [
            alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pymc_medlda.")
            for alias in node.names
            if not is_module(f"{node.module}.{alias.name}")
        ]
        targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
        if exported and "__all__" not in [getattr(target, "id", None) for target in targets]:
            bare.append(name_of(path))
    assert not bare


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def test_imports_are_absolute():
    relative = [
        f"{name_of(path)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert not relative


THING = (
    "(?:document|topic|chain|word|task|class|label|token|draw|call|quantity|row|column|response"
    "|sweep|second|session|model|process|figure|path)"
)
HOLDER = (
    "(?:row|column|list|panel|line|permutation|value|number|weight|matrix|vector|entry|byte"
    "|command)"
)
# "One per document", in full; and phrases that readers stumbled over before.
ODD = [
    rf"\bone (?:{HOLDER} )?an? {THING}\b",
    rf"\ban? {HOLDER} an? {THING}\b",
    rf"\b(?:words|weights|bytes|tokens|values|numbers|rows|chains|ms|(?:micro|milli)?seconds)"
    rf" an? {THING}\b",
    r"\bdraws a chain(?=[.,;:)])",
    r"\bin Fortran's eyes\b",
    r"\bSay that \w+ (?:or \w+ )?changed\b",
]


def odd_phrases(text: str) -> list[str]:
    """Return the phrases in a file's text, also those that run over the end of a line."""
    flat = re.sub(r"\s+(?:#:? )?\s*", " ", text)
    return [found.group() for phrase in ODD for found in re.finditer(phrase, flat, re.IGNORECASE)]


def test_words_are_plain():
    found = [
        f"{name_of(path)}: {phrase}"
        for path in [*FILES, *BENCHMARKS]
        for phrase in odd_phrases(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weights, one a\n    # document", ["one a document"]),
        ("Words a topic.", ["Words a topic"]),
        ("a row a topic", ["a row a topic"]),
        ("one command a figure, and four chains a path", ["one command a figure", "chains a path"]),
        ("one per document; a kernel draws a topic for a token", []),
    ],
)
def test_the_check_of_words_finds_what_it_should(text, expected):
    assert odd_phrases(text) == expected


def test_the_checks_of_sizes_count_right():
    tree = ast.parse(
        'class A:\n    def f(self, a, b, *, c, **d):\n        """Do.\n\n        More.\n        """'
        "\n        def g():\n            pass\n        return g\n"
    )
    (owner, f), (outer, g) = functions(tree)
    assert (owner, f.name, outer, g.name) == ("A", "f", "f", "g")
    assert (n_lines(f), n_lines(g), n_arguments(f)) == (4, 2, 4)


def test_the_tree_in_contributing_is_the_tree_there_is():
    guide = PACKAGE.parent / "CONTRIBUTING.md"
    if not guide.exists():
        pytest.skip("no CONTRIBUTING.md beside the tests")
    tree = guide.read_text(encoding="utf-8").split("```text\n", 1)[1].split("```", 1)[0]
    listed = set(re.findall(r"\b[\w]+\.py\b", tree)) - {"__init__.py"}
    modules = {path.name for path in FILES if path.parent.name != "plots"} - {"__init__.py"}
    modules.add("style.py")  # of the pictures the tree lists only what they share
    assert listed == modules
    folders = {path.parent.name for path in FILES} - {"pymc_medlda"}
    assert folders <= set(re.findall(r"(\w+)/", tree))
