"""The single numba configuration: every kernel of the package is compiled by `kernel`.

Compiled kernels are stored on disk under a hash of the source files, whatever their path and time.
Every stored file begins with a checksum, so that a damaged file is noticed, and compiled anew.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import filelock
import numba
import numpy as np
from numba.core import caching

# A topic or an offset: an element of an integer array counts as well as a plain integer.
Index = int | np.signedinteger[Any]

Function = TypeVar("Function", bound=Callable[..., Any])

_SOURCES = Path(__file__).parent
_CHECKSUM = 32  # bytes
# Versions of the kernels whose compiled form stays in a shared folder; each takes about 6 MB.
_KEPT = 12


def kernel(function: Function, **more: Any) -> Function:
    """Compile a function with numba, cached on disk, without the interpreter lock.

    No ``fastmath``: a jitted kernel gives bit for bit what ``kernel.py_func`` gives.
    ``error_model="numpy"`` lets divisions vectorise (no Python exception on zero).
    """
    options = {"nogil": True, "error_model": "numpy", **more}
    try:
        return _with_cache(numba.njit(**options)(function), function)
    except RuntimeError as error:  # numba finds no directory it may write to
        if "cannot cache function" not in str(error):
            raise
        _warn_of_no_cache()
        return numba.njit(**options)(function)


def _with_cache(compiled: Any, function: Callable[..., Any]) -> Any:
    """Give a compiled kernel its cache, unless NUMBA_DISABLE_JIT left it a plain function."""
    if hasattr(compiled, "_cache"):
        compiled._cache = _KernelCache(function)
    return compiled


@functools.cache
def _fingerprint() -> str:
    """Return a fingerprint of the sources of all kernels."""
    state = hashlib.sha256()
    for path in sorted(_SOURCES.rglob("*.py")):
        state.update(path.relative_to(_SOURCES).as_posix().encode())
        state.update(path.read_bytes())
    return state.hexdigest()


@functools.cache
def _is_ours(file: str) -> bool:
    """Say whether a file is among those that the fingerprint covers."""
    return _SOURCES.resolve() in Path(file).resolve().parents


class _FingerprintLocator(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):
    """Keeps kernels in a folder of NUMBA_CACHE_DIR that is named after their fingerprint.

    numba itself names the folder after the path of the source, so that a copy of the package in
    another place would compile everything again.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno
        place = Path(file).resolve().parent.relative_to(_SOURCES.resolve())
        # Two versions of numba do not read each other's files.
        name = f"pymc-medlda-{_fingerprint()[:16]}-numba-{numba.__version__}"
        self._folder = Path(numba.config.CACHE_DIR, name)
        self._cache_path = str(self._folder / place)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Any:
        """Return a locator, or None if numba is to look for a folder in its own way."""
        if not (numba.config.CACHE_DIR and _is_ours(file)):
            return None
        return super().from_function(function, file)

    def get_cache_path(self) -> str:
        """Return the folder of this kernel."""
        return self._cache_path

    def ensure_cache_path(self) -> None:
        """Create the folder; the first kernel of a new version removes the oldest versions."""
        is_new = not self._folder.exists()
        super().ensure_cache_path()
        if is_new:
            _remove_old_versions(self._folder.parent)


class _KernelCacheFiles(caching.CompileResultCacheImpl):
    _locator_classes = (_FingerprintLocator, *caching.CacheImpl._locator_classes)


class _CheckedFiles(caching.IndexDataCacheFile):
    """The index and the compiled forms of a kernel, each behind a checksum of its contents.

    numba trusts what it finds: a file that was cut off raises errors of pickle where a kernel is
    called, and changed bytes would be run. Here a damaged file counts as missing.
    """

    def save(self, key: Any, data: Any) -> None:
        """Save a compiled form together with its key.

        Two processes that save different forms at once may choose the same file; the index of the
        one would then lead to the form of the other.
        """
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        """Return the compiled form of a key, or None."""
        saved_key, data = super().load(key) or (None, None)
        return data if saved_key == key else None

    def _save_index(self, overloads: Any) -> None:
        # What another version of numba pickled is not to be unpickled: its version stands outside.
        contents = self._version, super()._dump((self._source_stamp, overloads))
        with self._open_for_write(self._index_path) as file:
            file.write(self._dump(contents))

    def _load_index(self) -> Any:
        version, pickled = self._read(self._index_path) or (None, b"")
        if version != self._version:
            return {}
        stamp, overloads = pickle.loads(pickled)
        return overloads if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _dump(self, obj: Any) -> bytes:
        contents = super()._dump(obj)
        return hashlib.blake2b(contents, digest_size=_CHECKSUM).digest() + contents

    def _read(self, path: str) -> Any:
        """Return what a file holds, or None if it is missing or damaged."""
        try:
            stored = Path(path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _warn_of_damage(self._cache_path, f"{path} cannot be read ({error.strerror})")
            return None
        checksum, contents = stored[:_CHECKSUM], stored[_CHECKSUM:]
        if hashlib.blake2b(contents, digest_size=_CHECKSUM).digest() != checksum:
            _warn_of_damage(self._cache_path, f"{path} is not what was saved")
            return None
        return pickle.loads(contents)


class _KernelCache(caching.FunctionCache):
    """numba's cache, fresh for as long as the contents of all kernels are the same.

    numba asks whether a kernel's own file changed, and not the files of what it calls.
    """

    _impl_class = _KernelCacheFiles
    _cache_file: Any

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        # The fingerprint covers every file of ours; for others numba's own stamp is kept beside it.
        own = "" if _is_ours(function.__code__.co_filename) else self._cache_file._source_stamp
        # The name tells the files from those that numba itself writes to the same folder.
        name = f"{self._impl.filename_base}-checked"
        self._cache_file = _CheckedFiles(self._cache_path, name, (own, _fingerprint()))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled form; if the disk is full or read-only, continue without saving it."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_of_damage(self._cache_path, f"it cannot be written to ({error.strerror})")


def _remove_old_versions(folder: Path) -> None:
    """Keep the versions of the kernels that were compiled last."""

    def age(version: Path) -> float:
        try:
            return -version.stat().st_mtime
        except OSError:  # another process removed it
            return 0.0

    for version in sorted(folder.glob("pymc-medlda-*-numba-*"), key=age)[_KEPT:]:
        shutil.rmtree(version, ignore_errors=True)


@contextmanager
def alone_beside_the_cache(compiled: Any) -> Iterator[None]:
    """Allow one process at a time to compile; the others wait and find what it compiled.

    The lock is a file beside the cache of a kernel, and the system frees it when the process that
    holds it ends. Without a cache that can be shared and written to, no process waits.
    """
    lock = None
    folder = getattr(getattr(compiled, "_cache", None), "cache_path", None)
    if folder is not None:
        try:
            os.makedirs(folder, exist_ok=True)
            lock = filelock.FileLock(os.path.join(folder, "compiling.lock"))
            lock.acquire()
        except OSError:
            lock = None
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


@functools.cache
def _warn_of_no_cache() -> None:
    """Say once that kernels are compiled anew in every process, and what to do about it."""
    warnings.warn(
        "compiled kernels cannot be cached, because no cache directory is writable: they are "
        "compiled anew in every process; set NUMBA_CACHE_DIR to a writable directory",
        RuntimeWarning,
        stacklevel=4,
    )


_warned_of_damage = False


def _warn_of_damage(folder: str, reason: str) -> None:
    """Say once that the cache is damaged; several files of a cache are often damaged together."""
    global _warned_of_damage
    if not _warned_of_damage:
        _warned_of_damage = True
        warnings.warn(
            f"the cache of compiled kernels in {folder} is damaged: {reason}; kernels are compiled "
            "anew, and damaged files are replaced where that is possible",
            RuntimeWarning,
            stacklevel=2,
        )
