"""How well `align_topics` recovers planted topics, and what R-hat of the weights is after it.

Run ``python -m tests.benchmarks.alignment``. In each row, four chains sample a planted corpus of
200 documents. Documents are long (150 tokens), so that chains find the planted topics. With 60
tokens about one chain in twenty stays in a mode in which two topics are merged, with every path.
``cosine`` compares the aligned topics with the planted ones, ``chains`` those of the chains with
each other. In the last row alignment does not recover the planted topics, because with the paper's
margin on so few documents the labels outweigh the words.
"""

import logging
from dataclasses import dataclass
from typing import Any

import arviz as az
import numpy as np
import pymc as pm

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.alignment import align_topics


@dataclass(frozen=True)
class Setting:
    """A planted corpus and the loss of the model fitted to it."""

    response: str
    loss: str
    parameters: dict[str, float]
    n_topics: int
    seed: int = 1


@dataclass(frozen=True)
class Result:
    """How well alignment recovered the planted topics, and R-hat before and after it."""

    cosine: float
    worst: float
    chains: float
    rhat_before: float
    rhat_after: float


def largest_rhat(idata: Any) -> float:
    return float(np.max(np.asarray(az.rhat(get_group(idata, "posterior")[["eta"]])["eta"])))


def measure(setting: Setting, *, draws: int = 500, tune: int = 200) -> Result:
    """Sample a planted corpus with four chains and align them."""
    planted = med.datasets.make_planted(
        200,
        n_topics=setting.n_topics,
        n_words=200,
        length=150,
        response=setting.response,
        seed=setting.seed,
    )
    loss = getattr(med, setting.loss)(**setting.parameters)
    with med.GibbsMedLDA(planted.corpus, planted.y, n_topics=setting.n_topics, loss=loss):
        idata = pm.sample(
            draws=draws,
            tune=tune,
            chains=4,
            cores=2,
            random_seed=1,
            progressbar=False,
            compute_convergence_checks=False,
        )
    aligned, report = align_topics(idata, reference=planted.phi)
    return Result(
        cosine=report.mean,
        worst=float(report.cosine.min()),
        chains=align_topics(idata)[1].mean,
        rhat_before=largest_rhat(idata),
        rhat_after=largest_rhat(aligned),
    )


SETTINGS = [
    Setting("real", "Gaussian", {"sigma": 0.3}, n_topics=5),
    Setting("real", "EpsilonInsensitive", {"c": 1.0}, n_topics=5),
    Setting("binary", "Hinge", {"margin": 1.0}, n_topics=5),
    Setting("multiclass", "Hinge", {"margin": 1.0}, n_topics=5),
    Setting("real", "Gaussian", {"sigma": 0.3}, n_topics=10),
    Setting("binary", "Hinge", {"margin": 164.0}, n_topics=5),
]


def main() -> None:
    logging.getLogger("pymc").setLevel(logging.ERROR)
    print(f"{'response':<11}{'loss':<40}{'K':>3}  cosine  worst  chains  R-hat before  after")
    for setting in SETTINGS:
        found = measure(setting)
        values = ", ".join(f"{k}={v:g}" for k, v in setting.parameters.items())
        print(
            f"{setting.response:<11}{setting.loss + '(' + values + ')':<40}{setting.n_topics:>3}"
            f"{found.cosine:>8.3f}{found.worst:>7.3f}{found.chains:>8.3f}"
            f"{found.rhat_before:>14.2f}{found.rhat_after:>7.3f}"
        )


if __name__ == "__main__":
    main()
