"""Calibrated estimators: two stages, probabilities and intervals."""

import numpy as np
import pytest
from scipy.special import expit

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.estimators import GibbsMedLDAClassifier, GibbsMedLDARegressor
from pymc_medlda.run.run import Run
from tests.estimators.small import QUICK, make

FOUR = {**QUICK, "chains": 4}


@pytest.fixture(scope="module")
def calibrated(two_classes):
    X, y = two_classes
    return GibbsMedLDAClassifier(**FOUR).fit(X[:80], np.where(y[:80] > 0, "up", "down"))


def test_probability_sign_and_decision_agree(calibrated, two_classes):
    X = two_classes[0][80:]
    assert calibrated.calibrated_
    p, odds = calibrated.predict_proba(X), calibrated.decision_function(X)
    np.testing.assert_allclose(p[:, 1], expit(odds))
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(calibrated.predict(X), calibrated.classes_[p.argmax(axis=1)])
    assert 0.0 < p.min() < p.max() < 1.0


def test_the_run_is_like_any_other(calibrated, two_classes, tmp_path):
    """All documents have topics in all chains, and predict gives what the estimator gives."""
    X, idata = two_classes[0], calibrated.idata_
    z = get_group(idata, "posterior")["z"]
    assert z.shape == (4, 5, X[:80].sum())
    assert Run(idata).topics().mean_phi().shape == (4, 3, 60)
    assert calibrated.transform(X[80:]).shape == (40, 3)
    idata.to_netcdf(tmp_path / "run.nc")
    corpus = med.Corpus.from_dtm(X[80:])
    found = get_group(
        med.predict(tmp_path / "run.nc", corpus, random_seed=1, progressbar=False), "predictions"
    )
    assert found.attrs["calibrated"] == 1
    # Other random numbers: the same up to Monte Carlo error.
    np.testing.assert_allclose(found["probability"], calibrated.predict_proba(X[80:]), atol=0.2)
    posterior = get_group(idata, "posterior")
    assert posterior.attrs["tuning_steps"] == 20 + 2 + 4
    assert med.diagnose(idata).verdict


def test_the_second_stage_has_the_posterior_of_all_documents(two_classes):
    """The stored statistics are those of the stored topics of all documents."""
    X, y = two_classes
    model = GibbsMedLDAClassifier(**FOUR).fit(X, y)
    draws = Run(model.idata_)
    stored = get_group(model.idata_, "sample_stats")["log_likelihood"].values
    with med.GibbsMedLDA(med.Corpus.from_dtm(X), y, n_topics=3) as full:
        pass
    assert stored.shape == (4, 5)
    z = draws.topics().z
    assert z.shape[2] == full["z"].type.shape[0]
    # After the fold is taken in, the likelihood of its words is no worse than that of the others.
    lengths = X.sum(axis=1)
    group = get_group(model.idata_, "calibration")
    fold = group["fold"].values
    phi = draws.topics().mean_phi()
    for chain in range(4):
        fit = np.log(phi[chain].max(axis=0))
        per_token = np.asarray(X @ fit) / np.asarray(lengths).ravel()
        own, others = per_token[fold == chain], per_token[fold != chain]
        error = np.hypot(own.std() / np.sqrt(own.size), others.std() / np.sqrt(others.size))
        assert abs(own.mean() - others.mean()) < 4 * error


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_seed_gives_the_same_fit(two_classes, calibrated, n_jobs):
    X, y = two_classes
    labels = np.where(y[:80] > 0, "up", "down")
    again = GibbsMedLDAClassifier(**FOUR, n_jobs=n_jobs).fit(X[:80], labels)
    np.testing.assert_array_equal(again.predict_proba(X), calibrated.predict_proba(X))


@pytest.mark.parametrize("multi_class", ["multi_task", "one_vs_all"])
def test_several_classes(three_classes, multi_class):
    X, y = three_classes
    model = GibbsMedLDAClassifier(**FOUR, multi_class=multi_class).fit(X[:80], y[:80])
    p = model.predict_proba(X[80:])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X[80:]), model.classes_[p.argmax(axis=1)])
    assert p.max() < 1.0
    chosen = p[np.arange(40), y[80:].astype(int)]
    assert -np.log(chosen).mean() < np.log(3)


def test_labels():
    X, y = make("multilabel")
    model = GibbsMedLDAClassifier(**FOUR).fit(X[:80], y[:80])
    p = model.predict_proba(X[80:])
    np.testing.assert_array_equal(model.predict(X[80:]), p > 0.5)
    np.testing.assert_allclose(expit(model.decision_function(X[80:])), p)


def test_folds_are_predicted_with_the_samples_that_were_asked_for(two_classes):
    X, y = two_classes
    few, many = (
        get_group(
            GibbsMedLDAClassifier(**{**FOUR, "n_samples": n}).fit(X[:60], y[:60]).idata_,
            "calibration",
        )["discriminant"].values
        for n in (1, 40)
    )
    assert not np.array_equal(few, many)
    assert np.corrcoef(few, many)[0, 1] > 0.9


def test_intervals_of_values():
    X, y = make("real", noise=0.5)
    model = GibbsMedLDARegressor(**FOUR, c=4.0).fit(X[:80], y[:80])
    found = model.predict_interval(X[80:], coverage=0.9)
    assert found.shape == (40, 2)
    inside = (found[:, 0] <= y[80:]) & (y[80:] <= found[:, 1])
    assert inside.mean() > 0.9 - 4 * np.sqrt(0.09 / 40)
    narrow = model.predict_interval(X[80:], 0.3)
    assert (narrow[:, 1] - narrow[:, 0]).mean() < 0.6 * (found[:, 1] - found[:, 0]).mean()
    two = GibbsMedLDARegressor(**FOUR, c=4.0).fit(X[:80], np.stack([y[:80], -y[:80]], axis=1))
    assert two.predict_interval(X[80:]).shape == (40, 2, 2)


def test_weights_of_documents_go_with_them(two_classes):
    X, y = two_classes
    weight = np.where(np.arange(120) < 30, 0.0, 1.0)
    model = GibbsMedLDAClassifier(**FOUR).fit(X, y, sample_weight=weight)
    fold = get_group(model.idata_, "calibration")["fold"].values
    np.testing.assert_array_equal(fold >= 0, weight > 0)


def test_auto_leaves_out_what_cannot_be_calibrated(two_classes):
    X, y = two_classes
    assert not GibbsMedLDAClassifier(**QUICK).fit(X, y).calibrated_
    assert not GibbsMedLDAClassifier(**FOUR).fit(X[:15], y[:15]).calibrated_
    assert not GibbsMedLDAClassifier(**FOUR, calibrate=False).fit(X, y).calibrated_
    single = GibbsMedLDAClassifier(**QUICK, calibrate=True).fit(X, y)
    assert single.calibrated_
    fold = get_group(single.idata_, "calibration")["fold"].values
    assert (fold == 0).sum() == 30
    with pytest.raises(ValueError, match="calibrate=True cannot be used: calibration needs"):
        GibbsMedLDAClassifier(**FOUR, calibrate=True).fit(X[:15], y[:15])
    with pytest.raises(ValueError, match="calibrate must be True, False or 'auto'"):
        GibbsMedLDAClassifier(**FOUR, calibrate="yes").fit(X, y)
    plain = GibbsMedLDARegressor(**QUICK).fit(X, y)
    with pytest.raises(ValueError, match=r"not calibrated, .* calibrate=True"):
        plain.predict_interval(X)
    with pytest.raises(ValueError, match="coverage must be a probability"):
        plain.predict_interval(X, coverage=90)


def test_uncalibrated_fits_are_as_before(two_classes):
    """The parameter takes no random numbers from fits that it does not concern."""
    X, y = two_classes
    one, two = (GibbsMedLDAClassifier(**QUICK, calibrate=c).fit(X, y) for c in (False, "auto"))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_an_interrupt_of_the_first_stage_ends_the_fit(two_classes, monkeypatch):
    X, y = two_classes
    step, taken = med.GibbsMedLDAStep.step, []

    def interrupted(self, point):
        taken.append(1)
        if len(taken) > 4 * 21 + 1:  # one draw of the first stage is complete
            raise KeyboardInterrupt
        return step(self, point)

    monkeypatch.setattr(med.GibbsMedLDAStep, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        GibbsMedLDAClassifier(**FOUR).fit(X, y)
