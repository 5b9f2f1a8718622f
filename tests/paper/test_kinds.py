"""Kinds of jobs: one-vs-all, topic profiles and the agreement of chains, with made-up draws."""

import statistics
from types import SimpleNamespace

import numpy as np
import pytest

import pymc_medlda as med
from paper import agreement, data, methods, ours, with_words
from paper.agreement import split_r_hat
from paper.data import Problem
from paper.ours import Draw
from pymc_medlda._compat.arviz import get_group

LABEL = np.array([0, 1, 2, 2, 1])
CLASSES = np.where(LABEL[:, None] == np.arange(3), 1.0, -1.0)


@pytest.fixture
def problem(monkeypatch):
    """Five documents of three classes, to train and to test with, under any name."""
    tokens = [["a", "b"], ["b", "b", "c"], ["c", "d"], ["d", "a"], ["b", "e"]]
    corpus = med.Corpus.from_tokens(tokens)
    own = Problem("classes", corpus, CLASSES, corpus, CLASSES)
    monkeypatch.setattr(data, "load", lambda name: own)
    monkeypatch.setattr(methods, "warm_up", lambda *given: None)
    return own


def test_one_vs_all_predicts_by_the_largest_of_the_models_of_each_class(problem, monkeypatch):
    """The value of a class is that of its own model; times are summed, or the longest one."""
    # Of each number of sweeps: the values of the five documents under the three models.
    values = np.zeros((2, 5, 3))
    values[0, :, 1] = 1.0  # at first all are of the second class
    values[1] = CLASSES + 5.0 * np.arange(5)[:, None]  # then right, but of any sign
    values[1, 0] = [0.1, 0.2, 0.3]  # except for the first
    seeds = []

    def iterate_models(own, checkpoints, *, n_topics, seed, margin):
        assert own.kind == "two"
        (i,) = np.flatnonzero((own.y == problem.y).all(axis=0))
        seeds.append(seed)
        for j in range(len(checkpoints)):
            model = SimpleNamespace(discriminants=lambda *_, j=j: values[j][:, [i]])
            yield model, (i + 1) * 10.0**j

    monkeypatch.setattr(methods, "iterate_models", iterate_models)
    found = methods.one_vs_all("any", n_topics=4, seed=1, checkpoints=[0, 5])
    assert found["test_score"] == [2 / 5, 4 / 5]
    assert found["score"] == 4 / 5
    assert found["train_cpu_at"] == [6.0, 60.0]
    assert found["train_longest_at"] == [3.0, 30.0]
    assert len(set(seeds)) == 3


def test_one_vs_all_learns_planted_classes(monkeypatch):
    planted = med.datasets.make_planted(
        160, n_topics=4, n_words=80, length=40, n_tasks=3, response="multiclass", seed=6
    )
    y = np.where(np.asarray(planted.y)[:, None] == np.arange(3), 1.0, -1.0)
    own = Problem("classes", planted.corpus[:120], y[:120], planted.corpus[120:], y[120:])
    monkeypatch.setattr(data, "load", lambda name: own)
    monkeypatch.setattr(methods, "warm_up", lambda *given: None)
    found = methods.one_vs_all("any", n_topics=8, seed=1, checkpoints=[0, 15])
    majority = y[120:].mean(axis=0).max() / 2 + 0.5
    assert found["score"] > majority + 0.1
    assert found["score"] > found["test_score"][0]
    longest, everything = np.array([found["train_longest_at"], found["train_cpu_at"]])
    assert (longest > everything / 3 - 1e-9).all()
    assert (longest < everything).all()


def test_profiles_are_mean_topic_frequencies_of_each_class(problem, monkeypatch):
    z = np.array([0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1])
    eta = np.arange(6.0).reshape(3, 2)

    def fit(corpus, y, *, n_topics, seed, sweeps):
        return ours.GibbsMedLDA(corpus, np.full(2, 0.5), [[Draw(z, eta)]])

    monkeypatch.setattr(ours, "fit", fit)
    found = methods.topic_profiles("any", n_topics=2, seed=0, sweeps=3)
    # z̄ of the documents: (1/2, 1/2), (0, 1), (1, 0), (1/2, 1/2), (1/2, 1/2).
    np.testing.assert_allclose(found["profile"], [[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
    assert found["weights"] == eta.tolist()
    # The first topic has "a" twice, the second has "b" three times, and others once.
    assert [own[0] for own in found["words"]] == ["a", "b"]


def test_words_beside_topics_predict_each_task(problem):
    model = with_words.fit(
        problem.train, problem.y, n_topics=2, seed=1, sweeps=5, draws=4, chains=2
    )
    posterior = get_group(model.idata, "posterior")
    assert posterior["z"].shape[:2] == (2, 4)
    predicted = med.predict(
        model.idata,
        problem.test,
        var_names=["discriminant_topics", "discriminant_features"],
        random_seed=3,
        progressbar=False,
    )
    parts = get_group(predicted, "predictions").mean(("chain", "draw"))
    expected = parts["discriminant_topics"] + parts["discriminant_features"]
    np.testing.assert_allclose(model.discriminants(problem.test, seed=3), expected)
    assert (parts["discriminant_features"] != 0).any()


@pytest.fixture
def draws(rng):
    return rng.standard_normal((4, 20, 3))


def slow_r_hat(chains):
    """Return R-hat of one quantity after each chain is split, as its definition says."""
    parts = [half for own in chains for half in (own[: len(own) // 2], own[len(own) // 2 :])]
    n = len(parts[0])
    within = statistics.mean(statistics.variance(own) for own in parts)
    between = n * statistics.variance([statistics.mean(own) for own in parts])
    return (((n - 1) / n * within + between / n) / within) ** 0.5


def test_r_hat_is_that_of_the_definition(draws):
    draws[1] += 0.7
    expected = [slow_r_hat(draws[:, :, i].tolist()) for i in range(3)]
    np.testing.assert_allclose(split_r_hat(draws), expected)


def test_r_hat_sees_chains_that_differ_and_chains_that_drift(draws):
    assert (split_r_hat(draws) < 1.1).all()
    apart = draws + 3.0 * np.arange(4)[:, None, None]
    assert (split_r_hat(apart) > 2.0).all()
    drifting = draws + np.linspace(0.0, 6.0, 20)[:, None]
    assert (split_r_hat(drifting) > 1.5).all()


def test_agreement_averages_draws_within_chains_and_then_over_chains(monkeypatch):
    """Each chain errs in a document of its own, and its last draw in another as well."""
    truth = np.array([1.0, -1.0, 1.0, -1.0])[:, None]
    corpus = med.Corpus.from_tokens([[0], [1], [0], [1]])
    problem = Problem("two", corpus, truth, corpus, truth)
    values = np.tile(truth, (2, 4, 1, 1))  # of chains, draws, documents and tasks
    values[:, :3] *= 4.0
    values[0, :, 0] *= -0.5
    values[1, :, 1] *= -0.5
    values[:, -1, 2] *= -1.0

    def iterate_frequencies(corpus, seed, *, n_samples):
        for own in values.reshape(8, 4, 1):
            yield Draw(None, np.ones((1, 1))), own

    monkeypatch.setattr(methods, "warm_up", lambda *given: None)
    monkeypatch.setattr(data, "load", lambda name: problem)
    model = SimpleNamespace(iterate_frequencies=iterate_frequencies)
    monkeypatch.setattr(ours, "fit", lambda *given, **own: model)
    found = agreement.agreement("any", n_topics=1, seed=0, chains=2, draws=4)
    assert found["one_draw"] == 0.5
    assert found["one_chain"] == 0.75
    assert found["all_chains"] == 1.0
    r_hat = split_r_hat(values)
    assert found["r_hat"] == pytest.approx(np.median(r_hat))
    assert found["below_1.05"] == pytest.approx(np.mean(r_hat < 1.05))
