"""Small runs for the tests of chains in partitions."""

from functools import cache

import numpy as np

import pymc_medlda as med
from pymc_medlda.distributed.crews import CrewOfOne, Opening
from pymc_medlda.distributed.describing import code_here, describe, find_coding
from pymc_medlda.distributed.documents import plan_blocks
from pymc_medlda.distributed.sampling import _make_settings
from pymc_medlda.distributed.stations import Order
from pymc_medlda.distributed.weights import first_weights
from pymc_medlda.kernels.sweeps.blocks import arrange, order_of
from pymc_medlda.losses.standardised import Units

HERE = med.distributed.InProcess()
GROUPS = ("posterior", "sample_stats", "topic_counts")
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
    return all(
        np.array_equal(left[group][name].values, right[group][name].values, equal_nan=True)
        for group in GROUPS
        for name in left[group].data_vars
    )


class Alone:
    """A chain without a run around it, whose state can be looked at after every sweep."""

    def __init__(self, corpus, y, n_partitions, *, path=None, seed=3, nu=1.0, **model):
        options = {"n_partitions": n_partitions, "offset": model.pop("offset", None)}
        parts = med.distributed.partition(corpus, y, **options)
        loss = model.get("loss")
        takes_labels = None if loss is None else loss.takes_labels
        parts, coding = code_here(parts, takes_labels)
        described = [describe(own, takes_labels) for own in parts.parts]
        assert coding is not None or find_coding(parts, described, takes_labels) is None
        settings = {"alpha": 1.0, "beta": 0.01, "loss": None, "nu": nu, **model}
        n_topics = settings.pop("n_topics")
        given = _make_settings(coding, n_partitions, n_topics, seed, **settings)
        self.given = given if path is None else given._replace(path=path)
        if isinstance(loss, med.Standardised):
            explained = 0.0 if options["offset"] is None else options["offset"]
            units = loss.measure(np.asarray(y) - explained)
            self.given = self.given._replace(units=Units(*np.atleast_1d(*units)))
        self.plan = plan_blocks(described)
        tokens = [own.load().corpus.tokens for own in parts.parts]
        self.orders = [order_of(arrange(own, self.plan), own.word, self.plan) for own in tokens]
        own = (dict(enumerate(parts.parts)), coding, self.plan, self.given)
        self.crew = CrewOfOne(Opening(*own, 0, [first_weights(self.given)], ""))
        self.station = self.crew.station
        self.part = self.station.parts[0]
        self.seen = {}
        self.sweep(0)  # counts the words, and draws the weights of the first sweep

    def sweep(self, number):
        """Run a sweep, at whose end the weights of the next one are drawn."""
        report = self.crew.follow(Order(max(number, 1), number, (), 0, None))[0]
        self.seen |= {sweep: seen for (_, sweep), seen in report.seen.items()}
        self.number = number

    @property
    def topics(self):
        """The topics of each partition."""
        return list(self.part.topics.values())

    @property
    def augmented(self):
        """The augmented losses of each partition, of the next sweep."""
        return list(self.part.augmented.values())

    @property
    def next_weights(self):
        """The weights of the next sweep."""
        return self.station.box.look(("weights", 0, self.number + 1))

    @property
    def blocks(self):
        """The counts of each block."""
        names = [("block", 0, self.number + 1, 0, B) for B in range(self.given.n_partitions)]
        return [self.station.box.look(name) for name in names]

    def z(self):
        """Return the topics of all tokens, in the order of the corpus."""
        found = []
        for order, topics in zip(self.orders, self.topics, strict=True):
            own = np.empty(sum(part.size for part in order), np.uint8)
            for places, z in zip(order, topics.z, strict=True):
                own[places] = z
            found.append(own)
        return np.concatenate(found)
