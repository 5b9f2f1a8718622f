"""Dims of the model: names for topics, documents, words and tasks."""

from __future__ import annotations

import numpy as np
import pymc as pm

from pymc_medlda.corpus import Corpus
from pymc_medlda.run.record import as_dim
from pymc_medlda.targets.response import Response


def word_labels(corpus: Corpus) -> np.ndarray:
    """Return the words, or their ids where they have no names."""
    if corpus.vocabulary is None:
        return np.arange(corpus.n_words)
    return np.asarray(corpus.vocabulary)


def task_labels(response: Response) -> np.ndarray:
    """Return the names of the tasks of a response, or their positions."""
    return np.asarray(response.classes if response.classes is not None else range(response.n_tasks))


def add_dim(model: pm.Model, dim: str, values: np.ndarray, owner: str) -> str:
    """Add a dim with coordinates; one that is taken by other values is prefixed with its owner."""
    taken = model.coords.get(dim)
    if taken is not None and not np.array_equal(np.asarray(taken), values):
        dim = as_dim(model.name_for(f"{owner}_{dim}"))
    if dim not in model.coords:
        model.add_coord(dim, values=tuple(values.tolist()))
    return dim


def add_length(model: pm.Model, dim: str, length: int, owner: str) -> str:
    """Add a dim without coordinates: a token needs no name."""
    if dim in model.coords and int(model.dim_lengths[dim].eval()) != length:
        dim = as_dim(model.name_for(f"{owner}_{dim}"))
    if dim not in model.coords:
        model.add_coord(dim, values=None, length=length)
    return dim
