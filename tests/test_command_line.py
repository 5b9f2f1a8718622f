"""The command line: from a table to a run, a report, predictions and a small model."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.command_line.main import main

ROOT = Path(__file__).resolve().parents[1]
SHORT = ("--topics", "2", "--tune", "3", "--draws", "3", "--chains", "2", "--seed", "1", "--quiet")
UP, DOWN = ["good", "tasty", "fresh", "sunny"], ["rude", "dirty", "broken", "late"]
pytestmark = pytest.mark.filterwarnings("ignore:the chains differ much")


def make_table(n, seed):
    rng = np.random.default_rng(seed)
    up = rng.random(n) < 0.5
    both = ["hotel", "room", "staff"]
    texts = [" ".join(rng.choice((UP if own else DOWN) + both, 12)) for own in up]
    return pd.DataFrame(
        {
            "review": texts,
            "verdict": np.where(up, "like", "dislike"),
            "stars": np.where(up, 4.5, 1.5) + rng.normal(0, 0.3, n),
            "tags": np.where(up, "happy", "angry; loud"),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two tables and the run of the first, made by the command itself."""
    path = tmp_path_factory.mktemp("command_line")
    make_table(40, 1).to_csv(path / "data.csv", index=False)
    make_table(20, 2).to_csv(path / "new.csv", index=False)
    files = ("--out", str(path / "run.nc"), "--report", str(path / "report.html"))
    assert fit(path, "verdict", *files) == 0
    return path


def fit(folder, label, *options):
    table = str(folder / "data.csv")
    every = ("--max-df", "1.0", *SHORT, *options)
    return main(["fit", table, "--text", "review", "--label", label, *every])


def predict(folder, model, *options):
    out = folder / "predictions.csv"
    table = str(folder / "new.csv")
    every = ("--text", "review", "--out", str(out), "--seed", "1", *options)
    assert main(["predict", str(folder / model), table, *every]) == 0
    return pd.read_csv(out)


@pytest.mark.filterwarnings("ignore:the calibration")
def test_two_commands_lead_from_a_table_to_predictions(folder, capsys):
    table = predict(folder, "run.nc")
    truth = pd.read_csv(folder / "new.csv")["verdict"]
    assert (table["decision"] == truth).mean() > 0.8
    assert table["probability"].between(0, 1).all()
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "Wrote" in capsys.readouterr().err


def test_the_run_is_one_that_every_function_reads(folder):
    run = med.read_run(folder / "run.nc")
    assert get_group(run, "calibration") is not None
    assert {"good", "rude"} <= set(med.top_words(run, 11).filter(like="word").values.ravel())
    expected = med.predict(run, ["good and fresh"], random_seed=1, as_frame=True)
    assert expected["decision"].tolist() == ["like"]


def test_an_exported_model_predicts_the_same(folder, capsys):
    assert main(["export", str(folder / "run.nc"), str(folder / "model.npz")]) == 0
    from_run, from_model = predict(folder, "run.nc"), predict(folder, "model.npz")
    assert from_model.columns.tolist() == from_run.columns.tolist()
    assert (from_model["decision"] == from_run["decision"]).mean() > 0.9
    assert np.abs(from_model["probability"] - from_run["probability"]).mean() < 0.1


def test_what_a_file_holds_counts_and_not_its_name(folder, capsys):
    assert main(["export", str(folder / "run.nc"), str(folder / "model.bin")]) == 0
    (folder / "odd.npz").write_bytes((folder / "run.nc").read_bytes())
    assert len(predict(folder, "model.bin")) == len(predict(folder, "odd.npz")) == 20
    assert main(["report", str(folder / "odd.npz"), "--out", str(folder / "odd.html")]) == 0
    for command in (["report", "--out", str(folder / "odd.html")], ["export", "other.npz"]):
        name, *rest = command
        assert main([name, str(folder / "model.bin"), *rest]) == 2
        assert "is an exported model, which can only predict" in capsys.readouterr().err


def test_predictions_go_to_the_terminal_without_a_file(folder, capsys):
    assert (
        main(["predict", str(folder / "run.nc"), str(folder / "new.csv"), "--text", "review"]) == 0
    )
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("document,decision,probability")
    assert len(printed) == 21


def test_real_values_and_their_intervals(folder):
    assert fit(folder, "stars", "--out", str(folder / "stars.nc")) == 0
    table = predict(folder, "stars.nc", "--interval", "0.8")
    assert ((table["lower"] < table["value"]) & (table["value"] < table["upper"])).all()
    assert main(["export", str(folder / "stars.nc"), str(folder / "stars.npz")]) == 0
    assert {"lower", "upper"} <= set(predict(folder, "stars.npz").columns)


def test_what_the_labels_were_taken_for_is_said(folder, tmp_path, capsys):
    table = pd.read_csv(folder / "data.csv")
    table["stars"] = np.where(table["verdict"] == "like", 5, 1) - np.arange(40) % 2 * 1
    table["stars"] = table["stars"].where(table.index > 0)
    table.to_csv(tmp_path / "data.csv", index=False)
    for options, said in (
        ((), "stars: 4 classes (0, 1, 4, 5), missing in 1 document."),
        (("--values",), "stars: values from 0.0 to 5.0, missing in 1 document."),
        (("--separator", ";"), "stars: 4 labels (0, 1, 4, 5), missing in 1 document."),
    ):
        assert fit(tmp_path, "stars", "--out", str(tmp_path / "run.nc"), *options) == 0
        assert said in capsys.readouterr().err


def test_several_labels(folder):
    assert fit(folder, "tags", "--separator", ";", "--out", str(folder / "tags.nc")) == 0
    table = predict(folder, "tags.nc")
    assert table["task"].unique().tolist() == ["angry", "happy", "loud"]
    assert len(table) == 60


def test_the_report_of_a_run(folder):
    out = folder / "again.html"
    data = ("--data", str(folder / "data.csv"), "--text", "review")
    assert main(["report", str(folder / "run.nc"), "--out", str(out), *data]) == 0
    assert "staff" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["fit", "predict", "report"])
def test_every_command_that_reads_a_table_takes_its_encoding(folder, capsys, command):
    path = str(folder / "french.csv")
    pd.DataFrame({"\u00e9crit": ["a"]}).to_csv(path, index=False, encoding="cp1252")
    options = ("--encoding", "cp1252", "--text", "stars", "--out", str(folder / "none"))
    given = {
        "fit": (path, "--label", "b"),
        "predict": (str(folder / "run.nc"), path),
        "report": (str(folder / "run.nc"), "--data", path),
    }
    assert main([command, *given[command], *options]) == 2
    assert "its columns are \u00e9crit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "data.csv", "--text", "revue", "--label", "stars"), "columns are review, verdict"),
        (("fit", "data.csv", "--text", "review", "--label", "star"), "no column 'star'"),
        (("fit", "none.csv", "--text", "review", "--label", "stars"), "there is no file"),
        (("fit", "run.nc", "--text", "review", "--label", "stars"), "cannot be read as a table"),
        (("fit", "data.csv", "--text", "review", "--label", "stars", "--draws", "0"), "draws"),
        (("fit", "data.csv", "--text", "review", "--label", "tags", "--margin", "-1"), "margin"),
        (("predict", "data.csv", "new.csv", "--text", "review"), "is not a NetCDF file"),
        (("predict", "none.npz", "new.csv", "--text", "review"), "there is no file"),
        (
            ("predict", "text.npz", "new.csv", "--text", "review"),
            "is not a model written by med.export",
        ),
        (("predict", "none.nc", "new.csv", "--text", "review"), "there is no file"),
        (("predict", "run.nc", "new.csv", "--text", "stars2"), "no column 'stars2'"),
        (
            (
                "report",
                "none.nc",
            ),
            "there is no file",
        ),
        (("report", "run.nc", "--text", "review"), "belong together"),
        (("export", "data.csv", "model2.npz"), "is not a NetCDF file"),
        (("export", "run.nc", "none/model.npz"), "no folder"),
    ],
)
def test_errors_are_one_sentence(folder, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(folder)
    Path("text.npz").write_text("no model")
    out = ("--out", "unwritten") if arguments[0] != "export" else ()
    assert main([*arguments, *out]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("pymc-medlda: ")
    assert message in printed
    assert "Traceback" not in printed
    assert not Path("unwritten").exists()


def test_what_cannot_be_written_is_refused_before_the_fit(folder, monkeypatch, capsys):
    monkeypatch.setattr(med, "fit", lambda *_, **__: pytest.fail("it was fitted"))
    assert fit(folder, "verdict", "--out", str(folder / "none" / "run.nc")) == 2
    assert fit(folder, "verdict", "--out", str(folder)) == 2
    assert "is a folder" in capsys.readouterr().err


@pytest.mark.parametrize("package", ["h5netcdf", "h5py", "pymc_medlda.reporting.report"])
def test_what_is_not_installed_is_named_before_the_fit(folder, monkeypatch, capsys, package):
    monkeypatch.setattr(med, "fit", lambda *_, **__: pytest.fail("it was fitted"))
    monkeypatch.setitem(sys.modules, package, None)
    out = ("--out", str(folder / "b.nc"), "--report", str(folder / "b.html"))
    assert fit(folder, "verdict", *out) == 2
    assert package in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "data.csv", "--text", "review", "--label", "verdict", "--out", "data.csv"),
        ("fit", "data.csv", "--text", "review", "--label", "verdict", "--out", "link.csv"),
        (
            "fit",
            "data.csv",
            "--text",
            "review",
            "--label",
            "verdict",
            "--out",
            "a",
            "--report",
            "./a",
        ),
        ("predict", "run.nc", "new.csv", "--text", "review", "--out", "new.csv"),
        ("predict", "run.nc", "new.csv", "--text", "review", "--out", "run.nc"),
        ("report", "run.nc", "--out", "run.nc"),
        ("report", "run.nc", "--out", "data.csv", "--data", "data.csv", "--text", "review"),
        ("export", "run.nc", "../command/run.nc"),
    ],
)
def test_no_file_of_a_command_is_overwritten_by_it(
    folder, tmp_path, monkeypatch, capsys, arguments
):
    for name in ("fit", "predict", "report", "export"):
        monkeypatch.setattr(med, name, lambda *_, **__: pytest.fail("it was started"))
    own = tmp_path / "command"
    own.mkdir()
    for name in ("data.csv", "new.csv", "run.nc"):
        (own / name).write_bytes((folder / name).read_bytes())
    (own / "link.csv").symlink_to(own / "data.csv")
    monkeypatch.chdir(own)
    assert main(list(arguments)) == 2
    assert "the same file is" in capsys.readouterr().err
    for name in ("data.csv", "new.csv", "run.nc"):
        assert (own / name).read_bytes() == (folder / name).read_bytes()


def test_a_file_stays_if_writing_the_run_fails(folder, capsys):
    from pymc_medlda.command_line.files import write_run

    class Broken:
        def to_netcdf(self, path):
            Path(path).write_text("half")
            raise OSError("disk full")

    before = (folder / "run.nc").read_bytes()
    with pytest.raises(OSError, match="disk full"):
        write_run(Broken(), str(folder / "run.nc"))
    assert (folder / "run.nc").read_bytes() == before
    assert not list(folder.glob(".run.nc*"))


def run_module(*arguments):
    command = [sys.executable, "-m", "pymc_medlda", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def test_the_module_can_be_run():
    done = run_module("--version")
    assert done.stdout.strip() == f"pymc-medlda {med.__version__}"
    assert run_module("fit").returncode == 2
    assert "usage" in run_module("--help").stdout


@pytest.mark.filterwarnings("ignore")  # chains are shortened
@pytest.mark.parametrize(
    ("page", "n_commands"), [("README.md", 2), ("docs/howto/command_line.md", 8)]
)
def test_the_commands_of_the_documentation(page, n_commands, tmp_path, monkeypatch):
    page = ROOT / page
    if not page.exists():
        pytest.skip("no documentation beside the tests")
    whole_fit = med.fit
    short = {"n_topics": 2, "tune": 2, "draws": 2, "chains": 2, "max_df": 1.0, "random_seed": 1}
    monkeypatch.setattr(med, "fit", lambda *a, **given: whole_fit(*a, **{**given, **short}))
    monkeypatch.chdir(tmp_path)
    make_table(40, 1).to_csv("reviews.csv", index=False)
    make_table(20, 2).to_csv("new.csv", index=False)
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(bash|python)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for kind, block in blocks if kind == "bash" for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("pymc-medlda ")]
    assert len(commands) == n_commands
    for command in commands:
        arguments = shlex.split(command)[1:]
        assert main(arguments) == 0, command
        written = arguments[arguments.index("--out") + 1] if "--out" in arguments else "model.npz"
        assert Path(written).stat().st_size > 0
    for kind, block in blocks:
        if kind == "python" and "reviews.csv" in block:
            Path("report.html").unlink()
            exec(compile(block, page.name, "exec"), {})
            assert Path("report.html").exists()
