"""Offsets and parameters of the loss as users give them: one value per document, task or both."""

import numpy as np
import pandas as pd
import polars as pl
import pymc as pm
import pytensor.tensor as pt
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group

CORPUS = med.Corpus.from_tokens([["a", "b"], ["b"], ["a"], ["b", "b"]])
NAMED = med.Corpus.from_tokens([["a", "b"], ["b"], ["a"], ["b", "b"]], document_names=list("pqrs"))
TASKS = ["u", "v", "w"]
LABELS = pd.DataFrame([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]], columns=TASKS)
SQUARE = pd.DataFrame([[1, 0, 1], [0, 1, 1], [1, 1, 0]], columns=TASKS)
FULL = np.arange(12.0).reshape(4, 3) / 4.0
FRAME = pd.DataFrame(FULL, columns=TASKS)
OTHERWISE = ["w", "u", "v"]
POINT = {
    "z": np.array([0, 1, 1, 0, 1, 0], np.uint8),
    "eta": np.array([[0.3, -0.2], [0.1, 0.5], [-0.4, 0.2]]),
}


def whole(corpus=CORPUS, y=LABELS, c=1.0, **options):
    return med.GibbsMedLDA(corpus, y, n_topics=2, loss=med.Hinge(c=c, margin=1.5), **options)


def in_parts(corpus=CORPUS, y=LABELS, c=1.0, **options):
    with pm.Model() as model:
        z = med.TopicAssignments("z", corpus, n_topics=2)
        eta = pm.Normal("eta", 0.0, 1.0, shape=(3, 2))
        loss = med.Hinge(c=c, margin=1.5)
        med.MaxMargin("y", z, eta, observed=y, loss=loss, **options)
    return model


def density(model):
    return float(model.compile_logp()(POINT))


def rows(values):
    """Return one value per document as it counts for all tasks."""
    return np.tile(np.reshape(values, (4, 1)), (1, 3))


def columns(values):
    """Return one value per task as it counts for all documents."""
    return np.tile(np.reshape(values, (1, 3)), (4, 1))


BY_NAME = {
    "frame": FRAME[OTHERWISE],
    "frame of polars": pl.DataFrame(FRAME[OTHERWISE].to_dict("list")),
    "coordinates": xr.DataArray(
        FRAME[OTHERWISE].to_numpy(), {"task": OTHERWISE}, ("document", "task")
    ),
}
OFFSETS = {
    **{kind: (given, FULL) for kind, given in BY_NAME.items()},
    "numbered frame": (pd.DataFrame(FULL), FULL),
    "one per document": (FULL[:, 1], rows(FULL[:, 1])),
    "one per document, as a column": (FULL[:, 1:2], rows(FULL[:, 1])),
    "one per document, as a frame": (pd.DataFrame({"shift": FULL[:, 1]}), rows(FULL[:, 1])),
    "one per task": (FULL[1], columns(FULL[1])),
    "one per task, as a row": (FULL[1:2], columns(FULL[1])),
    "one per task, by name": (FRAME.loc[1, OTHERWISE], columns(FULL[1])),
    "one per task, by coordinates": (
        xr.DataArray(FULL[1, [2, 0, 1]], {"task": OTHERWISE}, ("task",)),
        columns(FULL[1]),
    ),
    "a number": (0.75, np.full((4, 3), 0.75)),
    "a variable per task": (pt.as_tensor(FULL[1]), columns(FULL[1])),
    "a variable per document": (pt.as_tensor(FULL[:, 1:2]), rows(FULL[:, 1])),
}


@pytest.mark.parametrize("build", [whole, in_parts])
@pytest.mark.parametrize("kind", OFFSETS)
def test_an_offset_belongs_to_the_documents_and_tasks_of_its_labels(kind, build):
    given, expected = OFFSETS[kind]
    assert density(build(offset=given)) == density(build(offset=expected))
    assert density(build(offset=given)) != density(build(offset=expected[:, ::-1] + 0.1))


@pytest.mark.parametrize("build", [whole, in_parts])
def test_documents_and_tasks_are_matched_at_once(build):
    order = ["s", "q", "p", "r"]
    offset = FRAME.set_axis(list("pqrs")).loc[order, OTHERWISE]
    expected = density(build(corpus=NAMED, offset=FULL))
    assert density(build(corpus=NAMED, offset=offset)) == expected
    assert density(build(corpus=NAMED, offset=offset.to_numpy())) != expected
    by_document = pd.Series(FULL[:, 1], list("pqrs"))
    expected = density(build(corpus=NAMED, offset=rows(FULL[:, 1])))
    assert density(build(corpus=NAMED, offset=by_document[order])) == expected


@pytest.mark.parametrize("build", [whole, in_parts])
@pytest.mark.parametrize("kind", BY_NAME)
def test_weights_of_the_loss_are_matched_with_the_tasks(kind, build):
    c = BY_NAME[kind] + 0.5
    expected = density(build(c=FULL + 0.5))
    assert density(build(c=c)) == expected
    assert density(build(c=c.to_numpy())) != expected


def test_classes_name_the_tasks_in_their_own_order():
    y = ["u", "w", "v", "u", "v", "w"]
    corpus = med.Corpus.from_tokens([["a"], ["b"], ["a"], ["b"], ["a"], ["b"]])
    offset = pd.DataFrame(np.arange(18.0).reshape(6, 3), columns=TASKS)
    models = [
        whole(corpus, y, classes=["w", "u", "v"], offset=own)
        for own in (offset, offset[["w", "u", "v"]].to_numpy(), offset.to_numpy())
    ]
    named, expected, unnamed = map(density, models)
    assert named == expected != unnamed


def test_the_scale_of_standardised_values_is_measured_without_the_offset_of_the_task():
    y, offset = FRAME + np.eye(4, 3), 10.0 * FRAME[OTHERWISE] ** 2
    models = [
        med.GibbsMedLDA(CORPUS, y + offset, n_topics=2, offset=own)
        for own in (offset, offset[TASKS].to_numpy())
    ]
    assert density(models[0]) == density(models[1])


NUMBERED = pd.DataFrame(LABELS.to_numpy())
REFUSED = {
    "documents or tasks": (
        {"corpus": CORPUS[:3], "y": SQUARE, "offset": np.ones(3)},
        r"one dimension, and there are 3 documents and 3 tasks: give the shape \(3, 1\)",
    ),
    "documents or tasks in a variable": (
        {"corpus": CORPUS[:3], "y": SQUARE, "offset": pt.as_tensor(np.ones(3))},
        "one dimension, and there are 3 documents and 3 tasks",
    ),
    "other tasks": ({"offset": FRAME.set_axis(list("xyz"), axis=1)}, "the tasks are called 'u'"),
    "other tasks in a series": (
        {"offset": pd.Series(FULL[0], list("xyz"))},
        "columns 'x', 'y', 'z', but the tasks are called 'u', 'v', 'w'",
    ),
    "one of the tasks": ({"offset": FRAME[["v"]]}, "one column, which is called 'v' as one of"),
    "numbers in another order": (
        {"y": NUMBERED[[2, 0, 1]], "offset": pd.DataFrame(FULL)},
        "the same numbers in another order, which may be names or positions",
    ),
    "too few columns": ({"offset": FRAME[["u", "v"]]}, r"offset has shape \(4, 2\)"),
    "neither": ({"offset": np.ones(5)}, r"offset has shape \(5,\)"),
    "c of other tasks": ({"c": FRAME.set_axis(list("xyz"), axis=1) + 1}, "c of the loss has the"),
    "c of one of the tasks": ({"c": FRAME[["v"]]}, "c of the loss has one column"),
}


@pytest.mark.parametrize("build", [whole, in_parts])
@pytest.mark.parametrize("kind", REFUSED)
def test_what_may_belong_to_others_is_refused(kind, build):
    options, said = REFUSED[kind]
    with pytest.raises(ValueError, match=said):
        build(**options)


def test_what_is_not_ambiguous_is_taken_where_there_are_as_many_documents_as_tasks():
    corpus, full = CORPUS[:3], np.arange(9.0).reshape(3, 3)
    point = {**POINT, "z": POINT["z"][: corpus.n_tokens]}
    for given in (full[:, :1], full[:1], pd.DataFrame(full, columns=TASKS)[OTHERWISE], 0.5):
        expected = given[TASKS] if isinstance(given, pd.DataFrame) else given
        models = [
            whole(corpus, SQUARE, offset=own)
            for own in (given, np.broadcast_to(expected, (3, 3)).copy())
        ]
        first, second = (float(model.compile_logp()(point)) for model in models)
        assert first == second


DATA = {"one column": FULL[:, :1], "one row": FULL[:1], "one dimension": FULL[0], "full": FULL}


@pytest.mark.parametrize("kind", DATA)
def test_data_of_one_row_or_column_count_for_all(kind):
    """As the type of ``pm.Data`` does not know its lengths, the step reads them from the values."""
    values = DATA[kind]
    one, two = (
        density(in_parts(offset=np.tile(1.0, (4, 3)) * own)) for own in (values, 2 * values)
    )
    with pm.Model() as model:
        in_parts(offset=pm.Data("shift", values))
        idata = pm.sample(
            draws=2, tune=1, chains=1, random_seed=1, progressbar=False, quiet=True,
            compute_convergence_checks=False,
        )  # fmt: skip
        assert get_group(idata, "posterior").sizes["draw"] == 2
        assert density(model) == pytest.approx(one)
        pm.set_data({"shift": 2 * values})
        assert density(model) == pytest.approx(two)


def test_data_of_another_length_is_refused():
    with (
        pm.Model(),
        pytest.raises(ValueError, match=r"offset has shape \(4,\); it must be broadcastable to"),
    ):
        in_parts(offset=pm.Data("shift", FULL[:, 0]))


def test_weights_of_the_loss_per_task_are_refused_also_with_as_many_documents():
    by_task = pd.Series([1.0, 2.0, 3.0], index=TASKS)
    for corpus, y in ((CORPUS, LABELS), (CORPUS[:3], SQUARE)):
        with pytest.raises(ValueError, match=r"c of the loss has (one value per task|the index)"):
            in_parts(corpus, y, c=by_task)
    # Numbered values are those of the documents.
    point = POINT | {"z": POINT["z"][:4]}
    found = [
        in_parts(CORPUS[:3], SQUARE, c=own).compile_logp()(point)
        for own in (by_task.to_numpy(), by_task.reset_index(drop=True))
    ]
    assert found[0] == found[1]
