"""One chain on many machines, or with documents on disk: partitions, tasks, and who runs them.

A partition is some of the documents. Random numbers have names, so that whoever draws them, and
whenever, draws the same. A `stations.Station` works at some partitions, and sends `letters` to the
others; `crews` are the stations of a run, on the workers of a Dask cluster or one in this process;
`running` drives them, and goes back to a checkpoint if a worker is lost. `executors` runs what is
done once. May import every room except `estimators`, `calibration` and `plots`; only `crews`,
`executors` and `loaders` know Dask.
"""

from pymc_medlda.distributed.executors import InProcess
from pymc_medlda.distributed.files import from_files
from pymc_medlda.distributed.loaders import from_bag, from_loaders
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
