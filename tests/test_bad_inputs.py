"""Nothing that a user hands in is trusted: bad arguments are refused at once, and by name.

The tables in ``tests/bad_inputs`` hold one row per argument and kind of badness. Every row calls a
public function with one bad argument; the same call without it works.
"""

import inspect
import time
from collections import Counter
from functools import cache

import matplotlib.pyplot as plt
import pytest

import pymc_medlda as med
from tests.bad_inputs import (
    corpora,
    distributed,
    estimators,
    explanations,
    files,
    models,
    pictures,
    predictions,
    responses,
    runs,
    serving,
    stored,
)

TABLES = (
    corpora,
    files,
    distributed,
    responses,
    models,
    predictions,
    estimators,
    pictures,
    runs,
    stored,
    explanations,
    serving,
)
CALLS = {name: call for table in TABLES for name, call in table.CALLS.items()}
ROWS = [row for table in TABLES for row in table.ROWS]
MOST_SECONDS = 2.0
# PyMC hands these to every step that it builds; ours makes no use of them.
WITHOUT_EFFECT = {"GibbsMedLDAStep": {"initial_point", "compile_kwargs", "blocked"}}
# The parameters of estimators are checked by `fit`, under other names in the table.
ESTIMATORS = {"GibbsMedLDAClassifier", "GibbsMedLDARegressor"}
PUBLIC = sorted({*med.__all__} - ESTIMATORS - {"datasets", "distributed"})


@cache
def warm_up(name):
    """Call once without a bad argument: then kernels are compiled and runs are sampled."""
    return CALLS[name]()


@pytest.fixture(autouse=True)
def _no_figures_stay_open():
    yield
    plt.close("all")


def test_the_table_is_long_and_holds_no_row_twice():
    again = [name for name, n in Counter(row.name for row in ROWS).items() if n > 1]
    assert not again
    assert len(ROWS) >= 300
    assert {row.call for row in ROWS} == set(CALLS)
    assert sum(len(table.CALLS) for table in TABLES) == len(CALLS)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_argument_of_a_public_name_has_a_row(name):
    public = getattr(med, name)
    signature = inspect.signature(public.__init__ if inspect.isclass(public) else public)
    named = [p.name for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    in_table = {row.argument for row in ROWS if row.call.split(",")[0] == name}
    expected = {*named} - {"self"} - WITHOUT_EFFECT.get(name, set())
    assert not expected - in_table


@pytest.mark.parametrize("name", CALLS)
def test_without_the_bad_argument_the_call_works(name):
    warm_up(name)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_bad_input_is_refused_at_once_and_by_name(row):
    warm_up(row.call)
    value = row.value  # made here, so that an error in making it does not count as a refusal
    begin = time.process_time()  # not the time on the clock, in which other processes run too
    with pytest.raises((TypeError, ValueError)) as caught:
        CALLS[row.call](**{row.argument: value})
    assert time.process_time() - begin < MOST_SECONDS
    assert caught.type in (TypeError, ValueError), "an error from deep inside"
    assert all(word in str(caught.value) for word in row.words), str(caught.value)
