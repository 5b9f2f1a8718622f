"""`export`: write a small model for serving from a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arguments import check_whole
from pymc_medlda._arrays import Floats
from pymc_medlda.run.calibration import GROUP, Calibration, read_calibration
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.run import Run
from pymc_medlda.run.topic_draws import TopicDraws
from pymc_medlda.serving.file_format import check_target, write_model

HALF = np.float16
"""Three digits are enough for weights."""


def export(idata: Any, path: Any, *, response: str | None = None, draws: int = 10) -> None:
    """Write a small model for serving: one file that predicts, and needs no PyMC to be loaded.

    The file holds, for each chain, the topic-word counts averaged over some draws and rounded to
    whole tokens, and the weights of these draws; beside them the vocabulary, how texts are split,
    the priors, the calibration, and the weights of words if these are features. It holds no
    documents. `load` reads it; `ServedModel` states how it predicts.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it.
    path : str or path
        The file to write, such as ``"model.npz"``. An older file is replaced at once when the new
        one is complete.
    response : str, optional
        Name of the response, where the model has several.
    draws : int, default 10
        How many draws of each chain are used, spread evenly; all of them if there are fewer.

    Raises
    ------
    ValueError
        If the model has no response, an offset, or features that were given as numbers, because
        new documents would need them as well. Use `predict` for these.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pymc_medlda as med
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> med.export(idata, path)
    >>> model = med.load(path)
    >>> model.predict(new_corpus).decision[:5].tolist() == list(new_y[:5])
    True
    """
    target = check_target(path)
    check_whole("draws", draws, at_least=1)
    run = Run.of(idata)
    found = run.response(response)
    _check_servable(found)
    topics = run.topics(found.topics)
    calibration = read_calibration(run.group(GROUP), found)
    chosen = np.linspace(0, topics.n_draws - 1, min(draws, topics.n_draws)).round().astype(int)
    order = _order_topics(run, topics)
    words = np.arange(topics.n_words)
    if topics.vocabulary is not None:
        words = np.argsort(topics.word_labels, kind="stable")  # sorted words compress better
    header, arrays = _describe(found, topics), {}
    if topics.vocabulary is not None:
        joined = "\0".join(topics.word_labels[words].tolist())
        arrays["words"] = np.frombuffer(joined.encode(), np.uint8)
    arrays |= _collect_topics(topics, chosen, order, words)
    arrays |= _collect_weights(found, chosen, order, words, arrays["size"].astype(np.float64))
    if calibration is not None:
        header["calibration"] = _describe_calibration(calibration, topics.n_chains)
        if calibration.kind == "real":
            arrays |= _collect_out_of_fold(calibration)
    write_model(target, header, arrays)


def _check_servable(response: ResponseDraws) -> None:
    """Raise if new documents would need more than their words."""
    why = None
    if response.has_offset:
        why = "an offset"
    elif response.features is not None and response.features.idf is None:
        why = "features that were given as numbers"
    if why is not None:
        raise ValueError(
            f"idata cannot be exported: the model of {response.name!r} has {why}, which new "
            "documents would need as well. Use predict with the run itself"
        )


def _describe(response: ResponseDraws, topics: TopicDraws) -> dict[str, Any]:
    """Return what a file says in words."""
    return {
        "kind": response.kind,
        "response": response.name,
        "classes": None if response.classes is None else response.classes.tolist(),
        "recipe": None if topics.recipe is None else topics.recipe.to_dict(),
        "location": response.location.tolist(),
    }


def _order_topics(run: Run, topics: TopicDraws) -> NDArray[np.intp]:
    """Return the label in each chain of every topic, so that a topic is the same in all chains."""
    if topics.n_chains == 1:
        return np.arange(topics.n_topics)[None]
    return run.matching(topics).of_chain


def _collect_topics(
    topics: TopicDraws, chosen: NDArray[np.intp], order: NDArray[np.intp], words: NDArray[np.intp]
) -> dict[str, NDArray[Any]]:
    """Return the mean counts of words in topics, rounded and sparse, and the priors."""
    shape = topics.n_chains, topics.n_words, topics.n_topics
    total = np.zeros(shape)
    draws = dict.fromkeys(range(topics.n_chains), chosen.tolist())
    for counts in topics.iterate_counts(draws=draws):
        total[counts.chain] += counts.word_topic
    mean = np.take_along_axis(total / chosen.size, order[:, None], axis=2)
    by_word = np.rint(mean).transpose(1, 0, 2).reshape(topics.n_words, -1)[words]
    row, column = np.nonzero(by_word)
    pairs = [[(chain, draw) for draw in chosen] for chain in range(topics.n_chains)]
    alpha = np.array([[topics.alpha(*pair) for pair in own] for own in pairs]).mean(axis=1)
    beta = np.array([[topics.beta(*pair) for pair in own] for own in pairs]).mean(axis=1)
    return {
        "n_entries": _smallest(np.bincount(row, minlength=topics.n_words)),
        "column": _smallest(column),
        "count": _smallest(by_word[row, column].astype(np.int64)),
        "size": mean.sum(axis=1).astype(np.float32),
        "alpha": np.take_along_axis(alpha, order, axis=1).astype(np.float32),
        "beta": beta.astype(np.float32),
    }


def _collect_weights(
    response: ResponseDraws,
    chosen: NDArray[np.intp],
    order: NDArray[np.intp],
    words: NDArray[np.intp],
    size: Floats,
) -> dict[str, NDArray[Any]]:
    """Return the weights of topics in the chosen draws, and the mean weights of words.

    ``size`` is the number of tokens of each topic. As the topic frequencies of a document sum to
    one, the weights are kept as their mean and the deviations from it. The tokens weigh the mean,
    because the weight of an empty topic can be far from those of the others.
    """
    n_chains = order.shape[0]
    eta = np.array([[response.weights(c, s) for s in chosen] for c in range(n_chains)])
    eta = np.take_along_axis(eta, order[:, None, None], axis=3)
    centre = np.einsum("cstk,ck->cst", eta, size / size.sum(axis=1, keepdims=True))
    arrays = {
        "eta_centre": centre,
        # Real values can be of any size beside the weight of an empty topic.
        **_pack("eta", eta - centre[..., None], np.float32 if response.kind == "real" else HALF),
    }
    if response.features is None:
        return arrays
    assert response.features.idf is not None
    weights = np.zeros((n_chains, eta.shape[2], words.size))
    for chain in range(n_chains):
        for draw in chosen:
            weights[chain] += response.features.weights_at(chain, draw).T
    arrays["idf"] = response.features.idf[words].astype(np.float32)
    return arrays | _pack("word_weights", weights[..., words] / chosen.size)


def _describe_calibration(calibration: Calibration, n_chains: int) -> dict[str, Any]:
    """Return the parameters of the map to probabilities, for as many chains as the run has."""
    if calibration.kind == "multiclass":
        return {name: float(value) for name, value in calibration.parameters.items()}
    slope, intercept = calibration.line(n_chains)
    return {"slope": slope.tolist(), "intercept": intercept.tolist()}


def _collect_out_of_fold(calibration: Calibration) -> dict[str, NDArray[Any]]:
    """Return predictions and residuals of real values, in single precision around their mean."""
    prediction = calibration.out_of_fold
    residual = calibration.y - prediction
    known = ~np.isnan(residual)
    n_known = np.maximum(known.sum(axis=0), 1)
    centre = np.where(known, prediction, 0.0).sum(axis=0) / n_known
    rows = known.any(axis=1)
    return {
        "prediction_centre": centre,
        "prediction": (prediction - centre)[rows].astype(np.float32),
        "residual": residual[rows].astype(np.float32),
    }


def _pack(name: str, values: Floats, dtype: Any = HALF) -> dict[str, NDArray[Any]]:
    """Return numbers of (..., n_tasks, n) in low precision, in units of the largest of a task."""
    scale = np.abs(values).max(axis=(*range(values.ndim - 2), -1))[:, None]
    scale[scale == 0.0] = 1.0
    return {name: (values / scale).astype(dtype), f"{name}_scale": scale}


def _smallest(values: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    """Return whole numbers in the smallest dtype that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
