"""One chain on several threads: its draws depend on the seed and on the blocks."""

import logging
import pickle
import sys

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda.sampling import chains
from pymc_medlda.sampling import step as step_module
from pymc_medlda.sampling.chains import share_workers
from tests.sampling.small import QUIET, draws, model_of


def drawn_by(planted, n=4, **settings):
    """Return the topics and weights of some steps from the same point."""
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3, **settings)
    point, found = model.initial_point(1), []
    for _ in range(n):
        point, _ = step.step(point)
        found.append([point["z"].tolist(), point["eta"].tolist()])
    return found


def test_draws_depend_on_blocks_and_not_on_threads(planted):
    alone = drawn_by(planted)
    assert drawn_by(planted, threads=1, blocks=1) == alone
    assert drawn_by(planted, threads=4, blocks=1) == alone
    in_blocks = drawn_by(planted, blocks=3)
    assert drawn_by(planted, blocks=3, threads=2) == in_blocks
    assert drawn_by(planted, threads=3) == in_blocks  # as many blocks as threads by default
    assert in_blocks != alone


def test_the_number_of_blocks_is_at_most_that_of_the_words():
    corpus = med.Corpus.from_tokens([["a", "b"], ["b", "b", "a"]])
    with med.GibbsMedLDA(corpus, [0, 1], n_topics=2):
        assert med.GibbsMedLDAStep(threads=8).blocks == 2
        with pytest.raises(ValueError, match="blocks must be at most the number of words, 2, got"):
            med.GibbsMedLDAStep(blocks=3)


def test_a_pickled_step_goes_on_with_its_blocks(planted):
    with model_of(planted) as model:
        step = med.GibbsMedLDAStep(rng=3, threads=2, blocks=3)
    point, _ = step.step(model.initial_point(1))
    twin = pickle.loads(pickle.dumps(step))
    assert twin.blocks == 3
    assert twin.step(point)[0]["z"].tolist() == step.step(point)[0]["z"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_processes_with_threads_give_the_draws_of_one_core(planted, method):
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("this start method does not exist on Windows")
    run = {"draws": 4, "tune": 2, "chains": 2, "random_seed": 5, **QUIET}
    with model_of(planted):
        alone = pm.sample(step=med.GibbsMedLDAStep(blocks=2), cores=1, **run)
        step = med.GibbsMedLDAStep(threads=2)
        together = pm.sample(step=step, cores=2, mp_ctx=method, **run)
    assert np.array_equal(draws(alone), draws(together))
    assert np.array_equal(draws(alone, "eta"), draws(together, "eta"))


def test_several_sets_of_topics_take_the_same_settings(planted):
    with pm.Model():
        for name in ("first", "second"):
            z = med.TopicAssignments(name, planted.corpus, n_topics=3, words=f"words_{name}")
            eta = pm.Normal(f"eta_{name}", 0.0, 1.0, shape=3)
            med.MaxMargin(f"y_{name}", z, eta, observed=planted.y)
        step = med.GibbsMedLDAStep(threads=2, blocks=4)
    assert [one.blocks for one in step.methods] == [4, 4]


def test_an_interrupted_step_leaves_its_generator_at_the_point(planted, monkeypatch):
    with model_of(planted) as model:
        step, fresh = (med.GibbsMedLDAStep(rng=3, blocks=3, threads=2) for _ in range(2))
    point = model.initial_point(1)
    method = step.conditionals.sampler.method
    visit, seen = method._visit_cell, []

    def interrupted(*arguments):
        seen.append(visit(*arguments))
        if len(seen) == 5:
            raise KeyboardInterrupt
        return seen[-1]

    with monkeypatch.context() as patched:
        patched.setattr(method, "_visit_cell", interrupted)
        with pytest.raises(KeyboardInterrupt):
            step.step(point)
    assert step.step(point)[0]["z"].tolist() == fresh.step(point)[0]["z"].tolist()


@pytest.mark.parametrize(
    ("workers", "n_chains", "blocks", "threads"),
    [(8, 2, 8, 4), (8, 3, 8, 2), (2, 4, 8, 1), (8, 1, 3, 3), (8, 1, 1, 1)],
)
def test_chains_times_threads_are_at_most_the_workers(
    workers, n_chains, blocks, threads, monkeypatch
):
    monkeypatch.setattr(chains, "available_cores", lambda: 8)
    assert share_workers(workers, n_chains, blocks) == threads


def test_threads_are_no_more_than_the_cores_and_are_said_once(monkeypatch, caplog):
    monkeypatch.setattr(chains, "available_cores", lambda: 5)
    planted = med.datasets.make_planted(24, n_topics=3, n_words=40, length=20, seed=4)
    settings = {"n_topics": 3, "draws": 2, "tune": 2, "chains": 2, "random_state": 1}
    model = med.GibbsMedLDAClassifier(**settings, blocks=4, n_jobs=64)
    with caplog.at_level(logging.INFO, "pymc.medlda"):
        model.fit(planted.corpus.to_dtm(), planted.y)
    assert [said for said in caplog.messages if "threads" in said] == [
        "2 threads for each of 2 chains"
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_pymc_is_told_how_many_cores_suit_the_threads(threads, monkeypatch, caplog):
    monkeypatch.setattr(step_module, "available_cores", lambda: 5)
    planted = med.datasets.make_planted(24, n_topics=3, n_words=40, length=20, seed=4)
    with (
        caplog.at_level(logging.INFO, "pymc.medlda"),
        med.GibbsMedLDA(planted.corpus, planted.y, n_topics=3),
    ):
        step = med.GibbsMedLDAStep(threads=threads)
        pm.sample(2, tune=2, chains=1, cores=1, step=step, random_seed=1, progressbar=False)
    said = [message for message in caplog.messages if "threads" in message]
    expected = "2 threads per chain: cores=2 keeps all chains within the 5 cores of this machine"
    assert said == [expected] * (threads > 1)


def test_estimators_and_models_per_class_give_the_same_draws_on_any_number_of_cores():
    planted = med.datasets.make_planted(
        24, n_topics=3, n_words=40, length=20, response="multiclass", seed=4
    )
    X, y = planted.corpus.to_dtm(), planted.y
    settings = {"n_topics": 3, "draws": 3, "tune": 3, "random_state": 1}
    fits = [
        med.GibbsMedLDAClassifier(**settings, blocks=blocks, n_jobs=n_jobs).fit(X, y)
        for blocks, n_jobs in ((3, 1), (3, 4), (1, 4), (1, 1))
    ]
    np.testing.assert_array_equal(fits[0].eta_, fits[1].eta_)
    np.testing.assert_array_equal(fits[2].eta_, fits[3].eta_)
    assert not np.array_equal(fits[0].eta_, fits[2].eta_)
    drawn = [
        med.OneVsAll.sample(
            planted.corpus, y, n_topics=3, draws=2, tune=2, random_seed=1, progressbar=False,
            blocks=2, cores=cores,
        )
        for cores in (1, 8)
    ]  # fmt: skip
    for one, other in zip(drawn[0].runs, drawn[1].runs, strict=True):
        assert np.array_equal(draws(one), draws(other))
