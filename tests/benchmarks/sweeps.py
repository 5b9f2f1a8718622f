"""Compare the speed of whole steps with tomotopy and scikit-learn, in one run on one core.

    python -m tests.benchmarks.sweeps [--topics 20 50 100 200] [--data NAME ... | FILE.npz | drawn]

Prints million tokens per second, after burn-in, of `GibbsMedLDAStep.step` (auxiliary variables,
weights, topics and statistics, with the time that Python takes); of tomotopy's LDA (no labels), of
its SLDA (binary response), and of a pass of scikit-learn's variational LDA over the same tokens;
and the ratios. Times are processor times. All programs run in turns, so that other load on the
machine affects all of them; the fastest turn of each counts. ``moved`` is the share of tokens that
changed topic in the last sweep, ``sweep`` the share of the step's time spent in the sweep over the
tokens.

``first`` compares the first sweeps, from a random start, with as many of tomotopy's LDA.

NAME is a data set of `tests.benchmarks.data`. By default the real corpora are taken, if they are
there, and then the drawn one. The ratios are larger on drawn corpora, because fewer of their tokens
move. ``drawn`` is a corpus drawn from LDA: 2 000 documents of about 150 tokens, 10 000 words of
Zipf-like frequency and 20 topics. The label is the sign of a linear function of the topic shares.
FILE.npz is an archive with the documents (``train_doc``), words (``train_word``) and labels
(``train_y``, two classes) of all tokens. The first class is set against all others; ratings are
real responses, with an epsilon-insensitive loss and c = 8 / sd.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import pymc_medlda as med
from tests.benchmarks import data


def draw_corpus(rng, *, n_documents=2000, n_words=10_000, length=150, n_topics=20):
    """Draw words and labels from LDA with a Zipf-like base measure."""
    frequency = rng.permutation(1.0 / (np.arange(n_words) + 2.7))
    shape = np.maximum(500.0 * frequency / frequency.sum(), 1e-3)
    phi = rng.gamma(shape, size=(n_topics, n_words)) + 1e-12
    cumulated = np.cumsum(phi / phi.sum(axis=1, keepdims=True), axis=1)
    cumulated[:, -1] = 1.0
    lengths = np.maximum(rng.poisson(length, n_documents), 10)
    words, shares = [], np.empty((n_documents, n_topics))
    for d in range(n_documents):
        theta = rng.dirichlet(np.full(n_topics, 0.1))
        counts = rng.multinomial(lengths[d], theta)
        drawn = [
            np.searchsorted(cumulated[k], rng.random(counts[k])) for k in np.flatnonzero(counts)
        ]
        words.append(rng.permutation(np.concatenate(drawn)))
        shares[d] = counts / lengths[d]
    score = shares @ rng.normal(0.0, 3.0, n_topics)
    label = np.where(score > np.median(score), 1, -1)
    return corpus_of(np.concatenate(words), lengths, n_words), label


def corpus_of(word, lengths, n_words):
    """Return the corpus of flat words, in their order."""
    start = np.r_[0, np.cumsum(lengths)].astype(np.int64)
    return med.Corpus(word.astype(np.int32), start, n_words=n_words)


REAL = ("20ng_religion", "20ng_bydate_nostop", "hotel_reviews")


def read_corpus(source):
    """Return the corpus and the ±1 labels, or the real responses, of a source."""
    if source == "drawn":
        return draw_corpus(np.random.default_rng(0))
    if not source.endswith(".npz"):
        corpus, y = data.load(source)
        if source == "hotel_reviews":
            return corpus, (y - y.mean()) / y.std()
        return corpus, np.where(y == y.min(), 1, -1)
    with np.load(source) as arrays:
        lengths = np.bincount(arrays["train_doc"])
        corpus = corpus_of(arrays["train_word"], lengths, int(arrays["vocab"]))
        return corpus, np.where(arrays["train_y"] > 0, 1, -1)


def default_loss(label):
    """Return the paper's hinge for two classes, and the epsilon-insensitive loss for values."""
    is_real = np.unique(label).size > 2
    return med.EpsilonInsensitive(c=8.0) if is_real else med.Hinge.paper()


class Chain:
    """A chain of this package, which goes on from its last point, step by step."""

    def __init__(self, corpus, label, n_topics, path="auto", *, loss=None, seed=1):
        if loss is None:
            loss = default_loss(label)
        model = med.GibbsMedLDA(corpus, label, n_topics=n_topics, loss=loss)
        self.step = med.GibbsMedLDAStep(model=model, rng=seed, path=path)
        self.point = model.initial_point(seed)
        self.n_tokens = corpus.n_tokens
        self.sweeping = 0.0
        self.stats = {}
        sweep = self.step.conditionals.sampler.sweep

        def timed(*arguments, **keywords):
            begin = time.process_time()
            moved = sweep(*arguments, **keywords)
            self.sweeping += time.process_time() - begin
            return moved

        self.step.conditionals.sampler.sweep = timed

    def run(self, n):
        for _ in range(n):
            self.point, (self.stats,) = self.step.step(self.point)


def tomotopy_model(corpus, label, n_topics, *, supervised):
    """Load the tokens into tomotopy's LDA or SLDA with a binary response."""
    import tomotopy

    shared = {"k": n_topics, "alpha": 1.0 / n_topics, "eta": 0.01, "min_cf": 0, "seed": 1}
    is_real = np.unique(label).size > 2
    kind = "l" if is_real else "b"
    model = tomotopy.SLDAModel(vars=kind, **shared) if supervised else tomotopy.LDAModel(**shared)
    word, start = corpus.tokens
    names = word.astype(str)
    for d in range(label.size):
        words = names[start[d] : start[d + 1]]
        if words.size:
            response = float(label[d]) if is_real else float(label[d] > 0)
            model.add_doc(words, *([[response]] if supervised else []))
    model.optim_interval = 0
    return model


def scikit_learn_pass(corpus, n_topics):
    """Return a function that makes one more pass of variational LDA over the corpus."""
    from sklearn.decomposition import LatentDirichletAllocation

    counts = corpus.to_dtm()
    model = LatentDirichletAllocation(
        n_topics, doc_topic_prior=1.0 / n_topics, topic_word_prior=0.01, random_state=1
    )
    return lambda: model.partial_fit(counts)


def in_turns(runs, rounds):
    """Run all functions in turns; return the least processor time of each."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - begin)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 50, 100, 200])
    parser.add_argument("--data", nargs="+", help="data sets, an .npz file, or drawn")
    parser.add_argument("--burn-in", type=int, default=100)
    parser.add_argument("--first", type=int, default=30, help="first sweeps to compare")
    parser.add_argument("--sweeps", type=int, default=3, help="sweeps per turn")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--path", default="auto")
    parser.add_argument(
        "--without", nargs="*", default=[], help="leave out SLDA, LDA or scikit-learn"
    )
    options = parser.parse_args()
    sources = options.data or [*filter(data.available, REAL), "drawn"]
    for source in sources:
        measure(source, options)


def time_first_sweeps(corpus, label, n_topics, options):
    """Return the time of tomotopy's LDA for its first sweeps, over ours, from random starts."""
    ours = theirs = np.inf
    for _ in range(2):
        chain = Chain(corpus, label, n_topics, options.path)
        chain.run(0)
        model = tomotopy_model(corpus, label, n_topics, supervised=False)
        model.train(0, workers=1)
        begin = time.process_time()
        chain.run(options.first)
        middle = time.process_time()
        model.train(options.first, workers=1)
        ours, theirs = min(ours, middle - begin), min(theirs, time.process_time() - middle)
    return theirs / ours


def measure(source, options):
    """Print one line for each number of topics of one corpus."""
    corpus, label = read_corpus(source)
    n = corpus.n_tokens
    print(f"{source}: {corpus.n_documents} documents, {n} tokens, {corpus.n_words} words")
    print(
        "   K   step    LDA   SLDA sklearn | x LDA x SLDA x sklearn first | moved sweep", flush=True
    )
    for n_topics in options.topics:
        chain = Chain(corpus, label, n_topics, options.path)
        chain.run(options.burn_in)
        runs = {"step": lambda c=chain: c.run(options.sweeps)}
        for name, supervised in (("LDA", False), ("SLDA", True)):
            if name not in options.without:
                model = tomotopy_model(corpus, label, n_topics, supervised=supervised)
                model.train(options.burn_in, workers=1)
                runs[name] = lambda m=model: m.train(options.sweeps, workers=1)
        best = in_turns(runs, options.rounds)
        rate = {name: n * options.sweeps / seconds / 1e6 for name, seconds in best.items()}
        if "scikit-learn" not in options.without:
            once = in_turns({"pass": scikit_learn_pass(corpus, n_topics)}, 2)
            rate["scikit-learn"] = n / once["pass"] / 1e6
        chain.sweeping, begun = 0.0, time.process_time()
        chain.run(20)
        sweeping = chain.sweeping / (time.process_time() - begun)
        first = np.nan
        if "LDA" not in options.without:
            first = time_first_sweeps(corpus, label, n_topics, options)
        ours, others = rate["step"], [rate.get(n, np.nan) for n in ("LDA", "SLDA", "scikit-learn")]
        print(
            f"{n_topics:4d} {ours:6.2f} {others[0]:6.2f} {others[1]:6.2f} {others[2]:7.3f} |"
            f" {ours / others[0]:5.2f} {ours / others[1]:6.2f} {ours / others[2]:9.0f}"
            f" {first:5.2f} | {chain.stats['moved']:5.3f} {sweeping:5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
