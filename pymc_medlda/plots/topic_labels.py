"""How a topic is named: with the same words, its class and its weight in every picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pymc_medlda.plots.style import shorten
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import rank_words

LONGEST_WORD = 16


def name_topics(topics: TopicDraws, chains: Sequence[int], n: int) -> list[str]:
    """Return a name for each topic: its number and its n most probable words.

    The words are averages over these chains. A picture that matches the topics of several chains
    passes the first chain alone, because the topics keep the numbers that they have there: so a
    number has the same words in every picture, and in `top_words`.
    """
    numbers = [str(label) for label in topics.topic_labels]
    if not n:
        return numbers
    phi = topics.mean_phi(list(chains)).mean(axis=0)
    best = rank_words(phi, topics.shares(list(chains)))[:, :n]
    words = [[shorten(word, LONGEST_WORD) for word in row] for row in topics.word_labels[best]]
    return [f"{number}  {', '.join(row)}" for number, row in zip(numbers, words, strict=True)]


def describe_weights(run: Run, topics: TopicDraws, chains: list[int], longest: int) -> list[str]:
    """Return for each topic the class it speaks for and its mean weight; empty texts without one.

    Of two classes the sign of the weight decides. Of several classes, labels or tasks it is the one
    with the largest weight. Only the first response of the topics is described.
    """
    responses = run.responses_of(topics)
    if not responses:
        return ["" for _ in range(topics.n_topics)]
    response = responses[0]
    eta = response.eta.isel(chain=chains).values
    weights = eta.reshape(-1, response.y.shape[1], topics.n_topics).mean(axis=0)
    strongest = weights.argmax(axis=0)
    values = weights[strongest, np.arange(topics.n_topics)]
    classes: list[Any] | None = None
    if response.kind == "binary" and response.classes is not None:
        classes = [response.classes[int(value > 0)] for value in values]
    elif len(weights) > 1:
        classes = [response.task_labels[task] for task in strongest]
    numbers = [f"{response.eta.name} {value:.3g}".replace("-", "−") for value in values]
    if classes is None:
        return numbers
    return [
        f"{shorten(name, max(longest - len(number) - 2, 5))}, {number}"
        for name, number in zip(classes, numbers, strict=True)
    ]
