"""What chains that sampled without their folds say of these folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.calibration.folds import Folds
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.new_documents import Schedule, sample_blocks
from pymc_medlda.prediction.new_documents import NewDocuments, count_blocks
from pymc_medlda.prediction.predicting import predict
from pymc_medlda.run.run import Run


def predict_folds(
    runs: Sequence[Any],
    folds: Folds,
    corpus: Corpus,
    seeds: Sequence[int],
    *,
    offset: Floats | None = None,
    features: Any = None,
    response: str | None = None,
    **options: Any,
) -> tuple[Floats, Floats]:
    """Predict each fold from the chain that sampled without it, by `predict`.

    Parameters
    ----------
    runs : sequence
        For each chain the run of the documents ``folds.kept(chain)``, with one chain.
    folds : Folds
    corpus : Corpus
        All documents.
    seeds : sequence of int
        One per chain.
    offset : (n_documents, n_tasks) float array, optional
    features : (n_documents, n_features) array or sparse matrix, optional
        In the order of the model's features. None if the features are the words.
    response : str, optional
    **options
        ``n_samples``, ``cores``: as for `predict`.

    Returns
    -------
    discriminant : (n_documents, n_tasks) float array
        Averaged over the draws; NaN for documents without fold.
    witnessed : (n_chains, n_witnesses, n_tasks) float array
    """
    discriminant, witnessed = np.empty((0, 0)), []
    for chain, (run, seed) in enumerate(zip(runs, seeds, strict=True)):
        held = folds.held(chain)
        if offset is not None:
            options["offset"] = offset[held] if offset.shape[1] > 1 else offset[held, 0]
        if features is not None:
            options["features"] = features[held]
        predicted = predict(
            run,
            corpus[held],
            response=response,
            var_names=["discriminant"],
            random_seed=int(seed),
            progressbar=False,
            **options,
        )
        mean = get_group(predicted, "predictions")["discriminant"].mean(("chain", "draw")).values
        mean = mean.reshape(held.size, -1)
        if not chain:
            discriminant = np.full((corpus.n_documents, mean.shape[1]), np.nan)
        own = folds.fold[held] == chain
        discriminant[held[own]] = mean[own]
        witnessed.append(mean[folds.witness[held]])
    return discriminant, np.stack(witnessed)


def complete_topics(
    run: Any, kept: NDArray[np.intp], held: NDArray[np.intp], corpus: Corpus, seed: int
) -> NDArray[np.unsignedinteger]:
    """Return topics of all tokens: those of the last draw of a run, and drawn ones for the rest.

    The topics of held documents are drawn given the topic-word distributions of that draw, by the
    kernel of `predict`.
    """
    topics = Run.of(run).topics()
    last = topics.n_draws - 1
    documents = NewDocuments.from_corpus(corpus[held])
    phi = documents.estimate(topics, 0, last, documents.empty_topics(topics.n_topics))
    state = documents.start(topics.n_topics, np.random.SeedSequence(seed), 0)
    out = np.empty(state.counts.shape)
    schedule = Schedule(1, 100, 1e-3, 1)
    sample_blocks(documents.tokens, phi, schedule, state, 0, count_blocks(documents.tokens), out)
    known = topics.assignments_at(0, last)
    is_kept = np.zeros(corpus.n_documents, bool)
    is_kept[kept] = True
    of_token = np.repeat(is_kept, corpus.lengths)
    z = np.empty(corpus.n_tokens, known.dtype)
    # A selection of documents keeps their order, and so that of the tokens.
    z[of_token] = known
    z[~of_token] = state.z
    return z
