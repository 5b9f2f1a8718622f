"""Small runs for the tests of chains in partitions."""

from functools import cache

import numpy as np

import pymc_medlda as med
from pymc_medlda.distributed.chain import Chain, Corpora
from pymc_medlda.distributed.describing import code_here, describe, find_coding
from pymc_medlda.distributed.documents import plan_blocks, prepare_documents
from pymc_medlda.distributed.sampling import _make_settings
from pymc_medlda.kernels.sweeps.blocks import arrange

HERE = med.distributed.InProcess()
OPTIONS = {"n_topics": 3, "tune": 4, "draws": 6, "random_seed": 5, "progressbar": False}


@cache
def planted():
    return med.datasets.make_planted(60, n_topics=3, n_words=40, seed=1)


def parts_of(n_partitions=2, **options):
    return med.distributed.partition(
        planted().corpus, planted().y, n_partitions=n_partitions, **options
    )


def sample(parts=None, client=HERE, **options):
    return med.distributed.sample(
        parts_of() if parts is None else parts, client=client, **{**OPTIONS, **options}
    )


def same_draws(left, right):
    """Tell whether two runs hold the same draws, counts and statistics, bit for bit."""
    groups = ("posterior", "sample_stats", "topic_counts")
    return all(
        np.array_equal(left[group][name].values, right[group][name].values)
        for group in groups
        for name in left[group].data_vars
    )


class Alone:
    """A chain without a run around it, whose state can be looked at after every sweep."""

    def __init__(self, corpus, y, n_partitions, *, path=None, seed=3, nu=1.0, **model):
        parts = med.distributed.partition(corpus, y, n_partitions=n_partitions)
        loss = model.get("loss")
        takes_labels = None if loss is None else loss.takes_labels
        parts, coding = code_here(parts, takes_labels)
        described = [describe(own, takes_labels) for own in parts.parts]
        assert coding is not None or find_coding(parts, described, takes_labels) is None
        options = {"alpha": 1.0, "beta": 0.01, "loss": None, "nu": nu, **model}
        n_topics = options.pop("n_topics")
        given = _make_settings(coding, n_partitions, n_topics, seed, **options)
        self.given = given if path is None else given._replace(path=path)
        self.plan = plan_blocks(described)
        documents = [prepare_documents(own, coding, self.plan, self.given) for own in parts.parts]
        self.orders = [arrange(own.load()[0].tokens, self.plan)[1] for own in parts.parts]
        self.chain = Chain(HERE, Corpora(documents, self.plan), self.given, 0)
        self.chain.start()
        self.documents = documents

    def z(self):
        """Return the topics of all tokens, in the order of the corpus."""
        found = []
        for order, topics in zip(self.orders, self.chain.topics, strict=True):
            own = np.empty(sum(part.size for part in order), np.uint8)
            for places, z in zip(order, topics.z, strict=True):
                own[places] = z
            found.append(own)
        return np.concatenate(found)
