"""`calibrate`, and what `predict` makes of it."""

import numpy as np
import pymc as pm
import pytest
from scipy.special import expit, softmax

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.calibration.calibrating import warn_if_unsettled
from pymc_medlda.calibration.folds import Folds, plan_folds
from pymc_medlda.calibrators.temperature import bend
from pymc_medlda.run.calibration import Calibration
from tests.sampled import OPTIONS, planted, sample, sample_general, shared

QUIET = {"random_seed": 3, "progressbar": False}
SHORT = {"draws": 4, "tune": 4}


@shared
def calibrated(response):
    return med.calibrate(sample(response), **SHORT, **QUIET)


def predicted(idata, corpus, **options):
    return get_group(med.predict(idata, corpus, **{**QUIET, **options}), "predictions")


@pytest.mark.parametrize("response", ["binary", "multiclass", "multilabel", "real"])
def test_the_group_is_complete_and_nothing_else_changes(response):
    idata, before = calibrated(response), sample(response)
    group = get_group(idata, "calibration")
    assert group["fold"].values.min() == 0
    assert group["fold"].values.max() == 3
    assert np.isfinite(group["discriminant"].values).all()
    observed = get_group(before, "observed_data")["y"]
    assert group["discriminant"].dims == observed.dims
    for name in ("posterior", "sample_stats", "observed_data", "constant_data"):
        assert get_group(idata, name).identical(get_group(before, name))
    assert get_group(before, "calibration") is None
    assert group.attrs["draws"] == group.attrs["tune"] == 4


def test_two_classes_have_the_sigmoid_of_the_averaged_discriminant():
    idata, corpus = calibrated("binary"), planted().corpus
    group, found = get_group(idata, "calibration"), predicted(idata, corpus)
    F = found["discriminant"].mean("draw").values
    S, v = float(group["variance"]), float(group["between_chains"])
    gain = min(S / max(S - v / 2, 1e-9), 2.0)  # the run has two chains
    # Averages vary less around the mean of the out-of-fold discriminants.
    centre = float(group["discriminant"].mean())
    first, second = (
        float(group["slope"]) * (centre + gain * (own - centre)) + float(group["intercept"])
        for own in F
    )
    uncertainty = (first - second) ** 2 / 4
    log_odds = (first + second) / 2 / np.sqrt(1 + np.pi * uncertainty / 8)
    np.testing.assert_allclose(found["probability"].values[:, 1], expit(log_odds))
    assert (uncertainty > 0.01).any()
    np.testing.assert_allclose(found["probability"].sum("y_class"), 1.0)
    classes = found["y_class"].values
    np.testing.assert_array_equal(found["decision"], classes[(log_odds > 0).astype(int)])
    share = (found["discriminant"] > 0).mean(("chain", "draw"))
    np.testing.assert_allclose(found["agreement"].values[:, 1], share)
    assert found.attrs["calibrated"] == 1


def test_one_chain_has_no_gain_of_averaging():
    idata, corpus = calibrated("binary"), planted().corpus
    group = get_group(idata, "calibration")
    found = predicted(idata, corpus, single_draw=True)
    F = found["discriminant"].values[0, 0]
    log_odds = float(group["slope"]) * F + float(group["intercept"])
    np.testing.assert_allclose(found["probability"].values[:, 1], expit(log_odds))


def test_several_classes_have_a_softmax():
    idata, corpus = calibrated("multiclass"), planted("multiclass").corpus
    found = predicted(idata, corpus)
    F = found["discriminant"].mean(("chain", "draw")).values
    group = get_group(idata, "calibration")
    bent = bend(F, float(group["curvature"])) / float(group["temperature"])
    np.testing.assert_allclose(found["probability"], softmax(bent, axis=1))
    np.testing.assert_array_equal(found["decision"], found["task"].values[F.argmax(axis=1)])


def test_each_label_has_a_sigmoid():
    idata, corpus = calibrated("multilabel"), planted("multilabel").corpus
    group, found = get_group(idata, "calibration"), predicted(idata, corpus)
    assert group["slope"].dims == ("task",)
    np.testing.assert_array_equal(found["decision"], found["probability"] > 0.5)
    # The sign of the averaged log odds decides, whatever their uncertainty.
    F = found["discriminant"].mean(("chain", "draw")).values
    gain = Calibration(
        "multilabel",
        group["fold"].values,
        group["discriminant"].values,
        planted("multilabel").y,
        {name: group[name].values for name in ("slope", "variance", "between_chains")},
    ).gain(2)
    centre = group["discriminant"].mean("document").values
    log_odds = group["slope"].values * (centre + gain * (F - centre)) + group["intercept"].values
    np.testing.assert_array_equal(found["decision"], log_odds > 0)


def test_real_values_have_intervals():
    idata, corpus = calibrated("real"), planted("real").corpus
    wide, narrow = (predicted(idata, corpus, interval=level) for level in (0.9, 0.5))
    for found in (wide, narrow):
        assert found["lower"].dims == found["upper"].dims == found["decision"].dims
        assert (found["lower"] < found["upper"]).all()
        assert "probability" not in found
    assert (wide["upper"] - wide["lower"]).mean() > (narrow["upper"] - narrow["lower"]).mean()
    assert wide.attrs["interval"] == 0.9
    assert "lower" not in predicted(idata, corpus)


def test_without_calibration_probabilities_are_shares_of_draws():
    found = predicted(sample("binary"), planted().corpus)
    np.testing.assert_array_equal(found["probability"], found["agreement"])
    assert found.attrs["calibrated"] == 0


def test_real_values_lie_on_a_line_of_the_averaged_discriminant():
    idata, corpus = calibrated("real"), planted("real").corpus
    group, found = get_group(idata, "calibration"), predicted(idata, corpus)
    S, v = float(group["variance"]), float(group["between_chains"])
    assert v > 0.0
    gain = min(S / max(S - v / 2, 1e-9), 2.0)  # the run has two chains
    centre = float(group["discriminant"].mean())
    F = found["discriminant"].mean(("chain", "draw")).values
    line = float(group["slope"]) * (centre + gain * (F - centre)) + float(group["intercept"])
    np.testing.assert_allclose(found["decision"], line)
    # Of the out-of-fold documents themselves the mean error is zero.
    errors = planted("real").y - group["slope"] * group["discriminant"] - group["intercept"]
    assert float(errors.mean()) == pytest.approx(0.0, abs=1e-9)
    why = med.explain(idata, corpus[:1], random_seed=3)
    alone = predicted(idata, corpus[:1])["decision"]
    assert float(why.decision) == pytest.approx(float(alone[0]))
    assert "The calibration corrects this sum." in str(why)


def test_intervals_need_a_calibration_of_real_values():
    with pytest.raises(ValueError, match=r"no calibration of 'y': call med\.calibrate"):
        med.predict(sample("real"), planted("real").corpus, interval=0.9)
    with pytest.raises(ValueError, match="interval is for real responses"):
        med.predict(calibrated("binary"), planted().corpus, interval=0.9)
    with pytest.raises(ValueError, match="interval must be a probability"):
        med.predict(calibrated("real"), planted("real").corpus, interval=90)


@pytest.mark.parametrize("response", ["binary", "multiclass", "real"])
def test_files_keep_the_calibration(response, tmp_path):
    idata, corpus = calibrated(response), planted(response).corpus
    idata.to_netcdf(tmp_path / "run.nc")
    options = {"interval": 0.8} if response == "real" else {}
    found, expected = (predicted(run, corpus, **options) for run in (tmp_path / "run.nc", idata))
    name = "upper" if response == "real" else "probability"
    np.testing.assert_allclose(found[name], expected[name], rtol=1e-9)
    aligned = med.align_topics(idata)[0]
    assert predicted(aligned, corpus, **options).attrs["calibrated"] == 1


def test_the_same_seed_gives_the_same_calibration_on_any_number_of_cores():
    runs = [med.calibrate(sample("binary"), cores=n, **SHORT, **QUIET) for n in (1, 3)]
    other = med.calibrate(sample("binary"), **SHORT, **{**QUIET, "random_seed": 4})
    one, two, three = (get_group(run, "calibration") for run in (*runs, other))
    assert one.identical(two)
    assert not one["discriminant"].equals(three["discriminant"])


def test_models_that_the_run_does_not_tell_need_build():
    with pytest.raises(ValueError, match="alpha or beta is random: give build"):
        med.calibrate(sample_general(), **QUIET)
    truth = planted()

    def build(rows, n_topics=3):
        with pm.Model() as model:
            nu = pm.HalfNormal("nu", 1.0)
            z = med.TopicAssignments("z", truth.corpus[rows], n_topics=n_topics)
            eta = pm.Normal("eta", 0.0, nu, dims="topic")
            med.MaxMargin("y", z, eta, observed=truth.y[rows], loss=med.Hinge(margin=2.0))
        return model

    with build(np.arange(30)):
        step = [med.GibbsMedLDAStep()]
        idata = pm.sample(
            draws=4, tune=4, chains=2, cores=1, step=step, compute_convergence_checks=False, **QUIET
        )
    with pytest.raises(ValueError, match=r"prior of its weights .*: give build"):
        med.calibrate(idata, **QUIET)
    found = med.calibrate(idata, build=build, **SHORT, **QUIET)
    assert predicted(found, truth.corpus).attrs["calibrated"] == 1
    with pytest.raises(ValueError, match="build was given the positions of"):
        med.calibrate(idata, build=lambda rows: build(np.sort(rows[1:])), **SHORT, **QUIET)
    with pytest.raises(ValueError, match="model with 4 topics along 'topic', but idata has 3"):
        med.calibrate(idata, build=lambda rows: build(rows, n_topics=4), **SHORT, **QUIET)
    with pytest.raises(TypeError, match=r"build must return a pymc\.Model"):
        med.calibrate(idata, build=lambda rows: None, **SHORT, **QUIET)


def test_offsets_and_weights_of_documents_are_kept_with_their_documents():
    truth = planted("real")
    offset = 1e3 * np.arange(30.0)
    loss = med.EpsilonInsensitive(c=np.linspace(0.1, 3.0, 30))
    with med.GibbsMedLDA(truth.corpus, truth.y + offset, n_topics=3, loss=loss, offset=offset):
        idata = pm.sample(
            draws=4, tune=4, chains=2, cores=1, compute_convergence_checks=False, **QUIET
        )
    group = get_group(med.calibrate(idata, **QUIET), "calibration")
    # Offsets of other documents would be wrong by a thousand at least.
    assert np.abs(group["discriminant"].values - truth.y - offset).max() < 100
    # The effect of an offset is known: no line multiplies it.
    assert (float(group["slope"]), float(group["intercept"])) == (1.0, 0.0)


def test_a_group_of_another_model_is_refused():
    wrong = get_group(calibrated("multiclass"), "calibration")
    with pytest.raises(ValueError, match="the group calibration is of a 'multiclass' response"):
        med.predict(with_group(sample("binary"), "calibration", wrong), planted().corpus)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("slope", np.nan, "'slope' holds nan"),
        ("slope", -1.0, "'slope' holds -1.0"),
        ("between_chains", -1.0, "'between_chains' holds -1.0"),
        ("discriminant", np.inf, "'discriminant' holds inf"),
        ("fold", -2, "'fold' must hold"),
        ("fold", 0.5, "'fold' must hold"),
    ],
)
def test_damaged_groups_are_refused(name, value, said):
    group = get_group(calibrated("binary"), "calibration").copy()
    group[name] = group[name] * 0 + value
    with pytest.raises(ValueError, match=said):
        med.predict(with_group(sample("binary"), "calibration", group), planted().corpus)
    lost = group.drop_vars(name)
    with pytest.raises(ValueError, match=f"has lost '{name}'"):
        med.predict(with_group(sample("binary"), "calibration", lost), planted().corpus)


def test_chains_that_differ_much_give_a_warning():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(100) % 2, 1.0, -1.0)[:, None]
    folds = plan_folds("binary", y, 4, rng)
    F, shape = y + rng.normal(size=(100, 1)), (4, int(folds.witness.sum()), 1)
    near, far = (
        Calibration.fit(
            "binary", folds.fold, y, F, y[folds.witness] + scale * rng.normal(size=shape)
        )
        for scale in (0.1, 2.0)
    )
    warn_if_unsettled(near, folds, 4)
    with pytest.warns(UserWarning, match="chains differ much about documents"):
        warn_if_unsettled(far, folds, 4)
    warn_if_unsettled(far, folds, 1)
    few = Folds(folds.fold, np.arange(100) < 5, 4)
    warn_if_unsettled(far, few, 4)


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_a_shift_of_a_chain_is_no_disagreement_about_documents(kind):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(100, 1))
    fold, y = np.arange(100) % 4, np.where(F + rng.normal(size=F.shape) > 0, 1.0, -1.0)
    shifts = 5.0 * np.arange(4.0)[:, None, None]
    found = Calibration.fit(kind, fold, y, F, F[None, :20] + shifts)
    np.testing.assert_allclose(found.gain(4), 1.0)
    noise = rng.normal(size=(4, 20, 1))
    assert (Calibration.fit(kind, fold, y, F, F[None, :20] + noise).gain(4) > 1.2).all()


def test_a_task_with_few_values_is_not_corrected():
    rng = np.random.default_rng(0)
    F, noise = rng.normal(size=(100, 2)), rng.normal(size=(4, 20, 2))
    y = 3.0 * F + 7.0
    y[5:, 1] = np.nan
    found = Calibration.fit("real", np.arange(100) % 4, y, F, F[None, :20] + noise)
    slope, intercept = found.line(4)
    assert (slope[1], intercept[1]) == (1.0, 0.0)
    assert slope[0] > 2.0


@pytest.mark.parametrize(("centre", "unit"), [(0.0, 1e-8), (1.7e9, 1e4)])
def test_explanations_say_that_a_value_is_corrected_in_any_unit(centre, unit):
    truth = planted("real")
    with med.GibbsMedLDA(truth.corpus, centre + unit * np.asarray(truth.y), n_topics=3):
        idata = pm.sample(**OPTIONS)
    assert "The prediction is" in str(med.explain(idata, truth.corpus[:1], random_seed=1))
    idata = med.calibrate(idata, **SHORT, **QUIET)
    why = med.explain(idata, truth.corpus[:1], random_seed=1)
    assert "The calibration corrects this sum." in str(why)


def test_documents_of_weight_zero_are_in_no_fold():
    truth = planted()
    c = np.where(np.arange(30) < 25, 1.0, 0.0)
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3, loss=med.Hinge(c=c, margin=2.0)):
        idata = pm.sample(**OPTIONS)
    group = get_group(med.calibrate(idata, **SHORT, **QUIET), "calibration")
    assert (group["fold"].values[25:] == -1).all()
    assert (group["fold"].values[:25] >= -1).all()
    assert (group["fold"].values[:25] >= 0).sum() >= 20


def test_names_of_the_users_own_can_be_calibrated():
    truth = planted()
    with pm.Model():
        z = med.TopicAssignments("topics", truth.corpus, n_topics=3)
        eta = pm.Normal("weights", 0.0, 1.0, dims="topic")
        med.MaxMargin("label", z, eta, observed=truth.y, loss=med.Hinge(margin=2.0))
        idata = pm.sample(**OPTIONS)
    group = get_group(med.calibrate(idata, **SHORT, **QUIET), "calibration")
    assert np.isfinite(group["slope"])


def test_another_likelihood_needs_build():
    truth = planted()
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3) as model:
        pm.Normal("extra", model["eta"].sum(), 1.0, observed=5.0)
        idata = pm.sample(**OPTIONS)
    with pytest.raises(ValueError, match=r"other observed variables.*give build"):
        med.calibrate(idata, **SHORT, **QUIET)
