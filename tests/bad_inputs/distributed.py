"""Partitions of corpora, and runs of them, that are refused."""

from functools import cache
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pymc as pm

import pymc_medlda as med
from tests.bad_inputs.kinds import CORPUS, NUMBER, SWITCH, WHOLE, Later, Row, rows

HERE = med.distributed.InProcess()
CORPUS_OF_FOUR = med.Corpus.from_tokens([["a", "b"], ["b"], ["c", "a"], ["c"]])
LABELS = [0, 1, 1, 0]
COLUMNS = pd.DataFrame(np.ones((4, 2)), columns=["u", "v"])


def partition(corpus=CORPUS_OF_FOUR, y=LABELS, **options):
    return med.distributed.partition(corpus, y, **{"n_partitions": 2, **options})


def sample(partitions=None, **options):
    given = {"n_topics": 2, "tune": 1, "draws": 2, "chains": 1, "client": HERE, "random_seed": 1}
    parts = partition() if partitions is None else partitions
    return med.distributed.sample(parts, **{**given, **options})


def loaded(loaders=(lambda: (CORPUS_OF_FOUR, LABELS),), **options):
    return sample(med.distributed.from_loaders(loaders, **options))


def files(paths=("s3://none/a.csv",), vocabulary=("a", "b"), **options):
    return med.distributed.from_files(paths, vocabulary=vocabulary, **options)


def bag(bag=None, **options):
    import dask.bag

    given = dask.bag.from_sequence(["a cat", "the dog"], npartitions=1) if bag is None else bag
    return med.distributed.from_bag(given, **options)


@cache
def run():
    return sample()


def predict(idata=None, partitions=None, client=HERE, **options):
    given = partition() if partitions is None else partitions
    return med.distributed.predict(idata or run(), given, client=client, **options)


CALLS = {
    "distributed.partition": partition,
    "distributed.sample": sample,
    "distributed.from_loaders": loaded,
    "distributed.from_files": files,
    "distributed.predict": predict,
    "distributed.InProcess": lambda folder=None: med.distributed.InProcess(folder),
}

RANDOM = Later(lambda: pm.HalfNormal.dist(1.0))
OTHER_WORDS = med.Corpus.from_tokens([["x"]])
ROWS = [
    *rows("distributed.partition", CORPUS, "corpus"),
    Row("distributed.partition", "corpus", "no tokens", med.Corpus.from_tokens([[]], n_words=3)),
    Row("distributed.partition", "y", "too short", [0, 1]),
    *rows("distributed.partition", WHOLE, "n_partitions"),
    Row("distributed.partition", "features", "a matrix", np.ones((4, 1))),
    Row("distributed.partition", "offset", "too short", [0.0, 1.0]),
    Row("distributed.partition", "offset", "text", ["a", "b", "c", "d"]),
    Row("distributed.partition", "offset", "NaN", [0.0, 1.0, np.nan, 0.0]),
    Row("distributed.partition", "offset", "three dimensions", np.zeros((4, 1, 1))),
    Row("distributed.partition", "offset", "columns of no task", COLUMNS, "'u', 'v'", "classes"),
    Row("distributed.partition", "n_partitions", "more than words", 4),
    Row("distributed.sample", "partitions", "a corpus", CORPUS_OF_FOUR),
    Row("distributed.sample", "partitions", "a list", [1]),
    Row("distributed.sample", "partitions", "unknown class", partition(classes=[0, 2]), "classes"),
    *rows(
        "distributed.sample",
        WHOLE,
        *("n_topics", "tune", "draws", "chains", "sweeps_per_draw", "checkpoint_every"),
        "random_seed",
    ),
    Row("distributed.sample", "loss", "text", "hinge"),
    Row("distributed.sample", "loss", "class", med.Hinge),
    Row("distributed.sample", "loss", "one weight per document", med.Hinge(c=np.ones(4))),
    Row(
        "distributed.sample",
        "loss",
        "one weight per document, standardised",
        med.Standardised(med.EpsilonInsensitive(c=np.ones(4))),
    ),
    *rows("distributed.sample", NUMBER, "alpha", "beta", "nu"),
    Row("distributed.sample", "alpha", "another length", [1.0, 1.0, 1.0]),
    Row("distributed.sample", "beta", "vector", [1.0, 1.0]),
    *(
        Row("distributed.sample", name, "random variable", RANDOM, f"{name} must be fixed")
        for name in ("alpha", "beta", "nu")
    ),
    Row(
        *("distributed.sample", "nu", "prior with a random variable"),
        Later(lambda: med.distributed.ScalePrior(1.0, RANDOM.make())),
        "nu.rate must be fixed",
    ),
    Row(
        *("distributed.sample", "loss", "random variable"),
        Later(lambda: med.Hinge(c=RANDOM.make())),
        "loss parameter c must be fixed",
    ),
    Row("distributed.sample", "nu", "prior of nothing", med.distributed.ScalePrior(-1.0, 1.0)),
    Row("distributed.sample", "client", "text", "tcp://127.0.0.1:8786"),
    Row("distributed.sample", "client", "number", 3),
    Row("distributed.sample", "checkpoint", "number", 3),
    Row("distributed.sample", "z_store", "number", 3),
    *rows("distributed.sample", SWITCH, "progressbar"),
    Row("distributed.from_loaders", "loaders", "number", 3),
    Row("distributed.from_loaders", "loaders", "numbers", [3]),
    Row("distributed.from_loaders", "loaders", "none at all", []),
    Row("distributed.from_loaders", "loaders", "no corpus", [lambda: 3], "loader"),
    Row(
        *("distributed.from_loaders", "loaders", "two vocabularies"),
        [lambda: (CORPUS_OF_FOUR, LABELS), lambda: (OTHER_WORDS, [1])],
        "vocabulary",
    ),
    Row("distributed.from_loaders", "classes", "one string", "ab"),
    Row("distributed.partition", "classes", "one string", "ab"),
    Row("distributed.from_files", "paths", "one path", "/none/a.csv"),
    Row("distributed.from_files", "paths", "number", 3),
    Row("distributed.from_files", "paths", "none at all", []),
    Row("distributed.from_files", "paths", "numbers", [3]),
    Row("distributed.from_files", "paths", "another format", ["/none/a.xml"]),
    Row("distributed.from_files", "vocabulary", "one string", "ab"),
    Row("distributed.from_files", "text_column", "number", 3),
    Row("distributed.from_files", "label_column", "number", 3),
    Row("distributed.predict", "partitions", "a corpus", CORPUS_OF_FOUR),
    Row("distributed.predict", "var_names", "unknown", ["no such"]),
    Row("distributed.predict", "client", "text", "here"),
    Row("distributed.predict", "folder", "number", 3),
    Row("distributed.predict", "folder", "a file", __file__),
    *rows("distributed.predict", WHOLE, "random_seed"),
    Row("distributed.InProcess", "folder", "number", 3),
]

if find_spec("dask") is not None:  # the extra dask may be missing
    CALLS["distributed.from_bag"] = bag
    ROWS += [
        Row("distributed.from_bag", "bag", "list", ["a"]),
        *rows("distributed.from_bag", WHOLE, "min_df", "max_words"),
        Row("distributed.from_bag", "min_df", "excludes all", 3),
        Row("distributed.from_bag", "client", "text", "tcp://127.0.0.1:8786"),
        Row("distributed.from_bag", "client", "number", 3),
    ]
