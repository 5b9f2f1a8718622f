"""A run in a process of its own, which a test kills.

    python -m tests.distributed.driver folder [address of a scheduler] [file for the result]

Without an address it runs its tasks in the process. Both run slowly, so that there is time to kill
them.
"""

import sys
import time

from pymc_medlda.distributed.progress import Progress
from tests.distributed.small import HERE, sample

OPTIONS = {"tune": 10, "draws": 20, "checkpoint_every": 5}


def run(folder, client=HERE, **options):
    return sample(checkpoint=folder, client=client, **{**OPTIONS, **options})


def main(folder, address=None, result=None):
    Progress.update = lambda *_: time.sleep(0.2 if address is None else 2.0)
    if address is None:
        run(folder)
        return
    import distributed

    with distributed.Client(address) as client:
        run(folder, client, checkpoint_every=1).to_netcdf(result)


if __name__ == "__main__":
    main(*sys.argv[1:])
