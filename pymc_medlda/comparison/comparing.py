"""`compare`: one row per run, with scores of held-out documents and their standard errors."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pymc_medlda._arguments import check_bool, check_seed, check_whole
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.comparison.responses import score_predictions
from pymc_medlda.comparison.scores import Score, perplexity_score
from pymc_medlda.prediction.perplexity import perplexity
from pymc_medlda.prediction.predicting import predict
from pymc_medlda.run.coherence import coherence
from pymc_medlda.run.run import Run

SMALLER_IS_BETTER = {"rmse", "perplexity"}
BY_VOCABULARY = {"perplexity", "coherence"}
"""Scores of words, which cannot be compared between runs that know different words."""
ORDER = ("accuracy", "f1", "r2", "rmse", "log_score", "perplexity", "coherence")

_log = logging.getLogger("pymc.medlda")


def compare(
    runs: Mapping[str, Any],
    corpus: Any,
    y: Any,
    *,
    n_words: int = 10,
    random_seed: int = 0,
    cores: int | None = None,
    progressbar: bool = True,
) -> pd.DataFrame:
    r"""Score several runs on the same held-out documents.

    Standard errors are over documents, and differences between runs are paired: two runs that fail
    on the same documents differ by less than their standard errors suggest. A difference beyond two
    of its standard errors is hard to explain by the choice of the documents. It does not include
    what another seed would have changed: put several runs of each model into the table to see that.

    Parameters
    ----------
    runs : mapping of str to run
        Names and runs: what ``pm.sample`` returned, or paths of files. All responses must be of one
        kind. A plain LDA has no response; only its topics are scored.
    corpus : Corpus or texts
        Documents that are in none of the runs, as for `predict`.
    y : array-like
        Their true responses, as for `evaluate`. Missing ones do not count.
    n_words : int, default 10
        Top words of a topic for its coherence.
    random_seed : int, default 0
        The same seed gives the same table.
    cores : int, optional
        Threads; by default all cores of the process.
    progressbar : bool, default True
        Show a progress bar if predictions take more than two seconds.

    Returns
    -------
    DataFrame
        One row per run, the best first by the first column. The columns are

        ``accuracy``, ``f1`` (micro-averaged) or ``r2`` and ``rmse``
            Of classes, labels or real values, from the decisions of `predict`.
        ``log_score``
            Mean log probability of the true class, or of each label. It needs a calibrated run (see
            `calibrate`), because the share of draws is not a probability. It is NaN for other runs,
            and absent if no run is calibrated.
        ``perplexity``
            Of the words, by document completion (see `perplexity`).
        ``coherence``
            Mean NPMI of the topics of the first chain in ``corpus`` (see `coherence`).
        ``seconds``
            How long sampling took, as stored in the run.
        ``n_documents``
            Documents with a known response.

        The columns ``accuracy_se`` and so on hold the standard errors, ``accuracy_difference`` the
        difference to the best run of this column, and ``accuracy_difference_se`` its standard
        error. For the coherence these are over topics, and not paired. If the runs have different
        vocabularies, their perplexities and coherences are about different words. Their differences
        are then NaN, and a message says so.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> table = med.compare({"short": idata, "same": idata}, new_corpus, new_y)
    >>> table.loc["short", ["accuracy_difference", "n_documents"]].tolist()
    [0.0, 10.0]
    """
    if not isinstance(runs, Mapping) or not runs:
        raise TypeError(
            "runs must be a mapping of names to runs, such as {'lda': idata}; got "
            f"{runs if isinstance(runs, Mapping) else type(runs).__name__}"
        )
    check_whole("n_words", n_words, at_least=2)
    check_seed("random_seed", random_seed)
    check_bool("progressbar", progressbar)
    if cores is not None:
        check_whole("cores", cores, at_least=1)
    options = {"random_seed": random_seed, "cores": cores, "progressbar": progressbar}
    _check_names(runs)
    opened = {str(name): _open(name, run) for name, run in runs.items()}
    _check_kinds(opened)
    if isinstance(corpus, Iterator):  # the second run would find nothing left
        corpus = list(corpus)
    scores, others = {}, {}
    for name, run in opened.items():
        try:
            scores[name], others[name] = _score(run, corpus, y, n_words, options)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{error} (while scoring the run {name!r})") from error
    columns = [name for name in ORDER if any(name in found for found in scores.values())]
    table = pd.DataFrame(index=pd.Index(list(scores), name="run"))
    unlike = set() if _share_vocabulary(opened) else BY_VOCABULARY
    for column in columns:
        of_runs = {run: found.get(column) for run, found in scores.items()}
        _add_columns(table, column, of_runs, has_best=column not in unlike)
    for column in ("seconds", "n_documents"):
        table[column] = [found[column] for found in others.values()]
    if columns[0] in unlike:
        return table
    return table.sort_values(columns[0], ascending=columns[0] in SMALLER_IS_BETTER, kind="stable")


def _check_names(runs: Mapping[Any, Any]) -> None:
    """Raise if two names look the same in the table, such as 1 and "1"."""
    names = [str(name) for name in runs]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"runs must have different names as texts; several are {repeated[0]!r}")


def _share_vocabulary(runs: Mapping[str, Run]) -> bool:
    """Tell whether all runs have the same words; log it if they have not."""
    words = [set(run.topics().word_labels.tolist()) for run in runs.values()]
    if all(own == words[0] for own in words):
        return True
    _log.warning(
        "The runs have different vocabularies, so their perplexities and coherences are about "
        "different words and are not compared: their differences are NaN."
    )
    return False


def _open(name: Any, run: Any) -> Run:
    try:
        opened = Run.of(run)
        opened.topics_records  # noqa: B018  (reading them tells whether it is a run of ours)
    except (TypeError, ValueError, OSError) as error:
        raise ValueError(f"runs holds {name!r}, which cannot be read: {error}") from error
    return opened


def _check_kinds(runs: Mapping[str, Run]) -> None:
    """Raise if runs have several responses each, or responses of different kinds."""
    kinds = {name: run.response().kind for name, run in runs.items() if run.response_names}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name!r} is {kind}" for name, kind in kinds.items())
        raise ValueError(f"runs must have responses of one kind: {listed}")


def _score(
    run: Run, corpus: Any, y: Any, n_words: int, options: dict[str, Any]
) -> tuple[dict[str, Score], dict[str, float]]:
    """Return the scores of a run, and what has no standard error."""
    scores: dict[str, Score] = {}
    n_documents = 0
    if run.response_names:
        wanted = ["discriminant", "decision"]
        if run.response().kind != "real":
            wanted.append("probability")
        predicted = predict(run, corpus, var_names=wanted, **options)
        scores, n_documents = score_predictions(get_group(predicted, "predictions"), y)
    words = perplexity(run, corpus, random_seed=options["random_seed"])
    scores["perplexity"] = perplexity_score(
        words.log_likelihood.values, words.n_scored.values.astype(np.float64)
    )
    npmi = coherence(run, n_words, corpus=corpus).dropna().to_numpy()
    scores["coherence"] = Score(float(npmi.mean()) if npmi.size else np.nan, npmi - npmi.mean())
    seconds = run.group("posterior").attrs.get("sampling_time", np.nan)
    return scores, {"seconds": float(seconds), "n_documents": n_documents}


def _add_columns(
    table: pd.DataFrame, column: str, scores: dict[str, Score | None], *, has_best: bool
) -> None:
    """Add a score, its standard error, and its difference to the best run, NaN without one."""
    given = {run: score for run, score in scores.items() if score is not None}
    sign = -1.0 if column in SMALLER_IS_BETTER else 1.0
    known = [score for score in given.values() if not np.isnan(score.value)]
    best = max(known, key=lambda score: sign * score.value) if known else None
    for run, score in given.items():
        table.loc[run, column] = score.value
        table.loc[run, f"{column}_se"] = score.standard_error
        if not has_best:
            table[[f"{column}_difference", f"{column}_difference_se"]] = np.nan
        if best is None or not has_best:
            continue
        table.loc[run, f"{column}_difference"] = score.value - best.value
        table.loc[run, f"{column}_difference_se"] = _error_of_difference(score, best, column)


def _error_of_difference(score: Score, best: Score, column: str) -> float:
    if score is best:
        return 0.0
    if column == "coherence":  # other runs have other topics, so nothing can be paired
        return float(np.hypot(score.standard_error, best.standard_error))
    return score.minus(best).standard_error
