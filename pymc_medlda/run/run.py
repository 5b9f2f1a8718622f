"""`Run`: a finished run, decoded once, that keeps what is computed from it.

Public functions take what ``pm.sample`` returned or the path of a file, make one `Run` of it and
hand that around.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.files import complete
from pymc_medlda.run.fitted import run_of_fitted
from pymc_medlda.run.matching import Matching, exchangeable, match
from pymc_medlda.run.reading import (
    FOREIGN,
    UNSUPERVISED,
    pick,
    read_records,
    read_response,
    read_topics,
)
from pymc_medlda.run.record import Record, ResponseRecord, TopicsRecord, alpha_of
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.statistics import Statistics, read_statistics
from pymc_medlda.run.topic_draws import TopicDraws


class Run:
    """What a sampling run left behind, from the returned object or a file, and nothing else.

    Both generations are served: `InferenceData` and `DataTree`. Nothing is decoded before it is
    needed, and nothing is decoded twice.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or the path of a file that `read_run` can read. A fitted
        estimator, or a pipeline that ends in one, stands for the run that it keeps.

    Examples
    --------
    >>> from pymc_medlda.run.run import Run
    >>> run = Run(idata)
    >>> run.response_names, run.topics().n_topics
    (['y'], 2)
    >>> run.topics().mean_phi().shape
    (2, 2, 30)
    """

    def __init__(self, idata: Any) -> None:
        self.idata = complete(run_of_fitted(idata))
        self._groups: dict[str, Any] = {}
        self._topics: dict[str, TopicDraws] = {}
        self._responses: dict[str, ResponseDraws] = {}
        self._matchings: dict[str, Matching] = {}

    @classmethod
    def of(cls, idata: Any) -> Run:
        """Return the run of an object or a path; a `Run` is returned as it is."""
        return idata if isinstance(idata, Run) else cls(idata)

    def group(self, name: str) -> Any:
        """Return a group as an xarray Dataset, None if it is absent."""
        if name not in self._groups:
            self._groups[name] = get_group(self.idata, name)
        return self._groups[name]

    @cached_property
    def _records(self) -> list[Record]:
        return read_records(self.group)

    @property
    def topics_records(self) -> list[TopicsRecord]:
        """The descriptions of the sets of topic assignments."""
        return [found for found in self._records if isinstance(found, TopicsRecord)]

    @property
    def response_records(self) -> list[ResponseRecord]:
        """The descriptions of the responses."""
        return [found for found in self._records if isinstance(found, ResponseRecord)]

    @property
    def assignment_names(self) -> list[str]:
        """The names of the sets of topic assignments."""
        return [described.z for described in self.topics_records]

    @property
    def response_names(self) -> list[str]:
        """The names of the responses."""
        return [described.name for described in self.response_records]

    def topics(self, name: str | None = None) -> TopicDraws:
        """Return a set of topic assignments, by name if there are several."""
        described = pick(self.topics_records, "topics", name, missing=FOREIGN)
        if described.z not in self._topics:
            self._topics[described.z] = read_topics(described, self.group)
        return self._topics[described.z]

    def response(self, name: str | None = None) -> ResponseDraws:
        """Return a response, by name if there are several."""
        described = pick(self.response_records, "response", name, missing=UNSUPERVISED)
        if described.name not in self._responses:
            self._responses[described.name] = read_response(described, self.group)
        return self._responses[described.name]

    def responses_of(self, topics: TopicDraws) -> list[ResponseDraws]:
        """Return the responses that belong to a set of topic assignments."""
        return [self.response(r.name) for r in self.response_records if r.z == topics.name]

    @cached_property
    def statistics(self) -> Statistics:
        """The statistics of the step, warm-up first where it was kept."""
        return read_statistics(self.group("sample_stats"), self.group("warmup_sample_stats"))

    def matching(self, topics: TopicDraws, **options: Any) -> Matching:
        """Match the topics of the chains, and with ``within_chain`` those of the draws.

        The options are those of `match`. A matching without options is kept.
        """
        if options:
            return match(topics, self._exchangeable(topics), **options)
        if topics.name not in self._matchings:
            self._matchings[topics.name] = match(topics, self._exchangeable(topics))
        return self._matchings[topics.name]

    def _exchangeable(self, topics: TopicDraws) -> NDArray[np.bool_]:
        """Tell which pairs of topics the model treats in the same way."""
        # Sets with equally many topics share a dim, but an alpha belongs to one of them.
        foreign = [alpha_of(name) for name in self.assignment_names if name != topics.name]
        constant = self.group("constant_data").drop_vars(foreign, errors="ignore")
        return exchangeable(topics, constant)
