"""Every public name has a docstring, full annotations, and an example that runs as a doctest."""

import doctest
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import pymc_medlda as med


def public_objects():
    """Return the functions and classes of the package's face, those of public modules too."""
    found = {}
    for name in med.__all__:
        value = getattr(med, name)
        if not isinstance(value, ModuleType):
            found[name] = value
            continue
        for inner, member in vars(value).items():
            own = getattr(member, "__module__", None) == value.__name__
            documented = inspect.isroutine(member) or inspect.isclass(member)
            if own and documented and not inner.startswith("_"):
                found[f"{name}.{inner}"] = member
    return found


def public_methods(owner):
    """Return what classes of ours in the ancestry of ``owner`` define, as plain functions."""
    found = {}
    for ancestor in reversed(owner.__mro__):
        if not ancestor.__module__.startswith("pymc_medlda"):
            continue
        for name, member in vars(ancestor).items():
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if inspect.isfunction(function) and not name.startswith("_"):
                found[name] = function
    return found


OBJECTS = public_objects()
CLASSES = {name: value for name, value in OBJECTS.items() if inspect.isclass(value)}
METHODS = {
    f"{name}.{method}": function
    for name, value in CLASSES.items()
    for method, function in public_methods(value).items()
}
FUNCTIONS = {name: value for name, value in OBJECTS.items() if not inspect.isclass(value)}
CONSTRUCTORS = {
    f"{name}()": value.__init__
    for name, value in CLASSES.items()
    if inspect.isfunction(vars(value).get("__init__"))
}


def bare(function):
    """Return the names of parameters without annotation, and 'return' if that lacks one."""
    signature = inspect.signature(function)
    names = [
        name
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls") and parameter.annotation is inspect.Parameter.empty
    ]
    if signature.return_annotation is inspect.Signature.empty:
        names.append("return")
    return names


def test_the_list_is_sorted_and_complete():
    assert med.__all__ == sorted(med.__all__)
    assert len(OBJECTS) >= len(med.__all__)


@pytest.mark.parametrize("name", [*OBJECTS, *METHODS])
def test_docstring(name):
    value = {**OBJECTS, **METHODS}[name]
    # A method may leave it to the one it overrides; a class may not inherit its parent's.
    text = inspect.getdoc(value) if name in METHODS else value.__doc__
    assert text, f"{name} has no docstring"
    assert text.strip(), f"{name} has an empty docstring"


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS, *CONSTRUCTORS])
def test_annotations(name):
    missing = bare({**FUNCTIONS, **METHODS, **CONSTRUCTORS}[name])
    assert not missing, f"{name} has no annotation for {', '.join(missing)}"


@pytest.mark.parametrize("name", OBJECTS)
def test_doctest(name):
    examples = doctest.DocTestParser().get_examples(OBJECTS[name].__doc__ or "")
    assert examples, f"{name} has no example"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_what_they_take_or_hold(name):
    text = CLASSES[name].__doc__
    assert "Parameters\n" in text or "Attributes\n" in text, f"{name} lists no parameters"


def test_every_name_is_in_the_reference(request):
    reference = request.config.rootpath / "docs" / "api.md"
    if not reference.exists():
        pytest.skip("no documentation beside the tests")
    lines = reference.read_text(encoding="utf-8").splitlines()
    listed = {line.strip().removeprefix("estimators.") for line in lines}
    assert not set(OBJECTS) - listed


def test_importing_the_package_leaves_optional_dependencies_alone():
    code = (
        "import sys, warnings; warnings.simplefilter('ignore'); import pymc_medlda; "
        "print([m for m in ('sklearn', 'pyLDAvis', 'dask', 'polars') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
