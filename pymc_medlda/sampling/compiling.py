"""Compile, before chains start, all the kernels that a chain calls."""

from __future__ import annotations

import numpy as np

from pymc_medlda.kernels._jit import alone_beside_the_cache
from pymc_medlda.kernels.augmentation import fill_scales
from pymc_medlda.kernels.counts import Tokens, list_present
from pymc_medlda.kernels.feature_weights import draw_feature_weights
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from pymc_medlda.kernels.sweeps.word_lists import MOST_NARROW
from pymc_medlda.kernels.weights import draw_weights


def compile_kernels(sampler: TopicSampler, n_tasks: int, power: float = 1.0) -> None:
    """Compile, or read from the cache, all that a chain with this kind of sampler needs.

    Called before processes are started, this leaves nothing for each of them to compile. If
    several programs start together, one compiles while the others wait. ``sampler`` itself is left
    as it is: a tiny one of the same kind runs instead. ``power`` is that of a tempered target: its
    sweep is compiled apart.
    """
    rng = np.random.default_rng(0)
    blocks = min(sampler.blocks, 2)
    # Lists are compiled once more for words as frequent as this; in blocks both forms may occur.
    is_wide = sampler.path == "sparse" and sampler.frequency.max(initial=0) >= MOST_NARROW
    word = np.repeat(np.arange(2, dtype=np.int32), (MOST_NARROW if is_wide else 1, 1))
    tokens = Tokens(word, np.array([0, word.size], np.int64))
    n_topics = sampler.n_topics
    tiny = TopicSampler(tokens, n_words=2, n_topics=n_topics, path=sampler.path, blocks=blocks)
    alpha, eta = np.ones(n_topics), np.zeros((n_tasks, n_topics))
    a, b = np.zeros((1, n_tasks)), np.zeros((1, n_tasks))
    with alone_beside_the_cache(fill_scales):
        for _ in range(2):  # the second call compares z with what is held
            tiny.load(np.zeros(word.size, np.min_scalar_type(n_topics - 1)))  # the dtype of z
        tiny.sweep(rng, alpha=alpha, beta=1.0, eta=eta, a=a, b=b, power=power)
        tiny.project(eta)
        tiny.log_words(1.0)
        tiny.log_assignments(alpha)
        counts = np.zeros((3, n_topics), np.int32)  # mostly empty, as in a large corpus
        counts[0, 0] = 1
        one = np.ones((3, n_tasks))
        draw_weights(rng, counts, list_present(counts), one, one, mean=eta, precision=eta + 1.0)
        fill_scales(np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1))


def compile_feature_kernels(n_tasks: int) -> None:
    """Compile what the draw of the weights of features needs, for so many tasks."""
    one, weights = np.ones((3, n_tasks)), np.zeros((100, n_tasks))
    few = FeatureMatrix(np.eye(3, 100))
    prior = np.ones((1, n_tasks))
    rng = np.random.default_rng(0)
    with alone_beside_the_cache(fill_scales):
        draw_feature_weights(rng, few, one, one, weights, mean=prior, precision=prior)
