"""Features in the model: its log density, gradients, draws from the prior, names and size."""

import cloudpickle
import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.model.feature_projection import ProjectFeatures
from tests.compositions.table import CORPUS, HINGE, LABELS, REAL, SEVERAL, D, K

RNG = np.random.default_rng(8)
TABLE = RNG.normal(size=(D, 3))
TF_IDF = TfidfTransformer(sublinear_tf=True).fit_transform(CORPUS.to_dtm()).toarray()


def model_of(features, y=LABELS, **settings):
    return med.GibbsMedLDA(CORPUS, y, n_topics=K, loss=HINGE, features=features, **settings)


def random_point(model, seed=0):
    rng, point = np.random.default_rng(seed), model.initial_point(1)
    return {
        name: value if name == "z" else rng.normal(size=value.shape)
        for name, value in point.items()
    }


@pytest.mark.parametrize("y", [LABELS, SEVERAL], ids=["one task", "two tasks"])
@pytest.mark.parametrize(
    ("features", "x"),
    [(TABLE, TABLE), (sparse.coo_array(TABLE), TABLE), ("words", TF_IDF)],
    ids=["array", "sparse", "words"],
)
def test_features_count_as_an_offset_of_the_same_size(features, x, y):
    model = model_of(features, y, tau=0.5)
    point = random_point(model)
    w = point["w"]
    plain = med.GibbsMedLDA(CORPUS, y, n_topics=K, loss=HINGE, offset=x @ w.T)
    rest = {name: value for name, value in point.items() if name != "w"}
    prior = -0.5 * (w / 0.5) ** 2 - np.log(0.5) - 0.5 * np.log(2 * np.pi)
    expected = plain.compile_logp()(rest) + prior.sum()
    assert model.compile_logp()(point) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("y", [LABELS, SEVERAL], ids=["one task", "two tasks"])
def test_the_gradient_is_that_of_differences(y):
    model = model_of(TABLE, y, tau=0.5)
    point = random_point(model, 3)
    density, gradient = model.compile_logp(), model.compile_dlogp([model["w"]])(point)
    step, numeric = 1e-5, []
    for index in np.ndindex(point["w"].shape):
        values = []
        for sign in (1, -1):
            moved = point["w"].copy()
            moved[index] += sign * step
            values.append(density({**point, "w": moved}))
        numeric.append((values[0] - values[1]) / (2 * step))
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)
    assert np.abs(gradient).min() > 0


def test_the_prior_predictive_response_depends_on_the_features():
    x = np.where(np.arange(D) % 2, 100.0, -100.0)[:, None]
    with pm.Model() as model:
        z = med.TopicAssignments("z", CORPUS, n_topics=K)
        eta, w = pm.Normal("eta", shape=K), pm.HalfNormal("w", shape=1)
        loss = med.Gaussian(sigma=0.1)
        med.MaxMargin("y", z, eta, observed=REAL, loss=loss, features=x, feature_weights=w)
        prior = pm.sample_prior_predictive(5, random_seed=1)
    y = get_group(prior, "prior_predictive")["y"].values
    assert (np.sign(y) == np.sign(x[:, 0])).mean() > 0.9
    assert get_group(prior, "prior")["w"].shape == (1, 5, 1)
    assert "w" in pm.model_to_graphviz(model).source


def test_the_log_likelihood_of_draws_is_computed():
    with model_of(TABLE, tau=2.0) as model:
        idata = pm.sample(2, tune=1, chains=1, cores=1, progressbar=False, quiet=True)
        found = get_group(pm.compute_log_likelihood(idata, progressbar=False), "log_likelihood")
    posterior = get_group(idata, "posterior")
    point = {name: posterior[name].values[0, 1] for name in ("z", "eta", "w")}
    factor = model.compile_logp(model["y"], sum=False)(point)[0]
    np.testing.assert_allclose(found["y"].values[0, 1], factor)


def test_names_of_columns_and_words_are_coordinates():
    frame = pd.DataFrame(TABLE, columns=["age", "size", "day"])
    model = model_of(frame, SEVERAL, tau=1.0)
    assert model.coords["feature"] == ("age", "size", "day")
    assert model.named_vars_to_dims["w"] == ("task", "feature")
    assert model_of(TABLE, tau=1.0).coords["feature"] == (0, 1, 2)
    assert model_of("words", tau=1.0).named_vars_to_dims["w"] == ("word",)


def test_a_frame_is_matched_by_the_names_of_documents():
    names = [f"d{i}" for i in range(D)]
    corpus = med.Corpus(CORPUS.words, CORPUS.starts, n_words=7, document_names=names)
    frame = pd.DataFrame(TABLE, index=names).iloc[::-1]
    model = med.GibbsMedLDA(corpus, LABELS, n_topics=K, features=frame, tau=1.0)
    np.testing.assert_array_equal(model["y_features"].get_value(), TABLE)


def test_a_model_is_pickled_with_one_copy_of_its_features():
    rng = np.random.default_rng(0)
    x = sparse.random(D, 200_000, density=0.05, random_state=rng, format="csr")
    size = len(cloudpickle.dumps(model_of(x, tau=1.0)))
    without = len(cloudpickle.dumps(med.GibbsMedLDA(CORPUS, LABELS, n_topics=K, loss=HINGE)))
    # The matrix by columns, and by rows in the stored record; coordinates take some bytes each.
    coordinates = 200_000 * 25
    assert size - without < 2.5 * (x.nnz * 12 + x.shape[1] * 8) + coordinates


def test_operations_of_equal_features_are_equal():
    one, two = (ProjectFeatures(FeatureMatrix(TABLE)) for _ in range(2))
    assert one == two
    assert one != ProjectFeatures(FeatureMatrix(2 * TABLE))


def test_many_features_are_not_checked_for_convergence_one_by_one(caplog):
    x = sparse.random(D, 5000, density=0.1, random_state=1, format="csr")
    with model_of(x, tau=1.0), caplog.at_level("WARNING"):
        idata = pm.sample(30, tune=5, chains=2, cores=1, progressbar=False, random_seed=1)
    assert get_group(idata, "posterior")["w"].shape == (2, 30, 5000)


def test_the_default_scale_follows_the_loss_and_the_features():
    def scale(**settings):
        model = med.GibbsMedLDA(CORPUS, n_topics=K, **settings)
        return float(model["w"].owner.inputs[-1].eval().item())

    one = {"y": LABELS, "features": np.ones((D, 1))}
    assert scale(**one, loss=med.Hinge(c=1.0, margin=16.0)) == pytest.approx(2.0)
    assert scale(**one, loss=med.Hinge(c=4.0, margin=16.0)) == pytest.approx(1.0)
    assert scale(**one, loss=med.Hinge(c={-1.0: 2.0, 1.0: 6.0}, margin=16.0)) == pytest.approx(1.0)
    assert scale(**one, loss=med.Logistic(c=2.0)) == pytest.approx(0.5)
    two = {"y": LABELS, "features": 2 * np.ones((D, 1))}
    assert scale(**two, loss=med.Hinge(c=1.0, margin=16.0)) == pytest.approx(1.0)
    real = {"y": REAL, "features": np.ones((D, 1))}
    deviation = REAL.std()
    loss = med.EpsilonInsensitive(c=0.5)
    assert scale(**real, loss=loss) == pytest.approx((deviation / 2) ** 0.5)
    assert scale(**real, loss=med.Gaussian(sigma=0.3)) == pytest.approx(0.3)
