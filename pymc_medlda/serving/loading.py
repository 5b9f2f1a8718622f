"""`load`: read a model for serving, with everything in its file checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.serving.calibrating import ServedCalibration
from pymc_medlda.serving.file_format import damaged, read_model
from pymc_medlda.serving.served_model import ServedModel
from pymc_medlda.serving.word_features import WordFeatures
from pymc_medlda.serving.word_topics import WordTopics
from pymc_medlda.targets.response import KINDS


def load(path: Any, *, functions: Iterable[str | Callable[..., Any]] = ()) -> ServedModel:
    """Read a model that `export` wrote. Neither PyMC nor numba, xarray or pandas is imported.

    A file holds no code. If the texts were split by functions of the user, the file names them by
    their import paths, and they are called when texts are given. As a file from somebody else
    could name any function, those that a model may call have to be listed.

    Parameters
    ----------
    path : str or path
    functions : iterable of function or str, optional
        The functions that the model may call to split texts, or their import paths, such as
        ``["mypackage.words:stem"]``. By default none.

    Returns
    -------
    ServedModel
        It predicts from texts or a `Corpus`: ``model.predict(["a new text"]).to_frame()``.

    Raises
    ------
    ValueError
        If the file was not written by `export`, if it is damaged, if a later release wrote it, or
        if it names functions that are not listed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pymc_medlda as med
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> med.export(idata, path)
    >>> med.load(path)
    ServedModel(binary response 'y', 30 words, 2 topics, 2 chains of 10 draws, not calibrated)
    """
    allowed = _paths_of(functions)
    header, arrays = read_model(path)
    try:
        model = _build(header, arrays)
    except KeyError as error:
        raise damaged(path, f"it has lost {error}") from error
    except (TypeError, ValueError, AttributeError, UnicodeDecodeError) as error:
        raise damaged(path, str(error)) from error
    unknown = [] if model.recipe is None else set(model.recipe.import_paths()) - allowed
    if unknown:
        raise ValueError(
            f"{path} calls functions to split texts that were not allowed: {sorted(unknown)}. If "
            f"you know and trust them, list them: load(path, functions={sorted(unknown)})"
        )
    return model


def _paths_of(functions: Any) -> set[str]:
    """Return the import paths of functions that are given as such or by their paths."""
    if isinstance(functions, (str, bytes)) or not isinstance(functions, Iterable):
        raise TypeError(
            "functions must be a list of functions or of their import paths, such as "
            f"['mypackage.words:stem']; got {functions!r} ({type(functions).__name__})"
        )
    from pymc_medlda.corpus.hooks import is_path, path_of

    paths: set[str] = set()
    for function in functions:
        path = path_of(function) if callable(function) else function
        if not is_path(path):
            raise ValueError(
                f"functions holds {function!r}, which is neither an import path, such as "
                "'mypackage.words:stem', nor a function that has one"
            )
        paths.add(str(path))
    return paths


def _build(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> ServedModel:
    """Return the model that a description and arrays make, after checking that they fit."""
    kind, classes = header["kind"], header["classes"]
    if kind not in KINDS:
        raise ValueError(f"its kind is {kind!r}, where one of {', '.join(KINDS)} is allowed")
    eta = _unpack(arrays, "eta", 4)
    n_chains, n_draws, n_tasks, n_topics = eta.shape
    eta += _finite(arrays, "eta_centre", (n_chains, n_draws, n_tasks))[..., None]
    topics = _read_topics(arrays, n_chains, n_topics)
    words = None
    if "words" in arrays:
        words = np.array(arrays["words"].tobytes().decode().split("\0"))
        _expect("words", words.shape, (topics.n_words,))
    features = None
    if "idf" in arrays:
        weights = _unpack(arrays, "word_weights", 3)
        _expect("word_weights", weights.shape, (n_chains, n_tasks, topics.n_words))
        features = WordFeatures(_numbers(arrays, "idf", (topics.n_words,)), weights)
    location = np.asarray(header["location"], np.float64)
    _expect("location", location.shape, (n_tasks,))
    if classes is not None:
        _expect("classes", (len(classes),), (2,) if kind == "binary" else (n_tasks,))
    return ServedModel(
        kind=kind,
        response=str(header["response"]),
        classes=None if classes is None else np.asarray(classes),
        words=words,
        recipe=_read_recipe(header["recipe"]),
        word_topics=topics,
        eta=eta,
        location=location,
        features=features,
        calibration=_read_calibration(kind, header.get("calibration"), arrays, n_tasks),
    )


def _read_recipe(stored: Any) -> Any:
    if stored is None:
        return None
    from pymc_medlda.corpus.recipe import TextRecipe

    return TextRecipe.from_dict(stored)


def _read_topics(arrays: Mapping[str, NDArray[Any]], n_chains: int, n_topics: int) -> WordTopics:
    n_entries = _whole(arrays, "n_entries")
    start = np.concatenate([[0], np.cumsum(n_entries)])
    column, count = _whole(arrays, "column"), _whole(arrays, "count")
    for name, array in (("column", column), ("count", count)):
        _expect(name, array.shape, (int(start[-1]),))
    if column.size and column.max() >= n_chains * n_topics:
        raise ValueError("'column' holds topics that the model does not have")
    return WordTopics(
        start,
        column,
        count.astype(np.float64),
        _numbers(arrays, "size", (n_chains, n_topics)),
        _numbers(arrays, "alpha", (n_chains, n_topics)),
        _numbers(arrays, "beta", (n_chains,)),
    )


def _read_calibration(
    kind: str, stored: Any, arrays: Mapping[str, NDArray[Any]], n_tasks: int
) -> ServedCalibration | None:
    if stored is None:
        return None
    if kind == "multiclass":
        from pymc_medlda.calibrators.temperature import Softmax  # it imports SciPy

        softmax = Softmax(float(stored["temperature"]), float(stored["curvature"]))
        return ServedCalibration(kind, softmax=softmax)
    line = np.asarray([stored["slope"], stored["intercept"]], np.float64)
    _expect("slope and intercept", line.shape, (2, n_tasks))
    if kind == "real":
        deviation, residual = arrays["prediction"], arrays["residual"]
        for name, array in (("prediction", deviation), ("residual", residual)):
            _expect(name, array.shape, (len(deviation), n_tasks))
        prediction = _finite(arrays, "prediction_centre", (n_tasks,)) + deviation
        out_of_fold = (prediction, prediction + residual)
        return ServedCalibration(kind, line=(line[0], line[1]), out_of_fold=out_of_fold)
    return ServedCalibration(kind, line=(line[0], line[1]))


def _numbers(arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> Floats:
    """Return an array of finite numbers that are not negative."""
    values = _finite(arrays, name, shape)
    if (values < 0).any():
        raise ValueError(f"{name!r} holds negative numbers")
    return values


def _finite(arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> Floats:
    """Return an array of finite numbers."""
    values = np.asarray(arrays[name], np.float64)
    _expect(name, values.shape, shape)
    if not np.isfinite(values).all():
        raise ValueError(f"{name!r} holds numbers that are not finite")
    return values


def _whole(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.int64]:
    """Return an array of whole numbers that are not negative."""
    values = arrays[name]
    if values.dtype.kind != "u" or values.ndim != 1:
        raise ValueError(f"{name!r} must hold whole numbers")
    return values.astype(np.int64)


def _unpack(arrays: Mapping[str, NDArray[Any]], name: str, n_dims: int) -> Floats:
    """Return numbers of (..., n_tasks, n) that were stored in units of the largest of a task."""
    stored = arrays[name]
    if stored.ndim != n_dims or not stored.size:
        raise ValueError(f"{name!r} has the shape {stored.shape}")
    scale = _finite(arrays, f"{name}_scale", (stored.shape[-2], 1))
    return _finite(arrays, name, stored.shape) * scale


def _expect(name: str, shape: tuple[int, ...], allowed: tuple[int, ...]) -> None:
    if shape != allowed:
        raise ValueError(f"{name!r} has the shape {shape}, where {allowed} is allowed")
