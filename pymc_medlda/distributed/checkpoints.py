"""Checkpoints: the topics of every partition in files that workers write, and what was drawn.

A checkpoint is complete when its description is there, which is renamed into place at the end. All
files are NumPy's and JSON; nothing is pickled. The folder must be one that all workers reach.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pymc_medlda.distributed.documents import Documents, Topics, count
from pymc_medlda.distributed.settings import Settings

DESCRIPTION = "checkpoint.json"


def path_of_topics(folder: str, sweep: int, chain: int, i: int) -> str:
    """Return the file of the topics of a partition."""
    return str(Path(folder) / f"sweep-{sweep}" / f"topics-{chain}-{i}.npz")


def save_topics(topics: Topics, path: str) -> str:
    """Write the topics of a partition to a file, which appears when it is complete."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # Two workers may do this at a time, if one of them was thought to be lost.
    unfinished = f"{path}.{os.getpid()}.tmp.npz"
    arrays = {f"z{B}": np.asarray(z) for B, z in enumerate(topics.z)}
    np.savez(unfinished, moved=topics.moved, log_words=topics.log_words, **arrays)  # type: ignore[arg-type]
    os.replace(unfinished, path)
    return path


def load_topics(own: Documents, path: str, given: Settings) -> Topics:
    """Read the topics of a partition, and count them."""
    try:
        with np.load(path, allow_pickle=False) as file:
            z = [file[f"z{B}"] for B in range(len(own.words))]
            seen = int(file["moved"]), float(file["log_words"])
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"checkpoint is damaged: {path} cannot be read: {error!r}") from None
    return count(own, z, given, *seen)


def digest_of(settings: Mapping[str, Any]) -> str:
    """Return a short name of settings, which are numbers and text."""
    text = json.dumps(settings, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class Checkpoint:
    """The folder in which a run leaves what it needs to go on.

    Parameters
    ----------
    folder : path
    settings : mapping
        What must be the same for a run to go on, as numbers and text.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder.resolve()
        self.digest = digest_of(settings)
        folder.mkdir(parents=True, exist_ok=True)

    def read(self) -> dict[str, Any] | None:
        """Return the description of the last checkpoint; None if there is none."""
        path = self.folder / DESCRIPTION
        if not path.exists():
            return None
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            digest, _ = found["settings"], found["sweep"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"checkpoint is damaged: {path} cannot be read: {error!r}") from None
        if digest != self.digest:
            raise ValueError(
                f"checkpoint holds another run: {self.folder} was written with other documents, "
                "settings or another seed. Give those, or another folder"
            )
        return found

    def write(self, sweep: int, state: Mapping[str, Any], draws: Mapping[str, Any]) -> None:
        """Write what was drawn up to a sweep, once workers have written its topics."""
        place = self.folder / f"sweep-{sweep}"
        np.savez(place / "state.npz", **state)
        np.savez(self.folder / f"draws-{sweep}.npz", **draws)
        before = self.read()
        parts = [*(before["parts"] if before else []), f"draws-{sweep}.npz"]
        description = {"settings": self.digest, "sweep": sweep, "parts": parts}
        unfinished = self.folder / f"{DESCRIPTION}.tmp"
        unfinished.write_text(json.dumps(description), encoding="utf-8")
        os.replace(unfinished, self.folder / DESCRIPTION)
        if before is not None and before["sweep"] != sweep:
            shutil.rmtree(self.folder / f"sweep-{before['sweep']}", ignore_errors=True)

    def read_state(self, sweep: int) -> dict[str, Any]:
        """Return what the driver needs to go on after a sweep."""
        with np.load(self.folder / f"sweep-{sweep}" / "state.npz", allow_pickle=False) as file:
            return dict(file)

    def read_draws(self, parts: list[str]) -> list[dict[str, Any]]:
        """Return the stored draws, in the order in which they were written."""
        found = []
        for part in parts:
            with np.load(self.folder / part, allow_pickle=False) as file:
                found.append(dict(file))
        return found
