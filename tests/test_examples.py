"""Every example runs as it stands, with short chains, and says something."""

from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from tests.short_runs import plant_docstrings, shorten_runs

ROOT = Path(__file__).resolve().parents[1]
# The demo has a make target of its own that runs it.
EXAMPLES = sorted(p for p in (ROOT / "examples").glob("*.py") if p.name != "demo.py")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyMC warns of short chains
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shorten_runs(monkeypatch)
    plant_docstrings(monkeypatch)
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), {"__name__": "__main__"})
    assert len(capsys.readouterr().out.splitlines()) >= 3
    assert plt.get_fignums(), "an example drew no picture"
    assert not list(tmp_path.iterdir()), "an example left files behind"
    plt.close("all")


def test_there_are_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_a_notebook_with_a_title_and_no_switch_for_tests(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# %% [markdown]\n# # ")
    assert "environ" not in text


def test_every_example_is_in_the_gallery():
    cards = (ROOT / "docs" / "gallery.inc").read_text(encoding="utf-8")
    pages = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for path in EXAMPLES:
        assert f":link: examples/{path.stem}\n" in cards
        assert f"images/gallery/{path.stem}.png\n" in cards
        assert (ROOT / "docs" / "images" / "gallery" / f"{path.stem}.png").is_file()
        assert f"\nexamples/{path.stem}\n" in pages
