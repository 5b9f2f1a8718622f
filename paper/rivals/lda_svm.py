"""GibbsLDA + SVM: topics by collapsed Gibbs sampling without labels, then a linear machine."""

from __future__ import annotations

import numpy as np

from paper.rivals import collapsed
from paper.rivals.collapsed import Classifier
from paper.rivals.svm import solve_hinge
from pymc_medlda._arrays import Floats
from pymc_medlda.corpus import Corpus


def fit(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    c: float = 5.0,
    alpha: float = 1.0,
    sweeps: int = 100,
    samples: int = 20,
) -> Classifier:
    """Sweep, average z̄ over the last ``samples`` sweeps, and fit a machine to each task.

    ``c`` is half the C of a machine with margin 1.
    """
    rng = np.random.default_rng(seed)
    prior = collapsed.paper_prior(n_topics, alpha)
    counts = collapsed.start(corpus, n_topics, rng)
    bias = np.ones((corpus.n_documents, n_topics))
    frequencies = np.zeros_like(bias)
    samples = min(samples, sweeps)
    for i in range(sweeps):
        collapsed.sweep(rng, corpus.words, corpus.starts, counts, prior, bias)
        if i >= sweeps - samples:
            frequencies += collapsed.topic_frequencies(counts, prior) / samples
    solved = [solve_hinge(frequencies, column, c=c, margin=1.0) for column in y.T]
    weights = np.array([machine.weights for machine in solved])
    return Classifier(collapsed.estimate_phi(counts, prior), weights, prior)
