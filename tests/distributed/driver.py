"""A run in a process of its own, which a test kills: ``python -m tests.distributed.driver folder``.

It runs its tasks in the process, slowly, so that there is time to kill it.
"""

import sys
import time

from pymc_medlda.distributed.progress import Progress
from tests.distributed.small import sample


def run(folder):
    return sample(tune=10, draws=20, checkpoint=folder, checkpoint_every=5)


if __name__ == "__main__":
    Progress.update = lambda *_: time.sleep(0.2)
    run(sys.argv[1])
