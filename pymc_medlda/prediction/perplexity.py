"""How well a run predicts the words of documents it has not seen: `perplexity`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from pymc_medlda._arguments import check_choice, check_seed, check_whole
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.kernels.perplexity import complete_documents, evaluate_left_to_right
from pymc_medlda.run.counts import estimate_phi
from pymc_medlda.run.run import Run
from pymc_medlda.run.words import match_words

Method = Literal["completion", "left_to_right"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The probability of held-out words; see `perplexity`. ``float`` of it is the perplexity.

    Attributes
    ----------
    perplexity : float
        exp of minus the mean log probability of a scored token; NaN if none was scored.
    log_likelihood : DataArray
        (document,): log probability of the scored tokens of each document.
    n_scored : DataArray
        (document,): number of tokens scored.
    n_dropped : int
        Tokens of words the run does not know.
    method : str

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> from pymc_medlda.prediction.perplexity import HeldOut
    >>> one = xr.DataArray([1], dims="document")
    >>> float(HeldOut(2.0, -np.log(2.0) * one, one, 0, "completion"))
    2.0
    """

    perplexity: float
    log_likelihood: xr.DataArray
    n_scored: xr.DataArray
    n_dropped: int
    method: str

    def __float__(self) -> float:
        return self.perplexity

    def __repr__(self) -> str:
        dropped = f", {self.n_dropped} of unknown words dropped" if self.n_dropped else ""
        return (
            f"perplexity {self.perplexity:.1f} ({self.method}): {int(self.n_scored.sum())} tokens "
            f"scored in {self.n_scored.size} documents{dropped}"
        )


def perplexity(
    idata: Any,
    corpus: Corpus | Iterable[str],
    *,
    method: Method = "completion",
    n_draws: int = 20,
    n_particles: int = 20,
    n_burn_in: int = 20,
    n_sweeps: int = 20,
    random_seed: int = 0,
    topics: str | None = None,
) -> HeldOut:
    r"""Return the perplexity of held-out documents.

    .. math:: \exp\Big(-\frac{\sum_d \log p(w_d)}{\sum_d n_d}\Big), \qquad
       p(w_d) = \frac{1}{S} \sum_s p(w_d \mid \hat\phi^s, \alpha^s)

    averaged over draws as probabilities, document by document. Labels of topics play no part, so
    topics need no alignment.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it.
    corpus : Corpus or list of texts
        Documents that were not in the run. Words are matched by name; unknown ones are dropped
        and counted. Texts are split as in `predict`.
    method : {"completion", "left_to_right"}
        ``"completion"``: half of each document, chosen at random, gives its topics and the other
        half is scored; fast. ``"left_to_right"``: an unbiased estimate of the probability of
        the whole document by particles that go through it word by word; its time grows with the
        square of the length.
    n_draws : int, default 20
        Draws to average over, spread evenly over all chains.
    n_particles : int, default 20
        Particles of the left-to-right estimate.
    n_burn_in, n_sweeps : int, default 20
        Gibbs sweeps over the seen half before its topics count, and while they do.
    random_seed : int, default 0
        The same seed gives the same answer.
    topics : str, optional
        Name of the topic assignments, where the model has several.

    Returns
    -------
    HeldOut
        The perplexity, with the log probability of each document.

    References
    ----------
    Wallach, Murray, Salakhutdinov and Mimno (2009), Evaluation methods for topic models. Buntine
    (2009), Estimating likelihoods for topic models.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> 1 < float(med.perplexity(idata, new_corpus)) < 30
    True
    """
    check_choice("method", method, ("completion", "left_to_right"))
    sizes = {"n_draws": n_draws, "n_particles": n_particles, "n_sweeps": n_sweeps}
    for name, size in sizes.items():
        check_whole(name, size, at_least=1)
    check_whole("n_burn_in", n_burn_in, at_least=0)
    check_seed("random_seed", random_seed)
    drawn = Run.of(idata).topics(topics)
    matched, n_dropped = match_words(drawn, corpus)
    rng = np.random.default_rng(random_seed)
    tokens, n_seen = matched.tokens, np.zeros(matched.n_documents, np.int64)
    if method == "completion":
        tokens, n_seen = _shuffle(rng, matched), matched.lengths // 2
    chosen = _spread(drawn.n_chains, drawn.n_draws, n_draws)
    logs = np.empty((sum(map(len, chosen.values())), matched.n_documents))
    for row, counts in enumerate(drawn.iterate_counts(draws=chosen)):
        position = counts.chain, counts.draw
        phi, alpha = estimate_phi(counts, drawn.beta(*position)), drawn.alpha(*position)
        if method == "completion":
            complete_documents(rng, tokens, n_seen, phi, alpha, n_burn_in, n_sweeps, logs[row])
        else:
            evaluate_left_to_right(rng, tokens, phi, alpha, n_particles, logs[row])
    log_likelihood = logsumexp(logs, axis=0) - np.log(logs.shape[0])
    n_scored = matched.lengths - n_seen
    total = int(n_scored.sum())
    coords = {"document": matched.document_labels}
    return HeldOut(
        perplexity=float(np.exp(-log_likelihood.sum() / total)) if total else float("nan"),
        log_likelihood=xr.DataArray(log_likelihood, coords, ("document",)),
        n_scored=xr.DataArray(n_scored, coords, ("document",)),
        n_dropped=n_dropped,
        method=method,
    )


def _spread(n_chains: int, n_draws: int, n_chosen: int) -> dict[int, list[int]]:
    """Return draws spread evenly over all chains, by chain; the last draw is among them."""
    total = n_chains * n_draws
    places = total - 1 - np.arange(min(n_chosen, total)) * total // min(n_chosen, total)
    chosen: dict[int, list[int]] = {}
    for place in sorted(places.tolist()):
        chosen.setdefault(place // n_draws, []).append(place % n_draws)
    return chosen


def _shuffle(rng: np.random.Generator, corpus: Corpus) -> Tokens:
    """Return the tokens, those of each document in random order."""
    document = np.repeat(np.arange(corpus.n_documents), corpus.lengths)
    order = np.lexsort((rng.random(corpus.n_tokens), document))
    return Tokens(np.ascontiguousarray(corpus.words[order]), corpus.starts)
