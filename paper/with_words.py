"""Topics and words in one model, which the paper does not have: words are features beside topics.

It uses the public face of the package, with its default scale of the weights of words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pymc as pm

import pymc_medlda as med
from paper.ours import BETA, choose_loss
from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.corpus import Corpus


@dataclass(frozen=True)
class WithWords:
    """A run of `pm.sample`."""

    idata: Any

    def discriminants(self, corpus: Corpus, seed: int = 0) -> Floats:
        """Return the discriminants of topics and words, averaged over all draws."""
        predicted = med.predict(
            self.idata, corpus, var_names=["discriminant"], random_seed=seed, cores=1,
            progressbar=False,
        )  # fmt: skip
        values = get_group(predicted, "predictions")["discriminant"]
        return values.mean(("chain", "draw")).to_numpy().reshape(corpus.n_documents, -1)


def fit(
    corpus: Corpus,
    y: Floats,
    *,
    n_topics: int,
    seed: int,
    sweeps: int = 40,
    draws: int = 20,
    chains: int = 1,
    alpha: float = 1.0,
    c: float = 1.0,
    margin: float | None = None,
) -> WithWords:
    """Sample chains of ``draws`` draws after ``sweeps`` sweeps, one after another on one core."""
    response = y[:, 0] if y.shape[1] == 1 else y
    loss = choose_loss(y, c=c, margin=margin)
    with med.GibbsMedLDA(
        corpus, response, n_topics=n_topics, loss=loss, alpha=alpha, beta=BETA, features="words"
    ):
        idata = pm.sample(
            tune=sweeps, draws=draws, chains=chains, cores=1, step=med.GibbsMedLDAStep(blocks=1),
            random_seed=seed, progressbar=False, quiet=True, compute_convergence_checks=False,
        )  # fmt: skip
    return WithWords(idata)
