"""One chain on many machines, or with documents on disk: partitions, tasks, and who runs them.

A partition is some of the documents. Tasks are functions that change nothing they are given, and
whose random numbers have names, so that any worker computes the same. `chain` says which tasks a
sweep is made of, `running` drives them, and `executors` runs them: on the workers of a Dask cluster
or in this process. May import every room except `estimators`, `calibration` and `plots`; only
`executors` and `loaders` know Dask.
"""

from pymc_medlda.distributed.executors import InProcess
from pymc_medlda.distributed.loaders import from_bag, from_files, from_loaders
from pymc_medlda.distributed.partitions import Partitions, partition
from pymc_medlda.distributed.predicting import predict
from pymc_medlda.distributed.sampling import sample
from pymc_medlda.distributed.settings import ScalePrior

__all__ = [
    "InProcess",
    "Partitions",
    "ScalePrior",
    "from_bag",
    "from_files",
    "from_loaders",
    "partition",
    "predict",
    "sample",
]
