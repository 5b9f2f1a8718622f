"""The command says clearly what is missing, and what it would have done."""

import sys

import pytest
from PIL import Image

from paper import __main__ as command
from paper import files


@pytest.mark.parametrize(("options", "code"), [(["--quick"], 0), ([], 1)])
def test_without_the_corpora_it_says_so(monkeypatch, tmp_path, capsys, options, code):
    """Whoever asks for the whole paper must notice; a quick check has nothing to check."""
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["paper", *options])
    assert command.main() == code
    said = capsys.readouterr().out
    assert "MEDLDA_DATA" in said
    assert "20ng_religion.npz" in said


def test_all_parts_have_jobs_and_something_to_show():
    options = command.argparse.Namespace(only=None, quick=False)
    for name, module in command.load_modules(options).items():
        assert module.jobs(command.QUICK), name
        assert hasattr(module, "draw") or hasattr(module, "describe"), name


def test_publishing_copies_pictures_and_tables(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "ROOT", tmp_path / "root")
    (tmp_path / "root" / "docs").mkdir(parents=True)
    Image.new("RGB", (20, 10), "white").save(tmp_path / "fig01.png")
    (tmp_path / "claims.md").write_text("| table |", encoding="utf-8")
    command.publish(tmp_path)
    docs = tmp_path / "root" / "docs"
    with Image.open(docs / "images" / "paper" / "fig01.png") as image:
        assert image.size == (20, 10)
    assert (docs / "paper" / "claims.txt").read_text(encoding="utf-8") == "| table |"
