"""`OneVsAll` with an offset, features and weights of classes: what each model is given."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.estimators.class_models import ClassModels, code_classes, weigh_documents

N = 60
PLANTED = med.datasets.make_planted(
    N, n_topics=3, n_words=40, length=20, response="multiclass", n_tasks=3, seed=4
)
NAMES = [f"d{i}" for i in range(N)]
CORPUS = med.Corpus(
    PLANTED.corpus.words,
    PLANTED.corpus.starts,
    vocabulary=PLANTED.corpus.vocabulary,
    document_names=NAMES,
)
CLASSES = np.array(["a", "b", "c"])
Y = CLASSES[PLANTED.y]
SHUFFLED = np.random.default_rng(0).permutation(N)
OFFSET = np.linspace(-3.0, 3.0, N)
FEATURES = pd.DataFrame(
    np.random.default_rng(1).normal(size=(N, 2)), columns=["long", "late"], index=NAMES
)
WEIGHTS = {"a": 0.5, "c": 2.5}
C = np.array([WEIGHTS.get(label, 1.0) for label in Y])
HINGE = med.Hinge(c=1.3, margin=2.0)
SHORT = {"n_topics": 3, "draws": 2, "tune": 2, "random_seed": 5, "cores": 1, "progressbar": False}
QUIET = {"progressbar": False, "compute_convergence_checks": False, "quiet": True}


def sample(**options):
    return med.OneVsAll.sample(CORPUS, Y, **{**SHORT, "loss": HINGE, **options})


def draws_of(run):
    group = get_group(run, "posterior")
    return {name: group[name].values for name in ("z", "eta", "w") if name in group}


def expect_equal_draws(one, two):
    for first, second in zip(one.runs, two.runs, strict=True):
        found, expected = draws_of(first), draws_of(second)
        assert found.keys() == expected.keys()
        for name, values in found.items():
            np.testing.assert_array_equal(values, expected[name])


COMPOSITIONS = {
    "offset": {"offset": OFFSET},
    "features": {"features": FEATURES, "tau": 1.5},
    "both": {"offset": OFFSET, "features": FEATURES},
    "words": {"features": "words", "offset": OFFSET},
}


@pytest.mark.parametrize("kind", COMPOSITIONS)
def test_draws_are_those_of_the_model_of_the_class_alone(kind):
    given = COMPOSITIONS[kind]
    models = sample(**given)
    seeds = np.random.SeedSequence(SHORT["random_seed"]).generate_state(3)
    for label, run, seed in zip(CLASSES, models.runs, seeds, strict=True):
        y = np.where(label == Y, 1.0, -1.0)
        with med.GibbsMedLDA(CORPUS, y, n_topics=3, loss=HINGE, **given):
            step = med.GibbsMedLDAStep()
            alone = pm.sample(2, tune=2, chains=1, cores=1, random_seed=seed, step=step, **QUIET)
        for name, values in draws_of(alone).items():
            np.testing.assert_array_equal(draws_of(run)[name], values)


@pytest.mark.parametrize("calibrate", [False, True])
def test_documents_keep_their_own_offset_and_features(calibrate):
    options = {"calibrate": calibrate, "chains": 2}
    expected = sample(offset=OFFSET, features=FEATURES, **options)
    by_name = {
        "offset": pd.Series(OFFSET, NAMES).iloc[SHUFFLED],
        "features": FEATURES.iloc[SHUFFLED],
    }
    found = sample(**by_name, **options)
    expect_equal_draws(found, expected)
    if calibrate:
        for one, two in zip(found.runs, expected.runs, strict=True):
            np.testing.assert_array_equal(
                get_group(one, "calibration")["discriminant"],
                get_group(two, "calibration")["discriminant"],
            )
    new = {"corpus": CORPUS[:5], "random_seed": 1, "progressbar": False}
    first = found.predict(**new, offset=OFFSET[:5], features=FEATURES[:5])
    named = {"offset": pd.Series(OFFSET, NAMES)[:5][::-1], "features": FEATURES[:5][::-1]}
    named["features"] = named["features"][["late", "long"]]
    second = expected.predict(**new, **named)
    np.testing.assert_array_equal(first["discriminant"], second["discriminant"])
    without = expected.predict(**new, offset=np.zeros(5), features=FEATURES[:5])
    shift = (second["discriminant"] - without["discriminant"]).transpose(..., "document")
    np.testing.assert_allclose(shift, np.broadcast_to(OFFSET[:5], shift.shape), atol=1e-9)


@pytest.mark.parametrize("kind", ["array", "sparse", "frame"])
def test_folds_are_predicted_with_their_own_rows(kind):
    # Topics say little about an offset of thousands, and nothing about the feature.
    offset = 1e3 * np.arange(N)
    known = {
        "array": FEATURES.to_numpy(),
        "sparse": sparse.csr_array(FEATURES.to_numpy()),
        "frame": FEATURES,
    }
    models = sample(offset=offset, features=known[kind], calibrate=True, chains=4)
    for run in models.runs:
        group = get_group(run, "calibration")
        assert (group["fold"].values >= 0).all()
        assert np.abs(group["discriminant"].values - offset).max() < 100


def test_a_feature_that_tells_the_class_tells_it_out_of_fold():
    marks = np.where(CLASSES[None] == Y[:, None], 20.0, -20.0)
    features = {"features": marks, "tau": 2.0, "calibrate": True, "chains": 4}
    models = sample(**features, tune=10, draws=6)
    for mark, run in zip(marks.T, models.runs, strict=True):
        found = get_group(run, "calibration")["discriminant"].values
        np.testing.assert_array_equal(np.sign(found), np.sign(mark))


def test_the_models_of_folds_have_the_rows_of_their_documents():
    response = code_classes(CORPUS, Y, None)
    loss = weigh_documents(med.Hinge(c=WEIGHTS, margin=2.0), response)
    given = {"offset": pd.Series(OFFSET, NAMES).iloc[SHUFFLED], "features": FEATURES[::-1]}
    fixed = {"n_topics": 3, "tau": 1.5}
    models = ClassModels(CORPUS, response, loss, {**fixed, **given})
    rows = np.sort(SHUFFLED[:25])
    rng = np.random.default_rng(3)
    for position, label in enumerate(CLASSES):
        y = np.where(label == Y, 1.0, -1.0)
        own = {"offset": OFFSET[rows], "features": FEATURES.to_numpy()[rows], **fixed}
        expected = med.GibbsMedLDA(
            CORPUS[rows], y[rows], loss=med.Hinge(c=C[rows], margin=2.0), **own
        )
        found = models.build(position, rows)
        point = found.initial_point(1)
        point = {key: rng.normal(size=np.shape(v)) for key, v in point.items()} | {"z": point["z"]}
        value = found.compile_logp()(point)
        assert value == expected.compile_logp()(point)
        # Negative control: with the rows of other documents it is another number.
        other = {**own, "offset": OFFSET[rows[::-1]]}
        loss_of_rows = med.Hinge(c=C[rows], margin=2.0)
        wrong = med.GibbsMedLDA(CORPUS[rows], y[rows], loss=loss_of_rows, **other)
        assert value != wrong.compile_logp()(point)


def test_weights_of_classes_are_weights_of_their_documents():
    by_class = sample(loss=med.Hinge(c=WEIGHTS, margin=2.0))
    expect_equal_draws(by_class, sample(loss=med.Hinge(c=C, margin=2.0)))
    with pytest.raises(AssertionError):  # negative control
        expect_equal_draws(by_class, sample(loss=med.Hinge(c=C[::-1].copy(), margin=2.0)))


def test_weights_of_classes_called_one_and_minus_one_are_those_of_these_classes():
    """They are not the codes of the two sides of a model."""
    y = PLANTED.y - 1
    weights = {-1: 0.2, 1: 3.0}
    c = np.array([weights.get(label, 1.0) for label in y.tolist()])
    one, two = (
        med.OneVsAll.sample(CORPUS, y, loss=med.Hinge(c=own, margin=2.0), **SHORT)
        for own in (weights, c)
    )
    expect_equal_draws(one, two)


def test_weights_of_classes_can_be_calibrated():
    options = {"calibrate": True, "chains": 2}
    same = sample(loss=med.Hinge(c=dict.fromkeys(CLASSES.tolist(), 1.3), margin=2.0), **options)
    expect_equal_draws(same, sample(**options))
    weightless = sample(loss=med.Hinge(c={"b": 0.0}, margin=2.0), **{**options, "chains": 4})
    for run in weightless.runs:
        fold = get_group(run, "calibration")["fold"].values
        np.testing.assert_array_equal(fold < 0, Y == "b")


def test_documents_without_a_class_weigh_as_others_and_change_nothing():
    y = Y.astype(object)
    y[:7] = None
    given = {"offset": OFFSET, "features": FEATURES, **SHORT}
    weighed, plain = (
        med.OneVsAll.sample(CORPUS, y, loss=med.Hinge(c=c, margin=2.0), **given)
        for c in (dict.fromkeys(CLASSES.tolist(), 1.0), 1.0)
    )
    expect_equal_draws(weighed, plain)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"loss": med.Hinge(c={"d": 2.0})}, ValueError, "c weighs 'd', but the classes are"),
        ({"offset": np.zeros(N - 1)}, ValueError, "offset has shape"),
        ({"offset": np.zeros((N, 3))}, ValueError, "offset has shape"),
        ({"features": np.zeros((N - 1, 2))}, ValueError, "features has shape"),
        ({"offset": pd.Series(OFFSET)[::-1]}, ValueError, "offset has the index"),
    ],
)
@pytest.mark.parametrize("calibrate", [False, True])
def test_what_does_not_fit_the_documents_is_refused(calibrate, options, error, said):
    with pytest.raises(error, match=said):
        sample(calibrate=calibrate, chains=2, **options)


def test_an_offset_that_is_not_known_cannot_be_calibrated():
    with pm.Model():
        shift = pm.Normal("shift", 0.0, 1.0)
        with pytest.raises(TypeError, match="offset must hold numbers if calibrate is True"):
            sample(calibrate=True, chains=2, offset=shift * np.ones(N))


@pytest.mark.parametrize("name", ["var_names", "as_frame", "response", "interval", "corpora"])
def test_predict_refuses_what_it_does_not_take(name):
    models = sample(draws=1, tune=0)
    with pytest.raises(TypeError, match=f"predict of OneVsAll does not take {name}; besides"):
        models.predict(CORPUS[:2], **{name: None})
    with pytest.raises(ValueError, match="features was given, but the model was sampled without"):
        models.predict(CORPUS[:2], features=FEATURES[:2], progressbar=False)


def test_files_keep_offset_and_features(tmp_path):
    models = sample(offset=OFFSET, features=FEATURES)
    models.to_netcdf(tmp_path)
    given = {"random_seed": 1, "progressbar": False, "offset": OFFSET[:4], "features": FEATURES[:4]}
    found, again = (
        own.predict(CORPUS[:4], **given) for own in (models, med.OneVsAll.from_netcdf(tmp_path))
    )
    np.testing.assert_array_equal(found["discriminant"], again["discriminant"])
    with pytest.raises(ValueError, match="has an offset: give offset"):
        models.predict(CORPUS[:4], features=FEATURES[:4], progressbar=False)
