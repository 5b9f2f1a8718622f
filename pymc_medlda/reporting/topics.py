"""The section of the topics: their words, weights and most typical documents."""

from __future__ import annotations

import numpy as np

from pymc_medlda._arrays import Floats
from pymc_medlda.explanation.coloured import hue_of
from pymc_medlda.reporting.markup import Html, element, join, number, section
from pymc_medlda.reporting.material import Material
from pymc_medlda.reporting.reading import Reader, list_links

N_DOCUMENTS = 2
"""Typical documents of each topic."""
MOST_LINKED = 40
"""Documents to which topics link, all together."""
MOST_TASKS = 4
"""Weights that are shown of a topic; of more classes or labels, the largest and the smallest."""
LONGEST_NAME = 16
"""Letters of the name of a class beside its weight; the rest is cut."""
TAILS = (0.05, 0.95)


def describe_topics(material: Material, reader: Reader) -> Html:
    """Return a card for each topic that holds tokens, the largest first."""
    filled = material.filled
    n_each = min(N_DOCUMENTS, MOST_LINKED // max(filled.size, 1))
    cards = [_card(material, reader, int(k), n_each) for k in filled]
    n_empty = material.topics.n_topics - filled.size
    note = "The stronger the colour of a word, the more probable it is in the topic."
    if material.topics.n_chains > 1:
        note += " Where a topic differs between chains, the words are those of the first chain."
    if material.supervision is not None:
        note += (
            " Bars are weights with 90 % intervals over all chains: to the right a topic speaks "
            "for a class or raises a value, to the left it speaks against it or lowers it."
        )
    if n_empty:
        hold, are = ("topics hold", "are") if n_empty > 1 else ("topic holds", "is")
        note += f" {n_empty} {hold} next to no tokens and {are} left out."
    return section(
        "topics",
        "The topics",
        element("p", note, class_="note"),
        element("div", *cards, class_="cards"),
    )


def _card(material: Material, reader: Reader, topic: int, n_documents: int) -> Html:
    label = material.topics.topic_labels[topic]
    facts = f"{material.share[topic]:.1%} of the tokens"
    if material.topics.n_chains > 1:
        found = bool(material.matching.found[topic])
        facts += ", found by every chain" if found else ", differs between chains"
    pieces = [
        element("h3", element("i", class_="dot"), f"Topic {label}"),
        element("p", facts, class_="note"),
        element("p", _show_words(material, topic), class_="words"),
    ]
    if material.supervision is not None:
        pieces.append(_show_weights(material, topic))
    typical = np.argsort(-_typicality(material)[:, topic], kind="stable")[:n_documents]
    if n_documents:
        links = [
            join([reader.link(int(d)), f" ({material.proportions[d, topic]:.0%})"]) for d in typical
        ]
        pieces.append(element("p", "Typical: ", list_links(links), class_="note"))
    return element("article", *pieces, class_="card", style=f"--h:{hue_of(topic):.0f}")


def _typicality(material: Material) -> Floats:
    """Return how typical documents are of topics: their share, less for very short documents."""
    lengths = np.diff(material.topics.tokens.start)
    return np.asarray(material.proportions * np.minimum(lengths / 20.0, 1.0)[:, None])


def _show_words(material: Material, topic: int) -> Html:
    best = material.best_words[topic]
    phi = material.phi[topic, best]
    chips = [
        element("span", word, style=f"--a:{0.1 + 0.5 * p / phi[0]:.2f}", title=f"{p:.4f}")
        for word, p in zip(material.topics.word_labels[best], phi, strict=True)
    ]
    return join(chips, " ")


def _show_weights(material: Material, topic: int) -> Html:
    """Return a diverging bar for each task, all on one scale."""
    weights = material.weights
    mean, (low, high) = weights.mean(axis=0), np.quantile(weights, TAILS, axis=0)
    filled = material.filled
    largest = float(max(np.abs(low[:, filled]).max(), np.abs(high[:, filled]).max(), 1e-12))
    order = np.argsort(-mean[:, topic], kind="stable")
    if order.size > MOST_TASKS:
        order = np.append(order[: MOST_TASKS - 1], order[-1])
    rows = [
        _bar(material.task_names[i], mean[i, topic], low[i, topic], high[i, topic], largest)
        for i in order
    ]
    longest = min(max(len(name) for name in material.task_names), LONGEST_NAME)
    return element("div", *rows, class_="bars", style=f"--names:{longest + 1}ch")


def _bar(name: str, mean: float, low: float, high: float, largest: float) -> Html:
    def place(value: float) -> float:
        return 50.0 + 50.0 * value / largest

    left, right = sorted((50.0, place(mean)))
    bar = element(
        "i",
        class_="bar for" if mean > 0 else "bar against",
        style=f"left:{left:.1f}%;width:{right - left:.1f}%",
    )
    line = element(
        "i", class_="line", style=f"left:{place(low):.1f}%;width:{place(high) - place(low):.1f}%"
    )
    title = f"{mean:+.3g} ({low:+.3g} to {high:+.3g})"
    return element(
        "div",
        element("span", name, title=name),
        element("span", bar, line, class_="track", title=title),
        element("span", number(mean, 2)),
    )
