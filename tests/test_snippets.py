"""The Python snippets of the README run as they are pasted, one after the other."""

import re
from pathlib import Path

import pymc as pm
import pytest

import pymc_medlda as med

README = Path(__file__).resolve().parents[1] / "README.md"
SHORT = {"tune": 3, "draws": 10, "chains": 2, "cores": 1, "progressbar": False}


@pytest.mark.filterwarnings("ignore")  # PyMC warns of few draws
def test_readme(monkeypatch, capsys):
    if not README.exists():
        pytest.skip("no README beside the tests")
    snippets = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    assert len(snippets) >= 2
    sample, load = pm.sample, med.datasets.load_docstrings
    monkeypatch.setattr(
        pm, "sample", lambda **given: sample(**{**given, **SHORT}, compute_convergence_checks=False)
    )
    monkeypatch.setattr(
        med.datasets,
        "load_docstrings",
        lambda packages, **given: load(packages, **{**given, "n_documents_per_package": 60}),
    )
    names = {}
    for snippet in snippets:
        exec(compile(snippet, str(README), "exec"), names)
    assert "accuracy" in capsys.readouterr().out
    assert {"nu", "eta", "z"} <= set(names["idata"]["posterior"].data_vars)
