"""The plain sweep over the topic assignments: the one conditional that every loss shares.

Symbols: gamma = 1/N_d; a, b the augmented loss of a document and task (log factor b F - a F²/2,
the offset already in b); C_dk, C_kt, C_k the counts, with the visited token taken out.
"""

from __future__ import annotations

import copy
import math
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import count_words, fill_table, tally_table
from pymc_medlda.kernels.sweeps.interface import Parameters, State, Sweep


class PlainSweep(Sweep):
    """The slow and obvious sweep, with C_kt in a table."""

    def __init__(self, frequency: NDArray[np.integer], *, n_topics: int) -> None:
        self.table = np.zeros((frequency.size, n_topics), np.int32)

    @classmethod
    def memory(cls, *, n_tokens: int, n_words: int, n_topics: int) -> dict[str, int]:
        """Return the size of the table in bytes."""
        table = f"the table of {n_words} words and {n_topics} topics"
        return {table: 4 * n_words * n_topics}

    def recount(self, state: State) -> None:
        """Count C_kt and its tally anew."""
        count_words(state.tokens.word, state.z, self.table)
        tally_table(self.table, state.tally)

    def sweep(self, rng: np.random.Generator, state: State, given: Parameters) -> int:
        """Draw the topic of every token once; return how many tokens changed topic."""
        moved = sweep_plainly(rng, state, given, np.ones(state.topic.size), self.table)
        self.end(state, None, None)
        return moved

    def arrange(self, eta: Floats) -> None:
        """Do nothing: the weights are read as they are."""

    def begin(self, state: State, given: Parameters, weights: None, log_mass: Floats) -> Floats:
        """Return the masses s_k."""
        return np.exp(log_mass)

    def visit(
        self, counter: np.uint64, state: State, given: Parameters, weights: None, work: Floats
    ) -> int:
        """Draw the topic of every token; return how many changed topic."""
        return sweep_plainly(np.random.default_rng(counter), state, given, work, self.table)

    def end(self, state: State, weights: None, work: Floats | None) -> None:
        """Write the tally; C_k was updated with each token."""
        tally_table(self.table, state.tally)

    def word_topic(self) -> NDArray[np.integer]:
        """Return C_kt, (n_words, n_topics)."""
        return self.table

    def fill(self, table: sparse.csr_array, tally: NDArray[np.int32]) -> None:
        """Take over C_kt, and write its tally."""
        fill_table(table.indptr, table.indices, table.data, self.table)
        tally_table(self.table, tally)

    def copy(self) -> Self:
        """Return a sweep with the same counts."""
        copied = copy.copy(self)
        copied.table = self.table.copy()
        return copied


@kernel
def sweep_plainly(
    rng: np.random.Generator,
    state: State,
    given: Parameters,
    mass: np.ndarray,
    word_topic: np.ndarray,
) -> int:
    r"""Visit every token once and draw its topic from the full conditional (eqs. 13, 20 and 27).

    .. math:: q(z_{dn} = k) \propto
       \frac{(C_{kt} + \beta)(C_{dk} + \alpha_k)}{C_k + V \beta} \exp\Big(\gamma \sum_i \eta_{ik}
       \big(b_i - \tfrac{\gamma}{2} a_i \eta_{ik} - \gamma a_i \sum_{m \ne n} \eta_{i z_m}\big)\Big)

    If the target is tempered, the fraction is raised to the power tau. ``mass`` is a factor s_k of
    the conditional where words are in blocks (see `masses`), and one otherwise.

    This is the slow and obvious path; every other path must equal it in law. Updates ``state``,
    except its tally, and ``word_topic`` (C_kt) in place. Returns how many tokens changed topic.
    """
    tokens, z, document_topic, topic, _, gammas = state
    alpha, beta, eta, a, b, power = given
    n_words, n_topics = word_topic.shape
    n_tasks = eta.shape[0]
    weight = np.empty(n_topics)
    total = np.empty(n_tasks)  # sum of eta_i over the tokens of the document
    moved = 0
    for d in range(tokens.start.size - 1):
        first, last = tokens.start[d], tokens.start[d + 1]
        if first == last:
            continue
        gamma = gammas[d]
        total[:] = 0.0
        for k in range(n_topics):
            for i in range(n_tasks):
                total[i] += document_topic[d, k] * eta[i, k]
        for n in range(first, last):
            t, old = tokens.word[n], z[n]
            word_topic[t, old] -= 1
            document_topic[d, old] -= 1
            topic[old] -= 1
            for i in range(n_tasks):
                total[i] -= eta[i, old]
            highest = -math.inf
            for k in range(n_topics):
                exponent = 0.0
                for i in range(n_tasks):
                    slope = b[d, i] - gamma * a[d, i] * (0.5 * eta[i, k] + total[i])
                    exponent += gamma * eta[i, k] * slope
                weight[k] = exponent
                highest = max(highest, exponent)
            cumulated = 0.0
            for k in range(n_topics):
                fraction = (word_topic[t, k] + beta) * (document_topic[d, k] + alpha[k])
                fraction /= topic[k] + n_words * beta
                if power != 1.0:
                    fraction = fraction**power
                cumulated += math.exp(weight[k] - highest) * mass[k] * fraction
                weight[k] = cumulated
            if not cumulated > 0.0:
                raise ValueError("a, b or eta of a document is not finite")
            target = rng.random() * cumulated
            new = 0
            while weight[new] <= target and new < n_topics - 1:
                new += 1
            word_topic[t, new] += 1
            document_topic[d, new] += 1
            topic[new] += 1
            for i in range(n_tasks):
                total[i] += eta[i, new]
            moved += new != old
            z[n] = new
    return moved
