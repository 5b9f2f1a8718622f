"""The code in the README and in the documentation runs as it stands, block after block."""

import inspect
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytest
from scipy import stats

import pymc_medlda as med

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
# Pages with blocks that the documentation executes when it is built.
PAGES = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if "{code-cell}" in path.read_text(encoding="utf-8")
]
SHORT = {"tune": 3, "draws": 10, "cores": 1}
QUIET = {"progressbar": False, "compute_convergence_checks": False, "quiet": True}


@pytest.fixture(autouse=True)
def _short_runs(monkeypatch):
    """Shorten chains, and plant the docstrings: what is tested is that the code runs."""
    sample, signature = pm.sample, inspect.signature(med.datasets.load_docstrings)
    anneal = med.annealed_starts

    def plant_docstrings(packages, **given):
        signature.bind(packages, **given)
        planted = med.datasets.make_planted(60, seed=1)
        labels = np.where(planted.y > 0, *packages)
        return med.datasets.LabelledCorpus(planted.corpus, labels, tuple(packages))

    monkeypatch.setattr(pm, "sample", lambda **given: sample(**{**given, **SHORT, **QUIET}))
    monkeypatch.setattr(med, "annealed_starts", lambda n_sweeps, **given: anneal(20, **given))
    monkeypatch.setattr(med.datasets, "load_docstrings", plant_docstrings)
    yield
    plt.close("all")


def blocks(path, language):
    """Return the code blocks of a page, without the options of a cell."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"^:tags:.*\n", "", block) for block in found]


def run(path, language):
    """Run the blocks of a page in one namespace and return it."""
    names = {}
    for block in blocks(path, language):
        exec(compile(block, path.name, "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore")  # PyMC warns of short chains
def test_readme(capsys):
    if not README.exists():
        pytest.skip("no README beside the tests")
    names = run(README, "python")
    assert "accuracy" in capsys.readouterr().out
    assert {"nu", "eta", "z"} <= set(names["idata"]["posterior"].data_vars)


def test_the_loss_in_contributing(rng):
    if not CONTRIBUTING.exists():
        pytest.skip("no CONTRIBUTING beside the tests")
    loss = run(CONTRIBUTING, "python")["StudentT"]()
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
    assert run(path, r"\{code-cell\} python")


def test_the_blocks_of_a_page_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```{code-cell} python\n:tags: [hide-input]\nx = 1\n```\n\n```bash\nls\n```\n")
    assert blocks(page, r"\{code-cell\} python") == ["x = 1\n"]
