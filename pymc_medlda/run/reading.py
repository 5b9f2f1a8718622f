"""From the stored record to objects: read what a run left behind, and refuse what is not ours.

`run.record` says how a run is stored. `Run` calls these functions, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import xarray as xr

from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.losses import find_loss
from pymc_medlda.run import record
from pymc_medlda.run.coordinates import labels_of
from pymc_medlda.run.record import Record, ResponseRecord, TopicsRecord
from pymc_medlda.run.response_draws import ResponseDraws
from pymc_medlda.run.topic_draws import TopicDraws

FOREIGN = (
    "idata holds no MedLDA model: expected what pm.sample returned for a model with "
    "TopicAssignments, or a file of it"
)
UNSUPERVISED = "the model has no response: it is plain LDA"
Described = TypeVar("Described", TopicsRecord, ResponseRecord)
Groups = Callable[[str], Any]
"""Returns a group of a run by name, None if it is absent."""


def read_records(groups: Groups) -> list[Record]:
    """Return all descriptions that a run holds."""
    constant = groups("constant_data")
    if constant is None:
        raise ValueError(FOREIGN)
    return [
        record.decode(str(variable[str(variable.dims[0])].values[0]))
        for name, variable in constant.data_vars.items()
        if str(name).endswith(record.SUFFIX) and variable.ndim == 1
    ]


def pick(
    found: Sequence[Described], name_of: Callable[[Described], str], name: str | None, none: str
) -> Described:
    """Return the description with this name, or the only one; ``none`` is the error for none."""
    names = [name_of(described) for described in found]
    if not found:
        raise ValueError(none)
    if name is None:
        if len(found) > 1:
            raise ValueError(f"the model has several: {', '.join(names)}; say which by name")
        return found[0]
    if name not in names:
        raise ValueError(f"the model has no {name!r}; it has {', '.join(names)}")
    return found[names.index(name)]


def read_topics(described: TopicsRecord, groups: Groups) -> TopicDraws:
    """Return the topic assignments that a record describes."""
    posterior, constant = _posterior_and_constant(groups)
    name = described.z
    if name not in posterior:
        raise ValueError(
            f"the posterior has no {name!r}: sample with it among var_names, it is the record "
            "from which topics and predictions follow"
        )
    z = _by_draw(posterior[name])
    if z.dtype.kind not in "ui":
        raise ValueError(
            f"{name!r} is of dtype {z.dtype}, so draws are missing in some chain: keep the same "
            "draws of every chain (idata.sel(draw=...) does)"
        )
    observed = groups("observed_data")
    if observed is None or described.words not in observed:
        raise ValueError(f"idata has no observed {described.words!r}: {FOREIGN}")
    length = constant[record.length_of(name)]
    word_count = constant[record.word_count_of(name)]
    alpha = _find(groups, record.alpha_of(name))
    start = np.concatenate([[0], np.cumsum(length.values)]).astype(np.int64)
    words = np.ascontiguousarray(observed[described.words].values, np.int32)
    if words.size != z.shape[-1] or start[-1] != words.size:
        raise ValueError(
            f"{name!r} has {z.shape[-1]} tokens, but the stored documents have {start[-1]}"
        )
    word_dim, topic_dim = str(word_count.dims[0]), str(alpha.dims[-1])
    return TopicDraws(
        name=name,
        z=z,
        tokens=Tokens(words, start),
        vocabulary=word_count[word_dim].values if described.has_vocabulary else None,
        documents=length[str(length.dims[0])].values,
        n_words=word_count.size,
        n_topics=alpha.sizes[topic_dim],
        topic_dim=topic_dim,
        document_dim=str(length.dims[0]),
        word_dim=word_dim,
        topic_labels=labels_of(alpha, topic_dim),
        _alpha=alpha,
        _beta=_find(groups, record.beta_of(name)),
    )


def read_response(described: ResponseRecord, groups: Groups) -> ResponseDraws:
    """Return the response that a record describes."""
    posterior, constant = _posterior_and_constant(groups)
    name = described.name
    if described.eta not in posterior:
        raise ValueError(
            f"the posterior has no weights {described.eta!r}: sample with them among var_names"
        )
    loss = find_loss(described.loss)
    unknown = set(loss.parameter_names()) ^ set(described.parameters)
    if unknown:
        raise ValueError(
            f"the loss {described.loss!r} was stored with the parameters "
            f"{list(described.parameters)}, but has {list(loss.parameter_names())} now"
        )
    y = groups("observed_data")[name]
    task_dim = str(y.dims[1]) if y.ndim == 2 else None
    classes = None
    if described.kind == "binary":
        sign = constant[record.sign_of(name)]
        classes = sign[str(sign.dims[0])].values
    elif task_dim is not None:
        classes = y[task_dim].values
    return ResponseDraws(
        name=name,
        kind=described.kind,
        loss=loss,
        eta=_by_draw(posterior[described.eta]),
        y=np.asarray(y.values, np.float64).reshape(y.shape[0], -1),
        classes=classes,
        task_dim=task_dim,
        topics=described.z,
        has_offset=described.offset,
        _parameters=tuple(
            _find(groups, value) if isinstance(value, str) else float(value)
            for value in (described.parameters[key] for key in loss.parameter_names())
        ),
        _offset=_find(groups, record.offset_of(name)) if described.offset else None,
    )


def _posterior_and_constant(groups: Groups) -> tuple[Any, Any]:
    posterior, constant = groups("posterior"), groups("constant_data")
    if posterior is None or constant is None:
        raise ValueError(FOREIGN)
    return posterior, constant


def _by_draw(variable: xr.DataArray) -> xr.DataArray:
    """Return a variable of the posterior with chain and draw first."""
    if not {"chain", "draw"} <= set(variable.dims):
        raise ValueError(
            f"{variable.name!r} has the dims {variable.dims}: keep chain and draw, selecting by "
            "lists (idata.sel(chain=[0]))"
        )
    return variable.transpose("chain", "draw", ...)


def _find(groups: Groups, name: str) -> xr.DataArray:
    """Return a parameter, random (posterior) or fixed (constant data)."""
    for group in ("posterior", "constant_data"):
        dataset = groups(group)
        if dataset is not None and name in dataset:
            found: xr.DataArray = dataset[name]
            return found.transpose("chain", "draw", ...) if "chain" in found.dims else found
    raise ValueError(f"idata has no {name!r}: sample with it among var_names")
