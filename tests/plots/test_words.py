"""The picture of the words."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.plots import (
    plot_alignment,
    plot_class_profile,
    plot_eta_forest,
    plot_topic_words,
)
from pymc_medlda.run.topics import top_words, topic_words
from tests.sampled import OPTIONS, sample


def test_word_bars_have_the_length_of_the_probabilities():
    idata = sample()
    axes = plot_topic_words(idata, 4, which=[2, 0])
    phi = topic_words(idata).values[0, 2]
    lengths = [bar.get_width() for bar in axes[0].patches[4:]]
    np.testing.assert_allclose(lengths, np.sort(phi)[::-1][:4])
    eta = get_group(idata, "posterior")["eta"].values[0, :, 2].mean()
    first, second = axes[0].get_title(loc="left").split("\n")
    assert first.startswith("topic 2 (")
    assert second == f"{1 if eta > 0 else -1}, eta {eta:.3g}".replace("eta -", "eta −")
    # The pale bars: the distributions of the topics, weighted by their shares of the tokens.
    z = get_group(idata, "posterior")["z"].values[0]
    share = np.array([np.mean(z == k) for k in range(3)])
    best = np.argsort(-phi)[:4]
    pale = [bar.get_width() for bar in axes[0].patches[:4]]
    np.testing.assert_allclose(pale, (share @ topic_words(idata).values[0])[best])
    with pytest.raises(ValueError, match=r"which must list topics among \[0, 1, 2\], got \[3\]"):
        plot_topic_words(idata, which=[3])


def test_the_title_names_the_class_with_the_largest_weight():
    idata = sample("multiclass")
    eta = get_group(idata, "posterior")["eta"].values[0].mean(axis=0)  # (task, topic)
    for k, panel in enumerate(plot_topic_words(idata, which=[0, 1, 2])):
        assert panel.get_title(loc="left").split("\n")[1].startswith(f"{eta[:, k].argmax()}, eta ")
    real = plot_topic_words(sample("real"))[0].get_title(loc="left")
    assert real.split("\n")[1].startswith("eta ")
    assert "\n" not in plot_topic_words(sample(None))[0].get_title(loc="left")


@pytest.mark.parametrize("n_topics", [3, 12, 50])
def test_titles_fit_also_with_long_classes_and_words(n_topics):
    planted = med.datasets.make_planted(80, n_topics=5, n_words=150, seed=1)
    words = [f"{word}withalongname" for word in planted.corpus.vocabulary]
    corpus = med.Corpus.from_dtm(planted.corpus.to_dtm(), vocabulary=words)
    y = np.where(planted.y > 0, "talk.religion.miscellaneous", "comp.sys.ibm.pc.hardware")
    with med.GibbsMedLDA(corpus, y, n_topics=n_topics, loss=med.Hinge(margin=500.0)):
        idata = pm.sample(**OPTIONS)
    axes = plot_topic_words(idata)
    figure = axes[0].figure
    figure.canvas.draw()
    for panel in axes:
        title = panel._left_title.get_window_extent()
        # The words of the next panel begin to the right of this one.
        assert title.x1 <= panel.get_window_extent().x1 + 2
        assert title.x1 <= figure.bbox.x1


def test_a_topic_has_the_same_words_in_every_picture():
    idata = sample("multiclass")
    words = {
        str(k): ", ".join(row[:2]) for k, row in top_words(idata, 2).filter(like="word").iterrows()
    }
    forest = plot_eta_forest(idata, n_words=2)[0].get_yticklabels()
    profile = plot_class_profile(idata, n_words=2)[-1].get_xticklabels()
    alignment = plot_alignment(idata)[0].get_yticklabels()
    for labels in (forest, profile, alignment):
        assert dict(text.get_text().split("  ") for text in labels) == words
    panels = plot_topic_words(idata, 2)
    for panel in panels:
        number = panel.get_title(loc="left").split()[1]
        assert ", ".join(text.get_text() for text in panel.get_yticklabels()) == words[number]
