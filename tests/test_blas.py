"""Linear algebra of a step runs on one core, and afterwards BLAS has its threads again."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from threadpoolctl import ThreadpoolController

import pymc_medlda as med
from pymc_medlda import _blas
from pymc_medlda._blas import on_one_core
from pymc_medlda.sampling.supervision import Supervision


def blas_threads():
    return [own["num_threads"] for own in ThreadpoolController().select(user_api="blas").info()]


@pytest.fixture
def three_threads():
    """Let BLAS have three threads, whatever the machine has."""
    libraries = ThreadpoolController().select(user_api="blas")
    with libraries.limit(limits=3):
        for library in libraries.lib_controllers:  # so that other threads may set limits, too
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread()
        assert set(blas_threads()) == {3}
        yield


def test_weights_are_drawn_on_one_core(three_threads, monkeypatch):
    seen = []
    draw = Supervision.draw_weights

    def draw_weights(*arguments):
        seen.extend(blas_threads())
        return draw(*arguments)

    monkeypatch.setattr(Supervision, "draw_weights", draw_weights)
    planted = med.datasets.make_planted(20, n_topics=3, n_words=30, seed=1)
    model = med.GibbsMedLDA(planted.corpus, planted.y, n_topics=3)
    med.GibbsMedLDAStep(model=model, rng=1).step(model.initial_point(1))
    assert set(seen) == {1}
    assert set(blas_threads()) == {3}


def test_threads_are_given_back_after_an_error(three_threads):
    with pytest.raises(KeyError), on_one_core():
        raise KeyError
    assert set(blas_threads()) == {3}


def test_the_last_chain_to_leave_gives_the_threads_back(three_threads):
    """Chains of one process overlap: the first to leave must not free, the last must."""
    both_in, one_out = Barrier(2), Barrier(2)

    def first():
        with on_one_core():
            both_in.wait()
        one_out.wait()

    def second():
        with on_one_core():
            both_in.wait()
            one_out.wait()
            return blas_threads()

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(first)
        assert set(pool.submit(second).result()) == {1}
        other.result()
    assert set(blas_threads()) == {3}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_begins_anew(three_threads):
    """It has none of the threads of its parent, of which some may be within the context."""
    with on_one_core():
        child = os.fork()
        if child == 0:
            with on_one_core():
                pass
            os._exit(_blas._within)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
