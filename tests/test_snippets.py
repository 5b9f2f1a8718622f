"""The code in the README and in the documentation runs as it stands, block after block."""

import argparse
import importlib
import re
import runpy
import shlex
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats

from tests.short_runs import plant_docstrings, shorten_runs
from tests.test_command_line import make_table

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
DOCS = sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)
PYTHON = ("python", "{code-cell} python")
PAGES = [
    path
    for path in DOCS
    if re.search(r"^```(\{code-cell\} )?python$", path.read_text(encoding="utf-8"), re.MULTILINE)
]
COMMAND_LINE = "pymc_medlda.command_line.main"
# Blocks that hold no code of their own: output, data, and directives of Sphinx.
NO_CODE = re.compile(
    r"text|csv|json|toml|html|bibtex|\{(eval-rst|include|toctree|math|note|tip|warning|figure|image)\}"
)


@pytest.fixture(autouse=True)
def _short_runs(monkeypatch, tmp_path):
    """Shorten chains, and plant the docstrings; files that a page writes are left in a folder."""
    shorten_runs(monkeypatch)
    plant_docstrings(monkeypatch)
    monkeypatch.chdir(tmp_path)
    make_table(40, 1).to_csv("reviews.csv", index=False)
    yield
    plt.close("all")


def blocks(path, *languages):
    """Return the code blocks of a page in order, without the options of a cell."""
    text = path.read_text(encoding="utf-8")
    names = "|".join(re.escape(language) for language in languages)
    found = re.findall(rf"^```(?:{names})\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"^:tags:.*\n", "", block) for block in found]


def run(path):
    """Run the blocks of a page in one namespace and return it."""
    names = {"__name__": "__main__"}
    for block in blocks(path, *PYTHON):
        exec(compile(block, path.name, "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore")  # PyMC warns of short chains
def test_readme(capsys):
    if not README.exists():
        pytest.skip("no README beside the tests")
    names = run(README)
    said = capsys.readouterr().out
    assert "accuracy" in said
    assert re.search("^decision +(like|dislike)$", said, re.MULTILINE)
    assert {"nu", "eta", "z"} <= set(names["idata"]["posterior"].data_vars)


def test_the_loss_in_contributing(rng):
    if not CONTRIBUTING.exists():
        pytest.skip("no CONTRIBUTING beside the tests")
    loss = run(CONTRIBUTING)["StudentT"]()
    y, f = rng.standard_normal((2, 5, 1))
    expected = stats.t.logpdf(y, loss.dof, loc=f, scale=loss.sigma)
    np.testing.assert_allclose(loss.log_factor(y, f).eval(), expected)
    np.testing.assert_allclose(loss.log_factor_of(loss.value(y, f)), expected)
    # The slope of the log factor in F is the mean of b - a F over the auxiliary variable.
    n, step = 4000, 1e-5
    many_y, many_f = np.repeat(y, n, axis=1), np.repeat(f, n, axis=1)
    a, b = loss.quadratic(many_y, loss.draw_auxiliary(rng, many_y, many_f))
    slopes = b - a * many_f
    up, down = (loss.log_factor_of(loss.value(y, f + d)) for d in (step, -step))
    error = (slopes.mean(axis=1) - ((up - down) / (2 * step))[:, 0]) / stats.sem(slopes, axis=1)
    assert np.abs(error).max() < 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyMC warns of short chains
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path):
    assert run(path)


def test_the_blocks_of_a_page_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```{code-cell} python\n:tags: [hide-input]\nx = 1\n```\n\n```bash\nls\n```\n")
    assert blocks(page, *PYTHON) == ["x = 1\n"]
    assert blocks(page, "bash") == ["ls\n"]


@pytest.mark.parametrize("path", [README, CONTRIBUTING, *DOCS], ids=lambda path: path.stem)
def test_every_block_is_run_or_holds_no_code(path):
    """Python blocks of pages without cells, and blocks of unknown languages, would not be run."""
    if not path.exists():
        pytest.skip("not beside the tests")
    fences = re.findall(r"^```(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) % 2 == 0
    for language in fences[::2]:
        kind = language.split()[0] if language else ""
        assert language in (*PYTHON, "bash") or NO_CODE.fullmatch(kind), language
        if language in PYTHON:
            assert path in (README, CONTRIBUTING, *PAGES)


def commands(path):
    """Return the shell commands of a page, one per line, without comments."""
    text = "".join(blocks(path, "bash")).replace("\\\n", " ")
    return [line.split(" #")[0].strip() for line in text.splitlines() if line.strip()]


class ParsedError(Exception):
    """The arguments of a program are right, and it would start its work now."""


@pytest.mark.parametrize("path", [README, CONTRIBUTING, *DOCS], ids=lambda path: path.stem)
def test_shell_commands_exist(path, monkeypatch):
    """Benchmarks take their arguments, targets are in the Makefile, extras in pyproject.toml."""
    if not (ROOT / "Makefile").exists() or not path.exists():
        pytest.skip("not beside the tests")
    parse = argparse.ArgumentParser.parse_args

    def stop(parser, *given):
        parse(parser, *given)
        raise ParsedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    for command in commands(path):
        words = [w for w in shlex.split(command) if not re.fullmatch(r"[A-Z_]+=\S*", w)]
        check_command(words, monkeypatch)


def check_command(words, monkeypatch):
    """Raise unless a shell command of a page can be given."""
    if words[:2] == ["python", "-m"] and words[2].startswith("tests.benchmarks."):
        module = importlib.import_module(words[2])
        monkeypatch.setattr("sys.argv", words[2:])
        if hasattr(module, "argparse"):
            with pytest.raises(ParsedError):
                runpy.run_path(module.__file__, run_name="__main__")
        else:
            assert callable(module.main)
            assert len(words) == 3
    elif words[:3] == ["python", "-m", "paper"] or words[0] in read_project()["scripts"]:
        is_paper = words[0] == "python"
        monkeypatch.setattr("sys.argv", words[2:] if is_paper else words)
        with pytest.raises(ParsedError):
            importlib.import_module("paper.__main__" if is_paper else COMMAND_LINE).main()
    elif words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = [word for word in words[1:] if "=" not in word]
        assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    elif words[:2] == ["pip", "install"]:
        extras = re.findall(r"\[([\w,]+)\]", " ".join(words))
        assert extras
        assert set(",".join(extras).split(",")) <= set(read_project()["optional-dependencies"])
    else:
        assert (ROOT / words[0]).is_file(), f"no test knows {words}"


def read_project():
    """Return the table of the project in pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_wrong_commands_are_found(monkeypatch):
    for wrong in ("make nothing", "pip install .[nothing]", "curl x", "python x.py"):
        with pytest.raises(AssertionError):
            check_command(wrong.split(), monkeypatch)
    for wrong in ("pymc-medlda guess run.nc", "python -m paper --only nothing"):
        with pytest.raises(SystemExit):
            check_command(wrong.split(), monkeypatch)
