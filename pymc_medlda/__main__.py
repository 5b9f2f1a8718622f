"""Run the command line with ``python -m pymc_medlda``."""

import sys

from pymc_medlda.command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
