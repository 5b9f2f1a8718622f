"""Flip bytes of a stored run, read it and call public functions, again and again.

``python -m tests.run.read_damaged PATH FORM N SEED`` prints one line for each of the N damaged
copies. Each copy is read in a process of its own, so that a crash or an endless loop is noticed,
and it is known whether the file library or the package was at work. (HDF5 itself may loop for ever
over a damaged file.)
"""

import logging
import os
import shutil
import signal
import sys
import tempfile
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import h5py
import numpy as np

from pymc_medlda._compat.arviz import get_group
from tests.prediction.comparing import is_tree, load
from tests.run.damage import answer, build, outcome, whole

NAMES = ("predict", "top_words", "doc_topics", "align_topics", "diagnose", "draw_augmentation")


def flip(path, rng):
    """Change some bytes of a file, mostly among stored values, or of one file of a folder."""
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    chosen = files[rng.integers(len(files))]
    content = bytearray(chosen.read_bytes())
    first, size = 0, len(content)
    if chosen == path and rng.random() < 0.8:
        places = values_in(path)
        first, size = places[rng.integers(len(places))]
    for place in rng.integers(first, first + size, size=rng.choice([1, 4, 16])):
        content[place] ^= int(rng.integers(1, 256))
    chosen.write_bytes(content)
    return chosen.name


def values_in(path):
    """Return where the values of each variable begin in a NetCDF file, and how many bytes."""
    places = []

    def note(name, item):
        # Text is stored elsewhere; here are only addresses of it.
        if isinstance(item, h5py.Dataset) and item.dtype.kind != "O" and item.id.get_offset():
            places.append((item.id.get_offset(), item.id.get_storage_size()))

    with h5py.File(path) as file:
        file.visititems(note)
    return sorted(places)


def read(path, form):
    """Return a file as a run in memory."""
    idata = load(str(path), form)
    try:
        found = {group: get_group(idata, group) for group in whole()}
        return build({name: group.load() for name, group in found.items() if group is not None})
    finally:
        idata.close()


def is_equal(one, other):
    """Tell whether two runs hold the same data, so that flipped bytes did not matter."""
    pairs = [(get_group(one, group), get_group(other, group)) for group in whole()]
    return all(x is y if x is None or y is None else x.equals(y) for x, y in pairs)


def examine(path, form, name, right, whole_file, say):
    """Read a damaged file and call a public function, saying how far it came."""
    signal.alarm(5)  # ends the process
    try:
        idata = read(path, form)
    except Exception as error:
        return say(f"unreadable: {type(error).__name__}")
    say("read, ")
    signal.alarm(60)
    found = outcome(name, idata, right).replace("\n", " ")
    if found != "same" and is_equal(idata, whole_file):
        found = f"{name} failed: all data are equal, but {found}"
    return say(found)


def in_a_process(function):
    """Call a function in a forked process; return what it said, and the signal that ended it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            function(lambda text: os.write(writing, text.encode(errors="replace")))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    return said, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(source, form, n_files, seed):
    logging.disable()
    warnings.simplefilter("ignore")
    if find_spec("dask") is not None:  # xarray reads Zarr with its threads, which no fork keeps
        import_module("dask").config.set(scheduler="synchronous")
    rng = np.random.default_rng(seed)
    whole_file = read(source, form)
    right = {name: answer(name, whole_file) for name in NAMES}
    for i in range(n_files):
        name = NAMES[i % len(NAMES)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.nc")
            shutil.copytree(source, path) if source.is_dir() else shutil.copy(source, path)
            place = flip(path, rng)
            said, code = in_a_process(
                lambda say, path=path, name=name: examine(
                    path, form, name, right[name], whole_file, say
                )
            )
        if code and said.startswith("read"):
            said = f"{name} failed: signal {-code}"
        elif code:
            said = f"unreadable: signal {-code}"
        print(i, place, said or f"{name} failed: nothing was said")


if __name__ == "__main__":
    reader = sys.argv[2]
    if reader == "zarr" and is_tree(build(whole())):
        reader = "zarr of a DataTree"
    main(Path(sys.argv[1]), reader, int(sys.argv[3]), int(sys.argv[4]))
