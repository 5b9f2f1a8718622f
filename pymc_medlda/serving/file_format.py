"""The file of a served model: arrays and a description, compressed in one .npz file.

The file is a zip archive of NumPy arrays without pickled objects. The array ``header`` holds a
description as JSON. The version number is raised by a change that an older release would read
wrongly. Names and texts are in the description or, for the words, in one array of bytes.
"""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT = "pymc-medlda served model"
VERSION = 1
HEADER = "header"
NAMES = (
    HEADER,
    *("words", "n_entries", "column", "count", "size", "alpha", "beta"),
    *("eta", "eta_scale", "eta_centre", "idf", "word_weights", "word_weights_scale"),
    *("prediction", "prediction_centre", "residual"),
)
"""The arrays that a file may have; nothing else is read from it."""
MOST_EXPANDED = 200
"""A file may unpack to this many times its size. Models unpack to less than ten times."""
ALWAYS_READ = 64 * 2**20
"""Bytes that a file of any size may unpack to."""
Arrays = Mapping[str, NDArray[Any]]


def check_path(path: Any) -> Path:
    """Return a path, after checking that it is one."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be a str or a path, got {path!r} ({type(path).__name__})")
    if not os.fspath(path):
        raise ValueError("path is empty: give the name of a file")
    return Path(os.fspath(path))


def check_target(path: Any) -> Path:
    """Return the path of a file that can be written, after checking that its folder exists."""
    target = check_path(path)
    if target.is_dir():
        raise ValueError(f"path must be the name of a file; {target} is a folder")
    if not target.absolute().parent.is_dir():
        raise ValueError(f"path cannot be written: there is no folder {target.absolute().parent}")
    return target


def write_model(path: Path, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file in one piece: it replaces an older one only when it is complete."""
    described = json.dumps({"format": FORMAT, "version": VERSION, **header}).encode()
    every = {HEADER: np.frombuffer(described, np.uint8), **arrays}
    assert set(every) <= set(NAMES), "an array that nobody would read"
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with zipfile.ZipFile(partial, "x") as archive:
            for name, array in every.items():
                # A fixed date, so that the same model gives the same bytes.
                entry = zipfile.ZipInfo(f"{name}.npy")
                entry.compress_type = zipfile.ZIP_LZMA
                with archive.open(entry, "w") as part:
                    np.lib.format.write_array(part, array, allow_pickle=False)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_model(path: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the description and the arrays of a file that `write_model` wrote."""
    source = check_path(path)
    if not source.exists():
        raise FileNotFoundError(f"there is no file {source}")
    if source.is_dir() or not zipfile.is_zipfile(source):
        raise _foreign(source)
    try:
        with source.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            _check_expansion(archive.zip, source.stat().st_size)
            arrays = {name: archive[name] for name in NAMES if name in archive.files}
        header = json.loads(arrays.pop(HEADER).tobytes()) if HEADER in arrays else None
    except Exception as error:  # zipfile, lzma and NumPy raise errors of many kinds
        raise damaged(source, repr(error)) from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _foreign(source)
    version = header.get("version")
    if not isinstance(version, int) or version < 1:
        raise damaged(source, f"its version is {version!r}")
    if version > VERSION:
        raise ValueError(
            f"{source} has version {version} of the format; this release of pymc-medlda reads "
            f"versions up to {VERSION}: install a newer release"
        )
    return header, arrays


def _check_expansion(archive: zipfile.ZipFile, n_bytes: int) -> None:
    """Raise if a file would fill the memory. An entry never unpacks to more than it announces."""
    known = {f"{name}.npy" for name in NAMES}
    announced = sum(entry.file_size for entry in archive.infolist() if entry.filename in known)
    if announced > max(MOST_EXPANDED * n_bytes, ALWAYS_READ):
        raise ValueError(f"its {n_bytes} bytes would unpack to {announced}")


def damaged(path: Any, reason: str) -> ValueError:
    """Return the error for a file of ours that cannot be read."""
    return ValueError(f"{path} is damaged and cannot be read: {reason}")


def _foreign(path: Path) -> ValueError:
    return ValueError(f"{path} is not a model written by med.export")
