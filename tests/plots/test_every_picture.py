"""What holds for every picture."""

from itertools import pairwise

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pytest

from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.plots import (
    plot_alignment,
    plot_burn_in,
    plot_class_profile,
    plot_eta_forest,
    plot_topic_words,
    plot_uncertainty,
)
from tests.sampled import sample, sample_general

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


def drawn_numbers(panel):
    """Return the numbers and the texts that were drawn on an axes."""
    numbers = [line.get_xydata() for line in panel.get_lines()]
    numbers += [patch.get_path().vertices for patch in panel.patches]
    numbers += [patch.get_transform().transform((0, 0)) for patch in panel.patches]
    numbers += [np.asarray(image.get_array()) for image in panel.images]
    numbers += [s for c in panel.collections for s in getattr(c, "get_segments", list)()]
    texts = [panel.get_title(loc="left"), panel.get_xlabel(), panel.get_ylabel()]
    texts += [t.get_text() for t in (*panel.get_xticklabels(), *panel.get_yticklabels())]
    return numbers, texts


@pytest.mark.parametrize("plot", PICTURES)
def test_a_file_gives_the_picture_of_the_object(plot, tmp_path):
    idata = sample("multiclass")
    idata.to_netcdf(tmp_path / "run.nc")
    read = az.from_netcdf(tmp_path / "run.nc")
    for one, other in zip(panels(plot(idata)), panels(plot(read)), strict=True):
        (numbers, texts), (again, texts_again) = drawn_numbers(one), drawn_numbers(other)
        assert len(numbers) > 0
        assert texts == texts_again
        for mine, theirs in zip(numbers, again, strict=True):
            np.testing.assert_array_equal(mine, theirs)
