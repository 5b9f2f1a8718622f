"""`fit`: from a table with a column of texts and a column of labels to a calibrated run."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd

from pymc_medlda._arguments import check_bool, check_positive, check_scalar, check_whole
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.counting import check_options
from pymc_medlda.corpus.frames import as_texts, pick_column, pick_columns
from pymc_medlda.estimators.classifier import GibbsMedLDAClassifier
from pymc_medlda.estimators.regressor import GibbsMedLDARegressor
from pymc_medlda.estimators.settings import check_settings
from pymc_medlda.losses import EpsilonInsensitive, Hinge, Standardised
from pymc_medlda.targets.coding import code_response

WORDS = {"min_df": 2, "max_df": 0.5}
"""Words of a single text teach nothing, and words of every second text are stop words."""


def fit(
    frame: pd.DataFrame,
    *,
    text: str,
    label: str,
    values: bool | None = None,
    separator: str | None = None,
    n_topics: int | None = None,
    features: str | None = None,
    margin: float | None = None,
    chains: int = 4,
    tune: int = 50,
    draws: int = 25,
    anneal: int = 0,
    random_seed: int | None = None,
    cores: int | None = None,
    progressbar: bool = True,
    **count_vectorizer_kwargs: Any,
) -> Any:
    """Fit a model to a column of texts and a column of labels, with good defaults.

    The texts become a `Corpus`, as `Corpus.from_texts` makes it. The chains are sampled, calibrated
    and aligned as by `GibbsMedLDAClassifier` or `GibbsMedLDARegressor`. The run remembers how the
    texts were split, so `predict` takes new texts.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per document.
    text : str
        The column of texts.
    label : str
        The column of classes, labels or values. Where it is missing, only the words count.
    values : bool, optional
        Whether the labels are real values and not classes. By default numbers are real values if
        there are more than two different ones and not all are whole. All other labels are classes.
    separator : str, optional
        The text between the labels of a document, such as ``";"``, if it may have several.
    n_topics : int, optional
        Number of topics; by default 20 for two classes or a value, and 40 for several.
    features : {None, "words"}, default None
        ``"words"`` lets single words count beside the topics.
    margin : float, optional
        The margin of the loss of classes and labels, by default 20. A smaller one gives the words
        more influence on the topics. Real values have none.
    chains, tune, draws : int, default 4, 50 and 25
        Independent chains, draws of each before those that are kept, and draws to keep.
    anneal : int, default 0
        Sweeps in which every chain is annealed before the first draw.
    random_seed : int, optional
        The same number gives the same run.
    cores : int, optional
        Threads; by default all cores.
    progressbar : bool, default True
        Show a progress bar if the work takes more than two seconds.
    **count_vectorizer_kwargs
        Passed on to `Corpus.from_texts`: ``stop_words``, ``ngram_range``, ... By default words that
        occur in a single text, or in more than half of the texts, are left out
        (``min_df=2, max_df=0.5``).

    Returns
    -------
    InferenceData or DataTree
        The run, as ``pm.sample`` returns it, with the group ``calibration`` if there are several
        chains and enough labels.

    Examples
    --------
    >>> import pandas as pd, pymc_medlda as med
    >>> frame = pd.DataFrame({
    ...     "review": ["good food and wine", "nice wine", "slow rude service", "rude waiter"] * 5,
    ...     "verdict": ["up", "up", "down", "down"] * 5,
    ... })
    >>> run = med.fit(frame, text="review", label="verdict", n_topics=2, random_seed=1)
    >>> med.predict(run, ["wine and food"], random_seed=1, as_frame=True)["decision"].tolist()
    ['up']
    """
    _check_frame(frame, text, label)
    _check_options(count_vectorizer_kwargs)
    check_bool("progressbar", progressbar)
    if values is not None:
        check_bool("values", values)
    if cores is not None:
        check_whole("cores", cores, at_least=1)
    if random_seed is not None:
        check_whole("random_seed", random_seed, at_least=0)
    column = keep_whole(frame[label])
    texts, labels = pick_columns(pd.DataFrame({text: frame[text], label: column}), text, label)
    as_texts(texts, argument=f"the column {text!r}")  # the error names the column
    y = labels if separator is None else split_labels(column, separator)
    response = code_response(
        y,
        n_documents=len(frame),
        takes_labels=None if values is None else not values,
        name=label,
    )
    is_real = response.kind == "real"
    _check_margin(margin, is_real, label)
    estimator: Any = (GibbsMedLDARegressor if is_real else GibbsMedLDAClassifier)(
        n_topics,
        features=features,
        chains=chains,
        tune=tune,
        draws=draws,
        anneal=anneal,
        n_jobs=-1 if cores is None else cores,
        random_state=random_seed,
        verbose=int(progressbar),
    )
    check_settings(estimator)
    corpus = Corpus.from_texts(texts, **{**WORDS, **count_vectorizer_kwargs})
    return estimator._sample(corpus, response, _loss_of(estimator, margin), each=False)[0]


def _check_frame(frame: Any, text: str, label: str) -> None:
    """Raise unless a frame has documents, a column of texts, and another one with some labels."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame, got a {type(frame).__name__}")
    if not len(frame):
        raise ValueError("frame has no rows; every document needs one")
    pick_column(list(frame.columns), text, "text")
    pick_column(list(frame.columns), label, "label")
    if text == label:
        raise ValueError(f"text and label must be two columns; got {text!r} for both")
    if frame[label].isna().all():
        raise ValueError(f"the column {label!r} holds no label: all {len(frame)} are missing")


def _check_options(given: dict[str, Any]) -> None:
    """Raise unless `Corpus.from_texts` has all arguments that are passed on to it."""
    passed_on = {name: value for name, value in given.items() if name != "stemmer"}
    own = [name for name in inspect.signature(fit).parameters if name != "count_vectorizer_kwargs"]
    check_options(passed_on, "fit", [*own, "stemmer"])


def _loss_of(estimator: Any, margin: float | None) -> Hinge | Standardised:
    """Return the loss of an estimator, with a margin of its own if one is given."""
    if isinstance(estimator, GibbsMedLDARegressor):
        return Standardised(EpsilonInsensitive(c=estimator.c, epsilon=estimator.epsilon))
    return Hinge(c=estimator.c, margin=estimator.margin if margin is None else margin)


def _check_margin(margin: float | None, is_real: bool, label: str) -> None:
    if margin is None:
        return
    check_positive("margin", margin)
    check_scalar("margin", margin)
    if is_real:
        raise ValueError(f"margin is for classes and labels, but {label!r} holds real values")


def keep_whole(column: pd.Series) -> pd.Series:
    """Return numbers that are all whole as integers, with None where one is missing.

    pandas makes fractions of whole numbers as soon as one entry of their column is missing.

    Examples
    --------
    >>> keep_whole(pd.Series([5.0, None, 4.0])).tolist()
    [5, None, 4]
    """
    kinds = pd.api.types
    if not (kinds.is_float_dtype(column) or kinds.is_integer_dtype(column)):
        return column
    numbers = column.to_numpy(dtype=object)
    missing = column.isna().to_numpy()
    known = numbers[~missing]
    if not known.size or not all(float(number).is_integer() for number in known):
        return column
    numbers[missing] = None
    numbers[~missing] = [int(number) for number in known]
    return pd.Series(numbers, index=column.index, dtype=object)


def split_labels(column: pd.Series, separator: str) -> list[list[str] | None]:
    """Return the labels of each document; None where they are missing.

    Examples
    --------
    >>> split_labels(pd.Series(["a; b", "", None]), ";")
    [['a', 'b'], [], None]
    """
    if not isinstance(separator, str) or not separator:
        raise ValueError(f"separator must be a text between labels, such as ';'; got {separator!r}")
    found: list[list[str] | None] = []
    for entry in column:
        if entry is None or entry is pd.NA or (isinstance(entry, float) and np.isnan(entry)):
            found.append(None)
        else:
            parts = (part.strip() for part in str(entry).split(separator))
            found.append([part for part in parts if part])
    return found
