"""What cannot be predicted, and what is said then."""

import arviz as az
import numpy as np
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from tests.prediction.comparing import assert_same, predicted
from tests.sampled import planted, sample, sample_general


def drop(idata, group, *names):
    return with_group(idata, group, get_group(idata, group).drop_vars(names))


def pad(idata):
    """Return a posterior in which the second chain lacks its last draw."""
    posterior = get_group(idata, "posterior")
    short = posterior.isel(chain=[1], draw=slice(0, -1))
    joined = xr.concat([posterior.isel(chain=[0]), short], "chain", join="outer")
    return with_group(idata, "posterior", joined)


def test_objects_that_cannot_be_used():
    idata, corpus = sample("binary"), planted().corpus
    foreign = az.from_dict({"posterior": {"mu": np.zeros((1, 5))}})
    for other in (foreign, None, 3, drop(idata, "constant_data", "z_medlda", "y_medlda")):
        with pytest.raises(ValueError, match="holds no MedLDA model"):
            predicted(other, corpus)
    with pytest.raises(ValueError, match="posterior has no 'z'"):
        predicted(drop(idata, "posterior", "z"), corpus)
    with pytest.raises(ValueError, match="no weights 'eta'"):
        predicted(drop(idata, "posterior", "eta"), corpus)
    with pytest.raises(ValueError, match="draws are missing in some chain"):
        predicted(pad(idata), corpus)
    one = with_group(idata, "posterior", get_group(idata, "posterior").isel(chain=0))
    with pytest.raises(ValueError, match="keep chain and draw"):
        predicted(one, corpus)
    none = with_group(idata, "posterior", get_group(idata, "posterior").isel(draw=slice(0)))
    with pytest.raises(ValueError, match="posterior is empty"):
        predicted(none, corpus)


def test_corpora_that_cannot_be_matched():
    idata, corpus = sample("binary"), planted().corpus
    with pytest.raises(TypeError, match=r"corpus must be a pymc_medlda.Corpus or .* \(int\)"):
        predicted(idata, 3)
    with pytest.raises(ValueError, match=r"corpus has 41 words and the model 40, and the corpus"):
        predicted(idata, med.Corpus(corpus.words, corpus.starts, n_words=41))
    with pytest.raises(ValueError, match=r"and the model has no names"):
        predicted(sample_general(), med.Corpus.from_tokens([["a"]]), offset=[0.0])
    nameless = med.Corpus(corpus.words, corpus.starts, n_words=40)
    assert_same(predicted(idata, nameless), predicted(idata, corpus))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thin": 0}, "thin must be at least 1, got 0"),
        ({"thin": 1.5}, "thin must be a whole number"),
        ({"n_samples": 0}, "n_samples must be at least 1"),
        ({"max_burn_in": -1}, "max_burn_in must be at least 0"),
        ({"tolerance": -1.0}, "tolerance must be finite and zero or more"),
        ({"cores": 0}, "cores must be at least 1"),
        ({"random_seed": "now"}, "random_seed must be a whole number"),
        ({"random_seed": -1}, "random_seed must be a whole number"),
        ({"response": "stars"}, "the model has no 'stars'; it has y"),
        ({"var_names": []}, "var_names must be among"),
        ({"var_names": ["y"], "as_frame": True}, "var_names must be None with as_frame=True"),
    ],
)
def test_arguments_that_are_not_allowed(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        predicted(sample("binary"), planted().corpus, **options)


def test_only_what_is_asked_for():
    found = predicted(sample("binary"), planted().corpus, var_names=["y", "probability"])
    assert sorted(found.data_vars) == ["probability", "y"]
    with pytest.raises(ValueError, match="var_names must be among discriminant, y"):
        predicted(sample("binary"), planted().corpus, var_names=["phi"])
    with pytest.raises(ValueError, match="for this model; got"):
        predicted(sample("real"), planted("real").corpus, var_names=["probability"])
