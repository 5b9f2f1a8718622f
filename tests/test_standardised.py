"""`Standardised`: the same posterior as with standardised values, on the scale of the values."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.run import Run
from tests.sampled import OPTIONS

LOCATION, SCALE = 500.0, 80.0
SETTINGS = {**OPTIONS, "random_seed": 3}


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(60, n_topics=3, n_words=40, response="real", seed=1)


def standardise(values):
    return (values - np.nanmean(values, axis=0)) / np.nanstd(values, axis=0)


def sample(corpus, y, **settings):
    with med.GibbsMedLDA(corpus, y, n_topics=3, **settings):
        return pm.sample(**SETTINGS)


def predict(idata, corpus, **settings):
    predicted = med.predict(idata, corpus, random_seed=1, progressbar=False, **settings)
    return get_group(predicted, "predictions")


@pytest.fixture(scope="module")
def by_default(planted):
    return sample(planted.corpus, LOCATION + SCALE * standardise(planted.y))


@pytest.fixture(scope="module")
def by_hand(planted):
    loss = med.EpsilonInsensitive(c=8.0, epsilon=1e-3)
    return sample(planted.corpus, standardise(planted.y), loss=loss)


def test_the_draws_are_those_of_standardised_values(by_default, by_hand):
    own, other = (get_group(idata, "posterior") for idata in (by_default, by_hand))
    assert np.array_equal(own["z"], other["z"])
    assert np.allclose(own["eta"], SCALE * other["eta"])
    scores = [get_group(idata, "sample_stats")["score"].values for idata in (by_default, by_hand)]
    assert np.allclose(*scores)


def test_predictions_are_on_the_scale_of_the_values(planted, by_default, by_hand, tmp_path):
    path = tmp_path / "run.nc"
    by_default.to_netcdf(path)
    own = predict(str(path), planted.corpus)
    other = predict(by_hand, planted.corpus)
    for name in ("discriminant", "decision"):
        assert np.allclose(own[name], LOCATION + SCALE * other[name])


def test_an_empty_document_gets_about_the_mean(by_default):
    empty = med.Corpus.from_tokens([[]], n_words=40)
    (value,) = predict(by_default, empty)["decision"].values
    assert abs(value - LOCATION) < SCALE


def test_training_discriminants_hold_the_mean(by_default):
    response = Run(by_default).response()
    assert np.allclose(response.location, LOCATION)
    assert np.allclose(response.offset(0, 0), LOCATION)


def test_tasks_have_units_of_their_own(planted):
    y = np.stack([standardise(planted.y), 7.0 - 3.0 * planted.y], axis=1)
    y[4, 1] = np.nan
    idata = sample(planted.corpus, y)
    loss = med.EpsilonInsensitive(c=8.0, epsilon=1e-3)
    other = sample(planted.corpus, standardise(y), loss=loss)
    location, scale = np.nanmean(y, axis=0), np.nanstd(y, axis=0)
    own, by_hand = (predict(run, planted.corpus)["discriminant"] for run in (idata, other))
    assert np.allclose(own, location + scale * by_hand)


def test_what_a_fixed_offset_explains_is_taken_out_first(planted):
    y = LOCATION + SCALE * standardise(planted.y)
    shift = np.linspace(1000.0, 1100.0, y.size)
    idata = sample(planted.corpus, y, offset=shift)
    location, scale = (y - shift).mean(), (y - shift).std()
    other = sample(
        planted.corpus, (y - shift - location) / scale, loss=med.EpsilonInsensitive(c=8.0)
    )
    own = predict(idata, planted.corpus, offset=shift)["discriminant"]
    by_hand = predict(other, planted.corpus)["discriminant"]
    assert np.allclose(own, location + shift + scale * by_hand)
    response = Run(idata).response()
    assert np.allclose(response.offset(0, 0)[:, 0], location + shift)
    with pytest.raises(ValueError, match="has an offset: give offset"):
        predict(idata, planted.corpus)


def test_documents_of_weight_zero_do_not_count():
    values = np.array([1.0, 3.0, 1e6])
    loss = med.EpsilonInsensitive(c=np.array([1.0, 2.0, 0.0]))
    units = med.Standardised(loss).measure(values)
    assert (units.location, units.scale) == (2.0, 1.0)


def test_values_that_differ_by_rounding_have_the_unit_one():
    assert med.Standardised().measure(np.full(200, 1e6 + 0.1)).scale == 1.0


def test_a_random_noise_scale_serves_several_tasks(planted):
    y = np.stack([planted.y, 5.0 + 3.0 * planted.y], axis=1)
    with pm.Model() as model:
        sigma = pm.HalfNormal("sigma", 1.0)
        z = med.TopicAssignments("z", planted.corpus, n_topics=3)
        eta = pm.Normal("eta", 0.0, 1.0, shape=(2, 3))
        med.MaxMargin("y", z, eta, observed=y, loss=med.Standardised(med.Gaussian(sigma=sigma)))
    assert np.isfinite(model.compile_logp()(model.initial_point(1)))


def test_intervals_are_on_the_scale_of_the_values(planted, by_default, by_hand):
    options = {"random_seed": 5, "progressbar": False, "draws": 4, "tune": 8}
    own, other = (
        predict(med.calibrate(run, **options), planted.corpus, interval=0.8)
        for run in (by_default, by_hand)
    )
    for name in ("lower", "upper"):
        assert np.allclose(own[name], LOCATION + SCALE * other[name])


def test_models_of_build_add_the_mean_themselves(planted, by_default):
    y = LOCATION + SCALE * standardise(planted.y)
    options = {"random_seed": 5, "progressbar": False, "draws": 4, "tune": 8}

    def build(rows):
        return med.GibbsMedLDA(planted.corpus[rows], y[rows], n_topics=3)

    group = get_group(med.calibrate(by_default, build=build, **options), "calibration")
    assert abs(float(group["discriminant"].mean()) - LOCATION) < 0.5 * SCALE


def test_weights_of_documents_are_matched_by_name(planted):
    names = [f"d{i}" for i in range(60)]
    corpus = med.Corpus.from_dtm(planted.corpus.to_dtm(), document_names=names)
    c = pd.Series(np.linspace(1.0, 9.0, 60), index=names)
    runs = [
        sample(corpus, planted.y, loss=med.Standardised(med.EpsilonInsensitive(c=weight)))
        for weight in (c, c.iloc[::-1], c.to_numpy())
    ]
    z = [get_group(run, "posterior")["z"].values for run in runs]
    assert np.array_equal(z[0], z[1])
    assert np.array_equal(z[0], z[2])


def test_explicit_losses_stay_as_written(planted):
    y = 5.0 + standardise(planted.y)
    with med.GibbsMedLDA(planted.corpus, y, n_topics=3, loss=med.EpsilonInsensitive()) as model:
        pass
    (sigma,) = {float(v) for v in np.ravel(model["eta"].owner.inputs[-1].eval())}
    assert sigma == 1.0
    assert "location" not in model.coords["y_specification"][0]


def test_values_that_do_not_differ_have_the_unit_one():
    units = med.Standardised().measure(np.array([3.0, 3.0, np.nan]))
    assert (units.location, units.scale) == (3.0, 1.0)
    units = med.Standardised().measure(np.array([[3.0, np.nan], [5.0, np.nan]]))
    assert units.location.tolist() == [4.0, 0.0]
    assert units.scale.tolist() == [1.0, 1.0]


class Own(med.losses.Loss):
    """A loss whose author did not say how its parameter changes with the unit of y."""

    takes_labels = False
    width: float = 1.0

    log_factor = value = log_factor_of = draw_auxiliary = quadratic = draw_response = None


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (med.Hinge(), ValueError, "loss must be a loss of real values"),
        (3, TypeError, "loss must be a loss such as"),
        (med.Gaussian, TypeError, "give an instance"),
        (Own(), ValueError, "Own.units must say how width changes"),
    ],
)
def test_what_cannot_be_standardised_is_refused(loss, error, message):
    with pytest.raises(error, match=message):
        med.Standardised(loss)


def test_the_settings_of_the_paper():
    assert med.Hinge.paper() == med.Hinge(c=1.0, margin=164.0)
    assert med.Hinge.paper(20) == med.Hinge(c=1.0, margin=64.0)
    assert med.EpsilonInsensitive.paper() == med.EpsilonInsensitive(c=1.0, epsilon=1e-3)
    with pytest.raises(ValueError, match="n_tasks"):
        med.Hinge.paper(0)
