"""Predictions of new documents, from the returned object."""

import logging

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from tests.prediction.comparing import assert_same, predicted
from tests.sampled import OPTIONS, planted, sample, sample_general

KINDS = ["binary", "multiclass", "multilabel", "real"]


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
    classes = Run(idata).response().classes
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
    topics, response = Run(idata).topics(), Run(idata).response()
    length = truth.corpus.lengths[:, None]
    for chain, draw in [(0, 0), (1, 7)]:
        alpha = topics.alpha(chain, draw)
        frequency = (found["theta"].values[chain, draw] * (length + alpha.sum()) - alpha) / length
        assert frequency.min() > -1e-12
        expected = frequency @ response.weights(chain, draw).T + response.location
        got = found["discriminant"].values[chain, draw].reshape(expected.shape)
        np.testing.assert_allclose(got, expected, atol=1e-9)


def test_single_draw_theta_follows_the_topics_of_that_draw():
    """Long documents of one word: theta must be phi-hat of the word, times alpha, normalised."""
    idata, truth = sample("binary"), planted()
    topics = Run(idata).topics()
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
    topics, response = Run(idata).topics(), Run(idata).response()
    in_training = sum(discriminants(topics, response, 0, draw)[:, 0] for draw in range(20))
    found = predicted(idata, planted().corpus)["discriminant"][0].mean("draw")
    assert np.mean((found > 0) == (in_training > 0)) > 0.8


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
    topics, response = Run(idata).topics(), Run(idata).response()
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
    thinned = predicted(idata, bare, offset=np.zeros(30), thin=2)["discriminant"]
    np.testing.assert_allclose(found, thinned + by_draw.values[:, ::2], atol=1e-9)
    swapped = predicted(idata, bare, offset=by_draw.transpose("draw", "document", "chain"), thin=2)
    np.testing.assert_array_equal(found, swapped["discriminant"])
    with pytest.raises(ValueError, match=r"has an offset: give offset .*\(30,\)"):
        predicted(idata, bare)
    for wrong in (np.zeros(29), np.zeros((30, 1)), 0.0):
        with pytest.raises(ValueError, match="offset has shape"):
            predicted(idata, bare, offset=wrong)
    with pytest.raises(ValueError, match="NaN"):
        predicted(idata, bare, offset=np.full(30, np.nan))
    with pytest.raises(TypeError, match="offset must be a number or an array of numbers"):
        predicted(idata, bare, offset=["a"] * 30)


def test_offsets_of_tasks():
    idata, corpus = sample("multilabel"), planted("multilabel").corpus
    zero = predicted(idata, corpus)["discriminant"]
    shift = np.arange(90.0).reshape(30, 3)
    by_task = predicted(idata, corpus, offset=shift)["discriminant"]
    np.testing.assert_allclose(by_task, zero + shift, atol=1e-9)
    by_document = predicted(idata, corpus, offset=shift[:, 0])["discriminant"]
    np.testing.assert_allclose(by_document, zero + shift[:, :1], atol=1e-9)


def test_plain_lda_gives_no_decisions():
    found = predicted(sample(None), planted().corpus)
    assert list(found.data_vars) == ["theta", "no_known_words"]
    with pytest.raises(ValueError, match="plain LDA"):
        predicted(sample(None), planted().corpus, response="y")
    with pytest.raises(ValueError, match="no response to add it to"):
        predicted(sample(None), planted().corpus, offset=np.zeros(30))


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
