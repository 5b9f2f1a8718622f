"""The conditionals of one set of assignments: read from a point, drawn in turn, summarised.

What is kept from draw to draw is a cache, used only where a comparison proves that it belongs to
the point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymc as pm

from pymc_medlda._arrays import Floats
from pymc_medlda._blas import on_one_core
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.sampling.compiling import compile_feature_kernels, compile_kernels
from pymc_medlda.sampling.feature_weights import FeatureWeights
from pymc_medlda.sampling.graph import TopicBlock
from pymc_medlda.sampling.point_reader import PointReader
from pymc_medlda.sampling.supervision import ResponseValues, Supervision, join_tasks
from pymc_medlda.sampling.values import check_value

Point = dict[str, Any]


class Conditionals:
    """Auxiliary variables, weights and topic assignments, each drawn given all the others.

    Parameters
    ----------
    model : pymc.Model
        The model that holds the block.
    block : TopicBlock
        Topic assignments with the responses that depend on them.
    drawn : sequence of random variables
        Those of z and the weights that are drawn. The others are read from the point.
    path : str
        How topics are drawn: see `TopicSampler`.
    weight_rounds : int
        How often auxiliary variables and weights are drawn in a sweep.
    blocks, threads : int
        Of the sweep over the topics: see `TopicSampler`.
    """

    def __init__(
        self,
        model: pm.Model,
        block: TopicBlock,
        drawn: Sequence[Any],
        path: str,
        weight_rounds: int = 1,
        blocks: int = 1,
        threads: int = 1,
    ) -> None:
        self.z_name = block.name
        self.weight_rounds = weight_rounds
        self.draws_topics = block.z in drawn
        self.topics_in_point = block.is_free
        self.responses: list[Supervision] = []
        # What is drawn is not read as an expression: that would compare and copy it once more.
        expressions = {
            self.z_name: None if self.topics_in_point else block.z,
            f"alpha of {self.z_name}": block.alpha,
            f"beta of {self.z_name}": block.beta,
        }
        for own in block.responses:
            is_drawn = own.eta in drawn
            name = str(model.rvs_to_values[own.eta].name) if is_drawn else None
            features = None
            if own.features is not None and own.features.weights in drawn:
                of_features = str(model.rvs_to_values[own.features.weights].name)
                features = FeatureWeights(own.features, of_features, own.name)
            self.responses.append(Supervision(own, name, features))
            expressions |= ResponseValues.expressions(own, drawn).by_name(own)
        self.reader = PointReader(model, expressions)
        self.sampler = TopicSampler(
            block.tokens,
            n_words=block.n_words,
            n_topics=block.n_topics,
            path=path,
            blocks=blocks,
            threads=threads,
        )
        self.alpha: Floats | None = None  # stays None where z has no density
        self.beta = 1.0
        self.read_priors: tuple[Any, Any] = (None, None)  # alpha and beta as they were read
        self.moved = 0
        # In the parent process, so that chains that start together find the kernels compiled.
        compile_kernels(self.sampler, sum(r.y.shape[1] for r in self.responses) or 1)
        for response in self.responses:
            if response.features is not None:
                compile_feature_kernels(response.y.shape[1])

    def load(self, point: Point) -> None:
        """Read all that is given from a point."""
        values = iter(self.reader(point))
        topics = next(values)
        self._read_priors(next(values), next(values))
        if not self.sampler.load(point[self.z_name] if self.topics_in_point else topics):
            for response in self.responses:
                response.invalidate_projection()
        for response in self.responses:
            own = ResponseValues.take(values, response.n_parameters)
            if response.eta_name is not None:
                own = own._replace(eta=point[response.eta_name])
            if response.features is not None:
                weights = point[response.features.name]
                own = own._replace(features=own.features._replace(weights=weights))
            response.read(own, n_topics=self.sampler.n_topics)

    def _read_priors(self, alpha: Any, beta: Any) -> None:
        """Take alpha (None where z has no density) and beta, checked if they are new."""
        # The reader returns the same object as long as a value is the same.
        if alpha is self.read_priors[0] and beta is self.read_priors[1]:
            return
        shape = (self.sampler.n_topics,)
        if alpha is not None:
            self.alpha = check_value(f"alpha of {self.z_name}", alpha, shape, positive=True)
        self.beta = float(check_value(f"beta of {self.z_name}", beta, (), positive=True))
        self.read_priors = alpha, beta

    def sweep(self, rng: np.random.Generator, power: float = 1.0) -> None:
        """Draw auxiliary variables, weights and topics once each.

        ``power`` is that of a tempered target: the densities of words and topics and the factors of
        the losses are raised to it, but not the prior of the weights.
        """
        with on_one_core():
            self._draw_weights(rng, power)
        if not self.draws_topics:
            return
        assert self.alpha is not None  # a z that is drawn is a random variable, with a prior
        eta, a, b = join_tasks(self.responses, self.sampler.document_topic.shape)
        self.moved = self.sampler.sweep(
            rng, alpha=self.alpha, beta=self.beta, eta=eta, a=a, b=b, power=power
        )
        for response in self.responses:
            response.invalidate_projection()

    def _draw_weights(self, rng: np.random.Generator, power: float) -> None:
        """Draw auxiliary variables and weights, as often as there are rounds."""
        for response in self.responses:
            # If the weights are given, a second round would only replace what the first one drew.
            draws_any = response.drawn or response.features is not None
            for _ in range(self.weight_rounds if draws_any else 1):
                response.augment(rng, self.sampler, power)
                if response.drawn:
                    response.draw_weights(rng, self.sampler)
                if response.features is not None:
                    response.draw_feature_weights(rng, self.sampler)

    def drawn_values(self) -> Point:
        """Return copies of what was drawn, by the names of the point."""
        drawn: Point = {}
        for response in self.responses:
            drawn |= response.drawn_values()
        if self.draws_topics:
            drawn[self.z_name] = self.sampler.z.copy()
        return drawn

    def log_ratio(self, power: float, other: float) -> float:
        """Return the log of the target tempered by ``other`` over that tempered by ``power``.

        Both are taken at the present values, and without what does not depend on them.
        """
        assert self.alpha is not None
        ratio = self.sampler.log_words(self.beta) + self.sampler.log_assignments(self.alpha)
        ratio *= other - power
        return ratio + sum(r.log_ratio(self.sampler, power, other) for r in self.responses)

    def statistics(self) -> dict[str, float]:
        """Return the statistics of a draw, as the notes of `GibbsMedLDAStep` define them."""
        n_tokens = self.sampler.tokens.word.size
        log_words = self.sampler.log_words(self.beta)
        log_joint = log_words
        if self.alpha is not None:
            log_joint += self.sampler.log_assignments(self.alpha)
        losses, scores = [], []
        for response in self.responses:
            loss, score, log_density = response.summarise(self.sampler)
            losses.append(loss)
            scores.append(score)
            log_joint += log_density
        return {
            "loss": float(sum(losses)),
            "score": sum(scores) / len(scores) if scores else float("nan"),
            "log_likelihood": log_words / n_tokens,
            "log_joint": log_joint,
            "moved": self.moved / n_tokens,
        }
