"""What claims about Figure 12 and Table 1 look at: the topics of classes, and their words."""

from __future__ import annotations

import numpy as np

from paper import data
from paper.figures import fig12
from paper.figures.tables import Results
from paper.measures import Found
from paper.settings import Scale
from pymc_medlda._arrays import Floats

TYPICAL = 2  # so many of a topic's ten words must be typical of a class


def profiles_differ(results: Results, scale: Scale) -> Found:
    """Ask whether the mean topic frequencies of a class and its nearest have a small cosine."""
    del scale
    profile = np.array(results[fig12.profile()]["profile"])
    profile /= np.linalg.norm(profile, axis=1, keepdims=True)
    cosines = profile @ profile.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = cosines.max(axis=1)
    median = float(np.median(nearest))
    return Found(f"median cosine {median:.2f}, largest {nearest.max():.2f}", median < 0.5)


def few_salient_topics(results: Results, scale: Scale) -> Found:
    """Ask how many topics hold half of the tokens of a class."""
    del scale
    ordered = -np.sort(-np.array(results[fig12.profile()]["profile"]), axis=1)
    needed = (ordered.cumsum(axis=1) < 0.5).sum(axis=1) + 1
    return Found(
        f"median {np.median(needed):g} topics, most {needed.max()}", bool(np.median(needed) <= 3)
    )


def graphics_words(results: Results, scale: Scale) -> Found:
    """Ask whether the topic of comp.graphics has the words that the paper names."""
    del scale
    result = results[fig12.profile()]
    own = data.class_names().index("comp.graphics")
    words = result["words"][int(np.argmax(result["profile"][own]))]
    stems = {"images": "image", "files": "file"}
    known = {stems.get(word, word) for word in words} & {"image", "graphics", "file", "jpeg"}
    return Found(", ".join(words), len(known) >= 2)


def typical_words(results: Results, name: str, rank: int) -> tuple[int, list[str]]:
    """Return a salient topic of a class and its typical words; rank 0 is the most salient topic."""
    result = results[fig12.profile()]
    own = data.class_names().index(name)
    profile: Floats = np.array(result["profile"][own])
    topic = int(np.argsort(-profile)[rank])
    return topic, result["typical"][own][topic]


def atheism_words(results: Results, scale: Scale) -> Found:
    """Ask whether both of the two most salient topics of alt.atheism have typical words."""
    del scale
    found = [typical_words(results, "alt.atheism", rank) for rank in (0, 1)]
    words = "; ".join(f"topic {topic + 1}: {', '.join(own) or 'none'}" for topic, own in found)
    return Found(words, all(len(own) >= TYPICAL for _, own in found))


def words_of_others(results: Results, scale: Scale) -> Found:
    """Ask whether the most salient topics of all other classes have typical words."""
    del scale
    results[fig12.profile()]  # first: a job that was not run is no missing file
    others = [name for name in data.class_names() if name not in ("alt.atheism", "comp.graphics")]
    without = [name for name in others if len(typical_words(results, name, 0)[1]) < TYPICAL]
    words = f"{len(others) - len(without)} of {len(others)} groups"
    return Found(words + (f", not {', '.join(without)}" if without else ""), not without)
