"""How well chains agree on held-out documents and on topics, and what that costs.

    python -m tests.benchmarks.agreement [demo ten religion164 religion10 hotel] [--only]
        [--anneal 4000] [--candidates 1] [--first 0.5] [--tune 0] [--draws 2000] [--thin 10]
        [--chains 8] [--sweeps 10] [--topics 10] [--alpha 1] [--beta 0.01] [--nu 1] [--margin 10]

For each case there are two rows. The first has chains that start at random topics, with 100 sweeps
of tuning and 200 draws, as the README once had. The second has the chains that the options ask for.
Sweeps are counted, not stored draws: every ``--thin``-th sweep is stored and used for predictions.
With each of them the topics of held-out documents are averaged over ten sweeps, because the noise
of fewer sweeps would hide that chains differ. ``one`` is the R-hat with one sweep, which is what
`predict` gives by default. It is another quantity, with another and mostly smaller R-hat.

``seconds`` is the processor time of one chain, from its start to its last draw. ``R-hat`` is the
median over held-out documents of the rank-normalised split R-hat of the discriminant, ``< 1.05``
the share of documents whose R-hat is below 1.05. ``between`` is the standard deviation of the means
of chains over the mean standard deviation within a chain, the median over documents. ``cosine`` is
the smallest, and then the median, of the cosines of aligned topics that hold tokens. ``score`` is
the accuracy, or R² of real responses, of the prediction averaged over all chains, with its standard
error over documents.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.corpus import Corpus
from pymc_medlda.run.r_hat import r_hat as compute_r_hat
from pymc_medlda.sampling.chains import Start, sample_models, start_as_pymc
from tests.benchmarks import data

HEADER = "case         anneal  tune  draws | seconds  R-hat < 1.05 between    one | "
HEADER += "cosine        | score"


class Part(NamedTuple):
    """Documents with their responses."""

    corpus: Corpus
    y: Any


class Case(NamedTuple):
    """A corpus in two parts, and the settings of the model that is fitted to the first."""

    train: Part
    test: Part
    settings: dict[str, Any]

    def model(self):
        return med.GibbsMedLDA(*self.train, **{"n_topics": 10, **self.settings})

    def changed(self, margin=None, **settings):
        """Return the case with other settings; None leaves a setting as it is."""
        given = {name: value for name, value in settings.items() if value is not None}
        if margin is not None:
            given["loss"] = med.Hinge(margin=margin)
        return self._replace(settings={**self.settings, **given})


class Length(NamedTuple):
    """How many sweeps of each kind a chain makes, and the first power of those that anneal."""

    anneal: int
    tune: int
    draws: int
    first: float = 0.5


SETTINGS = ("n_topics", "alpha", "beta", "nu", "margin")  # which options change
README = Length(anneal=0, tune=100, draws=200)


def demo():
    """The corpus and the model of ``examples/demo.py``, whose settings make chains agree."""
    settings = {"n_topics": 4, "alpha": 5.0, "beta": 0.1, "loss": med.Hinge(margin=20.0)}
    return ten()._replace(settings=settings)


def ten():
    """The same corpus with ten topics, on which chains do not agree."""
    packages = ("numpy", "pandas")
    documents = med.datasets.load_docstrings(packages, n_documents_per_package=700, seed=1)
    train, test = med.datasets.train_test_split(documents, test_fraction=0.3, seed=1)
    settings = {"alpha": 5.0, "loss": med.Hinge(margin=10.0)}
    return Case(Part(train.corpus, train.y), Part(test.corpus, test.y), settings)


def religion(margin):
    parts = (Part(*data.load("20ng_religion", part)) for part in ("train", "test"))
    return Case(*parts, {"loss": med.Hinge(margin=margin)})


def hotel():
    train, test = (Part(*data.load("hotel_reviews", part)) for part in ("train", "test"))
    mean, scale = train.y.mean(), train.y.std()
    parts = (Part(part.corpus, (part.y - mean) / scale) for part in (train, test))
    return Case(*parts, {"loss": med.EpsilonInsensitive(c=8.0)})


CASES = {
    "demo": demo,
    "ten": ten,
    "religion164": lambda: religion(164.0),
    "religion10": lambda: religion(10.0),
    "hotel": hotel,
}


def run_chains(model, length, options):
    """Return the stored draws of all chains, and the processor time of one chain."""
    begin = time.process_time()
    starts = start_as_pymc(model, options.seed, options.chains)
    if length.anneal:
        points = med.annealed_starts(
            length.anneal,
            chains=options.chains,
            candidates=options.candidates,
            start=length.first,
            random_seed=options.seed,
            model=model,
            progressbar=False,
            cores=options.cores,
        )
        starts = [Start(p, start.rng) for p, start in zip(points, starts, strict=True)]
    (idata,) = sample_models(
        [model],
        [starts],
        draws=length.draws // options.thin,
        tune=length.tune // options.thin,
        sweeps_per_draw=options.thin,
        workers=options.cores,
        progressbar=False,
    )
    return idata, (time.process_time() - begin) / options.chains


def compare_discriminants(values):
    """Return median R-hat, the share below 1.05, and the median ratio of between to within.

    ``values`` has the shape (chain, draw, document).
    """
    r_hat = compute_r_hat(values)
    between = values.mean(axis=1).std(axis=0, ddof=1)
    within = values.std(axis=1, ddof=1).mean(axis=0)
    return np.median(r_hat), np.mean(r_hat < 1.05), np.median(between / within)


def score(truth, decision):
    """Return accuracy, or R² of numbers that are not classes, and its standard error."""
    if np.issubdtype(np.asarray(truth).dtype, np.floating):
        error, total = (truth - decision) ** 2, (truth - truth.mean()) ** 2
        r2 = 1.0 - error.mean() / total.mean()
        # R² is a ratio of means: this is its linear approximation.
        return r2, np.std((error - (1.0 - r2) * total) / total.mean()) / np.sqrt(truth.size)
    right = np.asarray(truth) == decision
    return right.mean(), right.std() / np.sqrt(right.size)


def measure(case, length, options):
    """Run the chains of one row, and return its figures."""
    idata, seconds = run_chains(case.model(), length, options)
    predictions, single = (
        get_group(
            med.predict(
                idata,
                case.test.corpus,
                n_samples=sweeps * (length.draws // options.thin),
                var_names=["discriminant", "decision"],
                random_seed=options.seed,
                cores=options.cores,
                progressbar=False,
            ),
            "predictions",
        )
        for sweeps in (options.sweeps, 1)
    )
    _, alignment = med.align_topics(idata)
    cosine = alignment.cosine.values[:, alignment.filled]
    return (
        seconds,
        *compare_discriminants(predictions["discriminant"].values),
        np.median(compute_r_hat(single["discriminant"].values)),
        cosine.min(),
        np.median(cosine),
        *score(case.test.y, predictions["decision"].values),
    )


def print_row(name, length, figures):
    seconds, r_hat, share, between, one, smallest, median, mean, error = figures
    print(
        f"{name:<12} {length.anneal:6d} {length.tune:5d} {length.draws:6d} | {seconds:7.1f}"
        f" {r_hat:6.3f} {share:6.2f} {between:7.2f} {one:6.3f} | {smallest:6.3f} {median:6.3f}"
        f" | {mean:.3f} ± {error:.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help=f"{', '.join(CASES)}; all by default")
    parser.add_argument("--anneal", type=int, default=4000, help="0 for random starts")
    parser.add_argument("--candidates", type=int, default=1, help="annealed chains for each start")
    parser.add_argument("--first", type=float, default=0.5, help="first power of annealing")
    parser.add_argument("--tune", type=int, default=0)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--thin", type=int, default=10)
    parser.add_argument("--chains", type=int, default=8)
    parser.add_argument("--sweeps", type=int, default=10, help="sweeps of a prediction per draw")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--topics", dest="n_topics", type=int)
    for name in SETTINGS[1:]:
        parser.add_argument(f"--{name}", type=float)
    parser.add_argument("--only", action="store_true", help="leave out the row of random starts")
    options = parser.parse_args()
    asked = Length(options.anneal, options.tune, options.draws, options.first)
    print(HEADER)
    for name in options.cases or CASES:
        case = CASES[name]().changed(**{key: getattr(options, key) for key in SETTINGS})
        shortest = argparse.Namespace(**{**vars(options), "chains": 1, "thin": 1})
        run_chains(case.model(), Length(2, 0, 2), shortest)  # compiles the kernels
        for length in [asked] if options.only else [README, asked]:
            print_row(name, length, measure(case, length, options))


if __name__ == "__main__":
    main()
