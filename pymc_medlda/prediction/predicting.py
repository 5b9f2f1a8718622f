"""`predict`: discriminants, decisions and topics of new documents, from the stored draws alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from pymc_medlda._compat.arviz import with_group
from pymc_medlda._progress import track
from pymc_medlda.corpus import Corpus
from pymc_medlda.kernels.new_documents import Schedule
from pymc_medlda.prediction.checks import (
    check_interval,
    check_names,
    check_running,
    check_schedule,
)
from pymc_medlda.prediction.frames import make_frame
from pymc_medlda.prediction.new_documents import (
    NewDocuments,
    as_seed,
    iterate_topic_frequencies,
)
from pymc_medlda.prediction.new_features import find_new_features
from pymc_medlda.prediction.offsets import check_offset
from pymc_medlda.prediction.results import Predictions, plain
from pymc_medlda.run.calibration import GROUP, Calibration, read_calibration
from pymc_medlda.run.record import UNKNOWN
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.run.words import find_unknown, match_words


def predict(
    idata: Any,
    corpus: Corpus | Iterable[str],
    *,
    response: str | None = None,
    offset: Any = None,
    features: Any = None,
    thin: int = 1,
    single_draw: bool = False,
    interval: float | None = None,
    n_samples: int = 10,
    max_burn_in: int = 100,
    tolerance: float = 1e-3,
    var_names: Sequence[str] | None = None,
    random_seed: Any = None,
    cores: int | None = None,
    progressbar: bool = True,
    as_frame: bool = False,
) -> Any:
    r"""Predict the response of new documents, draw by draw, from what sampling stored.

    For each draw, topics of the new documents are sampled from the paper's test-time conditional

    .. math:: p(z_n = k \mid z_{\neg n}) \propto \hat\phi_{k w_n} (C_k + \alpha_k), \qquad
       \hat\phi_{kt} \propto C_{kt} + \beta

    with the phi-hat, alpha and weights of that draw; then
    :math:`F = \eta \cdot \bar z + w \cdot x + offset`, where x are the features of the documents
    if the model has any.
    The topics start at random under the first draw of each chain, with a burn-in. Under every other
    draw they start from those under the draw before: consecutive draws are neighbours, so a sweep
    or two bring the topics up to date.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it; no model is needed.
    corpus : Corpus, or texts as a list, a series or a frame of one column
        The new documents. Words are matched by name; those the training corpus does not have are
        dropped and counted. Where either side has no names, the vocabularies must be of one size.
        Texts are split as those of the training corpus were, if it was made by
        `Corpus.from_texts`; the index of a pandas series names them.
    response : str, optional
        Name of the response, where the model has several.
    offset : array, optional
        Added to the discriminant, (n_documents,) or (n_documents, n_tasks), or with leading
        (n_chains, n_draws) of all stored draws. With several tasks, (n_documents,) and
        (n_documents, 1) count for all of them. Required if the model has an offset. A pandas object
        is matched with the documents and the tasks as in `MaxMargin`.
    features : array, sparse matrix or frame, optional
        Features of the new documents, (n_documents, n_features). Required if features were given to
        the model. Columns with names are matched by name. If the features of the model are its
        words, those of the new documents are computed from ``corpus``.
    thin : int, default 1
        Use every ``thin``-th draw. Between two of them there are at most ``thin`` sweeps over the
        topics before z̄ is averaged.
    single_draw : bool, default False
        Use the last draw of the first chain only, as the paper does.
    interval : float, optional
        Coverage of intervals of real values, such as 0.9: adds ``lower`` and ``upper``. The run
        must be calibrated, by `calibrate` or by an estimator.
    n_samples : int, default 10
        Sweeps over which z̄ is averaged in each chain. The draws of a chain share them, and every
        draw has one at the least: ten draws or more have one sweep each, a single draw has ten. For
        m sweeps with each draw, ask for m times the number of draws; the spread of discriminants
        over draws then holds less of the noise of sampling topics. The paper keeps one sweep, and
        finds an average of ten slightly more robust. Up to 128 topics, a sweep gives the
        probabilities from which the topics are drawn instead of the topics themselves, because
        their mean is the same and their noise is smaller.
    max_burn_in : int, default 100
        The most sweeps before them under the first draw of each chain, which starts at random.
    tolerance : float, default 1e-3
        Burn-in ends when the log likelihood of a block of documents changes by less than this
        share of itself from one sweep to the next. The paper names the rule, not the number;
        1e-3 is reached after five to ten sweeps.
    var_names : sequence of str, optional
        What to return; by default all of the list below. ``theta`` is the largest.
    random_seed : int, sequence of int or numpy.random.Generator, optional
        The same seed gives the same answer, whatever the number of cores. Draws are not sampled
        by themselves, so the answer for a draw depends on the draws of its chain before it.
    cores : int, optional
        Threads; by default all cores of the process.
    progressbar : bool, default True
        Show a progress bar if the work takes more than two seconds.
    as_frame : bool, default False
        Return a table instead, see below.

    Returns
    -------
    InferenceData or DataTree
        A shallow copy of ``idata`` with the group ``predictions``:

        ``discriminant``
            F, (chain, draw, document) or (chain, draw, document, task).
        ``discriminant_topics``, ``discriminant_features``
            What topics and features contribute to it, in the same shape, if the model has features.
            An offset, and the mean of a standardised response, belong to neither.
        ``y``
            The decision of each draw: a class, 0 or 1 for each label, or the value.
        ``theta``
            (chain, draw, document, topic), the mean of the topic proportions given z.
        ``decision``
            The decision from F averaged over chains and draws, (document) or (document, task). If
            the run is calibrated, a class of two or a label is chosen if its probability is
            larger than one half, and a real value is corrected by the line of the calibration.
        ``probability``
            Probability of a class, (document, class), or of a label, (document, task); absent for
            real responses. It is calibrated if the run is (see `calibrate`), and otherwise equal
            to ``agreement``. The attribute ``calibrated`` of the group, 1 or 0, tells which.
        ``agreement``
            Share of draws that decide for a class or set a label. It tells what the posterior
            leaves open, and not how often the decision is right.
        ``lower``, ``upper``
            Bounds between which a real value lies with the probability ``interval``, (document) or
            (document, task); only if ``interval`` is given.
        ``no_known_words``
            Whether a document holds no word of the training corpus, (document). Such a document
            gets the prior: theta and z̄ are alpha / sum(alpha). A warning says how many there are.

        A plain LDA, without response, gets ``theta`` and ``no_known_words`` only. The attributes of
        the group hold the settings, the seed and the number of dropped tokens.
    DataFrame
        With ``as_frame``, one row per document, or per document and task if there are several
        labels or values. The columns are ``document``; ``task`` where there are several; the
        ``decision`` and its ``probability``, or a real ``value`` with ``lower`` and ``upper`` if
        the run is calibrated (for ``interval``, 0.9 by default); ``topic 1``, its ``share 1`` and
        ``words 1`` to ``topic 3``, the largest topics of the document in the first chain, as
        `top_words` labels them; ``no_known_words``.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> predicted = med.predict(idata, new_corpus, random_seed=1, progressbar=False)["predictions"]
    >>> dict(predicted["discriminant"].sizes)
    {'chain': 2, 'draw': 20, 'document': 10}
    >>> bool((predicted["decision"].values == new_y).mean() > 0.7)
    True
    """
    check_schedule(thin, n_samples, max_burn_in, tolerance)
    check_running(single_draw, progressbar, as_frame, cores)
    seed = as_seed(random_seed)
    run = Run.of(idata)
    chosen, topics = _choose_response(run, response)
    calibration = None if chosen is None else read_calibration(run.group(GROUP), chosen)
    interval = check_interval(interval, chosen, calibration, as_frame)
    wanted = check_names(var_names, chosen, interval, as_frame)
    known, n_dropped = match_words(topics, corpus)
    chains, draws = _choose_draws(topics.z, thin, single_draw)
    shift = check_offset(offset, chosen, topics.z.shape[:2], known)
    shape = (len(chains), len(draws), known.n_documents)
    of_features = find_new_features(features, chosen, known)
    result = Predictions.empty(shape, topics, chosen, calibration, wanted, of_features)
    positions = [(chain, draw) for chain in chains for draw in draws]
    schedule = Schedule(-(-n_samples // len(draws)), max_burn_in, float(tolerance), thin)
    new = NewDocuments.from_corpus(known)
    options: dict[str, Any] = {"schedule": schedule, "seed": seed, "cores": cores}
    frequencies = iterate_topic_frequencies(topics, new, positions, **options)
    longest, steps = 0, zip(positions, frequencies, np.ndindex(shape[:2]), strict=True)
    for position, (frequency, burn_in), cell in track(
        steps, len(positions), "Predicting", show=progressbar
    ):
        result.fill(cell, position, frequency, known.lengths, shift)
        longest = max(longest, burn_in)

    dataset = result.to_dataset(wanted, plain(known.document_labels), chains, draws, interval)
    if UNKNOWN in wanted:
        dataset[UNKNOWN] = topics.document_dim, find_unknown(known)
    if as_frame:
        return make_frame(dataset, topics, chosen)
    dataset.attrs = {
        **_describe(chosen, calibration, interval),
        "n_dropped_tokens": n_dropped,
        "n_samples": n_samples,
        "longest_burn_in": longest,
        **{"max_burn_in": max_burn_in, "tolerance": float(tolerance)},
        **{"thin": thin, "single_draw": int(single_draw), "random_seed": str(seed.entropy)},
    }
    return with_group(run.idata, "predictions", dataset)


def _choose_response(run: Run, name: str | None) -> tuple[ResponseDraws | None, TopicDraws]:
    """Return the response to predict, None for plain LDA, and its topic assignments."""
    if run.response_names or name is not None:
        chosen = run.response(name)
        return chosen, run.topics(chosen.topics)
    if len(run.assignment_names) > 1:
        raise ValueError(
            f"idata has several topic assignments ({', '.join(run.assignment_names)}) and no "
            "response that tells which of them new documents have: one is allowed"
        )
    return None, run.topics()


def _describe(
    response: ResponseDraws | None, calibration: Calibration | None, interval: float | None
) -> dict[str, Any]:
    """Return the attributes that say what was predicted."""
    found = {
        "inference_library": "pymc_medlda",
        "response": response.name if response else "",
        "kind": response.kind if response else "",
        "class_dim": (response and response.class_dim) or "",
        "calibrated": int(calibration is not None),
    }
    return found if interval is None else {**found, "interval": float(interval)}


def _choose_draws(z: xr.DataArray, thin: int, single_draw: bool) -> tuple[range, range]:
    """Return the positions of the chains and draws to predict from."""
    n_chains, n_draws = z.shape[:2]
    if not n_chains or not n_draws:
        raise ValueError(f"the posterior is empty: {n_chains} chains of {n_draws} draws")
    if single_draw:
        return range(1), range(n_draws - 1, n_draws)
    return range(n_chains), range(0, n_draws, thin)
