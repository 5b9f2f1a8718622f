"""The picture of an explanation."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pymc_medlda as med
from tests.explanation.runs import RUNS
from tests.sampled import sample, sample_words


def bars(ax):
    return [patch.get_width() for patch in ax.patches]


@pytest.mark.parametrize("name", ["two classes", "several classes", "values"])
def test_bars_are_the_largest_contributions(name):
    why = med.explain(RUNS[name](), 3)
    topics, words = med.plot_explanation(why, n_words=4)
    np.testing.assert_allclose(bars(words), why.words["mean"].head(4))
    shown = why.topics[why.topics["share"] >= 0.01]
    np.testing.assert_allclose(bars(topics), shown["mean"])
    labels = [label.get_text() for label in words.get_yticklabels()]
    assert all(label.startswith(w) for label, w in zip(labels, why.words.index, strict=False))


def test_dots_are_what_words_say_through_their_topics():
    why = med.explain(sample_words(), 3)
    _, words = med.plot_explanation(why, n_words=4)
    dots = [line for line in words.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(dots[0].get_xdata(), why.words["by_topics"].head(4))
    _, words = med.plot_explanation(med.explain(sample("binary"), 3))
    assert not [line for line in words.lines if line.get_marker() == "o"]


def test_given_axes_are_used_and_get_no_note():
    _, given = plt.subplots(1, 2)
    drawn = med.plot_explanation(med.explain(sample("binary"), 3), ax=given)
    assert list(drawn) == list(given)
    assert given[0].figure._supxlabel is None


def test_a_document_without_words_is_drawn():
    new = med.Corpus.from_tokens([["unknown"]])
    topics, words = med.plot_explanation(med.explain(sample("binary"), new))
    assert len(bars(topics)) == 3
    assert not bars(words)
