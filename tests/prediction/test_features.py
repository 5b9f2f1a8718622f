"""Features of new documents: computed by the stored recipe or given, from memory and from files."""

from functools import cache

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from tests.sampled import planted

QUIET = {"progressbar": False, "compute_convergence_checks": False, "quiet": True}
CORPUS = planted().corpus
Y = planted().y
TABLE = np.random.default_rng(4).normal(size=(30, 3))
FRAME = pd.DataFrame(TABLE, columns=["age", "size", "day"])
TASKS = np.c_[Y > 0, planted().corpus.lengths > 25].astype(float)
KINDS = {
    "words": ("words", Y),
    "words, two tasks": ("words", TASKS),
    "dense": (TABLE, Y),
    "sparse": (sparse.csr_array(np.where(TABLE > 0.5, TABLE, 0.0)), Y),
    "frame": (FRAME, TASKS),
}


@cache
def sampled(kind):
    features, y = KINDS[kind]
    with med.GibbsMedLDA(CORPUS, y, n_topics=3, features=features):
        return pm.sample(4, tune=3, chains=2, cores=1, random_seed=3, **QUIET)


def features_of(kind):
    """Return what predict takes, and the same as an array."""
    given, _ = KINDS[kind]
    if isinstance(given, str):
        weigh = TfidfTransformer(sublinear_tf=True)
        return None, weigh.fit_transform(CORPUS.to_dtm()).toarray()
    return given, given.toarray() if sparse.issparse(given) else np.asarray(given)


def predict(idata, corpus=CORPUS, **options):
    predicted = med.predict(idata, corpus, random_seed=1, progressbar=False, **options)
    return get_group(predicted, "predictions")


@pytest.mark.parametrize("kind", KINDS)
def test_the_discriminant_is_the_sum_of_its_parts(kind):
    idata = sampled(kind)
    given, x = features_of(kind)
    found = predict(idata, features=given)
    parts = found["discriminant_topics"] + found["discriminant_features"]
    np.testing.assert_allclose(found["discriminant"], parts)
    w = get_group(idata, "posterior")["w"].values
    expected = np.einsum("dj,...j->...d", x, w)
    if w.ndim == 4:
        expected = expected.swapaxes(-1, -2)
    np.testing.assert_allclose(found["discriminant_features"], expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_discriminants_of_training_documents_hold_the_features(kind):
    idata, (_, x) = sampled(kind), features_of(kind)
    run = Run(idata)
    response, topics = run.response(), run.topics()
    posterior = get_group(idata, "posterior")
    z, eta, w = (posterior[name].values[1, 2] for name in ("z", "eta", "w"))
    shares = np.stack(
        [
            np.bincount(z[first:last], minlength=3) / (last - first)
            for first, last in zip(CORPUS.starts, CORPUS.starts[1:], strict=False)
        ]
    )
    expected = shares @ np.atleast_2d(eta).T + x @ np.atleast_2d(w).T
    np.testing.assert_allclose(discriminants(topics, response, 1, 2), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["netcdf", "zarr"])
def test_a_file_predicts_what_the_object_predicts(kind, form, tmp_path):
    idata, (given, _) = sampled(kind), features_of(kind)
    path = tmp_path / f"run.{form}"
    if form == "netcdf":
        idata.to_netcdf(str(path))
    else:
        pytest.importorskip("zarr")
        idata.to_zarr(str(path))
    wanted = {"features": given, "var_names": ["discriminant", "discriminant_features"]}
    for one, other in zip(
        predict(idata, **wanted).data_vars.values(),
        predict(str(path), **wanted).data_vars.values(),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_words_of_new_documents_weigh_by_the_stored_recipe():
    words = [str(word) for word in CORPUS.vocabulary]
    new = med.Corpus.from_tokens([[words[3], "unknown", words[5], words[3]], ["unknown"], []])
    found = predict(sampled("words"), new)
    weigh = TfidfTransformer(sublinear_tf=True).fit(CORPUS.to_dtm())
    counts = np.zeros((3, CORPUS.n_words), int)
    counts[0, [3, 5]] = 2, 1
    w = get_group(sampled("words"), "posterior")["w"].values
    expected = w @ weigh.transform(counts).toarray().T
    np.testing.assert_allclose(found["discriminant_features"], expected, atol=1e-12)


def test_columns_of_a_frame_are_matched_by_name():
    idata = sampled("frame")
    one = predict(idata, features=FRAME)["discriminant"]
    other = predict(idata, features=FRAME[["day", "age", "size"]])["discriminant"]
    np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="it lacks 'day'"):
        predict(idata, features=FRAME[["age", "size"]])


def test_features_must_be_given_where_they_are_needed_and_only_there():
    with pytest.raises(ValueError, match=r"give features of the new documents, of shape \(30, 3\)"):
        predict(sampled("dense"))
    with pytest.raises(ValueError, match="the tf-idf of its words"):
        predict(sampled("words"), features=TABLE)
    with pytest.raises(ValueError, match="2 columns; the model was sampled with 3"):
        predict(sampled("dense"), features=TABLE[:, :2])
    with pytest.raises(ValueError, match="30 rows are needed"):
        predict(sampled("dense"), features=TABLE[:5])


def test_parts_are_returned_only_if_they_are_wanted():
    found = predict(sampled("words"), var_names=["discriminant", "discriminant_topics"])
    assert list(found.data_vars) == ["discriminant", "discriminant_topics"]


def test_weights_that_were_not_stored_are_asked_for():
    idata = sampled("words").copy()
    posterior = get_group(idata, "posterior").drop_vars("w")
    with pytest.raises(ValueError, match="no weights of features 'w': sample with them"):
        predict(with_group(idata, "posterior", posterior))


def test_a_model_whose_weights_have_no_names_is_read_by_position(tmp_path):
    with pm.Model():
        z = med.TopicAssignments("z", CORPUS, n_topics=3)
        eta, w = pm.Normal("eta", shape=3), pm.Normal("w", 0.0, 1.0, shape=3)
        given = sparse.csr_array(TABLE)
        med.MaxMargin("y", z, eta, observed=Y, features=given, feature_weights=w)
        idata = pm.sample(2, tune=1, chains=1, cores=1, random_seed=1, **QUIET)
    idata.to_netcdf(str(tmp_path / "run.nc"))
    found = predict(str(tmp_path / "run.nc"), features=TABLE)["discriminant_features"]
    w = get_group(idata, "posterior")["w"].values
    np.testing.assert_allclose(found, w @ TABLE.T)


def test_chains_are_diagnosed_and_aligned():
    idata = sampled("words")
    aligned, _ = med.align_topics(idata)
    same = get_group(aligned, "posterior")["w"].values
    np.testing.assert_array_equal(same, get_group(idata, "posterior")["w"].values)
    with_lambda = get_group(med.draw_augmentation(idata, random_seed=1), "posterior")
    assert len(with_lambda.data_vars) == 4
