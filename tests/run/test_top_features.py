"""What features contribute, against sums that are written out."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.sampled import planted, sample

TRUTH = planted("multiclass")
X = np.random.default_rng(2).normal(size=(30, 4)) * (np.arange(30)[:, None] % 2)


@cache
def sampled(features):
    x = pd.DataFrame(X, columns=list("abcd")) if features == "frame" else features
    y = TRUTH.y if features == "words" else planted().y
    corpus = TRUTH.corpus if features == "words" else planted().corpus
    with med.GibbsMedLDA(corpus, y, n_topics=3, features=x):
        return pm.sample(
            4,
            tune=4,
            chains=2,
            cores=1,
            random_seed=2,
            progressbar=False,
            compute_convergence_checks=False,
        )


def test_contributions_of_words_and_of_their_topics():
    table = med.top_features(sampled("words"), 5)
    posterior = get_group(sampled("words"), "posterior")
    corpus, words = TRUTH.corpus, [str(word) for word in TRUTH.corpus.vocabulary]
    tasks = posterior["task"].values.tolist()
    assert table["task"].tolist() == np.repeat(tasks, 5).tolist()
    from sklearn.feature_extraction.text import TfidfTransformer

    x = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.to_dtm()).toarray()
    for _, row in table.iterrows():
        j, i = words.index(row["feature"]), tasks.index(row["task"])
        has = x[:, j] > 0
        w = posterior["w"].values[:, :, i, j]
        assert row["weight"] == pytest.approx(w.mean())
        assert row["sd"] == pytest.approx(w.std())
        assert row["contribution"] == pytest.approx(w.mean() * x[has, j].mean())
        expected = []
        for z, eta in zip(
            posterior["z"].values.reshape(8, -1), posterior["eta"].values.reshape(8, -1, 3),
            strict=True,
        ):  # fmt: skip
            for d in np.flatnonzero(has):
                own = slice(corpus.starts[d], corpus.starts[d + 1])
                of_word = z[own][corpus.words[own] == j]
                expected.append(eta[i, of_word].sum() / (own.stop - own.start))
        assert row["topics"] == pytest.approx(np.mean(expected))


def test_the_largest_contributions_come_first():
    table = med.top_features(sampled("frame"), 10)
    assert sorted(table["feature"]) == list("abcd")
    assert list(table.columns) == ["feature", "weight", "sd", "contribution"]
    assert np.abs(table["contribution"]).is_monotonic_decreasing
    one = med.top_features(sampled("frame"), 1, chain=1)
    w = get_group(sampled("frame"), "posterior")["w"].sel(chain=1).mean("draw")
    assert one["weight"][0] == pytest.approx(float(w.sel(feature=one["feature"][0])))


def test_a_model_without_features_is_refused():
    with pytest.raises(ValueError, match="sampled without features"):
        med.top_features(sample())


@pytest.mark.parametrize("features", ["words", "frame"])
def test_the_picture_shows_the_numbers_of_the_table(features):
    (first, *others) = med.plot_top_features(sampled(features), 4)
    table = med.top_features(sampled(features), 4)
    rows = table.iloc[:4].sort_values("contribution", kind="stable")
    bars = [patch.get_width() for patch in first.patches]
    np.testing.assert_allclose(bars, rows["contribution"])
    assert [t.get_text() for t in first.get_yticklabels()] == rows["feature"].tolist()
    if features == "words":
        np.testing.assert_allclose(first.lines[0].get_xdata(), rows["topics"])
        assert len(others) == 2
    _, given = plt.subplots(1, 1 + len(others), squeeze=False)
    again = med.plot_top_features(sampled(features), ax=given[0])
    assert all(one is other for one, other in zip(again, given[0], strict=True))
    with pytest.raises(ValueError, match="ax must hold"):
        med.plot_top_features(sampled(features), ax="here")
    plt.close("all")
