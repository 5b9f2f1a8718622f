"""A corpus in a folder: its arrays lie in files that are mapped into memory, not read.

The operating system reads the pages that are used and drops them again when memory is short, so a
corpus may be larger than memory. The folder holds ``words.npy``, ``starts.npy``, the words in
``vocabulary.txt`` or their number in ``n_words.txt``, and ``document_names.npy`` if the documents
have names. No file is pickled.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.corpus.formats import check_path, read_words

WORDS, STARTS = "words.npy", "starts.npy"
VOCABULARY, N_WORDS, NAMES = "vocabulary.txt", "n_words.txt", "document_names.npy"


def make_folder(folder: Any) -> Path:
    """Create a folder for a corpus, or raise if it holds one already."""
    check_path(folder, "folder")
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise ValueError(f"folder must be a folder, and {place} is a file")
    if (place / WORDS).exists():
        raise ValueError(
            f"folder holds a corpus already: open {place} with Corpus.from_folder, or give another"
        )
    place.mkdir(parents=True, exist_ok=True)
    return place


def new_array(path: Path, dtype: Any, size: int) -> NDArray[Any]:
    """Return an array of zeros that lies in a new file, and can be written to."""
    if size == 0:  # a file without bytes cannot be mapped
        np.save(path, np.empty(0, dtype))
        return np.empty(0, dtype)
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(size,))


def open_array(path: Path) -> NDArray[Any]:
    """Return the array of a file, mapped and read-only."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        try:
            array = np.load(path, allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            raise ValueError(f"{path} is damaged and cannot be read: {error}") from None
    except (EOFError, OSError) as error:
        raise ValueError(f"{path} is damaged and cannot be read: {error}") from None
    array.flags.writeable = False
    return array


def write_words(path: Path, vocabulary: NDArray[np.object_]) -> None:
    """Write words, one per line."""
    with_breaks = [word for word in vocabulary if len(word.splitlines()) > 1 or "\n" in word]
    if with_breaks:
        raise ValueError(
            f"vocabulary must hold words without line breaks to be stored in a folder; got "
            f"{with_breaks[0]!r}"
        )
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{word}\n" for word in vocabulary)


def read_folder(folder: Any) -> dict[str, Any]:
    """Return the arguments of `Corpus` that a folder holds."""
    check_path(folder, "folder")
    place = Path(folder)
    if not (place / WORDS).exists() or not (place / STARTS).exists():
        raise ValueError(f"folder holds no corpus: {place} has no {WORDS} and {STARTS}")
    found: dict[str, Any] = {
        "words": open_array(place / WORDS),
        "starts": open_array(place / STARTS),
    }
    if (place / VOCABULARY).exists():
        found["vocabulary"] = read_words(place / VOCABULARY)
    elif (place / N_WORDS).exists():
        text = (place / N_WORDS).read_text(encoding="ascii", errors="replace").strip()
        if not text.isdigit():
            raise ValueError(
                f"{place / N_WORDS} is damaged: it must hold a number, got {text[:40]!r}"
            )
        found["n_words"] = int(text)
    if (place / NAMES).exists():
        found["document_names"] = open_array(place / NAMES)
    return found


def select(found: dict[str, Any], documents: Any) -> dict[str, Any]:
    """Return the same arguments for consecutive documents; their tokens stay mapped."""
    if not isinstance(documents, slice) or documents.step not in (None, 1):
        raise ValueError(
            f"documents must be a slice of consecutive documents, such as slice(0, 100); "
            f"got {documents!r}"
        )
    starts = found["starts"]
    # Only two of them are looked at here, and the others by the checks of `Corpus`.
    if starts.ndim != 1 or starts.dtype.kind not in "iu":
        return found
    first, last, _ = documents.indices(max(starts.size - 1, 0))
    starts = starts[first : max(first, last) + 1]
    if starts.size == 0:
        return found
    chosen = {"words": found["words"][starts[0] : starts[-1]], "starts": starts - starts[0]}
    if "document_names" in found:
        chosen["document_names"] = found["document_names"][first : max(first, last)]
    return {**found, **chosen}


def find_folder(words: NDArray[Any]) -> Path | None:
    """Return the folder whose tokens an array is, None if it is in memory or a part of a file."""
    array: Any = words
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    if array is None or array.filename is None or array.shape != words.shape:
        return None
    path = Path(os.fspath(array.filename))
    return path.parent if path.name == WORDS else None
