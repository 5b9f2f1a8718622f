"""Read the features of a response and the draws of their weights, all checked."""

from __future__ import annotations

import numpy as np
import xarray as xr
from scipy import sparse

from pymc_medlda.kernels.features import FeatureMatrix
from pymc_medlda.run import record
from pymc_medlda.run.checking import (
    check_distinct,
    check_finite,
    check_integers,
    check_positive,
    check_shape,
)
from pymc_medlda.run.coordinates import check_order, labels_of
from pymc_medlda.run.feature_draws import FeatureDraws
from pymc_medlda.run.reading_topics import Layout
from pymc_medlda.run.record import ResponseRecord
from pymc_medlda.run.stored import Groups, arrange, draw_shape, find_constant, find_draws


def read_features(
    described: ResponseRecord, groups: Groups, y: xr.DataArray, layout: Layout
) -> FeatureDraws | None:
    """Return the features that a record describes, None if the response has none."""
    if described.features is None:
        _check_absence(described, groups)
        return None
    if described.feature_weights is None:
        raise ValueError(
            f"the description of {described.name!r} names no weights of its features: it is damaged"
        )
    name, given, idf = described.name, None, None
    if described.features == "words":
        listed = find_constant(groups, record.idf_of(name))
        n_words = find_constant(groups, record.word_count_of(described.z)).size
        check_shape(str(listed.name), listed.shape, [(n_words,)], "one per word")
        check_positive(str(listed.name), listed.values)
        idf = np.asarray(listed.values, np.float64)
    elif described.features == "dense":
        stored = arrange(find_constant(groups, record.features_of(name)), first=layout.document)
        expected = (layout.n_documents, max(stored.shape[-1], 1))
        check_shape(str(stored.name), stored.shape, [expected], "(document, feature)")
        given = FeatureMatrix(check_finite(str(stored.name), stored.values))
        listed = stored[0]
    else:
        listed = find_constant(groups, record.features_of(name, "count"))
        check_shape(str(listed.name), listed.shape, [(max(listed.size, 1),)], "one per feature")
        given = _read_sparse(name, groups, layout.n_documents, listed)
    dim = str(listed.dims[0])
    names = labels_of(listed, dim)
    check_distinct(dim, names, "one per feature")
    weights = _read_weights(described.feature_weights, groups, y, listed)
    return FeatureDraws(weights, names, idf, given)


def _check_absence(described: ResponseRecord, groups: Groups) -> None:
    """Raise if there are features of a response that has none by its description."""
    constant, name = groups("constant_data"), described.name
    stored = (record.idf_of(name), record.features_of(name), record.features_of(name, "count"))
    found = [key for key in stored if constant is not None and key in constant]
    if found:
        raise ValueError(
            f"constant_data holds {found[0]!r}, but the description of {name!r} says that it has "
            "no features: one of them is damaged"
        )


def _read_sparse(
    name: str, groups: Groups, n_documents: int, listed: xr.DataArray
) -> FeatureMatrix:
    """Return a matrix that was stored by rows, in three arrays."""
    value, column, start = (
        find_constant(groups, record.features_of(name, part))
        for part in ("value", "column", "start")
    )
    check_shape(str(start.name), start.shape, [(n_documents + 1,)], "one per document and the end")
    check_integers(str(start.name), start.values, meaning="where documents begin")
    n_entries = int(start.values[-1])
    if start.values[0] != 0 or (np.diff(start.values) < 0).any():
        raise ValueError(f"the stored {start.name!r} must begin at 0 and never decrease")
    for array in (value, column):
        check_shape(str(array.name), array.shape, [(n_entries,)], "one per entry")
    check_integers(str(column.name), column.values, below=listed.size, meaning="the features")
    entries = check_finite(str(value.name), value.values)
    parts = entries, column.values.astype(np.int64), start.values.astype(np.int64)
    matrix = FeatureMatrix(sparse.csr_array(parts, shape=(n_documents, listed.size)))
    if not np.array_equal(np.diff(matrix.start), listed.values):
        raise ValueError(
            f"the stored {listed.name!r} does not hold in how many documents each feature occurs: "
            f"it or {column.name!r} is damaged"
        )
    return matrix


def _read_weights(name: str, groups: Groups, y: xr.DataArray, listed: xr.DataArray) -> xr.DataArray:
    """Return the weights with the features last, after checking them."""
    found = find_draws(
        groups,
        name,
        f"the posterior has no weights of features {name!r}: sample with them among var_names",
    )
    dim = str(listed.dims[0])
    weights = arrange(found, last=dim)
    expected = (*draw_shape(weights), *y.shape[1:], listed.size)
    check_shape(name, weights.shape, [expected], "(chain, draw, task if any, feature)")
    check_finite(name, weights.values)
    check_order(weights, listed, dim)
    if y.ndim == 2:
        check_order(weights, y, str(y.dims[1]))
    return weights
