"""The factors of counts that a move brings up to date are those of its counts, bit for bit."""

import numpy as np
import pytest

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.sweeps.products_prior import move_prior, open_prior, prior_after
from pymc_medlda.kernels.sweeps.products_state import Workspace, arrange_corpus, empty_workspace


@kernel
def begin(work: Workspace) -> None:
    open_prior(work, None)


@kernel
def move(j: int, new: int, work: Workspace) -> None:
    of_j, of_new = prior_after(j, new, work, None)
    work.in_document[j] -= 1
    work.in_document[new] += 1
    work.corpus.in_corpus[j] -= 1.0
    work.corpus.in_corpus[new] += 1.0
    move_prior(j, new, of_j, of_new, work, None)


@pytest.mark.parametrize("n_topics", [3, 20])
@pytest.mark.parametrize("functions", [(begin, move), (begin.py_func, move.py_func)])
def test_every_factor_is_that_of_the_counts_after_each_move(n_topics, functions):
    begin, move = functions
    rng = np.random.default_rng(n_topics)
    held = rng.integers(0, 4, n_topics)
    held[0] = 2
    elsewhere = rng.integers(0, 3, n_topics)  # topics may have no token but those of the document
    alpha, beta_total = rng.random(n_topics), 0.7
    corpus = arrange_corpus(alpha, held + elsewhere, beta_total, np.zeros(n_topics))
    work = empty_workspace(1, corpus)
    work.in_document[:n_topics] = held
    begin(work)
    for _ in range(200):
        j = int(rng.choice(np.flatnonzero(held)))
        new = int(rng.choice(np.delete(np.arange(n_topics), j)))
        move(j, new, work)
        held[j], held[new] = held[j] - 1, held[new] + 1
        for change, factors in ((0, work.prior), (-1, work.without), (1, work.added)):
            has_one = held > 0 if change < 0 else held >= 0  # or there is none to take out
            expected = (held + change + alpha) / (held + elsewhere + change + beta_total)
            np.testing.assert_array_equal(factors[:n_topics][has_one], expected[has_one])
