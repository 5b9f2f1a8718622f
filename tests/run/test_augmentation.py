"""The auxiliary variables of stored draws against their law."""

from itertools import pairwise

import numpy as np
import pymc as pm
import pytest
from scipy import stats

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.augmentation import draw_augmentation
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from tests.sampled import OPTIONS, planted, sample, sample_general


def law(m):
    """Return the law of λ ~ GIG(1/2, 1, m²), as SciPy writes it."""
    return stats.geninvgauss(0.5, m, scale=m)


def fit(loss, y, **options):
    with med.GibbsMedLDA(planted().corpus, y, n_topics=3, loss=loss):
        return pm.sample(**{**OPTIONS, "draws": 2, "chains": 1, **options})


def repeat(idata, times):
    """Return a run whose only draw is there many times over."""
    posterior = get_group(idata, "posterior").isel(draw=[-1] * times)
    return with_group(idata, "posterior", posterior.assign_coords(draw=np.arange(times)))


def p_value(draws, m):
    return stats.kstest(draws, law(m).cdf).pvalue


def test_lam_of_the_hinge_loss_follows_its_law():
    c, margin, times = 1.7, 2.0, 2000
    idata = repeat(fit(med.Hinge(c=c, margin=margin), planted().y), times)
    lam = get_group(draw_augmentation(idata, random_seed=1), "posterior")["lam"]
    assert lam.dims == ("chain", "draw", "document")
    topics, response = Run(idata).topics(), Run(idata).response()
    gap = np.abs(margin - response.y * discriminants(topics, response, 0, 0))[:, 0]
    p_values = [p_value(lam.values[0, :, d], c * gap[d]) for d in range(5)]
    assert min(p_values) > 1e-3
    # Negative control: the paper's formula without its c.
    assert max(p_value(lam.values[0, :, d], gap[d]) for d in range(5) if gap[d] > 0.5) < 1e-6


def test_lam_and_omega_of_the_regression_follow_their_laws():
    c, epsilon, times = 2.5, 0.3, 2000
    y = np.array(planted("real").y)
    idata = repeat(fit(med.EpsilonInsensitive(c=c, epsilon=epsilon), y), times)
    posterior = get_group(draw_augmentation(idata, random_seed=1), "posterior")
    topics, response = Run(idata).topics(), Run(idata).response()
    error = y - discriminants(topics, response, 0, 0)[:, 0]
    for name, gap in (("lam", np.abs(error - epsilon)), ("omega", np.abs(error + epsilon))):
        draws = posterior[name].values[0]
        assert min(p_value(draws[:, d], c * gap[d]) for d in range(5)) > 1e-3
        assert min(p_value(draws[:, d], gap[d]) for d in range(5)) < 1e-6


def test_logistic_loss_has_omega_with_the_mean_of_its_law():
    idata = repeat(fit(med.Logistic(c=2.0), planted().y), 2000)
    observed = get_group(idata, "observed_data").copy(deep=True)
    observed["y"][-1] = np.nan
    idata = with_group(idata, "observed_data", observed)
    posterior = get_group(draw_augmentation(idata, random_seed=1), "posterior")
    assert "lam" not in posterior
    topics, response = Run(idata).topics(), Run(idata).response()
    f = discriminants(topics, response, 0, 0)[:, 0]
    mean = 2.0 * np.tanh(f / 2) / (2 * f)  # of PG(2, F)
    omega = posterior["omega"].values[0]
    error = omega.std(axis=0) / np.sqrt(2000)
    assert np.max(np.abs(omega.mean(axis=0) - mean)[:-1] / error[:-1]) < 4.5
    assert np.isnan(omega[:, -1]).all()


def test_dims_and_names_of_several_tasks():
    posterior = get_group(draw_augmentation(sample("multilabel"), random_seed=1), "posterior")
    assert posterior["lam"].dims == ("chain", "draw", "document", "task")
    assert posterior["lam"].sizes["task"] == 3
    assert (posterior["lam"] > 0).all()
    assert "lam" not in get_group(sample("multilabel"), "posterior")


def test_missing_responses_have_none():
    idata = sample_general()  # the first three labels are missing; an offset and a random alpha
    lam = get_group(draw_augmentation(idata, random_seed=1), "posterior")["lam"]
    assert np.isnan(lam.values[..., :3]).all()
    assert np.isfinite(lam.values[..., 3:]).all()
    topics, response = Run(idata).topics(), Run(idata).response()
    f = discriminants(topics, response, 1, 5)
    offset = get_group(idata, "posterior")["y_offset"].values[1, 5]
    z = topics.z[1, 5].values
    weights = response.weights(1, 5)[0]
    by_hand = [weights[z[i:j]].mean() for i, j in pairwise(topics.tokens.start)]
    np.testing.assert_allclose(f[:, 0], by_hand + offset)


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_same_seed_same_draws_and_a_second_call_replaces(kind):
    one = draw_augmentation(sample(kind), random_seed=3)
    again = draw_augmentation(one, random_seed=3)
    other = draw_augmentation(sample(kind), random_seed=4)
    lam = [get_group(idata, "posterior")["lam"].values for idata in (one, again, other)]
    np.testing.assert_array_equal(lam[0], lam[1])
    assert not np.array_equal(lam[0], lam[2])
    assert type(one) is type(sample(kind))


def test_what_cannot_be_augmented():
    with pytest.raises(ValueError, match="the Gaussian loss of 'y' has no auxiliary variables"):
        draw_augmentation(fit(med.Gaussian(), planted("real").y))
    with pytest.raises(ValueError, match="plain LDA"):
        draw_augmentation(sample(None))
    idata = sample("binary")
    own = get_group(idata, "posterior").assign(lam=("draw", np.zeros(12)))
    with pytest.raises(ValueError, match="a variable 'lam' of its own"):
        draw_augmentation(with_group(idata, "posterior", own))
