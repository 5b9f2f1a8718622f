"""What cannot be exported is refused before anything is written, and what has no names works."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda.run.run import Run
from tests import sampled
from tests.serving.models import export_and_load, new_documents


def refuse(idata, path, match):
    with pytest.raises(ValueError, match=match):
        med.export(idata, path)
    assert not list(path.parent.iterdir())


def test_an_offset_is_refused(tmp_path):
    refuse(sampled.sample_general(), tmp_path / "model.npz", "has an offset")


def test_features_that_were_given_are_refused(tmp_path):
    known = sampled.planted()
    features = pd.DataFrame(np.ones((30, 2)), columns=["a", "b"])
    with med.GibbsMedLDA(known.corpus, known.y, n_topics=2, features=features):
        run = pm.sample(
            2, tune=1, chains=1, cores=1, progressbar=False, compute_convergence_checks=False
        )
    refuse(run, tmp_path / "model.npz", "features that were given as numbers")


def test_plain_lda_is_refused(tmp_path):
    refuse(sampled.sample(None), tmp_path / "model.npz", "has no response")


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no folder"):
        med.export(sampled.sample("binary"), tmp_path / "none" / "model.npz")
    with pytest.raises(ValueError, match="is a folder"):
        med.export(sampled.sample("binary"), tmp_path)


@pytest.fixture(scope="module")
def unnamed():
    """A model of a corpus without words, with a random alpha."""
    known = sampled.planted()
    bare = med.Corpus(known.corpus.words, known.corpus.starts, n_words=known.corpus.n_words)
    with pm.Model():
        alpha = pm.Gamma("alpha", 2.0, 1.0, shape=3)
        eta = pm.Normal("eta", 0.0, 1.0, shape=3)
        z = med.TopicAssignments("z", bare, n_topics=3, alpha=alpha)
        med.MaxMargin("y", z, eta, observed=known.y, loss=med.Hinge(margin=2.0))
        run = pm.sample(**{**sampled.OPTIONS, "chains": 1})
    return run, export_and_load(run)


def test_words_without_names_are_matched_by_position(unnamed):
    run, model = unnamed
    corpus = new_documents()
    bare = med.Corpus(corpus.words, corpus.starts, n_words=40)
    expected = med.predict(run, bare, n_samples=240, random_seed=1, progressbar=False)
    expected = expected["predictions"]["discriminant"].mean(("chain", "draw")).values
    found = model.discriminant(bare).mean(axis=(0, 1))[:, 0]
    assert np.corrcoef(found, expected)[0, 1] > 0.9
    assert model.topics(2)["word 1"].isin([str(t) for t in range(40)]).all()


def test_the_mean_of_a_random_alpha_is_exported(unnamed):
    run, model = unnamed
    chosen = np.linspace(0, 11, 10).round().astype(int)
    expected = run["posterior"]["alpha"].isel(chain=0, draw=chosen).mean("draw").values
    np.testing.assert_allclose(model.word_topics.alpha[0], expected, rtol=1e-5)


def test_documents_that_do_not_fit_are_refused(unnamed):
    _, model = unnamed
    with pytest.raises(ValueError, match="39 words and the model 40"):
        model.predict(med.Corpus([0], [0, 1], n_words=39))
    with pytest.raises(ValueError, match="does not say how texts are split"):
        model.predict(["a text"])
    named = export_and_load(sampled.sample("binary"))
    with pytest.raises(ValueError, match="must have a vocabulary"):
        named.predict(med.Corpus([0], [0, 1], n_words=40))


@pytest.mark.parametrize(
    ("documents", "match"),
    [
        ("one text", "one string"),
        (3, "got 3"),
        ({"a": "text"}, "dict"),
        ({"text"}, "no order"),
        (["text", None], "got None at position 1"),
        (pd.DataFrame({"text": ["a"]}), "give its column of texts"),
    ],
)
def test_what_is_no_text_is_refused(documents, match):
    model = export_and_load(sampled.sample("binary"))
    with pytest.raises(TypeError, match=match):
        model.predict(documents)


def test_a_run_of_a_loss_of_ones_own_can_be_exported():
    """The loss itself is not needed to predict."""
    with med.GibbsMedLDA(
        sampled.planted().corpus, sampled.planted().y, n_topics=3, loss=med.Logistic()
    ):
        run = pm.sample(**{**sampled.OPTIONS, "draws": 2, "tune": 1, "chains": 1})
    assert export_and_load(run).kind == "binary"


def test_counts_and_weights_belong_to_the_words_by_name():
    """In a vocabulary that is not sorted."""
    known = sampled.planted()
    words = np.array([f"{name}{t}" for t, name in enumerate("zyxwv" * 8)])
    corpus = med.Corpus(known.corpus.words, known.corpus.starts, vocabulary=words)
    with med.GibbsMedLDA(corpus, known.y, n_topics=3, features="words"):
        run = pm.sample(**{**sampled.OPTIONS, "draws": 4, "chains": 1})
    model = export_and_load(run)
    assert model.words.tolist() == sorted(words)
    order = np.argsort(words)
    total = sum(counts.word_topic.astype(float) for counts in Run.of(run).topics().iterate_counts())
    topics = model.word_topics
    found = topics.phi(np.arange(40))[0] * (topics.size + 40 * topics.beta) - topics.beta
    np.testing.assert_allclose(found, np.rint(total / 4)[order], atol=1e-6)
    weights = run["posterior"]["w"].isel(chain=0).mean("draw").values
    np.testing.assert_allclose(model.features.weights[0, 0], weights[order], rtol=1e-3)
