"""Values at a point: the same object as long as a value is the same, another one if it changes."""

import contextlib

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pytensor.ifelse import ifelse

from pymc_medlda.sampling.point_reader import PointReader


def build():
    """Return a model and a reader of a free variable, data, an expression, and a constant."""
    with pm.Model() as model:
        x = pm.Normal("x", shape=3)
        d = pm.Data("d", np.arange(3.0))
        reader = PointReader(
            model, {"free": x, "data": d, "expression": x * d, "constant": x * 0 + 2, "none": None}
        )
    return model, reader


def test_equal_values_are_one_object_and_changed_ones_are_seen():
    model, reader = build()
    point = {"x": np.array([1.0, 2.0, 3.0])}
    first = reader(point)
    np.testing.assert_array_equal(first[0], point["x"])
    np.testing.assert_array_equal(first[2], point["x"] * np.arange(3.0))
    assert first[4] is None
    again = reader({"x": point["x"].copy()})
    assert all(one is other for one, other in zip(first, again, strict=True))
    kept = [np.copy(value) for value in first[:3]]
    point["x"][0] = 7.0  # the owner of the point changes it in place
    for value, before in zip(first[:3], kept, strict=True):
        np.testing.assert_array_equal(value, before)
    changed = reader(point)
    assert changed[0] is not first[0]
    np.testing.assert_array_equal(changed[0], [7.0, 2.0, 3.0])
    assert changed[1] is first[1]
    with model:
        pm.set_data({"d": np.array([5.0, 5.0, 5.0])})
    moved = reader(point)
    assert moved[0] is changed[0]
    np.testing.assert_array_equal(moved[1], [5.0, 5.0, 5.0])
    np.testing.assert_array_equal(moved[2], 5.0 * point["x"])


def test_values_are_copies_of_what_the_owner_may_change():
    _, reader = build()
    point = {"x": np.array([1.0, 2.0, 3.0])}
    values = reader(point)
    assert not np.shares_memory(values[0], point["x"])
    point["x"] += 1.0
    assert reader(point)[0] is not values[0]


def test_expressions_of_constants_have_the_values_that_pytensor_gives_them():
    table = pt.constant(np.arange(6.0).reshape(2, 3))
    nested = pt.exp(table[:, 1:] / 4.0).sum(axis=0)
    graphs = {
        "nested": nested,
        "spread": pt.broadcast_to(nested[:, None], (2, 4)) + 1.0,
        "chosen": ifelse(pt.gt(nested[0], 1.0), nested, -nested),
        "sorted": pt.sort(-table, axis=1),
        "arranged": nested.dimshuffle("x", 0, "x"),
        "constant": table,
        "infinite unless rewritten": pt.log(pt.exp(table + 720.0)),
    }
    with pm.Model() as model:
        pm.Normal("x")
    found = PointReader(model, graphs)({"x": np.array(0.0)})
    for value, graph in zip(found, graphs.values(), strict=True):
        np.testing.assert_allclose(value, graph.eval(), rtol=1e-14)


@pytest.mark.filterwarnings("ignore:xtensor module is experimental:UserWarning")
def test_constants_with_names_of_dimensions_are_read():
    """Their operations can run only after they have been rewritten."""
    from pytensor.xtensor import as_xtensor

    graph = (as_xtensor(np.ones(4), dims=("k",)) * 2).values
    with pm.Model() as model:
        pm.Normal("x")
    reader = PointReader(model, {"labelled": graph})
    np.testing.assert_array_equal(reader({"x": np.array(0.0)})[0], np.full(4, 2.0))


def test_operations_that_overwrite_do_not_change_a_constant():
    values = np.arange(3.0)
    constant = pt.constant(values.copy())
    overwritten = pt.set_subtensor(constant[0], 9.0, inplace=True)
    with pm.Model() as model:
        pm.Normal("x")
    with contextlib.suppress(TypeError):  # PyTensor refuses it
        PointReader(model, {"overwritten": overwritten})
    np.testing.assert_array_equal(constant.data, values)


def test_a_constant_whose_dimensions_are_arranged_needs_no_function(monkeypatch):
    table = pt.constant(np.arange(6.0).reshape(2, 3))

    def refuse(*arguments, **settings):
        raise AssertionError("a function is built")

    monkeypatch.setattr(type(table), "eval", refuse)
    with pm.Model() as model:
        pm.Normal("x")
    reader = PointReader(model, {"arranged": table.T[None]})
    np.testing.assert_array_equal(reader({"x": np.array(0.0)})[0], table.data.T[None])
