"""Files of served models: small, complete, checked, and loaded without large packages."""

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.serving import file_format
from pymc_medlda.serving.file_format import read_model, write_model
from tests import sampled
from tests.serving.models import new_documents, served

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "model.npz"
    med.export(sampled.sample("binary"), target)
    return target


def test_the_same_run_gives_the_same_bytes(path, tmp_path):
    med.export(sampled.sample("binary"), tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_a_failed_export_leaves_the_old_file(path, monkeypatch):
    before = path.read_bytes()

    def fail(*arguments, **options):
        raise OSError("disk full")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(OSError, match="disk full"):
        med.export(sampled.sample("multiclass"), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_refused(path, kept):
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(ValueError, match=r"model\.npz is (not a model|damaged)"):
        med.load(path)


def test_changed_bytes_are_refused_or_leave_the_answers(path):
    content, expected = path.read_bytes(), served("binary").discriminant(new_documents())
    refused = 0
    for place in range(40, len(content), len(content) // 60):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        path.write_bytes(bytes(changed))
        try:
            found = med.load(path).discriminant(new_documents())
        except ValueError:
            refused += 1
        else:  # the byte belongs to what nobody reads, such as the date of an entry
            np.testing.assert_array_equal(found, expected)
    assert refused > 30


def test_foreign_files_are_refused(tmp_path):
    text, archive, arrays = (tmp_path / name for name in ("a.txt", "b.zip", "c.npz"))
    text.write_text("no model")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("note.txt", "no model")
    np.savez(arrays, x=np.arange(3))
    for foreign in (text, archive, arrays, tmp_path):
        with pytest.raises(ValueError, match=r"is not a model written by med\.export"):
            med.load(foreign)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        med.load(tmp_path / "none.npz")


class Touch:
    """An object that leaves a file behind if it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickled_objects_are_refused_before_they_run(tmp_path):
    harm = tmp_path / "harm"
    np.savez(tmp_path / "bad.npz", header=np.array([Touch(harm)], object))
    with pytest.raises(ValueError, match="damaged"):
        med.load(tmp_path / "bad.npz")
    assert not harm.exists()


def add_zeros(path, name, n_bytes):
    with zipfile.ZipFile(path, "a", compression=zipfile.ZIP_LZMA) as archive:
        with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
            np.lib.format.write_array(part, np.zeros(n_bytes, np.uint8))


def test_a_file_that_would_fill_the_memory_is_refused(path, monkeypatch):
    monkeypatch.setattr(file_format, "ALWAYS_READ", 2**20)
    add_zeros(path, "idf", 2**22)
    assert path.stat().st_size < 2**22 / file_format.MOST_EXPANDED
    with pytest.raises(ValueError, match=r"model\.npz is damaged.*would unpack to 4\d{6}\b"):
        med.load(path)


def test_unknown_arrays_are_not_read(path, monkeypatch):
    monkeypatch.setattr(file_format, "ALWAYS_READ", 2**20)
    add_zeros(path, "unknown", 2**22)
    assert "unknown" not in read_model(path)[1]
    np.testing.assert_array_equal(
        med.load(path).discriminant(new_documents()),
        served("binary").discriminant(new_documents()),
    )


def test_later_versions_are_refused(path, monkeypatch):
    header, arrays = read_model(path)
    del header["format"], header["version"]
    monkeypatch.setattr(file_format, "VERSION", 2)
    write_model(path, header, arrays)
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"version 2 of the format.*newer release"):
        med.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("eta", np.zeros((1, 2))),
        ("eta", np.full((2, 10, 1, 3), np.nan)),
        ("size", np.ones((3, 3))),
        ("alpha", -np.ones((2, 3))),
        ("column", np.zeros(3, np.uint8)),
        ("column", np.zeros(3)),
        ("n_entries", np.full(40, 200, np.uint8)),
        ("words", np.frombuffer(b"one\0two", np.uint8)),
        ("words", np.full(5, 255, np.uint8)),
        ("kind", "unknown"),
        ("classes", [1, 2, 3]),
        ("location", [0.0, 0.0]),
        ("recipe", {"analyzer": 3}),
        ("calibration", {"slope": [1.0, 2.0], "intercept": [0.0, 0.0]}),
        ("calibration", {"slope": [1.0]}),
        ("calibration", 3),
    ],
)
def test_parts_that_do_not_fit_are_refused(path, name, value):
    header, arrays = read_model(path)
    (arrays if isinstance(value, np.ndarray) else header)[name] = value
    write_model(path, header, arrays)
    with pytest.raises(ValueError, match=r"model\.npz is damaged"):
        med.load(path)


@pytest.mark.parametrize("name", ["eta", "eta_scale", "count", "beta", "kind", "recipe"])
def test_lost_parts_are_named(path, name):
    header, arrays = read_model(path)
    (arrays if name in arrays else header).pop(name)
    write_model(path, header, arrays)
    with pytest.raises(ValueError, match=f"lost '{name}'"):
        med.load(path)


def test_loading_and_predicting_import_no_large_package(path):
    program = f"""
import sys
import pymc_medlda as med
import pymc_medlda.serving, pymc_medlda.corpus.recipe
from pymc_medlda.corpus.recipe import TextRecipe
import dataclasses
model = dataclasses.replace(med.load({str(path)!r}), recipe=TextRecipe())
answers = model.predict([" ".join(model.words[:5].tolist()), "unheard"])
assert answers.n_known.tolist() == [5, 0], answers.n_known
large = ("pymc", "pytensor", "numba", "pandas", "sklearn", "xarray", "arviz", "scipy", "rich")
print([name for name in large if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
