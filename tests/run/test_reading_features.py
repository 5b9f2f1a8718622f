"""Stored features that were damaged are refused by name."""

from functools import cache

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.run import Run
from tests.sampled import OPTIONS, planted, sample, sample_words

X = np.random.default_rng(1).normal(size=(30, 3)) * (np.arange(90).reshape(30, 3) % 2)


@cache
def sample_given(kind):
    truth = planted()
    x = pd.DataFrame(X, columns=list("abc")) if kind == "dense" else sparse.csr_array(X)
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3, features=x):
        return pm.sample(**{**OPTIONS, "draws": 3, "tune": 2})


def changed(idata, group, name, change):
    dataset = get_group(idata, group).copy(deep=True)
    dataset[name] = change(dataset[name])
    return with_group(idata, group, dataset)


def at(value, *index):
    def change(variable):
        copy = variable.copy(deep=True)
        copy.values = copy.values.astype(type(value))
        copy.values[index] = value
        return copy

    return change


DAMAGE = {
    "idf of zero": (sample_words, "constant_data", "y_idf", at(0.0, 3), "greater than zero"),
    "weights that are no numbers": (sample_words, "posterior", "w", at(np.nan, 0, 1, 2), "nan"),
    "a value that is infinite": (
        lambda: sample_given("dense"),
        "constant_data",
        "y_features",
        at(np.inf, 0, 1),
        "holds inf",
    ),
    "a column beyond the last": (
        lambda: sample_given("sparse"),
        "constant_data",
        "y_features_column",
        at(3, 0),
        "from 0 to 2 are allowed",
    ),
    "another column": (
        lambda: sample_given("sparse"),
        "constant_data",
        "y_features_column",
        at(0, 0),
        "in how many documents each feature occurs",
    ),
    "a start that falls": (
        lambda: sample_given("sparse"),
        "constant_data",
        "y_features_start",
        at(40, 2),
        "never decrease",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_refused_by_name(name):
    make, group, variable, change, message = DAMAGE[name]
    Run(make()).response()
    with pytest.raises(ValueError, match=message):
        Run(changed(make(), group, variable, change)).response()


def test_weights_whose_names_stand_in_another_order_are_refused():
    idata = sample_given("dense")
    turned = get_group(idata, "posterior").assign_coords(feature=list("cba"))
    with pytest.raises(ValueError, match="the same order is needed"):
        Run(with_group(idata, "posterior", turned)).response()


def test_features_that_the_description_does_not_know_are_refused():
    idata = sample("binary")
    constant = get_group(idata, "constant_data").copy()
    constant["y_idf"] = get_group(sample_words(), "constant_data")["y_idf"]
    with pytest.raises(ValueError, match="says that it has no features"):
        Run(with_group(idata, "constant_data", constant)).response()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_what_was_stored_is_read(kind):
    response = Run(sample_given(kind)).response()
    np.testing.assert_array_equal(response.features.given.by_columns.toarray(), X)
    assert response.features.names.tolist() == (list("abc") if kind == "dense" else [0, 1, 2])
