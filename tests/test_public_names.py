"""Every public name has a docstring, full annotations, and an example that runs as a doctest."""

import doctest
import inspect
import os
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
        for inner in value.__all__:
            found[f"{name}.{inner}"] = getattr(value, inner)
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


def test_the_lists_are_sorted_and_hold_only_functions_and_classes_of_ours():
    for module in (med, med.datasets, med.distributed):
        assert list(module.__all__) == sorted(module.__all__)
    foreign = [
        name
        for name, value in OBJECTS.items()
        if not (inspect.isroutine(value) or inspect.isclass(value))
        or not value.__module__.startswith("pymc_medlda.")
    ]
    assert not foreign


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


def modules_after(statement):
    """Return the modules that a fresh interpreter has loaded after a statement."""
    code = (
        f"import sys, warnings; warnings.simplefilter('ignore'); {statement}; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = {"pymc", "pytensor", "arviz", "matplotlib", "sklearn", "pyLDAvis", "polars"}


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import pymc_medlda", set()),
        ("import pymc_medlda.kernels.sweeps.topic_sampler, pymc_medlda.kernels.weights", set()),
        ("import pymc_medlda as med; med.Corpus, med.datasets", set()),
        ("import pymc_medlda as med; med.predict, med.evaluate, med.perplexity", set()),
        ("import pymc_medlda as med; med.diagnose, med.top_words, med.align_topics", set()),
        ("import pymc_medlda as med; med.explain", set()),
        ("import pymc_medlda as med; med.report", {"matplotlib"}),
        ("import pymc_medlda as med; med.plot_burn_in", {"matplotlib"}),
        ("import pymc_medlda as med; med.GibbsMedLDA", {"pymc", "pytensor", "arviz", "matplotlib"}),
    ],
)
def test_an_import_costs_what_is_used(statement, allowed):
    loaded = modules_after(statement)
    assert any(name.startswith("pymc_medlda") for name in loaded)
    assert not (loaded & HEAVY) - allowed


@pytest.mark.parametrize(
    "statement",
    [
        "import pymc_medlda as med; med.TopicAssignments",
        "import pymc_medlda.model.random_variables",  # as unpickling a model does
        "import pymc_medlda.sampling.step",
    ],
)
def test_whoever_has_the_variables_has_the_step(statement):
    code = (
        f"import warnings; warnings.simplefilter('ignore'); {statement}\n"
        "from pymc.step_methods import STEP_METHODS\n"
        "print([s.__name__ for s in STEP_METHODS].count('GibbsMedLDAStep'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


def test_rooms_that_users_reach_are_attributes_before_anything_is_imported():
    loaded = modules_after("import pymc_medlda as med; med.losses.Loss, med.corpus.Corpus")
    assert "pymc_medlda.losses.loss" in loaded
    with pytest.raises(AttributeError, match="nosuch"):
        med.nosuch  # noqa: B018


def test_without_scikit_learn_every_listed_name_can_be_had(monkeypatch):
    """Tools such as help() look at every name that dir() lists."""
    assert set(dir(med)) == set(med.__all__)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    need_it = {"GibbsMedLDAClassifier", "GibbsMedLDARegressor", "fit"}
    assert set(med.__all__) - set(dir(med)) == need_it
    for name in dir(med):
        getattr(med, name)  # raises for a name that cannot be had


IMPORT_EACH_FIRST = """
import os, pathlib, sys, warnings
warnings.simplefilter("ignore")
import matplotlib.pyplot, pymc, sklearn.base, numba, pandas
import pymc_medlda
folder = pathlib.Path(pymc_medlda.__file__).parent
paths = [path.relative_to(folder.parent).with_suffix("") for path in folder.rglob("*.py")]
names = [".".join(path.parts).removesuffix(".__init__") for path in paths]
failed = []
for name in names:
    child = os.fork()
    if child == 0:
        try:
            __import__(name)
        except BaseException as error:
            print(name, repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append(name)
print(len(names), failed)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_every_module_can_be_imported_first():
    """In whatever order modules are imported, none finds another half made."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH_FIRST], capture_output=True, text=True, check=True
    )
    n_modules, failed = done.stdout.split(maxsplit=1)
    assert int(n_modules) > 60
    assert failed.strip() == "[]", done.stderr
