"""The command ``python -m paper`` with four jobs that wait, and write down that they were run.

Run as ``python -m tests.paper.tiny_paper LOG [options of the command]``.
"""

import sys
import time
import types
from pathlib import Path

from paper.runner import job

JOBS = [job("wait", value=i, log=sys.argv[1]) for i in range(4)] if len(sys.argv) > 1 else []


def wait(value, log):
    """Note the value, and wait."""
    with Path(log).open("a", encoding="utf-8") as file:
        file.write(f"{value}\n")
    time.sleep(0.3)
    return {"score": 2 * value}


def draw(results, scale):
    """Draw the results."""
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([results[own]["score"] for own in JOBS])
    return figure


def main():
    """Run the command with these jobs in the place of a figure's."""
    from paper import __main__ as command

    figure = types.SimpleNamespace(jobs=lambda scale: JOBS, draw=draw)
    command.load_modules = lambda options: {"fig01": figure}
    del sys.argv[1]
    return command.main()


# The processes that run jobs import this module under the second name.
if __name__ in ("__main__", "__mp_main__"):
    sys.modules["paper.kinds"] = types.SimpleNamespace(KINDS={"wait": wait})
if __name__ == "__main__":
    sys.exit(main())
