"""Contributions sum to the discriminant in every draw, and equal those of a slow twin."""

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from tests.explanation.runs import NEW, RUNS, sample_values
from tests.sampled import planted, sample, sample_words

DOCUMENT = 4
EVERY_RUN = pytest.mark.parametrize("name", RUNS)


def directions(idata):
    """Return what can be explained, with the weights of the discriminants that it stands for."""
    response = Run(idata).response()
    if response.kind == "binary":
        return {response.classes[0].item(): [-1.0], response.classes[1].item(): [1.0]}
    return dict(zip(response.task_labels.tolist(), np.eye(response.y.shape[1]), strict=True))


def check_sums(why, expected):
    draws = why.draws
    np.testing.assert_allclose(draws["discriminant"], expected, rtol=1e-9, atol=1e-11)
    total = draws["topics"].sum("topic") + draws["features"].sum("feature")
    total = total + draws["mean"] + draws["offset"]
    np.testing.assert_allclose(total, expected, rtol=1e-9, atol=1e-11)
    by_words = draws["words"].sum("word")
    np.testing.assert_allclose(by_words, draws["topics"].sum("topic"), rtol=1e-9, atol=1e-11)


@EVERY_RUN
def test_contributions_of_a_training_document_sum_to_its_discriminant(name):
    idata = RUNS[name]()
    run = Run(idata)
    response, topics = run.response(), run.topics()
    F = np.array(
        [
            [discriminants(topics, response, c, s)[DOCUMENT] for s in range(topics.n_draws)]
            for c in range(topics.n_chains)
        ]
    )
    for task, weights in directions(idata).items():
        check_sums(med.explain(run, DOCUMENT, task=task), F @ np.asarray(weights))


@EVERY_RUN
@pytest.mark.parametrize("thin", [1, 3])
def test_contributions_of_a_new_document_sum_to_what_predict_returns(name, thin):
    idata, options = RUNS[name](), {**NEW.get(name, {}), "thin": thin, "random_seed": 5}
    corpus = planted().corpus[[DOCUMENT]]
    if "no vocabulary" in name:
        corpus = med.Corpus(corpus.words, corpus.starts, n_words=corpus.n_words)
    F = get_group(med.predict(idata, corpus, progressbar=False, **options), "predictions")
    F = F["discriminant"].values[:, :, 0].reshape(*F["discriminant"].shape[:2], -1)
    for task, weights in directions(idata).items():
        why = med.explain(idata, corpus, task=task, **options)
        assert why.is_new
        check_sums(why, F @ np.asarray(weights))


@pytest.mark.parametrize("name", ["several classes", "classes with words as features"])
def test_contributions_against_another_class_are_differences(name):
    idata = RUNS[name]()
    one, other = (med.explain(idata, DOCUMENT, task=task).draws for task in (0, 2))
    both = med.explain(idata, DOCUMENT, task=0, against=2).draws
    for part in both.data_vars:
        np.testing.assert_allclose(both[part], one[part] - other[part], atol=1e-12)
    rival = med.explain(idata, DOCUMENT, against="runner-up")
    means = [med.explain(idata, DOCUMENT, task=t).parts.loc["total", "mean"] for t in range(3)]
    assert [rival.target, rival.against] == np.argsort(means)[::-1][:2].tolist()


def slow_twin(idata, document):
    """Return contributions (chain, draw, topic) and (chain, draw, word), token by token."""
    posterior = get_group(idata, "posterior")
    z, eta = posterior["z"].values, posterior["eta"].values
    corpus = planted().corpus
    begin, end = corpus.starts[document : document + 2]
    words = np.unique(corpus.words[begin:end]).tolist()
    by_topic = np.zeros((*eta.shape[:2], eta.shape[-1]))
    by_word = np.zeros((*eta.shape[:2], len(words)))
    for chain, draw in np.ndindex(eta.shape[:2]):
        for n in range(begin, end):
            k = z[chain, draw, n]
            by_topic[chain, draw, k] += eta[chain, draw, k] / (end - begin)
            by_word[chain, draw, words.index(corpus.words[n])] += eta[chain, draw, k] / (
                end - begin
            )
    return by_topic, by_word


def test_contributions_equal_those_of_the_slow_twin():
    aligned, alignment = med.align_topics(sample("binary"))
    by_topic, by_word = slow_twin(aligned, DOCUMENT)
    why = med.explain(sample("binary"), DOCUMENT, task=1)
    np.testing.assert_allclose(why.draws["topics"], by_topic, atol=1e-12)
    np.testing.assert_allclose(why.draws["words"], by_word, atol=1e-12)
    # In this run the labels of the chains differ, so that aligning them makes a difference.
    assert not np.array_equal(*alignment.permutation.values)


def test_real_values_are_explained_by_deviations_from_their_mean():
    for standardised in (False, True):
        why = med.explain(sample_values(standardised), DOCUMENT)
        assert why.draws["mean"].values == pytest.approx(why.parts.loc["mean", "mean"])
        y = Run(sample_values(standardised)).response().y
        assert why.parts.loc["mean", "mean"] == pytest.approx(np.nanmean(y[:, 0]))
        # Topics would contribute about fifty if the mean were not taken out.
        assert abs(why.parts.loc["topics", "mean"]) < 15.0


def test_words_as_features_are_kept_apart():
    why = med.explain(sample_words(), DOCUMENT)
    sums = why.words[["by_topics", "by_feature"]].sum()
    assert sums["by_topics"] == pytest.approx(why.parts.loc["topics", "mean"])
    assert sums["by_feature"] == pytest.approx(why.parts.loc["features", "mean"])
    both = why.words["by_topics"] + why.words["by_feature"]
    np.testing.assert_allclose(why.words["mean"], both)
    assert why.features["mean"].sum() == pytest.approx(why.parts.loc["features", "mean"])


def test_intervals_are_quantiles_over_draws_and_chains():
    why = med.explain(sample("binary"), DOCUMENT, interval=0.5)
    lower, upper = np.quantile(why.draws["discriminant"].values, [0.25, 0.75])
    assert why.parts.loc["total", ["lower", "upper"]].tolist() == pytest.approx([lower, upper])
    word = why.words.index[0]
    expected = np.quantile(why.draws["words"].sel(word=word).values, 0.75)
    assert why.words.loc[word, "upper"] == pytest.approx(expected)


def test_empty_documents_have_no_words():
    empty = med.Corpus.from_tokens([["unknown"]])
    why = med.explain(sample("binary"), empty, task=1)
    assert why.n_unknown == 1
    assert not len(why.words)
    eta = get_group(sample("binary"), "posterior")["eta"].values
    np.testing.assert_allclose(why.draws["discriminant"], eta.mean(axis=-1))
    assert "no word that the model knows" in why.to_html()
    assert why.to_frame()["part"].unique().tolist() == ["topic", "total"]
