"""Tables and runs as files, with errors that name the file and the column."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from pymc_medlda._optional import import_optional

MISSING = ["", "NA", "N/A", "nan", "NaN", "null", "None", "<NA>"]
"""How tables mark a label that is missing."""


def read_table(path: str, text: str) -> pd.DataFrame:
    """Read a table whose column ``text`` holds the documents; an empty cell is an empty text."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    separator = "\t" if ".tsv" in Path(path).suffixes else ","
    try:
        header = pd.read_csv(path, sep=separator, nrows=0)
        require_column(header, text, path)
        # A text that reads "None" is a text, but in any other column the entry is missing.
        missing = {str(column): MISSING for column in header if column != text}
        frame = pd.read_csv(
            path, sep=separator, dtype={text: str}, na_values=missing, keep_default_na=False
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError, OSError) as error:
        raise ValueError(f"{path} cannot be read as a table: {error}") from error
    if not len(frame):
        raise ValueError(f"{path} has no rows")
    return frame


def require_column(frame: pd.DataFrame, column: str, path: str) -> None:
    """Raise unless a table has a column."""
    if column not in frame.columns:
        known = ", ".join(map(str, frame.columns))
        raise ValueError(f"{path} has no column {column!r}; its columns are {known}")


def check_writable(path: str) -> None:
    """Raise if a file could not be written, before anything long starts."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{path} is a folder: give the name of a file")
    if not target.absolute().parent.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {target.parent}")


def write_run(run: Any, path: str) -> None:
    """Write a run as NetCDF; an older file is replaced only when the new one is complete."""
    import_optional("h5netcdf", needed_by="writing a run", package="h5netcdf", extra="files")
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
