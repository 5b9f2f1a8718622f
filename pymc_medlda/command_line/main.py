"""The entry point of the command line: arguments in, an exit status out."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

from pymc_medlda.command_line.arguments import build_parser

REFUSED = 2  # the status that argparse has for wrong arguments
INTERRUPTED = 130  # what shells expect after Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; errors of the user are one sentence and not a traceback."""
    given = build_parser().parse_args(arguments)
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        given.run(given)
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        print(f"pymc-medlda: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("pymc-medlda: interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0
