"""Apply one mutation at a time to a copy of the repository, and see whether its tests fail.

``python -m tests.mutations [filter]`` takes the mutations whose list, file or reason contains the
filter. It exits with 1 if a mutation survives that is not known to make no difference.

The cache of compiled kernels is keyed by the contents of all kernels, so no version can read the
compiled code of another. A change of a kernel nevertheless gets a folder of its own, which is
removed afterwards: the cache keeps only a few versions, and the user's own must not be driven out.
Changes outside the kernels share the folder that the control run has filled.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutations import PACKAGE, REPOSITORY, Mutation, collect, known_survivors

LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "build", "dist", "_build", "demo-output", "*.egg-info"
)
PASSED, FAILED = 0, 1  # what pytest returns
# A change may make a loop endless. The control tells how long the tests take otherwise.
PATIENCE = 300.0


def run_tests(copy: Path, tests: tuple[str, ...], cache: Path, patience: float) -> tuple[str, str]:
    """Return what became of the tests, "passed", "failed" or "broken", and what pytest said."""
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(cache),
        "PYTHONPATH": str(copy),
        # Python takes a source of the same size, changed within the same second, for the old one.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    process = subprocess.Popen(
        command,
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "failed", f"the tests took more than {patience:.0f} seconds"
    if process.returncode < 0:  # a number out of range may end the process by a signal
        return "failed", f"the process was ended by signal {-process.returncode}"
    return {PASSED: "passed", FAILED: "failed"}.get(process.returncode, "broken"), said


def first_failure(said: str) -> str:
    """Return the name of the test that failed first."""
    lines = [line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].split(" - ")[0].split(" ", 1)[1] if lines else said.strip()[-200:]


def try_mutation(copy: Path, mutation: Mutation, shared_cache: Path) -> tuple[str, float, str]:
    """Apply a mutation, run its tests and take it back; return the outcome and what it took."""
    path = copy / PACKAGE / mutation.file
    original = path.read_text(encoding="utf-8")
    if original.count(mutation.old) != 1:
        return "BROKEN", 0.0, "the old text does not occur exactly once"
    in_kernels = mutation.file.startswith("kernels/")
    cache = copy.parent / "cache-of-a-mutation" if in_kernels else shared_cache
    path.write_text(original.replace(mutation.old, mutation.new), encoding="utf-8")
    began = time.monotonic()
    try:
        outcome, said = run_tests(copy, mutation.tests, cache, PATIENCE)
    finally:
        path.write_text(original, encoding="utf-8")
        if in_kernels:
            shutil.rmtree(cache, ignore_errors=True)
    seconds = time.monotonic() - began
    if outcome == "passed":
        return "SURVIVED", seconds, mutation.why
    return {"failed": "killed", "broken": "BROKEN"}[outcome], seconds, first_failure(said)


def chosen(wanted: str) -> list[tuple[str, Mutation]]:
    """Return the mutations whose list, file or reason contains a text."""
    return [(name, m) for name, m in collect() if wanted in f"{name} {m.file} {m.why}"]


def main(wanted: str = "") -> int:
    """Try the chosen mutations and print a table; return the exit status."""
    mutations, known = chosen(wanted), known_survivors()
    if not mutations:
        print(f"no list, file or reason of a mutation contains {wanted!r}\n\n{__doc__}")
        return 2
    unexpected = 0
    with tempfile.TemporaryDirectory(prefix="medlda-mutations-") as folder:
        copy, cache = Path(folder, "repository"), Path(folder, "cache")
        shutil.copytree(REPOSITORY, copy, ignore=LEFT_OUT)
        tests = tuple(sorted({test for _, mutation in mutations for test in mutation.tests}))
        print(f"control: {len(tests)} tests or files without any change ...", flush=True)
        outcome, said = run_tests(copy, tests, cache, patience=10 * PATIENCE)
        if outcome != "passed":
            print(said, "\nthe tests fail without any mutation", sep="\n")
            return 2
        for name, mutation in mutations:
            result, seconds, remark = try_mutation(copy, mutation, cache)
            explained = known.get((mutation.file, mutation.old))
            if result == "SURVIVED" and explained:
                remark = f"known: {explained}"
            elif result != "killed":
                unexpected += 1
            change = " ".join(f"{mutation.old} -> {mutation.new}".split())
            print(
                f"{result:8} {seconds:6.1f} s  {name}: {mutation.file}: {change}\n{'':20}{remark}",
                flush=True,
            )
    print(f"{len(mutations)} mutations, {unexpected} not noticed or not usable")
    return 1 if unexpected or not mutations else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
