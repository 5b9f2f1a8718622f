"""What a sampling run left behind, read back: from the returned object or a file, nothing else.

`run.record` says how it is stored. Both generations are served: `InferenceData` and `DataTree`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.kernels.counts import Tokens
from pymc_medlda.losses import Loss, find_loss
from pymc_medlda.run import record
from pymc_medlda.run.record import ResponseRecord, TopicsRecord

FOREIGN = (
    "idata holds no MedLDA model: expected what pm.sample returned for a model with "
    "TopicAssignments, or a file of it"
)
UNSUPERVISED = "the model has no response: it is plain LDA"
Described = TypeVar("Described", TopicsRecord, ResponseRecord)


@dataclass(frozen=True)
class StoredTopics:
    """The topic assignments of a run with their documents.

    Attributes
    ----------
    name : str
        Name of z in the posterior.
    z : DataArray
        (chain, draw, token), unsigned integers.
    tokens : Tokens
        Words and document starts of the training corpus.
    vocabulary : (n_words,) array of str, or None if the words had no names
    documents : (n_documents,) array of document names
    n_words, n_topics : int
    topic_dim, document_dim, word_dim : str
        Names of the dims.
    """

    name: str
    z: xr.DataArray
    tokens: Tokens
    vocabulary: NDArray[Any] | None
    documents: NDArray[Any]
    n_words: int
    n_topics: int
    topic_dim: str
    document_dim: str
    word_dim: str
    _alpha: xr.DataArray
    _beta: xr.DataArray

    def alpha(self, chain: int, draw: int) -> Floats:
        """Return alpha_k of a draw, by position."""
        return np.ascontiguousarray(_at(self._alpha, chain, draw), np.float64)

    def beta(self, chain: int, draw: int) -> float:
        """Return beta of a draw, by position."""
        return float(_at(self._beta, chain, draw))


@dataclass(frozen=True)
class StoredResponse:
    """A response of a run: its loss, its weights and its training values.

    Attributes
    ----------
    name, kind : str
        Name of the observed variable; ``"binary"``, ``"multiclass"``, ``"multilabel"``, ``"real"``.
    loss : type[Loss]
    eta : DataArray
        (chain, draw, topic) or (chain, draw, task, topic).
    y : (n_documents, n_tasks) float array
        As coded: ±1 or real, NaN where missing.
    classes : array or None
        Two classes (the second coded +1), classes, label names or task names.
    task_dim : str or None
        None with one discriminant a document.
    topics : str
        Name of the topic assignments the response belongs to.
    has_offset : bool
    """

    name: str
    kind: str
    loss: type[Loss]
    eta: xr.DataArray
    y: Floats
    classes: NDArray[Any] | None
    task_dim: str | None
    topics: str
    has_offset: bool
    _parameters: tuple[xr.DataArray | float, ...]
    _offset: xr.DataArray | None

    def weights(self, chain: int, draw: int) -> Floats:
        """Return eta of a draw as (n_tasks, n_topics), by position."""
        return np.ascontiguousarray(np.atleast_2d(_at(self.eta, chain, draw)), np.float64)

    def loss_at(self, chain: int, draw: int) -> Loss:
        """Return the loss with its parameters of a draw, shaped against (n_documents, n_tasks)."""
        values = [
            _at(parameter, chain, draw) if isinstance(parameter, xr.DataArray) else parameter
            for parameter in self._parameters
        ]
        return self.loss.from_values([np.asarray(value, np.float64) for value in values])

    def offset(self, chain: int, draw: int) -> Floats:
        """Return the offset of the training documents in a draw, (n_documents, n_tasks)."""
        if self._offset is None:
            return np.zeros(self.y.shape)
        return np.asarray(_at(self._offset, chain, draw), np.float64).reshape(self.y.shape)


def read_topics(idata: Any, name: str | None = None) -> StoredTopics:
    """Return the topic assignments of a run, by name if there are several."""
    posterior, constant = _groups(idata)
    described = _pick(_records(idata, TopicsRecord), lambda r: r.z, name, FOREIGN)
    z_name = described.z
    if z_name not in posterior:
        raise ValueError(
            f"the posterior has no {z_name!r}: sample with it among var_names, it is the record "
            "from which topics and predictions follow"
        )
    z = _by_draw(posterior[z_name])
    if z.dtype.kind not in "ui":
        raise ValueError(
            f"{z_name!r} is of dtype {z.dtype}, so draws are missing in some chain: keep the same "
            "draws of every chain (idata.sel(draw=...) does)"
        )
    observed = get_group(idata, "observed_data")
    if observed is None or described.words not in observed:
        raise ValueError(f"idata has no observed {described.words!r}: {FOREIGN}")
    length = constant[record.length_of(z_name)]
    word_count = constant[record.word_count_of(z_name)]
    alpha = _find(idata, record.alpha_of(z_name))
    start = np.concatenate([[0], np.cumsum(length.values)]).astype(np.int64)
    words = np.ascontiguousarray(observed[described.words].values, np.int32)
    if words.size != z.shape[-1] or start[-1] != words.size:
        raise ValueError(
            f"{z_name!r} has {z.shape[-1]} tokens, but the stored documents have {start[-1]}"
        )
    word_dim = str(word_count.dims[0])
    return StoredTopics(
        name=z_name,
        z=z,
        tokens=Tokens(words, start),
        vocabulary=word_count[word_dim].values if described.has_vocabulary else None,
        documents=length[str(length.dims[0])].values,
        n_words=word_count.size,
        n_topics=alpha.sizes[str(alpha.dims[-1])],
        topic_dim=str(alpha.dims[-1]),
        document_dim=str(length.dims[0]),
        word_dim=word_dim,
        _alpha=alpha,
        _beta=_find(idata, record.beta_of(z_name)),
    )


def read_response(idata: Any, name: str | None = None) -> StoredResponse:
    """Return a response of a run, by name if there are several."""
    posterior, constant = _groups(idata)
    described = _pick(_records(idata, ResponseRecord), lambda r: r.name, name, UNSUPERVISED)
    response, eta_name = described.name, described.eta
    if eta_name not in posterior:
        raise ValueError(
            f"the posterior has no weights {eta_name!r}: sample with them among var_names"
        )
    y = get_group(idata, "observed_data")[response]
    task_dim = str(y.dims[1]) if y.ndim == 2 else None
    classes = None
    if described.kind == "binary":
        sign = constant[record.sign_of(response)]
        classes = sign[str(sign.dims[0])].values
    elif task_dim is not None:
        classes = y[task_dim].values
    return StoredResponse(
        name=response,
        kind=described.kind,
        loss=find_loss(described.loss),
        eta=_by_draw(posterior[eta_name]),
        y=np.asarray(y.values, np.float64).reshape(y.shape[0], -1),
        classes=classes,
        task_dim=task_dim,
        topics=described.z,
        has_offset=described.offset,
        _parameters=tuple(
            _find(idata, value) if isinstance(value, str) else float(value)
            for value in described.parameters.values()
        ),
        _offset=_find(idata, record.offset_of(response)) if described.offset else None,
    )


def response_names(idata: Any) -> list[str]:
    """Return the names of the responses of a run."""
    return [described.name for described in _records(idata, ResponseRecord)]


def assignment_names(idata: Any) -> list[str]:
    """Return the names of the topic assignments of a run."""
    return [described.z for described in _records(idata, TopicsRecord)]


def _records(idata: Any, kind: type[Described]) -> list[Described]:
    """Return the descriptions of one kind that a run holds."""
    constant = get_group(idata, "constant_data")
    if constant is None:
        raise ValueError(FOREIGN)
    found = [
        record.decode(str(variable[str(variable.dims[0])].values[0]))
        for name, variable in constant.data_vars.items()
        if str(name).endswith(record.SUFFIX) and variable.ndim == 1
    ]
    return [described for described in found if isinstance(described, kind)]


def _groups(idata: Any) -> tuple[Any, Any]:
    posterior, constant = get_group(idata, "posterior"), get_group(idata, "constant_data")
    if posterior is None or constant is None:
        raise ValueError(FOREIGN)
    return posterior, constant


def _pick(
    found: Sequence[Described], name_of: Callable[[Described], str], name: str | None, none: str
) -> Described:
    """Return the description with this name, or the only one there is."""
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


def _by_draw(variable: xr.DataArray) -> xr.DataArray:
    """Return a variable of the posterior with chain and draw first."""
    if not {"chain", "draw"} <= set(variable.dims):
        raise ValueError(
            f"{variable.name!r} has the dims {variable.dims}: keep chain and draw, selecting by "
            "lists (idata.sel(chain=[0]))"
        )
    return variable.transpose("chain", "draw", ...)


def _find(idata: Any, name: str) -> xr.DataArray:
    """Return a parameter, fixed (constant data) or random (posterior)."""
    for group in ("posterior", "constant_data"):
        dataset = get_group(idata, group)
        if dataset is not None and name in dataset:
            found: xr.DataArray = dataset[name]
            return found.transpose("chain", "draw", ...) if "chain" in found.dims else found
    raise ValueError(f"idata has no {name!r}: sample with it among var_names")


def _at(array: xr.DataArray, chain: int, draw: int) -> Any:
    return array.values[chain, draw] if "chain" in array.dims else array.values
