"""Gather the docstrings of an installed package as plain words.

The source files are parsed and never imported: importing every module of a large package is slow,
has side effects and raises warnings.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

# Folders and files that hold code of other projects, or docstrings that are not documentation.
SKIPPED = re.compile(
    r"tests?|testing|conftest|setup|_?vendor(ed)?|_?externals?|extern|_?distutils|f2py|_?pyinstaller|"
    r"array_api_.*|_?lib_version|_?version|sandbox|d3viz|misc"
)
# A text must not contain its label, nor names of related packages that give the label away.
PACKAGE_NAMES = frozenset(
    """aesara arviz mpl matplotlib ndarray numba numpy pandas plt pylab pymc pyplot pytensor scikit
    scipy sklearn theano xarray""".split()
)
STOP_WORDS = frozenset(
    """about above according across after all allow allowed allows along already also although
    always and another any are array arrays based because been before being below between both but
    call called calls can cannot case cases contain containing contains corresponding could
    current currently default defaults depending describe described does doing done down during
    each either else etc even every example examples false first following follows for from full
    function functions further get gets given gives going had has have having here how however
    including instead int into its itself just kept known last least less like made make makes many
    may might more most much must name need needed needs neither never new none nor not note
    notes now number object objects off often once one ones only optional other others otherwise
    our out over own parameter parameters pass passed per possible previous provide provided
    raise raised raises rather respectively result results return returned returning returns same
    second see several shall shape should similar simply since some specified specifies specify
    still str string such sure take taken takes than that the their them then there therefore
    these they this those though three through thus too true two type types under unless until upon
    use used useful user uses using usually value values various very via want was way well were
    what when where whether which while who whose why will with within without would yes yet you
    your""".split()
)

SECTION = re.compile(r"^([A-Z][\w ]*)\n[-=~]{3,}[ \t]*$", re.MULTILINE)
DROPPED_SECTIONS = frozenset({"Examples", "Example", "References", "See Also", "See also"})
DECLARATION = re.compile(r"^[ \t]*[\w*.,{}()'\" -]+ ?: .*$", re.MULTILINE)
DOCTEST = re.compile(r"^[ \t]*>>> (?:.+\n?)*", re.MULTILINE)
INDENTED = r"[ \t]*\n(?:[ \t]*\n|\1[ \t]+.*\n?)*"
CODE_BLOCK = re.compile(
    r"^([ \t]*)\.\. (?:code|math|plot|ipython|image|figure|deprecated|testcode|seealso|"
    r"\[|_|parsed-literal|table|rubric).*" + INDENTED,
    re.MULTILINE,
)
LITERAL_BLOCK = re.compile(r"^([ \t]*)(?!\.\. )(.*)::" + INDENTED, re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*(?:\.\. [\w-]+::.*|:[\w -]+:.*|[-=~^*+| ]{3,})$", re.MULTILINE)
# Roles, literals, links, substitutions, and names with dots or underscores are code, not words.
MARKUP = re.compile(
    r":[\w:]+:`[^`]*`|``.+?``|`[^`]*`_*|https?://\S+|%\(\w+\)s|\{\w+\}|\w+(?:[._/\\]\w+)+|\S*\\\S*",
    re.DOTALL,
)
WORD = re.compile(r"\b[a-z]{3,}\b(?!'t)")


def extract_words(docstring: str) -> list[str]:
    """Return the words of the prose in a docstring, lower-case, without stop words.

    Examples, references, doctests, mathematics, code, markup, the lines that declare
    parameters, and the names of the packages are left out.
    """
    first, *rest = SECTION.split(inspect.cleandoc(docstring))
    sections = zip(rest[0::2], rest[1::2], strict=True)
    text = "\n".join([first, *(body for title, body in sections if title not in DROPPED_SECTIONS)])
    text = LITERAL_BLOCK.sub(r"\1\2\n", CODE_BLOCK.sub("\n", DOCTEST.sub("\n", text)))
    for pattern in (DIRECTIVE, DECLARATION, MARKUP):
        text = pattern.sub(" ", text)
    words = WORD.findall(text.lower())
    return [word for word in words if word not in STOP_WORDS and word not in PACKAGE_NAMES]


@cache
def gather(package: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return (qualified name, words) for the public objects of a package, each text only once.

    The objects are in the order of the sorted files and of the lines in them. The result is empty
    for a package that is not installed or has no Python source files.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return ()
    root = Path(next(iter(spec.submodule_search_locations)))
    found: dict[tuple[str, ...], str] = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if any(SKIPPED.fullmatch(part) for part in parts):
            continue
        module = ".".join((package, *(part for part in parts if part != "__init__")))
        for name, docstring in _docstrings(_parse(path).body, module):
            found.setdefault(tuple(extract_words(docstring)), name)
    return tuple((name, words) for words, name in found.items())


def _parse(path: Path) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in docstrings of other projects
        return ast.parse(path.read_bytes())


def _docstrings(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield name and docstring of the public functions, classes and methods of a body."""
    for node in body:
        if isinstance(node, ast.Expr):
            yield from _added_docstring(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name.startswith("_"):
                continue
            name = f"{prefix}.{node.name}"
            docstring = ast.get_docstring(node, clean=False)
            if docstring:
                yield name, docstring
            if isinstance(node, ast.ClassDef):
                yield from _docstrings(node.body, name)


def _added_docstring(value: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield name and docstring of ``add_newdoc(module, object, docstring)``, NumPy's for C code."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
        return
    if value.func.id != "add_newdoc":
        return
    try:
        module, name, docstring = [ast.literal_eval(argument) for argument in value.args]
    except ValueError:
        return  # an argument is computed, not written out
    if isinstance(docstring, tuple):
        name, docstring = f"{name}.{docstring[0]}", docstring[1]
    if isinstance(docstring, str):
        yield f"{module}.{name}", docstring
