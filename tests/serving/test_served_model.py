"""An exported model says what `predict` says of the run, within Monte Carlo error."""

import dataclasses

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.calibration import GROUP, read_calibration
from pymc_medlda.run.run import Run
from tests import sampled
from tests.serving.models import KINDS, calibrated, export_and_load, new_documents, served


def predicted(idata, corpus, **options):
    long = {"n_samples": 240, "random_seed": 1, "progressbar": False, **options}
    return get_group(med.predict(idata, corpus, **long), "predictions")


def as_columns(values):
    return values.reshape(len(values), -1)


@pytest.mark.parametrize("kind", KINDS)
def test_discriminants_agree_with_predict(kind):
    corpus = new_documents(kind)
    expected = predicted(sampled.sample(kind), corpus)["discriminant"].mean(("chain", "draw"))
    expected = as_columns(expected.values)
    found = served(kind).discriminant(corpus)
    assert found.shape == (2, 10, corpus.n_documents, expected.shape[1])
    error = found.mean(axis=(0, 1)) - expected
    assert np.abs(error).mean() < 0.12 * expected.std()
    assert np.corrcoef(found.mean(axis=(0, 1)).ravel(), expected.ravel())[0, 1] > 0.97


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_and_theta_agree_with_predict(kind):
    corpus = new_documents(kind)
    expected = predicted(sampled.sample(kind), corpus)
    answers = served(kind).predict(corpus)
    decision = expected["decision"].values
    assert answers.decision.shape == decision.shape
    if kind != "real":
        assert (answers.decision == decision).mean() > 0.9
        share = expected["probability"].values
        assert answers.probability.shape == share.shape
        assert np.abs(answers.probability - share).mean() < 0.1
    aligned = get_group(predicted_from_aligned(sampled.sample(kind), corpus), "predictions")[
        "theta"
    ].mean(("chain", "draw"))
    assert np.abs(answers.theta - aligned.values).mean() < 0.03


def predicted_from_aligned(idata, corpus):
    options = {"n_samples": 240, "random_seed": 1, "progressbar": False}
    return med.predict(med.align_topics(idata)[0], corpus, **options)


@pytest.mark.parametrize("kind", ["binary", "multiclass", "multilabel"])
def test_calibrated_probabilities_agree_with_predict(kind):
    corpus = new_documents(kind)
    expected = predicted(calibrated(kind), corpus)
    answers = served(kind, is_calibrated=True).predict(corpus)
    assert np.abs(answers.probability - expected["probability"].values).mean() < 0.05
    assert (answers.decision == expected["decision"].values).mean() > 0.9
    # Without calibration the probabilities are others.
    assert np.abs(answers.probability - served(kind).predict_proba(corpus)).max() > 0.05


@pytest.mark.parametrize("kind", ["binary", "multilabel", "real"])
def test_log_odds_and_values_are_those_of_an_average_over_the_chains(kind):
    run = Run.of(calibrated(kind))
    exact = read_calibration(run.group(GROUP), run.response())
    by_chain = np.random.default_rng(1).normal(size=(2, 7, exact.y.shape[1]))
    found = served(kind, is_calibrated=True).calibration
    np.testing.assert_allclose(found.compared(by_chain), exact.compared(by_chain))
    assert (exact.gain(2) > 1.0).all()  # so that a single chain would make a difference


def test_intervals_agree_with_predict():
    corpus = new_documents("real")
    expected = predicted(calibrated("real"), corpus, interval=0.8)
    answers = served("real", is_calibrated=True).predict(corpus, interval=0.8)
    width = (expected["upper"] - expected["lower"]).values
    np.testing.assert_allclose((answers.upper - answers.lower).mean(), width.mean(), rtol=0.1)
    assert (answers.lower < answers.decision).all()
    assert (answers.decision < answers.upper).all()


def test_weights_of_words_are_part_of_it():
    corpus = new_documents()
    run = sampled.sample_words()
    model = export_and_load(run)
    expected = predicted(run, corpus)
    of_words = expected["discriminant_features"].mean(("chain", "draw")).values
    assert model.features is not None
    found = model.features.project(model._read(corpus)).mean(axis=0)[:, 0]
    thinned = run["posterior"]["w"].isel(draw=np.linspace(0, 11, 10).round().astype(int))
    scale = float(np.abs(thinned).mean())
    assert np.abs(found - of_words).mean() < 0.2 * scale  # ten of twelve draws
    assert np.corrcoef(found, of_words)[0, 1] > 0.98
    total = model.discriminant(corpus).mean(axis=(0, 1))[:, 0]
    assert np.corrcoef(total, expected["discriminant"].mean(("chain", "draw")))[0, 1] > 0.97


def test_a_document_has_the_same_answer_alone_and_among_others():
    corpus, model = new_documents(), served("binary")
    together = model.discriminant(corpus)
    np.testing.assert_allclose(model.discriminant(corpus[3:4]), together[:, :, 3:4])
    np.testing.assert_array_equal(model.discriminant(corpus), together)


def test_unknown_words_are_dropped_and_flagged():
    model, known = served("binary"), new_documents()
    corpus = med.Corpus.from_tokens([["never", "seen"], [*known.vocabulary[:3], "seen"], []])
    answers = model.predict(corpus)
    assert answers.n_known.tolist() == [0, 3, 0]
    assert answers.to_frame()["no_known_words"].tolist() == [True, False, True]
    np.testing.assert_allclose(answers.theta[0], 1 / 3, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_has_the_columns_of_predict(kind):
    corpus, model = new_documents(kind)[:7], served(kind)
    table = model.predict(corpus).to_frame()
    n_tasks = model.eta.shape[2] if kind == "multilabel" else 1
    assert len(table) == 7 * n_tasks
    expected = ["document", *(["task"] if n_tasks > 1 else [])]
    expected += ["value"] if kind == "real" else ["decision", "probability"]
    expected += [f"{name} {rank}" for rank in (1, 2, 3) for name in ("topic", "share", "words")]
    assert table.columns.tolist() == [*expected, "no_known_words"]
    assert (table["share 1"] >= table["share 2"]).all()
    if kind in ("binary", "multiclass"):
        proba = model.predict_proba(corpus)
        own = [list(model.classes).index(c) for c in table["decision"]]
        np.testing.assert_allclose(table["probability"], proba[np.arange(7), own])


def test_topics_are_those_of_the_aligned_run():
    aligned = med.align_topics(sampled.sample("multiclass"))[0]
    expected = med.top_words(aligned, 5, chain=None)
    found = served("multiclass").topics(5)
    columns = [name for name in expected if name != "agreement"]
    assert found.columns.tolist() == columns
    np.testing.assert_allclose(found["share"], expected["share"], atol=0.02)
    assert (found["word 1"].values == expected["word 1"].values).all()
    weights = [name for name in columns if name.startswith("eta")]
    assert np.corrcoef(found[weights].values.ravel(), expected[weights].values.ravel())[0, 1] > 0.9


def test_names_of_documents_stay():
    corpus = new_documents()[:2]
    named = med.Corpus(
        corpus.words, corpus.starts, vocabulary=corpus.vocabulary, document_names=["p", "q"]
    )
    assert served("binary").predict(named).to_frame()["document"].tolist() == ["p", "q"]


def test_fewer_draws_can_be_exported():
    assert export_and_load(sampled.sample("binary"), draws=3).eta.shape[1] == 3
    assert export_and_load(sampled.sample("binary"), draws=99).eta.shape[1] == 12


def test_real_values_have_no_probabilities():
    with pytest.raises(ValueError, match="no probabilities"):
        served("real").predict_proba(new_documents("real"))


def test_intervals_need_a_calibration_and_real_values():
    with pytest.raises(ValueError, match="not calibrated"):
        served("real").predict(new_documents("real"), interval=0.9)
    with pytest.raises(ValueError, match="real responses"):
        served("binary", True).predict(new_documents(), interval=0.9)


@pytest.mark.parametrize("kind", ["binary", "multilabel"])
def test_a_decision_never_contradicts_its_probability(kind):
    model, corpus = served(kind, is_calibrated=True), new_documents(kind)
    slope, intercept = model.calibration.line
    shifted = dataclasses.replace(model.calibration, line=(slope, intercept + 50.0))
    answers = dataclasses.replace(model, calibration=shifted).predict(corpus)
    assert (answers.probability[:, -1] > 0.5).all()
    expected = model.classes[1] if kind == "binary" else 1
    assert (answers.decision == expected).all()
