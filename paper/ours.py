"""Gibbs MedLDA by this package, as the paper runs it: one chain, one draw of the classifier.

The package's own `predict` averages over draws and chains. Here the pieces below it are used, so
that a single draw, its burn-in and its times can be looked at.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

import pymc_medlda as med
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.new_documents import Schedule, estimate_topics, sample_blocks
from pymc_medlda.losses import Loss
from pymc_medlda.prediction.new_documents import NewDocuments, count_blocks
from pymc_medlda.sampling.chains import start_uniformly

BETA = 0.01
# As `pymc_medlda.predict` does by default: the relative change of the likelihood at which the
# topics of new documents have settled, and the most sweeps from one draw to the next.
TOLERANCE = 1e-3
BETWEEN = 1


@dataclass(frozen=True)
class Draw:
    """Topics of the training tokens, and weights that were drawn given these topics."""

    z: np.ndarray
    eta: Floats  # (n_tasks, n_topics)


def iterate_draws(
    corpus: Corpus, y: Floats, *, n_topics: int, loss: Loss, seed: int, alpha: float = 1.0
) -> Iterator[Draw]:
    """Yield the draws of a chain, beginning with the random topics after zero sweeps.

    As in the paper, the classifier after M sweeps is drawn given the topics of sweep M.
    """
    return run_chain(*start_chain(corpus, y, n_topics=n_topics, loss=loss, seed=seed, alpha=alpha))


def start_chain(
    corpus: Corpus, y: Floats, *, n_topics: int, loss: Loss, seed: int, alpha: float
) -> tuple[med.GibbsMedLDAStep, dict[str, np.ndarray]]:
    """Build the model as PyMC's graph, and return the step and the random start of a chain."""
    response = y[:, 0] if y.shape[1] == 1 else y
    model = med.GibbsMedLDA(corpus, response, n_topics=n_topics, loss=loss, alpha=alpha, beta=BETA)
    start = start_uniformly(model, seed)
    return med.GibbsMedLDAStep(model=model, rng=start.rng, blocks=1), start.point


def run_chain(step: med.GibbsMedLDAStep, point: dict[str, np.ndarray]) -> Iterator[Draw]:
    """Yield the draws of a chain for as long as they are asked for."""
    while True:
        z = point["z"]
        point, _ = step.step(point)
        yield Draw(z, np.atleast_2d(point["eta"]))


@dataclass
class GibbsMedLDA:
    """The draws that predictions are averaged over, and what they belong to."""

    corpus: Corpus
    alpha: Floats  # (n_topics,)
    draws: list[list[Draw]] = field(default_factory=list)  # of each chain
    setup_cpu: float = 0.0  # seconds of `fit` before the first sweeps: building PyMC's graph

    def discriminants(
        self, corpus: Corpus, seed: int, *, n_samples: int = 10, max_burn_in: int = 100
    ) -> Floats:
        """Return η · z̄ of new documents, averaged over draws, (n_documents, n_tasks)."""
        n_draws = sum(map(len, self.draws))
        per_draw = -(-n_samples // n_draws)
        found = self.iterate_frequencies(corpus, seed, n_samples=per_draw, max_burn_in=max_burn_in)
        return np.asarray(sum(z_bar @ draw.eta.T for draw, z_bar in found)) / n_draws

    def iterate_frequencies(
        self, corpus: Corpus, seed: int, *, n_samples: int = 10, max_burn_in: int = 100
    ) -> Iterator[tuple[Draw, Floats]]:
        """Yield every draw with z̄ of new documents under it."""
        n_topics = self.alpha.size
        new = NewDocuments.from_corpus(corpus)
        topics = new.empty_topics(n_topics)
        schedule = Schedule(n_samples, max_burn_in, TOLERANCE, BETWEEN)
        for chain, draws in enumerate(self.draws):
            state = new.start(n_topics, np.random.SeedSequence(seed), chain)
            for draw in draws:
                words, n_words = self.corpus.words, self.corpus.n_words
                estimate_topics(words, draw.z, new.row, n_words, self.alpha, BETA, topics)
                out = np.empty((corpus.n_documents, n_topics))
                sample_blocks(new.tokens, topics, schedule, state, 0, count_blocks(new.tokens), out)
                yield draw, out


def choose_loss(y: Floats, *, c: float = 1.0, margin: float | None = None) -> Loss:
    """Return the loss of the paper for labels or real values, with some other c or margin."""
    if not np.isin(y, (-1.0, 1.0)).all():
        return med.EpsilonInsensitive(c=c, epsilon=1e-3)
    margin = med.Hinge.paper(y.shape[1]).margin if margin is None else margin
    return med.Hinge(c=c, margin=margin)


def fit(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    sweeps: int = 10,
    draws: int = 1,
    chains: int = 1,
    alpha: float = 1.0,
    c: float = 1.0,
    margin: float | None = None,
) -> GibbsMedLDA:
    """Run chains for ``sweeps`` sweeps, and keep the draws that follow, one by default."""
    loss = choose_loss(y, c=c, margin=margin)
    result = GibbsMedLDA(corpus, np.full(n_topics, alpha / n_topics))
    for chain in range(chains):
        begin = time.process_time()
        running = run_chain(
            *start_chain(
                corpus, y, n_topics=n_topics, loss=loss, seed=seed + 1000 * chain, alpha=alpha
            )
        )
        result.setup_cpu += time.process_time() - begin
        for _ in range(sweeps):
            next(running)
        result.draws.append([next(running) for _ in range(draws)])
    return result
