"""The speed of prediction, compared with tomotopy's ``infer``, and what averaging draws is worth.

    python -m tests.benchmarks.prediction speed | draws | accuracy

``speed`` predicts the test part of ``20ng_bydate_nostop`` by an LDA of 40 topics on either side,
from one draw, with as many sweeps, on one core. The programs run in turns; the least processor time
of each counts. tomotopy has two ways: documents one by one (its default), where each document costs
a copy of the model's state, and all documents together, which is faster. Ours is compared with the
second.

``draws`` predicts with 200 draws of a chain on ``20ng_religion`` with 20 topics, in two ways. In
the quick way the topics of new documents go on from draw to draw. In the slow way they start at
random under each of 50 draws, and are averaged over 10 sweeps after a burn-in of 50. Printed are
how far the averages of the discriminants are apart, for the two ways and for two seeds of the quick
way, and the spread of the discriminants over draws.

``accuracy`` compares the average over all draws of all chains with the paper's single draw, and the
confident half of the documents with the rest, on ``20ng_religion`` with 20 topics.
"""

import argparse
import logging
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pymc as pm

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.prediction.predicting import predict
from tests.benchmarks.data import MISSING, available, load

OPTIONS: dict[str, Any] = {"progressbar": False, "compute_convergence_checks": False}


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor seconds that ``work`` takes, which vary less than elapsed time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def texts(corpus: med.Corpus) -> list[list[str]]:
    words = corpus.vocabulary[corpus.words]
    return [words[i:j].tolist() for i, j in pairwise(corpus.starts) if j > i]


def measure_speed(n_topics: int, burn_in: int, n_samples: int, turns: int) -> None:
    import tomotopy

    train, test = (load("20ng_bydate_nostop", part)[0] for part in ("train", "test"))
    sweeps = burn_in + n_samples
    theirs = tomotopy.LDAModel(k=n_topics, alpha=1.0 / n_topics, eta=0.01, seed=1)
    for document in texts(train):
        theirs.add_doc(document)
    theirs.train(50, workers=1)
    with med.GibbsMedLDA(train, n_topics=n_topics):
        idata = pm.sample(tune=50, draws=1, chains=1, cores=1, random_seed=1, **OPTIONS)
    settings: dict[str, Any] = {"tolerance": 0.0, "random_seed": 1, "cores": 1}
    predict(idata, test[:10], progressbar=False, **settings)  # compiles

    def ours_once() -> None:
        predict(
            idata,
            test,
            n_samples=n_samples,
            max_burn_in=burn_in,
            progressbar=False,
            var_names=["theta"],
            **settings,
        )

    best = {"ours": np.inf, "tomotopy, together": np.inf}
    for _ in range(turns):
        documents = [theirs.make_doc(document) for document in texts(test)]
        best["ours"] = min(best["ours"], seconds(ours_once))
        together = seconds(
            lambda documents=documents: theirs.infer(
                documents, iterations=sweeps, workers=1, together=True
            )
        )
        best["tomotopy, together"] = min(best["tomotopy, together"], together)
    n_tokens = dict.fromkeys(best, test.n_tokens)
    few = [theirs.make_doc(document) for document in texts(test[:100])]
    name = "tomotopy, one by one (100 documents)"
    best[name] = seconds(lambda: theirs.infer(few, iterations=sweeps, workers=1))
    n_tokens[name] = test[:100].n_tokens
    print(f"{test.n_tokens} tokens, {n_topics} topics, {burn_in} + {n_samples} sweeps, one core")
    for name, time_taken in best.items():
        rate = n_tokens[name] * sweeps / time_taken / 1e6
        print(f"{name:40s} {time_taken:8.2f} s {rate:8.2f} M tokens/s")


def measure_draws(n_draws: int, tune: int, turns: int) -> None:
    train, y_train = load("20ng_religion")
    test, y_test = load("20ng_religion", "test")
    with med.GibbsMedLDA(train, y_train, n_topics=20, loss=med.Hinge.paper()):
        idata = pm.sample(tune=tune, draws=n_draws, chains=1, cores=1, random_seed=1, **OPTIONS)
    posterior = get_group(idata, "posterior")

    def discriminants(seed: int) -> np.ndarray:
        found = predict(idata, test, random_seed=seed, cores=1, progressbar=False)
        return get_group(found, "predictions")["discriminant"].values[0]

    def separate(draw: int) -> np.ndarray:
        one = with_group(idata, "posterior", posterior.isel(draw=[draw]))
        options = {"max_burn_in": 50, "tolerance": 0.0, "cores": 1, "progressbar": False}
        found = predict(one, test, random_seed=draw, **options)
        return get_group(found, "predictions")["discriminant"].values[0, 0]

    discriminants(0)  # compiles
    best = min(seconds(lambda: discriminants(0)) for _ in range(turns))
    print(f"{test.n_tokens} tokens, 20 topics, {n_draws} draws, one core: {best:.2f} s")
    ways = [discriminants(1), discriminants(2)]
    ways.append(np.array([separate(draw) for draw in range(0, n_draws, max(1, n_draws // 50))]))
    positive = y_test == np.max(y_test)
    for name, f in zip(["quick", "quick, another seed", "slow"], ways, strict=True):
        mean = f.mean(axis=0)
        gap = np.sqrt(np.mean((mean - ways[-1].mean(axis=0)) ** 2))
        slope = np.polyfit(ways[-1].mean(axis=0), mean, 1)[0]
        right, spread = 100 * np.mean((mean > 0) == positive), np.sqrt(f.var(axis=0).mean())
        error = np.mean(((f > 0).mean(axis=0) - positive) ** 2)
        print(
            f"{name:20s} from the slow mean: rms {gap:6.2f}, slope {slope:6.3f}; accuracy "
            f"{right:6.2f}; spread over draws {spread:6.2f}; Brier score {error:.4f}"
        )


def measure_accuracy(n_seeds: int, chains: int, draws: int, tune: int, cores: int) -> None:
    train, y_train = load("20ng_religion")
    test, y_test = load("20ng_religion", "test")
    print("seed  averaged  one draw  mean of single draws  confident half  the rest")
    rows = []
    for seed in range(n_seeds):
        with med.GibbsMedLDA(train, y_train, n_topics=20, loss=med.Hinge.paper()):
            idata = pm.sample(
                tune=tune, draws=draws, chains=chains, cores=cores, random_seed=seed, **OPTIONS
            )
        run = predict(idata, test, random_seed=seed, progressbar=False)
        found = get_group(run, "predictions")
        right = found["decision"].values == y_test
        # The paper's draw is among them: the last of the first chain.
        single = found["y"].values == y_test
        confidence = np.abs(found["discriminant"].mean(("chain", "draw")).values)
        sure = np.argsort(confidence)[right.size // 2 :]
        unsure = np.argsort(confidence)[: right.size // 2]
        accuracies = (right, single[0, -1], single, right[sure], right[unsure])
        rows.append([100 * values.mean() for values in accuracies])
        print(f"{seed:4d}" + "".join(f"{value:10.2f}" for value in rows[-1]), flush=True)
    print("mean" + "".join(f"{value:10.2f}" for value in np.mean(rows, axis=0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["speed", "draws", "accuracy"])
    parser.add_argument("--topics", type=int, default=40, help="topics of the model of speed")
    parser.add_argument("--burn-in", type=int, default=10)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--tune", type=int, default=50)
    parser.add_argument("--cores", type=int, default=1)
    options = parser.parse_args()
    logging.getLogger("pymc").setLevel(logging.ERROR)
    name = "20ng_bydate_nostop" if options.what == "speed" else "20ng_religion"
    if not available(name):
        raise SystemExit(f"{name}: {MISSING}")
    if options.what == "speed":
        measure_speed(options.topics, options.burn_in, options.samples, options.turns)
    elif options.what == "draws":
        measure_draws(4 * options.draws, options.tune, options.turns)
    else:
        measure_accuracy(options.seeds, options.chains, options.draws, options.tune, options.cores)


if __name__ == "__main__":
    main()
