"""Scores of predictions by hand, and which part of the time of a run is counted."""

from types import SimpleNamespace

import numpy as np
import pytest

import pymc_medlda as med
from paper import data, methods, ours
from paper.data import Problem
from paper.ours import Draw


def problem(kind, truth):
    """Return a problem whose test part has this truth; its training part has another."""
    truth = np.array(truth, float)
    corpus = med.Corpus.from_tokens([[0]] * len(truth), n_words=1)
    return Problem(kind, corpus, -truth, corpus, truth)


def column(*values):
    return np.array(values, float)[:, None]


def test_values_are_scored_relative_to_the_mean_of_the_truth():
    """The truth has mean 12 and squares around it that sum to 8; relative to zero these are 440."""
    own = problem("values", column(10, 12, 14))
    assert own.score(column(11, 12, 12)) == {"score": pytest.approx(1 - (1 + 0 + 4) / 8)}
    assert own.score(column(12, 12, 12)) == {"score": pytest.approx(0.0)}
    assert own.score(column(10, 12, 14)) == {"score": pytest.approx(1.0)}
    # Worse than the mean is less than zero.
    assert own.score(column(14, 12, 10)) == {"score": pytest.approx(1 - 32 / 8)}


def test_two_classes_are_scored_by_signs():
    own = problem("two", column(1, 1, -1, -1, 1))
    assert own.score(column(0.1, 9.0, -0.2, 3.0, 1.0)) == {"score": 4 / 5}
    # A value of zero decides nothing, and is no hit.
    assert own.score(column(0.0, 9.0, 0.0, 3.0, -1.0)) == {"score": 1 / 5}


def test_several_classes_are_scored_by_the_largest_value():
    """Signs say nothing here: all values may be below zero, or above."""
    own = problem("classes", [[-1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, -1], [-1, -1, 1]])
    right = [[-3.0, -1.0, -2.0], [5.0, 6.0, 4.0], [0.1, 0.2, 0.3]]
    wrong = [[-3.0, -1.0, -2.0], [1.5, -1.0, 1.0]]
    assert own.score(np.array(right + wrong)) == {"score": 3 / 5}


def test_labels_are_scored_by_the_f1_of_all_decisions_together():
    """Six labels are right, two too many, and one is missing.

    The labels alone have an F1 of 1, 1/2 and 2/3, and the mean of these is another number.
    """
    truth = np.array([[1, 1, -1], [1, -1, 1], [1, -1, -1], [1, -1, -1], [-1, 1, -1]])
    decided = np.array([[1, -1, -1], [1, 1, 1], [1, -1, 1], [1, -1, -1], [-1, 1, -1]])
    found = problem("labels", truth).score(0.01 * decided)
    assert found["precision"] == pytest.approx(6 / 8)
    assert found["recall"] == pytest.approx(6 / 7)
    assert found["f1"] == pytest.approx(2 * 6 / (8 + 7))
    assert found["score"] == found["f1"]
    # A value of zero does not choose a label.
    nothing = problem("labels", truth).score(np.zeros(truth.shape))
    assert nothing["recall"] == 0.0


@pytest.mark.parametrize("kind", ["two", "values", "labels"])
def test_another_truth_may_be_given(kind):
    own = problem(kind, column(1, -1, 1))
    assert own.score(column(1, -1, 1))["score"] == 1.0
    assert own.score(column(-1, 1, -1))["score"] < 0.5
    assert own.score(column(-1, 1, -1), own.y)["score"] == 1.0


def test_a_part_is_tested_on_the_documents_that_it_is_not_trained_on():
    corpus = med.Corpus.from_tokens([[0], [0, 1], [0, 1, 1]], n_words=2)
    y = column(1, 2, 3)
    part = Problem("values", corpus, y, corpus, -y).part(np.array([True, False, True]))
    assert part.train.lengths.tolist() == [1, 3]
    assert part.test.lengths.tolist() == [2]
    assert part.y[:, 0].tolist() == [1, 3]
    assert part.truth[:, 0].tolist() == [2]


class Hands:
    """A clock that is set by hand, in the place of the module ``time``."""

    def __init__(self):
        self.now = 1000.0

    def process_time(self):
        return self.now

    def perf_counter(self):
        return 7.0 * self.now


SWEEP, LOOK = 1.0, 64.0  # seconds of a sweep, and of whatever is done with a model


@pytest.fixture
def chain(monkeypatch):
    """A clock by hand, and chains of which each draw takes one second; with what was asked."""
    own = SimpleNamespace(clock=Hands(), losses=[], seeds=[], n_draws=0)

    def iterate_draws(corpus, y, *, n_topics, loss, seed):
        own.losses.append(loss)
        own.seeds.append(seed)
        while True:
            own.clock.now += SWEEP
            own.n_draws += 1
            yield Draw(None, own.n_draws)

    monkeypatch.setattr(methods, "time", own.clock)
    monkeypatch.setattr(ours, "iterate_draws", iterate_draws)
    return own


def test_time_between_models_is_not_counted(chain):
    """The draw after zero sweeps takes the time of one too: that is the draw of the weights."""
    own = problem("two", column(1, -1))
    times, draws = [], []
    for model, cpu in methods.iterate_models(own, [0, 2, 5], n_topics=3, seed=1):
        times.append(cpu)
        draws.append(model.draws[0][0].eta)
        chain.clock.now += LOOK  # what the caller does
    assert draws == [1, 3, 6]
    assert times == [1 * SWEEP, 3 * SWEEP, 6 * SWEEP]
    assert chain.n_draws == 6
    assert chain.seeds == [1]


def test_time_to_predict_and_score_is_no_training_time_of_burn_in(chain, monkeypatch):
    own = problem("two", column(1, -1))

    def discriminants(*given):
        chain.clock.now += LOOK
        return own.truth

    model = SimpleNamespace(discriminants=discriminants)
    monkeypatch.setattr(ours, "GibbsMedLDA", lambda *given: model)
    monkeypatch.setattr(data, "load", lambda name: own)
    monkeypatch.setattr(methods, "warm_up", lambda *given, **settings: None)
    found = methods.burn_in("any", n_topics=3, seed=1, checkpoints=[0, 2, 5], train=False)
    assert found["train_cpu_at"] == [1.0, 3.0, 6.0]
    assert found["test_score"] == [1.0, 1.0, 1.0]


@pytest.fixture
def classes(chain, monkeypatch):
    """Three classes, and models of one class each, which take 10, 20 and 40 seconds to predict."""
    own = problem("classes", 2.0 * np.eye(3) - 1.0)
    monkeypatch.setattr(data, "load", lambda name: own)
    monkeypatch.setattr(methods, "warm_up", lambda *given, **settings: None)

    def discriminants(*given):
        i = len(chain.losses) - 1
        chain.clock.now += (10.0, 20.0, 40.0)[i]
        return own.truth[:, [i]]

    monkeypatch.setattr(
        ours, "GibbsMedLDA", lambda *given: SimpleNamespace(discriminants=discriminants)
    )
    return chain


@pytest.mark.parametrize(("given", "expected"), [({}, 64.0), ({"margin": 9.0}, 9.0)])
def test_the_margin_of_one_vs_all_is_64_by_default(classes, given, expected):
    """The loss of two classes has another margin where nobody asks for one."""
    methods.one_vs_all("any", n_topics=3, seed=1, checkpoints=[0], **given)
    assert [loss.margin for loss in classes.losses] == [expected] * 3
    assert ours.choose_loss(column(1, -1)).margin == 164.0
    assert len(set(classes.seeds)) == 3


def test_times_of_one_vs_all_are_those_of_all_classes_and_of_the_longest(classes):
    found = methods.one_vs_all("any", n_topics=3, seed=1, checkpoints=[0, 4])
    assert found["train_cpu_at"] == [3.0, 15.0]
    assert found["train_longest_at"] == [1.0, 5.0]
    assert found["test_cpu_at"] == [70.0, 70.0]
    assert found["test_longest_at"] == [40.0, 40.0]
    assert found["score"] == 1.0
