"""Regenerate section 5 of the paper: ``python -m paper``, or ``make paper``.

Figures are written as PDF and PNG, tables and claims as Markdown. Results are kept in a folder, so
that a run which was stopped goes on.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
from pathlib import Path
from types import ModuleType

from PIL import Image

from paper import claims, files
from paper.runner import Runner, fingerprint
from paper.settings import FULL, QUICK
from paper.style import journal, save

ROOT = Path(__file__).resolve().parents[1]
FIGURES = [f"fig{i:02d}" for i in range(1, 13)]
# In the full run only: what the paper says in words only, what cross-validation chose, and what
# the paper could not know.
FURTHER = ["in_words", "choices", "beyond"]
WITHOUT_DATA = """\
The corpora of the paper are not here, so there is nothing to reproduce.
Set MEDLDA_DATA to the folder that holds these files: {}.
(The methods themselves are tested on drawn corpora, by pytest tests/paper.)"""


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m paper", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few minutes: checks the claims")
    parser.add_argument("--only", nargs="+", choices=[*FIGURES, *FURTHER], help="some parts only")
    parser.add_argument("--jobs", type=int, default=2, help="processes, each on one core")
    parser.add_argument("--cache", type=Path, default=ROOT / ".paper" / "cache")
    parser.add_argument("--output", type=Path, default=ROOT / ".paper" / "output")
    parser.add_argument("--publish", action="store_true", help="write to docs/ what it shows")
    options = parser.parse_args()
    if options.publish and (options.quick or options.only):
        parser.error("--publish needs the whole run, without --quick and --only")
    return options


def load_modules(options: argparse.Namespace) -> dict[str, ModuleType]:
    """Return the modules of the parts that were asked for."""
    names = options.only or (FIGURES if options.quick else [*FIGURES, *FURTHER])
    return {name: importlib.import_module(f"paper.figures.{name}") for name in names}


def publish(output: Path) -> None:
    """Copy pictures and tables to the documentation, which shows what was measured last."""
    images, tables = ROOT / "docs" / "images" / "paper", ROOT / "docs" / "paper"
    images.mkdir(parents=True, exist_ok=True)
    tables.mkdir(exist_ok=True)
    for path in output.glob("*.png"):
        # A table of 64 colours is enough, and a third of the size.
        with Image.open(path) as image:
            image.convert("RGB").quantize(64).save(images / path.name, optimize=True)
    for path in output.glob("*.md"):
        if path.stem == "claims-of-parts":
            continue
        # Not as a page of its own: pages include these tables.
        shutil.copy(path, tables / f"{path.stem}.txt")


def main() -> int:
    """Run, draw and check; return the exit code."""
    options = read_options()
    if missing := files.missing():
        # A machine without the corpora, such as that of a public CI, cannot check any claim.
        print(WITHOUT_DATA.format(", ".join(missing)))
        return 0 if options.quick else 1
    start = time.perf_counter()
    scale = QUICK if options.quick else FULL
    modules = load_modules(options)
    # The quick run asks whether claims still hold, so it keeps nothing of other sources.
    sources = fingerprint(ROOT / "paper", ROOT / "pymc_medlda")
    cache = options.cache / (f"quick-{sources}" if options.quick else "full")
    runner = Runner(cache, workers=options.jobs)
    results = runner.run(own for module in modules.values() for own in module.jobs(scale))
    output = options.output / ("quick" if options.quick else "full")
    output.mkdir(parents=True, exist_ok=True)
    with journal():
        for name, module in modules.items():
            if hasattr(module, "draw"):
                save(module.draw(results, scale), output, name)
            if hasattr(module, "describe"):
                for part, text in module.describe(results, scale).items():
                    (output / f"{part}.md").write_text(text + "\n", "utf-8")
    measured = claims.measure(results, scale)
    summary = claims.summary(measured, [own for jobs in runner.seconds.values() for own in jobs])
    # Some parts only have some of the claims, which must not stand for the table of a whole run.
    name = "claims-of-parts" if options.only else "claims"
    (output / f"{name}.md").write_text(claims.as_markdown(measured) + "\n", "utf-8")
    if not options.only:
        (output / "summary.md").write_text(summary + "\n", "utf-8")
    if options.publish:
        publish(output)
    print(claims.as_text(measured))
    print(summary)
    print(f"Figures and tables are in {output}; {time.perf_counter() - start:.0f} s.")
    return claims.check(measured, quick=options.quick, whole=not options.only)


if __name__ == "__main__":
    sys.exit(main())
