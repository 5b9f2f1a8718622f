"""The scikit-learn estimators: scikit-learn's own checks, then what a user does with them."""

import numpy as np
import pymc as pm
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.sampling.chains import sample_models, start_as_pymc

pytest.importorskip("sklearn", minversion="1.8")

from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import StandardScaler

from pymc_medlda.estimators import GibbsMedLDAClassifier, GibbsMedLDARegressor
from tests.estimators.small import QUICK, make


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
    table = med.top_words(fitted.idata_, 3)
    np.testing.assert_allclose(table["eta"], fitted.eta_[0])
    expected = [[str(t) for t in np.argsort(-phi, kind="stable")[:3]] for phi in fitted.components_]
    assert table[["word 1", "word 2", "word 3"]].to_numpy().tolist() == expected
    fitted.idata_.to_netcdf(tmp_path / "run.nc")
    diagnosis, again = med.diagnose(fitted.idata_), med.diagnose(tmp_path / "run.nc")
    assert diagnosis.table.equals(again.table)
    assert {"loss", "discriminant", "eta (aligned)"} <= set(diagnosis.table.index)


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


@pytest.mark.filterwarnings("ignore:the chains differ much")  # they are short
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


@pytest.mark.parametrize("multi_class", ["multi_task", "one_vs_all"])
def test_annealed_chains_start_where_annealing_ends(three_classes, multi_class):
    X, y = three_classes
    settings = {**QUICK, "tune": 0, "draws": 2, "chains": 2, "multi_class": multi_class}
    fits = [
        GibbsMedLDAClassifier(**{**settings, "anneal": anneal, "n_jobs": n_jobs}).fit(X, y)
        for anneal, n_jobs in ((200, 1), (200, 2), (0, 1))
    ]
    first, again, plain = (
        np.stack([get_group(run, "sample_stats")["moved"].values[:, 0] for run in fit._runs()])
        for fit in fits
    )
    np.testing.assert_array_equal(first, again)
    # In the first draw of a chain that was not annealed, tokens leave their random topics.
    assert plain.min() > 2 * first.max()
