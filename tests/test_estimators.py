"""The scikit-learn estimators: scikit-learn's own checks, then what a user does with them."""

import pickle
import sys

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.sampling.chains import sample_models, start_as_pymc

pytest.importorskip("sklearn", minversion="1.8")

from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from pymc_medlda.estimators import GibbsMedLDAClassifier, GibbsMedLDARegressor

# Many checks feed random floats, which only an estimator that was asked to round can take. With
# the paper's single draw the decision of the mean is that of the draws, which one check expects.
CHECKED = {
    "n_topics": 3,
    "draws": 1,
    "tune": 2,
    "sweeps_per_draw": 1,
    "n_samples": 2,
    "fractional_counts": "round",
}
WEIGHTS = "a weight multiplies the loss; a repeated document also repeats its words"
BATCHES = "predictions are Monte Carlo averages, drawn for the documents of a call together"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    "check_methods_sample_order_invariance": BATCHES,
    "check_methods_subset_invariance": BATCHES,
}
EXPECTED_OF_CLASSIFIER = {
    "check_decision_proba_consistency": (
        "shares of draws are tied where discriminants are not, all the more with a single draw"
    ),
    "check_classifiers_multilabel_output_format_predict_proba": (
        "the check wants probabilities above 0; the share of draws may be 0"
    ),
}


def expected_failures(estimator):
    is_classifier = isinstance(estimator, GibbsMedLDAClassifier)
    return EXPECTED | (EXPECTED_OF_CLASSIFIER if is_classifier else {})


@parametrize_with_checks(
    [GibbsMedLDAClassifier(**CHECKED), GibbsMedLDARegressor(**CHECKED)],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


QUICK = {"n_topics": 3, "draws": 5, "tune": 20, "sweeps_per_draw": 1, "random_state": 1}


def make(response, **arguments):
    planted = med.datasets.make_planted(
        120, n_topics=3, n_words=60, length=40, response=response, seed=4, **arguments
    )
    return planted.corpus.to_dtm(), np.asarray(planted.y)


@pytest.fixture(scope="module")
def two_classes():
    return make("binary")


@pytest.fixture(scope="module")
def three_classes():
    return make("multiclass", n_tasks=3)


@pytest.fixture(scope="module")
def fitted(two_classes):
    X, y = two_classes
    return GibbsMedLDAClassifier(**QUICK).fit(X[:80], np.where(y[:80] > 0, "up", "down"))


def test_two_classes(fitted, two_classes):
    X, y = two_classes[0][80:], np.where(two_classes[1][80:] > 0, "up", "down")
    assert fitted.classes_.tolist() == ["down", "up"]
    assert fitted.score(X, y) > 0.8
    decision, share = fitted.decision_function(X), fitted.predict_proba(X)
    assert decision.shape == (40,)
    assert share.shape == (40, 2)
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    assert np.array_equal(fitted.predict(X), fitted.classes_[(decision > 0).astype(int)])
    assert fitted.components_.shape == (3, 60)
    np.testing.assert_allclose(fitted.components_.sum(axis=1), 1.0)
    assert fitted.eta_.shape == (1, 3)
    theta = fitted.transform(X)
    assert theta.shape == (40, 3)
    np.testing.assert_allclose(theta.sum(axis=1), 1.0)
    assert fitted.get_feature_names_out().tolist() == [
        f"gibbsmedldaclassifier{k}" for k in (0, 1, 2)
    ]


def test_predictions_are_those_of_predict(fitted, two_classes):
    X = two_classes[0][80:]
    (seed,) = np.random.SeedSequence(fitted._prediction_seed).generate_state(1)
    run = med.predict(
        fitted.idata_, med.Corpus.from_dtm(X), random_seed=int(seed), progressbar=False
    )
    found = get_group(run, "predictions")
    assert np.array_equal(fitted.predict(X), found["decision"].values)
    np.testing.assert_allclose(fitted.predict_proba(X), found["probability"].values)
    mean = found["discriminant"].values.mean(axis=(0, 1))
    np.testing.assert_allclose(fitted.decision_function(X), mean)
    np.testing.assert_allclose(fitted.transform(X), found["theta"].values.mean(axis=(0, 1)))


def describe(idata):
    """Return names, dims, dtypes, coordinates and the names of attributes, group by group."""
    found = {}
    for name in ("posterior", "sample_stats", "observed_data", "constant_data"):
        group = get_group(idata, name)
        found[name] = (
            {key: (v.dims, v.dtype, v.shape) for key, v in group.data_vars.items()},
            {key: (v.dtype, v.shape) for key, v in group.coords.items()},
            set(group.attrs),
        )
    return found


def test_the_posterior_is_of_the_form_that_pymc_gives(three_classes):
    X, y = three_classes
    corpus = med.Corpus.from_dtm(X)
    counts = {"draws": 3, "tune": 2}
    model = med.GibbsMedLDA(corpus, y, n_topics=3)
    (ours,) = sample_models(
        [model],
        [start_as_pymc(model, 1, chains=2)],
        sweeps_per_draw=1,
        workers=1,
        progressbar=False,
        **counts,
    )
    with model:
        theirs = pm.sample(
            **counts,
            chains=2,
            cores=1,
            step=med.GibbsMedLDAStep(),
            random_seed=1,
            progressbar=False,
            compute_convergence_checks=False,
        )
    assert describe(ours) == describe(theirs)
    for group in ("posterior", "sample_stats"):
        assert get_group(ours, group).equals(get_group(theirs, group))
    assert type(ours) is type(theirs)
    assert get_group(ours, "posterior").attrs["tuning_steps"] == 2


def test_the_posterior_serves_what_comes_after_sampling(fitted, tmp_path):
    assert med.top_words(fitted.idata_, 3).shape[0] == 3
    assert med.diagnose(fitted.idata_) is not None
    fitted.idata_.to_netcdf(tmp_path / "run.nc")


def test_multi_task_and_one_vs_all(three_classes):
    X, y = three_classes
    together = GibbsMedLDAClassifier(**QUICK).fit(X[:80], y[:80])
    apart = GibbsMedLDAClassifier(multi_class="one_vs_all", n_jobs=2, **QUICK).fit(X[:80], y[:80])
    for model in (together, apart):
        assert model.score(X[80:], y[80:]) > 0.6
        assert model.decision_function(X).shape == model.predict_proba(X).shape == (120, 3)
        assert model.eta_.shape == (3, 3)
    assert together.transform(X).shape == (120, 3)
    assert apart.transform(X).shape == (120, 9)
    assert apart.components_.shape == (9, 60)
    assert apart.get_feature_names_out().size == 9
    models = med.OneVsAll(apart.classes_, apart.idata_)
    found = models.predict(
        med.Corpus.from_dtm(X), random_seed=apart._prediction_seed, progressbar=False
    )
    assert np.array_equal(apart.predict(X), found["decision"].values)
    np.testing.assert_allclose(apart.predict_proba(X), found["probability"].values)


def test_labels_as_a_matrix_dense_or_sparse(three_classes):
    X, y = three_classes
    labels = (y[:, None] == np.unique(y)).astype(int)
    labels[::4, 0] = 1
    model = GibbsMedLDAClassifier(**QUICK).fit(X, labels)
    predicted = model.predict(X)
    assert predicted.shape == model.predict_proba(X).shape == (120, 3)
    assert set(np.unique(predicted)) == {0, 1}
    assert np.mean(predicted == labels) > 0.7
    from_sparse = clone(model).fit(X, sparse.csr_array(labels))
    assert np.array_equal(from_sparse.predict(X), predicted)


def test_regression_of_one_value_and_of_two():
    X, y = make("real")
    settings = QUICK | {"tune": 40}
    model = TransformedTargetRegressor(
        GibbsMedLDARegressor(c=10.0, **settings), transformer=StandardScaler()
    )
    assert model.fit(X[:80], y[:80]).score(X[80:], y[80:]) > 0.4
    two = GibbsMedLDARegressor(c=10.0, **settings).fit(X, np.stack([y, -y], axis=1))
    assert two.predict(X).shape == (120, 2)
    assert np.corrcoef(two.predict(X).T)[0, 1] < -0.5


def test_documents_without_response_are_allowed(two_classes):
    X, y = two_classes
    y = y.astype(float)
    half = np.where(np.arange(120) % 2, y, np.nan)
    model = GibbsMedLDAClassifier(**QUICK).fit(X, half)
    assert model.classes_.tolist() == [-1.0, 1.0]
    assert model.score(X[::2], y[::2]) > 0.7
    names = [None if np.isnan(v) else "up" if v > 0 else "down" for v in half]
    assert GibbsMedLDAClassifier(**QUICK).fit(X, names).classes_.tolist() == ["down", "up"]
    assert GibbsMedLDARegressor(**QUICK).fit(X, half).predict(X).shape == (120,)


def test_a_class_may_be_rare_and_a_value_constant(three_classes):
    # Folds of a cross-validation hold such parts of y.
    X, y = three_classes
    rare = np.where(y == y.max(), y.min(), y)
    rare[0] = y.max()
    model = GibbsMedLDAClassifier(**QUICK).fit(X, rare)
    assert model.classes_.tolist() == np.unique(y).tolist()
    constant = GibbsMedLDARegressor(**QUICK).fit(X, np.ones(120))
    assert np.isnan(get_group(constant.idata_, "sample_stats")["score"]).all()
    assert abs(constant.predict(X).mean() - 1.0) < 0.2


def test_weights_decide_which_documents_teach(two_classes):
    X, y = two_classes
    first = np.arange(120) < 60
    mixed = np.where(first, y, -y)  # the second half has its labels reversed
    model = GibbsMedLDAClassifier(**QUICK)
    right = model.fit(X, mixed, sample_weight=first.astype(float)).score(X, y)
    wrong = model.fit(X, mixed, sample_weight=1.0 - first).score(X, y)
    assert right > 0.6
    assert wrong < 0.4


def test_random_state_alone_decides(two_classes):
    X, y = two_classes

    def run(**arguments):
        model = GibbsMedLDAClassifier(**{**QUICK, "chains": 2, **arguments}).fit(X, y)
        return get_group(model.idata_, "posterior")["z"].values, model.transform(X)

    z, theta = run()
    for again in (run(), run(n_jobs=2)):
        assert np.array_equal(again[0], z)
        assert np.array_equal(again[1], theta)
    assert not np.array_equal(run(random_state=2)[0], z)
    assert not np.array_equal(z[0], z[1])


@pytest.mark.parametrize(
    "form", [sparse.csc_array, sparse.coo_matrix, sparse.lil_array, np.asarray]
)
def test_every_form_of_matrix_gives_the_same(form, fitted, two_classes):
    X, y = two_classes
    X = X[:80].toarray()
    again = clone(fitted).fit(form(X), np.where(y[:80] > 0, "up", "down"))
    assert np.array_equal(again.decision_function(form(X)), fitted.decision_function(X))


def test_frames_name_words_and_topics(two_classes):
    X, y = two_classes
    frame = pd.DataFrame(X.toarray(), columns=[f"word{t}" for t in range(60)])
    model = GibbsMedLDAClassifier(**QUICK).set_output(transform="pandas").fit(frame, y)
    assert model.feature_names_in_[0] == "word0"
    assert med.top_words(model.idata_, 1)["word 1"].str.startswith("word").all()
    theta = model.transform(frame)
    assert theta.columns.tolist() == model.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])


TEXTS = ["good food and wine", "nice wine", "slow rude service", "rude waiter was slow"] * 6
MOODS = ["up", "up", "down", "down"] * 6


def test_pipelines_grids_and_folds():
    pipeline = Pipeline(
        [("count", CountVectorizer()), ("model", GibbsMedLDAClassifier(**QUICK | {"tune": 10}))]
    )
    assert cross_val_score(pipeline, TEXTS, MOODS, cv=2).mean() > 0.8
    grid = {"model__c": [0.5, 2.0], "model__margin": [16.0], "model__n_topics": [2]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, MOODS)
    assert search.best_score_ > 0.8
    assert search.predict(["wine and food"]).tolist() == ["up"]


def test_pickling_keeps_predictions(fitted, two_classes):
    X = two_classes[0][80:]
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.decision_function(X), fitted.decision_function(X))
    assert np.array_equal(again.components_, fitted.components_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_the_draws_so_far(n_jobs, two_classes, monkeypatch):
    X, y = two_classes
    step, taken = med.GibbsMedLDAStep.step, []

    def interrupted(self, point):
        taken.append(1)
        if len(taken) > limit:
            raise KeyboardInterrupt
        return step(self, point)

    monkeypatch.setattr(med.GibbsMedLDAStep, "step", interrupted)
    model = GibbsMedLDAClassifier(**QUICK | {"tune": 3}, chains=2, n_jobs=n_jobs)
    limit = 2 * 3 + 2 * 2 + 1  # warm-up, two draws of two chains, and one more of one chain
    with pytest.warns(UserWarning, match="2 of 5 draws"):
        model.fit(X, y)
    assert get_group(model.idata_, "posterior")["z"].shape[:2] == (2, 2)
    assert get_group(model.idata_, "sample_stats")["loss"].shape == (2, 2)
    assert model.predict(X).shape == (120,)
    taken.clear()
    limit = 4
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)


def test_a_bar_is_shown_only_when_asked_for(two_classes, monkeypatch):
    monkeypatch.setattr("pymc_medlda._progress.PATIENCE", 0.0)
    shown = []
    monkeypatch.setattr(
        "pymc_medlda._progress._start", lambda total, text: shown.append(text) or NoBar()
    )
    X, y = two_classes
    GibbsMedLDAClassifier(**QUICK).fit(X, y).predict(X)
    assert shown == []
    GibbsMedLDAClassifier(verbose=1, **QUICK).fit(X, y).predict(X)
    assert shown == ["Sampling", "Predicting"]


class NoBar:
    task_ids = (0,)

    def update(self, *_, **__):
        pass

    def stop(self):
        pass


def test_bad_input_is_refused(two_classes):
    X, y = two_classes
    model = GibbsMedLDAClassifier(**QUICK)
    with pytest.raises(NotFittedError):
        _ = model.components_
    with pytest.raises(ValueError, match="CountVectorizer"):
        make_pipeline(TfidfVectorizer(), model).fit(TEXTS, MOODS)
    with pytest.raises(ValueError, match="Negative values in data"):
        model.fit(-X, y)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.ones(120))
    with pytest.raises(ValueError, match="positive sample_weight have one class"):
        model.fit(X, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match="sample_weight must be finite and zero or more"):
        model.fit(X, y, sample_weight=-np.ones(120))
    with pytest.raises(ValueError, match="no document has a class"):
        model.fit(X, np.full(120, np.nan))
    with pytest.raises(ValueError, match="0 or 1 in each column"):
        model.fit(X, np.stack([np.arange(120) % 3, np.arange(120) % 2], axis=1))
    with pytest.warns(DataConversionWarning):
        model.fit(X, y[:, None])
    for name, value in (("multi_class", "one"), ("fractional_counts", "floor")):
        with pytest.raises(ValueError, match=f"{name} must be"):
            clone(model).set_params(**{name: value}).fit(X, y)
    for name in ("draws", "chains", "n_topics"):
        with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
            clone(model).set_params(**{name: 0}).fit(X, y)


def test_fractions_are_rounded_when_asked_for(two_classes):
    X, y = two_classes
    settings = QUICK | {"fractional_counts": "round"}
    near = X.astype(float)
    near.data = near.data + 0.2
    for matrix in (near, near.toarray()):
        model = GibbsMedLDAClassifier(**settings).fit(matrix, y)
        exact = GibbsMedLDAClassifier(**settings).fit(X, y)
        assert np.array_equal(model.components_, exact.components_)


def test_the_extra_is_named_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"pymc-medlda\[sklearn\]"):
        med.estimators.GibbsMedLDAClassifier  # noqa: B018
