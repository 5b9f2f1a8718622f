"""Predictions of new documents, from the returned object or a file of it."""

import logging
import subprocess
import sys
import time

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda import _progress
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.prediction.decisions import decide, share_of_draws
from pymc_medlda.prediction.new_documents import BLOCK
from pymc_medlda.prediction.predicting import predict
from pymc_medlda.run.draws import discriminants
from pymc_medlda.run.reading import read_response, read_topics
from tests.sampled import OPTIONS, planted, sample, sample_general

KINDS = ["binary", "multiclass", "multilabel", "real"]


def predicted(idata, corpus, **options):
    options = {"random_seed": 1, "progressbar": False, **options}
    return get_group(predict(idata, corpus, **options), "predictions")


def is_tree(idata):
    return hasattr(idata, "children")


def save(idata, path, form):
    idata.to_netcdf(path) if form == "netcdf" else idata.to_zarr(path)


def load(path, form):
    if "netcdf" in form:
        return az.from_netcdf(path)
    return xr.open_datatree(path, engine="zarr") if "DataTree" in form else az.from_zarr(path)


def assert_same(one, other):
    assert set(one.data_vars) == set(other.data_vars)
    for name in one.data_vars:
        assert one[name].dims == other[name].dims
        np.testing.assert_array_equal(one[name].values, other[name].values, err_msg=str(name))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_response(kind):
    truth = planted(kind)
    idata = sample(kind)
    found = predicted(idata, truth.corpus)
    tasks = {"task": 3} if kind in ("multiclass", "multilabel") else {}
    everything = {"chain": 2, "draw": 12, "document": 30}
    assert dict(found["discriminant"].sizes) == {**everything, **tasks}
    assert dict(found["theta"].sizes) == {**everything, "topic": 3}
    np.testing.assert_allclose(found["theta"].sum("topic"), 1.0)
    values = np.atleast_3d(found["discriminant"].mean(("chain", "draw")).values)
    mean = values.reshape(30, -1)
    if kind == "real":
        assert "probability" not in found
        np.testing.assert_array_equal(found["y"], found["discriminant"])
        np.testing.assert_allclose(found["decision"], mean[:, 0])
        assert np.corrcoef(found["decision"], truth.y)[0, 1] > 0.9
        return
    assert (found["decision"].values == truth.y).mean() > 0.8
    if kind == "multilabel":
        assert found["y"].dtype.kind == "i"
        np.testing.assert_array_equal(found["decision"], mean > 0)
        np.testing.assert_allclose(found["probability"], found["y"].mean(("chain", "draw")))
        return
    classes = read_response(idata).classes
    chosen = mean.argmax(axis=1) if kind == "multiclass" else (mean[:, 0] > 0).astype(int)
    np.testing.assert_array_equal(found["decision"], classes[chosen])
    for k, value in enumerate(classes):
        share = (found["y"] == value).mean(("chain", "draw"))
        np.testing.assert_allclose(found["probability"].values[:, k], share)


@pytest.mark.parametrize("kind", KINDS)
def test_discriminants_are_the_weights_times_the_frequencies(kind):
    """theta gives z̄ back: z̄ = (theta (N + sum alpha) - alpha) / N."""
    truth, idata = planted(kind), sample(kind)
    found = predicted(idata, truth.corpus)
    topics, response = read_topics(idata), read_response(idata)
    length = truth.corpus.lengths[:, None]
    for chain, draw in [(0, 0), (1, 7)]:
        alpha = topics.alpha(chain, draw)
        frequency = (found["theta"].values[chain, draw] * (length + alpha.sum()) - alpha) / length
        assert frequency.min() > -1e-12
        expected = frequency @ response.weights(chain, draw).T
        got = found["discriminant"].values[chain, draw].reshape(expected.shape)
        np.testing.assert_allclose(got, expected, atol=1e-9)


def test_single_draw_theta_follows_the_topics_of_that_draw():
    """Long documents of one word: theta must be phi-hat of the word, times alpha, normalised."""
    idata, truth = sample("binary"), planted()
    topics = read_topics(idata)
    corpus = med.Corpus(np.arange(40), np.arange(41), vocabulary=truth.corpus.vocabulary)
    found = predicted(idata, corpus, n_samples=4000, single_draw=True, max_burn_in=0)
    assert dict(found["theta"].sizes) == {"chain": 1, "draw": 1, "document": 40, "topic": 3}
    assert found["draw"].values.tolist() == [11]
    counts = np.zeros((40, 3))
    np.add.at(counts, (topics.tokens.word, topics.z[0, -1].values), 1)
    phi = (counts + 0.01) / (counts.sum(axis=0) + 0.4)
    alpha = topics.alpha(0, 11)
    share = phi * alpha / (phi @ alpha)[:, None]
    theta = (share + alpha) / (1 + alpha.sum())
    error = np.sqrt(share * (1 - share) / 4000) + 1e-3
    assert np.max(np.abs(found["theta"].values[0, 0] - theta) / error) < 5.0


def test_training_documents_are_decided_broadly_as_in_training():
    with med.GibbsMedLDA(planted().corpus, planted().y, n_topics=3):
        idata = pm.sample(**{**OPTIONS, "tune": 40, "draws": 20})
    topics, response = read_topics(idata), read_response(idata)
    in_training = sum(discriminants(topics, response, 0, draw)[:, 0] for draw in range(20))
    found = predicted(idata, planted().corpus)["discriminant"][0].mean("draw")
    assert np.mean((found > 0) == (in_training > 0)) > 0.8


def test_same_seed_same_answer_whatever_the_cores_and_the_thinning():
    idata = sample("multiclass")
    corpus = med.Corpus.from_dtm(
        np.random.default_rng(1).poisson(0.5, (3 * BLOCK + 5, 40)),
        vocabulary=planted("multiclass").corpus.vocabulary,
    )
    one = predicted(idata, corpus, cores=1)
    assert_same(one, predicted(idata, corpus, cores=3))
    assert_same(one, predicted(idata, corpus))
    other = predicted(idata, corpus, random_seed=2)
    assert not np.array_equal(one["discriminant"], other["discriminant"])
    thinned = predicted(idata, corpus, thin=5)
    assert thinned["draw"].values.tolist() == [0, 5, 10]
    np.testing.assert_array_equal(thinned["theta"], one["theta"][:, ::5])
    last = predicted(idata, corpus, single_draw=True, cores=2)
    np.testing.assert_array_equal(last["discriminant"], one["discriminant"][:1, -1:])


def test_blocks_chains_and_draws_have_streams_of_their_own():
    """The same block of documents again, and the same draw again, are sampled differently."""
    idata = sample("binary")
    posterior = get_group(idata, "posterior")
    twice = posterior.isel(chain=[0, 0], draw=[0, 0]).assign_coords(chain=[0, 1], draw=[0, 1])
    words = planted().corpus.vocabulary
    again = med.Corpus.from_dtm(np.ones((2 * BLOCK, 40), int), vocabulary=words)
    theta = predicted(with_group(idata, "posterior", twice), again)["theta"].values
    samples = theta.reshape(2, 2, 2, BLOCK, 3)
    assert not np.array_equal(samples[:, :, 0], samples[:, :, 1])
    assert not np.array_equal(samples[0], samples[1])
    assert not np.array_equal(samples[:, 0], samples[:, 1])


def test_seeds_of_every_kind():
    idata, corpus = sample("binary"), planted().corpus
    made = predicted(idata, corpus, random_seed=None, single_draw=True)
    again = predicted(idata, corpus, random_seed=int(made.attrs["random_seed"]), single_draw=True)
    assert_same(made, again)
    one = predicted(idata, corpus, random_seed=np.random.default_rng(3), single_draw=True)
    other = predicted(idata, corpus, random_seed=np.random.default_rng(3), single_draw=True)
    assert_same(one, other)
    assert_same(
        predicted(idata, corpus, random_seed=[1, 2]), predicted(idata, corpus, random_seed=[1, 2])
    )


SCRIPT = """
import sys
from tests.test_prediction import load, planted, predicted
path, form, out = sys.argv[1:]
found = predicted(load(path, form), planted("multiclass").corpus)
found.to_netcdf(out)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("form", ["netcdf", "zarr"])
def test_a_file_gives_bit_identical_predictions_in_another_process(form, tmp_path):
    idata = sample("multiclass")
    here = predicted(idata, planted("multiclass").corpus)
    save(idata, str(tmp_path / "run"), form)
    reader = f"{form} of a DataTree" if form == "zarr" and is_tree(idata) else form
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "run"), reader, str(tmp_path / "out.nc")],
        check=True,
        capture_output=True,
    )
    with xr.open_dataset(tmp_path / "out.nc") as there:
        assert_same(here, there)


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("form", ["netcdf", "zarr"])
def test_predictions_are_saved_with_the_run(form, tmp_path):
    truth = planted("multiclass")
    names = np.array(["alpha", "beta", "gamma"])
    named = med.Corpus(
        truth.corpus.words,
        truth.corpus.starts,
        vocabulary=truth.corpus.vocabulary,
        document_names=[f"document {d}" for d in range(30)],
    )
    with med.GibbsMedLDA(named, names[truth.y], n_topics=3, loss=med.Hinge(margin=2.0)):
        idata = pm.sample(**{**OPTIONS, "draws": 4})
    full = predict(idata, named, random_seed=1, progressbar=False)
    assert type(full) is type(idata)
    assert get_group(idata, "predictions") is None
    save(full, str(tmp_path / "run"), form)
    back = load(str(tmp_path / "run"), f"{form} DataTree" if is_tree(idata) else form)
    found, again = get_group(full, "predictions"), get_group(back, "predictions")
    assert_same(found, again)
    assert again["document"].values.tolist() == named.document_names.tolist()
    assert again["task"].values.tolist() == names.tolist()
    assert set(again["decision"].values.tolist()) <= set(names.tolist())
    assert_same(found, predicted(back, named))
    assert again.attrs["n_dropped_tokens"] == 0
    assert again.attrs["tolerance"] == 1e-3


def test_words_are_matched_by_name_and_unknown_ones_dropped(caplog):
    idata, corpus = sample("binary"), planted().corpus
    order = np.random.default_rng(1).permutation(40)
    shuffled = med.Corpus(
        np.argsort(order)[corpus.words], corpus.starts, vocabulary=corpus.vocabulary[order]
    )
    assert not np.array_equal(shuffled.words, corpus.words)
    assert_same(predicted(idata, corpus), predicted(idata, shuffled))
    documents = [[corpus.vocabulary[0]] * 5 + ["unheard"] * 3, ["unheard"], []]
    with caplog.at_level(logging.INFO, "pymc.medlda"):
        found = predicted(idata, med.Corpus.from_tokens(documents))
    assert found.attrs["n_dropped_tokens"] == 4
    assert "4 of 9 tokens" in caplog.text
    # Only the document is named in the answer, so what was dropped cannot shift its rows.
    assert found.sizes["document"] == 3


def test_empty_documents_get_the_prior():
    idata = sample_general()  # alpha differs from draw to draw and topic to topic
    corpus = med.Corpus([0, 1], [0, 0, 2, 2], n_words=40)
    offset = np.array([0.5, 0.0, -0.5])
    found = predicted(idata, corpus, offset=offset)
    topics, response = read_topics(idata), read_response(idata)
    for chain, draw in [(0, 0), (1, 11)]:
        prior = topics.alpha(chain, draw) / topics.alpha(chain, draw).sum()
        theta = found["theta"].values[chain, draw]
        np.testing.assert_allclose(theta[[0, 2]], [prior, prior])
        expected = response.weights(chain, draw)[0] @ prior + offset[[0, 2]]
        np.testing.assert_allclose(found["discriminant"].values[chain, draw, [0, 2]], expected)
    nothing = med.Corpus([], [0], n_words=40)
    assert predicted(idata, nothing, offset=[]).sizes["document"] == 0


def test_offsets_shift_the_discriminant():
    idata, corpus = sample_general(), planted().corpus
    bare = med.Corpus(corpus.words, corpus.starts, n_words=40)
    zero = predicted(idata, bare, offset=np.zeros(30))["discriminant"]
    shift = np.arange(30.0)
    np.testing.assert_allclose(
        predicted(idata, bare, offset=shift)["discriminant"], zero + shift, atol=1e-9
    )
    by_draw = get_group(idata, "posterior")["y_offset"]
    found = predicted(idata, bare, offset=by_draw, thin=2)["discriminant"]
    np.testing.assert_allclose(found, (zero + by_draw.values)[:, ::2], atol=1e-9)
    swapped = predicted(idata, bare, offset=by_draw.transpose("draw", "document", "chain"), thin=2)
    np.testing.assert_array_equal(found, swapped["discriminant"])
    with pytest.raises(ValueError, match=r"has an offset: give offset .*\(30,\)"):
        predicted(idata, bare)
    for wrong in (np.zeros(29), np.zeros((30, 1)), 0.0):
        with pytest.raises(ValueError, match="offset has shape"):
            predicted(idata, bare, offset=wrong)
    with pytest.raises(ValueError, match="NaN"):
        predicted(idata, bare, offset=np.full(30, np.nan))
    with pytest.raises(TypeError, match="offset must be an array of numbers"):
        predicted(idata, bare, offset=["a"] * 30)


def test_offsets_of_tasks():
    idata, corpus = sample("multilabel"), planted("multilabel").corpus
    zero = predicted(idata, corpus)["discriminant"]
    shift = np.arange(90.0).reshape(30, 3)
    by_task = predicted(idata, corpus, offset=shift)["discriminant"]
    np.testing.assert_allclose(by_task, zero + shift, atol=1e-9)
    by_document = predicted(idata, corpus, offset=shift[:, 0])["discriminant"]
    np.testing.assert_allclose(by_document, zero + shift[:, :1], atol=1e-9)


def test_plain_lda_gives_theta_only():
    found = predicted(sample(None), planted().corpus)
    assert list(found.data_vars) == ["theta"]
    with pytest.raises(ValueError, match="plain LDA"):
        predicted(sample(None), planted().corpus, response="y")
    with pytest.raises(ValueError, match="no response to add it to"):
        predicted(sample(None), planted().corpus, offset=np.zeros(30))


def test_only_what_is_asked_for():
    found = predicted(sample("binary"), planted().corpus, var_names=["y", "probability"])
    assert sorted(found.data_vars) == ["probability", "y"]
    with pytest.raises(ValueError, match="var_names must be among discriminant, y"):
        predicted(sample("binary"), planted().corpus, var_names=["phi"])
    with pytest.raises(ValueError, match="for this model; got"):
        predicted(sample("real"), planted("real").corpus, var_names=["probability"])


def drop(idata, group, *names):
    return with_group(idata, group, get_group(idata, group).drop_vars(names))


def pad(idata):
    """Return a posterior in which the second chain lacks its last draw."""
    posterior = get_group(idata, "posterior")
    short = posterior.isel(chain=[1], draw=slice(0, -1))
    joined = xr.concat([posterior.isel(chain=[0]), short], "chain", join="outer")
    return with_group(idata, "posterior", joined)


def test_objects_that_cannot_be_used():
    idata, corpus = sample("binary"), planted().corpus
    foreign = az.from_dict({"posterior": {"mu": np.zeros((1, 5))}})
    for other in (foreign, None, "run.nc", drop(idata, "constant_data", "z_medlda", "y_medlda")):
        with pytest.raises(ValueError, match="holds no MedLDA model"):
            predicted(other, corpus)
    with pytest.raises(ValueError, match="posterior has no 'z'"):
        predicted(drop(idata, "posterior", "z"), corpus)
    with pytest.raises(ValueError, match="no weights 'eta'"):
        predicted(drop(idata, "posterior", "eta"), corpus)
    with pytest.raises(ValueError, match="draws are missing in some chain"):
        predicted(pad(idata), corpus)
    one = with_group(idata, "posterior", get_group(idata, "posterior").isel(chain=0))
    with pytest.raises(ValueError, match="keep chain and draw"):
        predicted(one, corpus)
    none = with_group(idata, "posterior", get_group(idata, "posterior").isel(draw=slice(0)))
    with pytest.raises(ValueError, match="posterior is empty"):
        predicted(none, corpus)


def test_corpora_that_cannot_be_matched():
    idata, corpus = sample("binary"), planted().corpus
    with pytest.raises(TypeError, match=r"corpus must be a pymc_medlda.Corpus, got list"):
        predicted(idata, ["a text"])
    with pytest.raises(ValueError, match=r"corpus has 41 words and the model 40, and the corpus"):
        predicted(idata, med.Corpus(corpus.words, corpus.starts, n_words=41))
    with pytest.raises(ValueError, match=r"and the model has no names"):
        predicted(sample_general(), med.Corpus.from_tokens([["a"]]), offset=[0.0])
    nameless = med.Corpus(corpus.words, corpus.starts, n_words=40)
    assert_same(predicted(idata, nameless), predicted(idata, corpus))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thin": 0}, "thin must be at least 1, got 0"),
        ({"thin": 1.5}, "thin must be a whole number"),
        ({"n_samples": 0}, "n_samples must be at least 1"),
        ({"max_burn_in": -1}, "max_burn_in must be at least 0"),
        ({"tolerance": -1.0}, "tolerance must be finite and zero or more"),
        ({"cores": 0}, "cores must be at least 1"),
        ({"random_seed": "now"}, "random_seed must be a whole number"),
        ({"random_seed": -1}, "random_seed must be a whole number"),
        ({"response": "stars"}, "the model has no 'stars'; it has y"),
        ({"var_names": []}, "var_names must be among"),
    ],
)
def test_arguments_that_are_not_allowed(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        predicted(sample("binary"), planted().corpus, **options)


def test_several_responses_are_told_apart():
    truth = planted()
    with pm.Model():
        z = med.TopicAssignments("z", truth.corpus, n_topics=3)
        weights = [pm.Normal(f"eta_{name}", 0, 1, shape=3) for name in ("up", "size")]
        med.MaxMargin("up", z, weights[0], observed=truth.y, loss=med.Hinge(margin=2.0))
        med.MaxMargin("size", z, weights[1], observed=truth.discriminant, loss=med.Gaussian())
        idata = pm.sample(**{**OPTIONS, "draws": 3})
    with pytest.raises(ValueError, match="the model has several: up, size; say which"):
        predicted(idata, truth.corpus)
    assert predicted(idata, truth.corpus, response="up").attrs["kind"] == "binary"
    assert predicted(idata, truth.corpus, response="size").attrs["kind"] == "real"


def test_decisions_at_the_edges():
    classes = np.array(["ham", "spam"])
    assert decide("binary", np.array([[0.0], [1e-300]]), classes).tolist() == ["ham", "spam"]
    assert decide("multiclass", np.array([[1.0, 1.0], [0.0, 2.0]]), classes).tolist() == [
        "ham",
        "spam",
    ]
    with pytest.raises(ValueError, match="kind must be one of binary"):
        decide("ordinal", np.zeros((1, 1)), classes)
    shares = share_of_draws("multiclass", np.random.default_rng(1).normal(size=(2, 50, 4, 3)))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert share_of_draws("real", np.zeros((1, 1, 1, 1))) is None


def test_bar_appears_only_for_long_work(monkeypatch, capsys):
    assert list(_progress.track(range(4), 4, "Working")) == [0, 1, 2, 3]
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    slow = (time.sleep(0.01) or i for i in range(4))
    assert list(_progress.track(slow, 4, "Working")) == [0, 1, 2, 3]
    assert "Working" in capsys.readouterr().out
    assert list(_progress.track(range(4), 4, "Working", show=False)) == [0, 1, 2, 3]
    assert capsys.readouterr().out == ""
