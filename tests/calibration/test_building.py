"""`calibrate` of models with offsets and features: a fold is predicted with its own rows."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from tests.sampled import OPTIONS, planted

QUIET = {"random_seed": 3, "progressbar": False}
SHORT = {"draws": 3, "tune": 3}
ALL = np.arange(30)
HINGE = med.Hinge(margin=2.0)
SCALES = np.array([0.9, 1.0, 1.1])
X = np.random.default_rng(5).normal(size=(30, 2))
WEIGHTS = np.array([40.0, -70.0])  # so large that topics cannot hide whose features they are
OFFSET = X @ WEIGHTS


def sample(model, **options):
    with model:
        step = [med.GibbsMedLDAStep()]
        return pm.sample(**{**OPTIONS, "draws": 3, "tune": 3, "step": step, **options})


def model_of(rows, *, y=None, offset=None, features=None, weights=None, loss=HINGE):
    """Return a model of some documents; no run tells the scales of its prior, so it needs build."""
    truth = planted()
    given = {} if offset is None else {"offset": offset[rows]}
    if features is not None:
        is_frame = isinstance(features, pd.DataFrame)
        given["features"] = features.iloc[rows] if is_frame else features[rows]
    with pm.Model() as model:
        z = med.TopicAssignments("z", truth.corpus[rows], n_topics=3)
        eta = pm.Normal("eta", 0.0, SCALES, dims="topic")
        if features is not None:
            n_features = features.shape[1]
            given["feature_weights"] = (
                pm.Normal("w", 0.0, 1.0, shape=n_features) if weights is None else weights
            )
        observed = (truth.y if y is None else y)[rows]
        med.MaxMargin("y", z, eta, observed=observed, loss=loss, **given)
    return model


def calibrated(idata, **options):
    return get_group(med.calibrate(idata, **{**SHORT, **QUIET, **options}), "calibration")


@pytest.mark.parametrize("kind", ["array", "sparse", "frame"])
def test_folds_are_predicted_with_their_own_features(kind):
    """Features whose weights are known count as an offset of the same size."""
    known = {
        "array": X,
        "sparse": sparse.csr_array(X),
        "frame": pd.DataFrame(X, columns=["long", "late"]),
    }
    as_features = {"features": known[kind], "weights": WEIGHTS}
    as_offset = {"offset": OFFSET}
    found, expected = (
        calibrated(sample(model_of(ALL, **own)), build=lambda rows, own=own: model_of(rows, **own))
        for own in (as_features, as_offset)
    )
    assert np.isfinite(found["discriminant"]).all()
    assert np.corrcoef(found["discriminant"], OFFSET)[0, 1] > 0.99
    np.testing.assert_allclose(found["discriminant"], expected["discriminant"], rtol=1e-9)


def test_weights_of_features_that_are_drawn_can_be_calibrated_from_a_file(tmp_path):
    marks = 10.0 * planted().y[:, None].astype(float) * [[1.0, 0.5]]
    idata = sample(model_of(ALL, features=marks))
    idata.to_netcdf(tmp_path / "run.nc")
    found = calibrated(tmp_path / "run.nc", build=lambda rows: model_of(rows, features=marks))
    np.testing.assert_array_equal(np.sign(found["discriminant"]), planted().y)


FRAME = pd.DataFrame(X, columns=["long", "late"])
OTHERS = {
    "none": (None, "with no features, but idata has the features 'long', 'late'"),
    "another order": (FRAME[["late", "long"]], "with the features 'late', 'long', but idata has"),
    "without names": (X, "with the features 0, 1, but idata has the features 'long', 'late'"),
    "one more": (FRAME.assign(new=1.0), "with the features 'long', 'late', 'new', but idata"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_features_of_another_model_are_refused(kind):
    idata = sample(model_of(ALL, features=FRAME))
    other, said = OTHERS[kind]
    with pytest.raises(ValueError, match=f"build returned a model of 'y' {said}"):
        calibrated(idata, build=lambda rows: model_of(rows, features=other))
    plain = sample(model_of(ALL))
    if other is not None:
        with pytest.raises(ValueError, match="but idata has no features: they must be the same"):
            calibrated(plain, build=lambda rows: model_of(rows, features=other))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("slip", ["first rows", "reversed"])
def test_features_of_other_documents_are_refused(kind, slip):
    values = sparse.csr_array(X) if kind == "sparse" else X

    def build(rows):
        others = np.arange(rows.size) if slip == "first rows" else rows[::-1]
        taken = ALL.copy()
        taken[rows] = others
        return model_of(rows, features=values[taken])

    idata = sample(model_of(ALL, features=values))
    with pytest.raises(ValueError, match="with other values of the features than idata has"):
        calibrated(idata, build=build)


def test_features_of_words_are_not_given_features():
    def build(rows, features="words"):
        with pm.Model() as model:
            z = med.TopicAssignments("z", planted().corpus[rows], n_topics=3)
            eta = pm.Normal("eta", 0.0, 1.0, dims="topic")
            w = pm.Normal("w", 0.0, 1.0, shape=40)
            own = features if isinstance(features, str) else features[rows]
            options = {"features": own, "feature_weights": w, "loss": HINGE}
            med.MaxMargin("y", z, eta, observed=planted().y[rows], **options)
        return model

    idata = sample(build(ALL))
    assert np.isfinite(calibrated(idata, build=build)["discriminant"]).all()
    with pytest.raises(ValueError, match="but idata has features='words'"):
        calibrated(idata, build=lambda rows: build(rows, np.ones((30, 40))))


BUILDS = {
    "no offset": lambda rows: model_of(rows),
    "offset of others": lambda rows: model_of(rows, offset=OFFSET[::-1]),
}


@pytest.mark.parametrize("kind", BUILDS)
def test_a_model_with_the_offset_of_others_is_refused(kind):
    idata = sample(model_of(ALL, offset=OFFSET))
    with pytest.raises(ValueError, match="whose offset of 'y' differs from that in idata"):
        calibrated(idata, build=BUILDS[kind])
    plain = sample(model_of(ALL))
    with pytest.raises(ValueError, match="and none if idata has none"):
        calibrated(plain, build=lambda rows: model_of(rows, offset=OFFSET))


def test_tiny_offsets_of_others_are_refused():
    """Ratings and offsets may be in any unit."""
    truth = planted("real")

    def build(rows, offset=1e-9 * OFFSET):
        with pm.Model() as model:
            z = med.TopicAssignments("z", truth.corpus[rows], n_topics=3)
            eta = pm.Normal("eta", 0.0, 1e-9 * SCALES, dims="topic")
            med.MaxMargin("y", z, eta, observed=1e-9 * truth.y[rows], offset=offset[rows])
        return model

    idata = sample(build(ALL))
    assert np.isfinite(calibrated(idata, build=build)["discriminant"]).all()
    with pytest.raises(ValueError, match="whose offset of 'y' differs from that in idata"):
        calibrated(idata, build=lambda rows: build(rows, -1e-9 * OFFSET))


def test_a_model_with_the_y_of_others_is_refused():
    idata, y = sample(model_of(ALL)), planted().y
    assert np.isfinite(calibrated(idata, build=model_of)["discriminant"]).all()
    for other in (y[::-1], -y):
        with pytest.raises(ValueError, match="other values of 'y' than idata has"):
            calibrated(idata, build=lambda rows, other=other: model_of(rows, y=other))


def test_an_offset_of_zero_in_a_fold_is_one_of_the_same_model():
    few = np.where(ALL < 3, 5.0, 0.0)
    idata = sample(model_of(ALL, offset=few))
    found = calibrated(idata, build=lambda rows: model_of(rows, offset=few), chains=5)
    assert np.isfinite(found["discriminant"]).all()


def test_the_mean_of_standardised_values_is_no_offset_of_the_model():
    truth = planted("real")

    def build(rows):
        with pm.Model() as model:
            z = med.TopicAssignments("z", truth.corpus[rows], n_topics=3)
            eta = pm.Normal("eta", 0.0, SCALES, dims="topic")
            y = 1e4 + OFFSET + truth.y
            med.MaxMargin("y", z, eta, observed=y[rows], offset=OFFSET[rows])
        return model

    found = calibrated(sample(build(ALL)), build=build)["discriminant"]
    assert np.abs(found.values - 1e4 - OFFSET).max() < 30


def whole(**options):
    truth = planted()
    return med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3, **options)


def test_data_of_the_model_are_as_good_as_numbers():
    c = np.linspace(0.5, 2.0, 30)
    plain = sample(whole(offset=OFFSET, loss=med.Hinge(c=c, margin=2.0), alpha=[0.5, 1.0, 2.0]))
    with pm.Model() as model:
        shift, weight = pm.Data("shift", OFFSET), pm.Data("weight", c)
        alpha = pm.Data("prior", np.array([0.5, 1.0, 2.0]))
        loss = med.Hinge(c=weight, margin=2.0)
        whole(offset=1.0 * shift, loss=loss, alpha=alpha)
    idata = sample(model)
    assert "y_offset" in get_group(idata, "posterior")
    # A variable that a user has added to the posterior, without draws, is none of the model.
    posterior = get_group(idata, "posterior").assign(note=("topic", ["x", "y", "z"]))
    idata = with_group(idata, "posterior", posterior)
    found, expected = calibrated(idata), calibrated(plain)
    np.testing.assert_array_equal(found["fold"], expected["fold"])
    np.testing.assert_array_equal(found["discriminant"], expected["discriminant"])


RANDOM = {
    "offset": lambda value: {"offset": value * np.ones(30)},
    "alpha": lambda value: {"alpha": value * np.ones(3)},
    "c": lambda value: {"loss": med.Hinge(c=value, margin=2.0)},
}


@pytest.mark.parametrize("kind", RANDOM)
def test_what_is_random_and_did_not_move_is_not_taken_for_a_number(kind):
    """In one draw of one chain nothing moves."""
    with pm.Model() as model:
        whole(**RANDOM[kind](pm.Gamma("value", 2.0, 1.0)))
    idata = sample(model, draws=1, tune=6, chains=1)
    with pytest.raises(ValueError, match="'value' may be random, although it is the same in all"):
        calibrated(idata)
    if kind == "offset":
        with pytest.raises(ValueError, match=r"the offset of 'y' may be random: .* so is 'value'"):
            calibrated(idata, build=lambda rows: None)
    moved = with_group(idata, "posterior", get_group(idata, "posterior").drop_vars("value"))
    assert np.isfinite(calibrated(moved)["discriminant"]).all()


@pytest.mark.parametrize("kind", RANDOM)
def test_what_is_random_needs_build(kind):
    with pm.Model() as model:
        whole(**RANDOM[kind](pm.Gamma("value", 2.0, 1.0)))
    idata = sample(model, draws=6, tune=6)
    with pytest.raises(ValueError, match=r"random.*give build"):
        calibrated(idata)
