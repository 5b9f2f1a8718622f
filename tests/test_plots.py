import sys
from itertools import pairwise
from types import SimpleNamespace

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.plots import (
    plot_alignment,
    plot_burn_in,
    plot_class_profile,
    plot_eta_forest,
    plot_topic_words,
    plot_uncertainty,
    to_pyldavis,
)
from pymc_medlda.plots.uncertainty import judge_documents
from pymc_medlda.run.alignment import align_topics, cosine
from pymc_medlda.run.burn_in import burn_in_table, recommend
from pymc_medlda.run.topics import doc_topics, top_words, topic_words
from tests.sampled import planted, sample, sample_general


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


PICTURES = [
    plot_burn_in,
    plot_eta_forest,
    plot_topic_words,
    plot_class_profile,
    plot_uncertainty,
    plot_alignment,
]


def panels(axes):
    return np.atleast_1d(np.asarray(axes, dtype=object)).ravel()


@pytest.mark.parametrize("plot", PICTURES)
@pytest.mark.parametrize("make", [sample, lambda: sample("multiclass"), sample_general])
def test_every_picture_is_drawn_on_new_axes_and_on_given_ones(plot, make):
    drawn = panels(plot(make()))
    drawn[0].figure.canvas.draw()
    _, given = plt.subplots(1, drawn.size, squeeze=False)
    single = given[0, 0] if drawn.size == 1 else given[0]
    again = panels(plot(make(), ax=single))
    assert all(a is b for a, b in zip(again, given[0], strict=True))


@pytest.mark.parametrize("plot", PICTURES)
def test_a_wrong_number_of_axes_is_refused(plot):
    _, given = plt.subplots(1, 5)
    with pytest.raises(ValueError, match=r"ax must hold \d matplotlib axes"):
        plot(sample(), ax=given)
    with pytest.raises(ValueError, match=r"ax must hold \d matplotlib axes"):
        plot(sample(), ax="here")


def test_burn_in_draws_each_chain_with_its_warm_up():
    axes = plot_burn_in(sample(), statistics=["log_joint", "score"])
    lines = axes[0].get_lines()
    warm, kept = (get_group(sample(), f"{g}sample_stats")["log_joint"] for g in ("warmup_", ""))
    expected = np.concatenate([warm.values[1], kept.values[1]])
    np.testing.assert_array_equal(lines[1].get_ydata(), expected)
    assert [t.get_text() for t in axes[0].texts] == ["warm-up"]
    assert axes[1].get_ylabel() == "training accuracy"
    assert plot_burn_in(sample("real"))[1].get_ylabel() == "training R²"
    recommended = recommend(burn_in_table(sample()))
    assert len(lines) == 2 + bool(recommended)


def test_burn_in_of_plain_lda_has_no_loss_and_bad_names_are_refused():
    labels = [a.get_ylabel() for a in plot_burn_in(sample(None))]
    assert labels == ["log p(W | Z) a token (nats)", "tokens that moved (share)"]
    with pytest.raises(ValueError, match="statistics must be a list of some of"):
        plot_burn_in(sample(), statistics=["accuracy"])


def test_a_loss_that_falls_far_is_drawn_on_a_logarithmic_scale():
    idata = sample()
    statistics = get_group(idata, "sample_stats").copy(deep=True)
    statistics["loss"].values[:] = 1.0
    statistics["loss"].values[:, 0] = 1e4
    far = with_group(idata, "sample_stats", statistics)
    assert plot_burn_in(far, statistics=["loss"])[0].get_yscale() == "log"
    assert plot_burn_in(idata, statistics=["loss"])[0].get_yscale() == "linear"


def test_forest_sorts_topics_and_bars_are_quantiles():
    idata, _ = align_topics(sample())
    (panel,) = plot_eta_forest(idata, interval=0.8, n_words=2)
    eta = get_group(idata, "posterior")["eta"].values
    order = np.argsort(eta.mean(axis=(0, 1)))
    words = top_words(idata, 2, chain=None)
    expected = [f"{k}  {words.loc[k, 'word 1']}, {words.loc[k, 'word 2']}" for k in order]
    assert [t.get_text() for t in panel.get_yticklabels()] == expected
    segments = panel.collections[1].get_segments()
    low, high = np.quantile(eta[1][:, order], [0.1, 0.9], axis=0)
    np.testing.assert_allclose([s[0, 0] for s in segments], low)
    np.testing.assert_allclose([s[1, 0] for s in segments], high)


def test_forest_draws_a_panel_for_each_task_asked_for():
    idata = sample("multiclass")
    titles = [a.get_title(loc="left") for a in plot_eta_forest(idata)]
    assert titles == ["0", "1", "2"]
    assert len(plot_eta_forest(idata, task=1)) == 1
    assert len(plot_eta_forest(idata, task=[2, 0], chain=1)) == 2
    with pytest.raises(ValueError, match=r"task must be among \['0', '1', '2'\], got 7"):
        plot_eta_forest(idata, task=7)
    with pytest.raises(ValueError, match="interval must be"):
        plot_eta_forest(idata, interval=90)
    with pytest.raises(ValueError, match="plain LDA"):
        plot_eta_forest(sample(None))


def test_word_bars_have_the_length_of_the_probabilities():
    idata = sample()
    axes = plot_topic_words(idata, 4, which=[2, 0])
    phi = topic_words(idata).values[0, 2]
    lengths = [bar.get_width() for bar in axes[0].patches[4:]]
    np.testing.assert_allclose(lengths, np.sort(phi)[::-1][:4])
    assert axes[0].get_title(loc="left").startswith("topic 2 (")
    with pytest.raises(ValueError, match=r"which must list topics among \[0, 1, 2\], got \[3\]"):
        plot_topic_words(idata, which=[3])


def test_profile_is_the_mean_theta_of_each_class():
    idata, y = sample(), planted().y
    theta = doc_topics(idata)["mean"].values[0]
    expected = np.stack([theta[y == label].mean(axis=0) for label in (-1, 1)])
    axes = plot_class_profile(idata)
    heights = np.array([[bar.get_height() for bar in a.patches] for a in axes])
    shown = [int(t.get_text().split()[0]) for t in axes[-1].get_xticklabels()]
    np.testing.assert_allclose(heights, expected[:, shown])
    (panel,) = plot_class_profile(idata, kind="heatmap")
    np.testing.assert_allclose(panel.images[0].get_array(), expected[:, shown])
    with pytest.raises(ValueError, match="response must have classes"):
        plot_class_profile(sample("real"))
    with pytest.raises(ValueError, match="kind must be"):
        plot_class_profile(idata, kind="pie")


def test_uncertainty_and_error_of_each_kind_of_response():
    draws = np.array([[[1.0], [-1.0], [2.0]], [[3.0], [0.5], [-1.0]]])  # (draw, document, task)
    unsure, error = judge_documents("binary", draws, np.array([[1.0], [1.0], [np.nan]]))
    assert unsure.tolist() == [0.0, 0.5]
    assert error.tolist() == [0.0, 1.0]
    unsure, error = judge_documents("real", draws, np.array([[1.5], [0.0], [0.5]]))
    np.testing.assert_allclose(unsure, [1.0, 0.75, 1.5])
    np.testing.assert_allclose(error, [0.5, 0.25, 0.0])
    votes = np.array([[[3.0, 0.0, 1.0]], [[0.0, 1.0, 2.0]]])
    unsure, error = judge_documents("multiclass", votes, np.array([[-1.0, -1.0, 1.0]]))
    assert (unsure.tolist(), error.tolist()) == ([0.5], [1.0])


def test_uncertainty_of_predictions_needs_them():
    idata = sample("real")
    with pytest.raises(ValueError, match="no predictions with a discriminant"):
        plot_uncertainty(idata, planted("real").y)
    rng = np.random.default_rng(0)
    values = rng.standard_normal((2, 5, 40))
    predictions = xr.Dataset({"discriminant": (("chain", "draw", "document"), values)})
    predicted = with_group(idata, "predictions", predictions)
    panel = plot_uncertainty(predicted, values.mean(axis=(0, 1)) + 1.0, bins=4)
    heights = panel.get_lines()[1].get_ydata()
    np.testing.assert_allclose(heights, 1.0)
    assert "predicted documents" in panel.get_title(loc="left")
    with pytest.raises(ValueError, match="y has 3 entries"):
        plot_uncertainty(predicted, [0.0, 1.0, 2.0])


def test_alignment_shows_the_cosines_before_and_after():
    idata = sample()
    axes = plot_alignment(idata, chains=(1, 0))
    phi = topic_words(idata).values
    np.testing.assert_allclose(axes[0].images[0].get_array(), cosine(phi[1], phi[0]))
    aligned = topic_words(align_topics(idata)[0]).values
    np.testing.assert_allclose(axes[1].images[0].get_array(), cosine(aligned[1], aligned[0]))
    with pytest.raises(ValueError, match=r"chain must be one of \[0, 1\]"):
        plot_alignment(idata, chains=(0, 5))
    with pytest.raises(ValueError, match="chains must be two chains"):
        plot_alignment(idata, chains=(0,))


@pytest.fixture(scope="module")
def sixty():
    """Sixty topics, eight of them empty, made by hand from a small run."""
    import pymc as pm

    import pymc_medlda as med
    from tests.sampled import OPTIONS

    truth = med.datasets.make_planted(60, n_topics=10, n_words=200, response="multiclass", seed=1)
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=60, loss=med.Hinge(margin=1.0)):
        idata = pm.sample(**OPTIONS)
    posterior = get_group(idata, "posterior").copy(deep=True)
    z = posterior["z"].values
    z[z >= 52] = 0
    return with_group(idata, "posterior", posterior)


@pytest.mark.parametrize(
    "plot",
    [plot_eta_forest, pytest.param(plot_topic_words, marks=pytest.mark.slow), plot_class_profile],
)
def test_labels_of_sixty_topics_do_not_overlap(plot, sixty):
    drawn = panels(plot(sixty))
    figure = drawn[0].figure
    figure.canvas.draw()
    panel = drawn[-1] if plot is plot_class_profile else drawn[0]
    vertical = plot is not plot_class_profile
    labels = panel.get_yticklabels() if vertical else panel.get_xticklabels()
    boxes = [t.get_window_extent() for t in labels if t.get_text()]
    low = sorted((b.y0, b.y1) if vertical else (b.x0, b.x1) for b in boxes)
    # Text boxes include the line spacing above letters: an eighth of overlap is not seen.
    overlap = [(a[1] - b[0]) / (a[1] - a[0]) for a, b in pairwise(low)]
    assert max(overlap) < 0.13
    assert min(t.get_fontsize() for t in labels) >= 6
    assert "8 topics with next to no tokens left out" in figure.get_supxlabel()


def test_pictures_from_a_file(tmp_path):
    idata = sample("multiclass")
    idata.to_netcdf(tmp_path / "run.nc")
    read = az.from_netcdf(tmp_path / "run.nc")
    for plot in PICTURES:
        plot(read)


def test_pyldavis_gets_distributions_of_the_words_that_occur():
    idata = sample()
    arguments = to_pyldavis(idata, prepare=False, R=5)
    corpus = planted().corpus
    counts = np.bincount(corpus.words, minlength=40)
    assert arguments["term_frequency"].tolist() == counts[counts > 0].tolist()
    assert arguments["vocab"] == corpus.vocabulary[counts > 0].tolist()
    np.testing.assert_allclose(arguments["topic_term_dists"].sum(axis=1), 1.0)
    np.testing.assert_allclose(arguments["doc_topic_dists"].sum(axis=1), 1.0)
    assert arguments["doc_lengths"].sum() == arguments["term_frequency"].sum()
    assert arguments["R"] == 5


def test_pyldavis_is_called_where_it_is_installed_and_named_where_not(monkeypatch):
    stand_in = SimpleNamespace(prepare=lambda **arguments: sorted(arguments))
    monkeypatch.setitem(sys.modules, "pyLDAvis", stand_in)
    assert "topic_term_dists" in to_pyldavis(sample())
    monkeypatch.setitem(sys.modules, "pyLDAvis", None)
    with pytest.raises(ImportError, match=r"pip install .pymc-medlda\[vis\]."):
        to_pyldavis(sample())
