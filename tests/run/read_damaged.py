"""Flip bytes of a stored run, read it and call public functions, again and again.

``python -m tests.run.read_damaged PATH FORM N SEED`` prints one line for each of the N damaged
copies. It is a script so that a crash ends this process, which a test notices, and not the tests.
"""

import logging
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from pymc_medlda._compat.arviz import get_group
from tests.prediction.comparing import is_tree, load
from tests.run.damage import answer, build, outcome, whole

NAMES = ("predict", "top_words", "doc_topics", "align_topics", "diagnose", "draw_augmentation")


def flip(path, rng):
    """Change some bytes of a file, or of one file of a folder."""
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    chosen = files[rng.integers(len(files))]
    content = bytearray(chosen.read_bytes())
    for place in rng.integers(len(content), size=rng.choice([1, 4, 16])):
        content[place] ^= int(rng.integers(1, 256))
    chosen.write_bytes(content)
    return chosen.name


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


def main(source, form, n_files, seed):
    logging.disable()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    whole_file = read(source, form)
    right = {name: answer(name, whole_file) for name in NAMES}
    for i in range(n_files):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.nc")
            shutil.copytree(source, path) if source.is_dir() else shutil.copy(source, path)
            place = flip(path, rng)
            print(i, place, end=" ", flush=True)  # known, should the process crash here
            try:
                idata = read(path, form)
            except Exception as error:
                print(f"unreadable: {type(error).__name__}")
                continue
            name = NAMES[i % len(NAMES)]
            found = outcome(name, idata, right[name]).replace("\n", " ")
            if found != "same" and is_equal(idata, whole_file):
                found = f"{name} failed: all data are equal, but {found}"
            print(found)


if __name__ == "__main__":
    reader = sys.argv[2]
    if reader == "zarr" and is_tree(build(whole())):
        reader = "zarr of a DataTree"
    main(Path(sys.argv[1]), reader, int(sys.argv[3]), int(sys.argv[4]))
