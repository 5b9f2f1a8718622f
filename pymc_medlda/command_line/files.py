"""Tables and runs as files, with errors that name the file and the column."""

from __future__ import annotations

import codecs
import secrets
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pymc_medlda._optional import import_optional
from pymc_medlda.run.files import HDF5
from pymc_medlda.serving.file_format import HEADER

MISSING = ["", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "None", "NaN", "nan", "-NaN", "-nan"]
MISSING += ["#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"]
"""How tables mark a label that is missing: what pandas takes for missing by default."""


def read_table(path: str, text: str, encoding: str = "utf-8") -> pd.DataFrame:
    """Read a table whose column ``text`` holds the documents; an empty cell is an empty text."""
    _check_encoding(encoding)
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    separator = "\t" if ".tsv" in Path(path).suffixes else ","
    try:
        header = pd.read_csv(path, sep=separator, nrows=0, encoding=encoding)
        require_column(header, text, path)
        # A text that reads "None" is a text, but in any other column the entry is missing.
        missing = {str(column): MISSING for column in header if column != text}
        frame = pd.read_csv(
            path,
            sep=separator,
            encoding=encoding,
            dtype={text: str},
            na_values=missing,
            keep_default_na=False,
        )
    except UnicodeError as error:
        raise ValueError(
            f"{path} cannot be read as a table in the encoding {encoding}: name the encoding that "
            f"it has, such as --encoding cp1252 or --encoding utf-16 ({error})"
        ) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, OSError) as error:
        raise ValueError(f"{path} cannot be read as a table: {error}") from error
    if not len(frame):
        raise ValueError(f"{path} has no rows")
    return frame


def _check_encoding(encoding: str) -> None:
    try:
        codecs.lookup(encoding)
    except (LookupError, ValueError):
        raise ValueError(
            f"--encoding must be one that Python knows, such as utf-8 or cp1252; got {encoding!r}"
        ) from None


def require_column(frame: pd.DataFrame, column: str, path: str) -> None:
    """Raise unless a table has a column."""
    if column not in frame.columns:
        known = ", ".join(map(str, frame.columns))
        raise ValueError(f"{path} has no column {column!r}; its columns are {known}")


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """Raise, before anything long starts, if a file cannot be written or would be lost by it."""
    taken = [path for path in inputs if path is not None]
    for path in outputs:
        if path is None:
            continue
        _check_writable(path)
        for other in taken:
            if _is_same_file(path, other):
                known = "read" if other in inputs else "written"
                raise ValueError(
                    f"{path} cannot be written, as the same file is {known} by this command: "
                    "give another name"
                )
        taken.append(path)


def _check_writable(path: str) -> None:
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{path} is a folder: give the name of a file")
    if not target.absolute().parent.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {target.parent}")


def _is_same_file(path: str, other: str) -> bool:
    """Return whether two names lead to one file, also by links or by names that ignore case."""
    first, second = Path(path), Path(other)
    if first.exists() and second.exists():
        return first.samefile(second)
    return first.resolve() == second.resolve()


def is_exported(path: str) -> bool:
    """Return whether a file is an exported model and not a run, whatever it is called.

    A file that is neither is judged by its name, so that the error speaks of what was meant.
    """
    file = Path(path)
    if file.suffix == ".npz":
        if not file.is_file():
            return True
        with file.open("rb") as opened:
            return opened.read(len(HDF5)) != HDF5
    try:
        with zipfile.ZipFile(file) as archive:
            return f"{HEADER}.npy" in archive.namelist()
    except (zipfile.BadZipFile, OSError):  # no archive, a folder, or no file at all
        return False


def require_run(path: str, purpose: str) -> None:
    """Raise if a file is an exported model, from which only predictions can be made."""
    if Path(path).is_file() and is_exported(path):
        raise ValueError(
            f"{path} is an exported model, which can only predict; {purpose} needs the run that "
            "it was exported from, such as run.nc"
        )


def check_packages() -> None:
    """Raise if a run could not be written because a package is missing."""
    for package in ("h5netcdf", "h5py"):
        import_optional(package, needed_by="writing a run", package=package, extra="files")


def write_run(run: Any, path: str) -> None:
    """Write a run as NetCDF; an older file is replaced only when the new one is complete."""
    target = Path(path)
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        run.to_netcdf(str(partial))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_table(table: pd.DataFrame, path: str | None) -> None:
    """Write a table as CSV, by default to the terminal."""
    table.to_csv(sys.stdout if path is None else path, index=False)
