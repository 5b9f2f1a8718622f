"""An exact scheme for many machines that draws phi: the cost and the number of its sweeps.

    python -m tests.benchmarks.drawn_phi [--data 20ng_bydate_nostop] [--topics 40] [--seeds 3]
        [--at 25 50 100]

Given topic-word distributions phi_k ~ Dir(C_k + beta), all documents are independent. A sweep draws
these, and then the topics of all tokens given them. So it needs one exchange of counts and no
blocks. It is exact too, but words and topics no longer move together, so that a chain takes more
sweeps.

``cost`` gives processor times per token: of the sweep of the package, and of two loops without
vector code that differ in nothing but the scheme, after a burn-in. Besides its loop, a drawn phi
costs the time of gamma variates: a sweep draws one for each word and topic.

``sweeps`` takes the log joint that collapsed chains have after ``--at`` sweeps, averaged over the
starts, and says after how many sweeps chains with a drawn phi reach it, from the same starts. Each
is a mean over the starts with its standard error. The model is that of `tests.benchmarks.threads`.
"""

from __future__ import annotations

import argparse
import time

import numba
import numpy as np

from tests.benchmarks.sweeps import read_corpus
from tests.benchmarks.threads import Chain, time_to_reach


@numba.njit(cache=True)
def sweep_plainly(rng, word, start, z, document_topic, alpha, a, b, eta, phi, table, beta):
    """Draw every topic once, given phi, or collapsed if phi has no rows; return what moved."""
    n_topics = alpha.size
    is_drawn = phi.shape[0] > 0
    rate = 1.0 / (table.sum(axis=0) + table.shape[0] * beta)
    row, held = np.empty((n_topics, n_topics)), np.full(n_topics, -1)
    own, cumulated = np.empty(n_topics, np.float32), np.empty(n_topics)
    version, moved = 0, 0
    for d in range(start.size - 1):
        gamma, in_document = 1.0 / max(start[d + 1] - start[d], 1), document_topic[d]
        score = 0.0
        for k in range(n_topics):
            score += in_document[k] * eta[k]
        version += 1
        for n in range(start[d], start[d + 1]):
            t, j = word[n], z[n]
            if held[j] != version:  # the same for all tokens of a topic, until one moves
                slope = gamma * (b[d] - gamma * a[d] * (score - eta[j]))
                highest = -np.inf
                for k in range(n_topics):
                    row[j, k] = slope * eta[k] - 0.5 * gamma * gamma * a[d] * eta[k] ** 2
                    highest = max(highest, row[j, k])
                for k in range(n_topics):
                    row[j, k] = np.exp(row[j, k] - highest)
                held[j] = version
            in_document[j] -= 1
            if is_drawn:
                own[:] = phi[t]
            else:
                table[t, j] -= 1
                rate[j] = 1.0 / (1.0 / rate[j] - 1.0)
                for k in range(n_topics):
                    own[k] = (table[t, k] + beta) * rate[k]
            total = 0.0
            for k in range(n_topics):
                total += row[j, k] * (in_document[k] + alpha[k]) * own[k]
                cumulated[k] = total
            new, x = 0, rng.random() * total
            while new < n_topics - 1 and cumulated[new] <= x:
                new += 1
            in_document[new] += 1
            if not is_drawn:
                table[t, new] += 1
                rate[new] = 1.0 / (1.0 / rate[new] + 1.0)
            if new != j:
                z[n] = new
                score += eta[new] - eta[j]
                version, moved = version + 1, moved + 1
    return moved


def draw_phi(rng, table, beta):
    """Draw the distribution of each topic over the words, (n_words, n_topics)."""
    drawn = rng.standard_gamma(table + beta)
    return (drawn / drawn.sum(axis=0)).astype(np.float32)


class Plain:
    """Replaces the sweep of a chain, and records the processor time of its two parts."""

    def __init__(self, chain, *, is_drawn):
        self.sampler, self.is_drawn = chain.step.conditionals.sampler, is_drawn
        self.seconds = np.zeros(2)  # of phi, and of the loop
        self.sampler.sweep = self.sweep

    def sweep(self, rng, *, alpha, beta, eta, a, b, power=1.0):
        sampler, begin = self.sampler, time.process_time()
        table, z = sampler.method.word_topic().copy(), sampler.z.copy()
        phi = np.empty((0, table.shape[1]), np.float32)
        if self.is_drawn:
            phi = draw_phi(rng, table, beta)
        middle = time.process_time()
        given = (alpha, a[:, 0].copy(), b[:, 0].copy(), eta[0].copy(), phi, table, beta)
        moved = sweep_plainly(rng, *sampler.tokens, z, sampler.document_topic.copy(), *given)
        self.seconds += middle - begin, time.process_time() - middle
        sampler.load(z)  # counts everything anew, and so keeps the tables right
        return moved


def measure_cost(corpus, label, n_topics, options):
    """Print the processor time of a token and of a gamma variate."""
    chain = Chain(corpus, label, n_topics)
    chain.run(options.burn_in)
    sampler, found = chain.step.conditionals.sampler, []
    sweep = sampler.sweep

    def timed(*given, **named):
        begin = time.process_time()
        moved = sweep(*given, **named)
        found.append(time.process_time() - begin)
        return moved

    sampler.sweep = timed
    chain.run(options.sweeps)
    seconds = {"the package": min(found)}
    for name, is_drawn in (("plain, collapsed", False), ("plain, drawn phi", True)):
        plain = Plain(chain, is_drawn=is_drawn)
        chain.run(1)  # compiles
        best = np.full(2, np.inf)
        for _ in range(options.sweeps):
            plain.seconds[:] = 0.0
            chain.run(1)
            best = np.minimum(best, plain.seconds)
        seconds[name] = best[1]
    for name, own in seconds.items():
        print(f"{name:18s} {1e6 * own / corpus.n_tokens:8.3f} µs per token")
    n_gammas = corpus.n_words * n_topics
    print(f"{'a gamma variate':18s} {1e9 * best[0] / n_gammas:8.1f} ns, {n_gammas} in a sweep")


def trace_of(corpus, label, n_topics, n_sweeps, seed, *, is_drawn):
    """Return the log joint of every draw."""
    chain = Chain(corpus, label, n_topics, seed=seed)
    if is_drawn:
        Plain(chain, is_drawn=True)
    found = []
    for _ in range(n_sweeps):
        chain.run(1)
        found.append(chain.stats["log_joint"])
    return np.array(found)


def measure_sweeps(corpus, label, n_topics, options):
    """Print when chains with a drawn phi reach the log joint of collapsed ones."""
    seeds, last = range(1, options.seeds + 1), max(options.at)
    own = (corpus, label, n_topics)
    collapsed = [trace_of(*own, last + 5, seed, is_drawn=False) for seed in seeds]
    drawn = [trace_of(*own, options.most * last, seed, is_drawn=True) for seed in seeds]
    mean = np.mean(collapsed, axis=0)
    print("at sweep  log joint per token  sweeps with drawn phi  over collapsed")
    for at in options.at:
        level = mean[at - 5 : at].mean()
        reached = np.array([time_to_reach(joint, level) for joint in drawn])
        error = reached.std(ddof=1) / np.sqrt(reached.size)
        print(
            f"{at:8d} {level / corpus.n_tokens:20.4f} {reached.mean():14.1f} ± {error:4.1f}"
            f" {reached.mean() / at:15.2f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="20ng_bydate_nostop")
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--at", type=int, nargs="+", default=[25, 50, 100])
    parser.add_argument(
        "--most", type=int, default=4, help="largest number of sweeps, over the last --at"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--burn-in", type=int, default=50)
    parser.add_argument("--sweeps", type=int, default=5, help="sweeps whose cost is measured")
    options = parser.parse_args()
    corpus, label = read_corpus(options.data)
    print(f"{options.data}: {corpus.n_documents} documents, {corpus.n_tokens} tokens", flush=True)
    measure_cost(corpus, label, options.topics, options)
    measure_sweeps(corpus, label, options.topics, options)


if __name__ == "__main__":
    main()
