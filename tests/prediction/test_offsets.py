"""Offsets of new documents: one per document, or per document and task, for all draws or each."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from tests.prediction.comparing import predicted
from tests.sampled import planted, sample

DOCUMENTS = [f"d{i}" for i in range(6)]
OTHERWISE = [2, 0, 1]  # the order of the tasks in a frame
SHIFT = np.arange(18.0).reshape(6, 3)
BY_DRAW = np.arange(2 * 12 * 6 * 3.0).reshape(2, 12, 6, 3)
FRAME = pd.DataFrame(SHIFT[:, OTHERWISE], columns=["c", "a", "b"])


def corpus():
    """Return six documents with names."""
    first = planted("multiclass").corpus[:6]
    return med.Corpus(
        first.words, first.starts, vocabulary=first.vocabulary, document_names=DOCUMENTS
    )


def named_run():
    """Return a run of three classes called a, b and c."""
    idata = sample("multiclass")
    for name in ("posterior", "observed_data", "constant_data"):
        group = get_group(idata, name)
        if "task" in group.dims:
            idata = with_group(idata, name, group.assign_coords(task=["a", "b", "c"]))
    return idata


def coordinates(values, dims, order=OTHERWISE):
    index = {"task": np.array(["a", "b", "c"])[order]}
    return xr.DataArray(values[..., order], index, dims)


OFFSETS = {
    "array": (SHIFT, SHIFT),
    "one per document": (SHIFT[:, 1], SHIFT[:, [1, 1, 1]]),
    "one per document, as a column": (SHIFT[:, 1:2], SHIFT[:, [1, 1, 1]]),
    "one per document, as a frame": (
        pd.DataFrame({"shift": SHIFT[:, 1]}),
        SHIFT[:, [1, 1, 1]],
    ),
    "each draw": (BY_DRAW, BY_DRAW),
    "each draw, one per document": (BY_DRAW[..., 0], BY_DRAW[..., [0, 0, 0]]),
    "each draw, as a column": (BY_DRAW[..., :1], BY_DRAW[..., [0, 0, 0]]),
    "frame": (FRAME, SHIFT),
    "frame with documents in another order": (FRAME.set_axis(DOCUMENTS)[::-1], SHIFT),
    "numbered frame": (pd.DataFrame(SHIFT), SHIFT),
    "frame of polars": (pl.DataFrame(FRAME.to_dict("list")), SHIFT),
    "coordinates": (coordinates(SHIFT, ("document", "task")), SHIFT),
    "coordinates of each draw": (
        coordinates(BY_DRAW, ("chain", "draw", "document", "task")),
        BY_DRAW,
    ),
    "coordinates in another order of dims": (
        coordinates(BY_DRAW, ("chain", "draw", "document", "task")).transpose(
            "document", "draw", "task", "chain"
        ),
        BY_DRAW,
    ),
}


@pytest.mark.parametrize("kind", OFFSETS)
def test_an_offset_is_added_to_the_documents_and_tasks_of_its_labels(kind):
    given, expected = OFFSETS[kind]
    zero = predicted(named_run(), corpus())["discriminant"]
    found = predicted(named_run(), corpus(), offset=given)["discriminant"]
    np.testing.assert_allclose(found, zero + np.broadcast_to(expected, zero.shape), atol=1e-9)


REFUSED = {
    "other tasks": (FRAME.set_axis(list("xyz"), axis=1), "the tasks are called 'a', 'b', 'c'"),
    "one of the tasks": (FRAME[["b"]], "one column, which is called 'b' as one of the tasks"),
    "one per task": (SHIFT[0], r"offset has shape \(3,\); \(6,\), \(2, 12, 6\), \(6, 3\), "),
    "too few columns": (SHIFT[:, :2], r"offset has shape \(6, 2\)"),
    "transposed": (SHIFT.T, r"offset has shape \(3, 6\)"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_may_belong_to_others_is_refused(kind):
    given, said = REFUSED[kind]
    with pytest.raises(ValueError, match=said):
        predicted(named_run(), corpus(), offset=given)


def test_explanations_have_the_offset_of_their_tasks():
    row = FRAME.iloc[[4]].reset_index(drop=True)
    for task, value in zip("abc", SHIFT[4], strict=True):
        why = med.explain(named_run(), corpus()[[4]], task=task, offset=row, random_seed=1)
        assert why.parts.loc["offset", "mean"] == pytest.approx(value)
