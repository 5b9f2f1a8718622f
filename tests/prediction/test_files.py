"""Predictions from files, and predictions in files."""

import subprocess
import sys

import numpy as np
import pymc as pm
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.prediction.predicting import predict
from tests.prediction.comparing import assert_same, is_tree, load, predicted, save
from tests.sampled import OPTIONS, planted, sample

SCRIPT = """
import sys
from tests.prediction.comparing import load, predicted
from tests.sampled import planted
path, form, out = sys.argv[1:]
found = predicted(load(path, form), planted("multiclass").corpus)
found.to_netcdf(out)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("form", ["netcdf", "zarr"])
def test_a_file_gives_bit_identical_predictions_in_another_process(form, tmp_path):
    idata = sample("multiclass")
    here = predicted(idata, planted("multiclass").corpus)
    save(idata, str(tmp_path / "run"), form)
    reader = f"{form} of a DataTree" if form == "zarr" and is_tree(idata) else form
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "run"), reader, str(tmp_path / "out.nc")],
        check=True,
        capture_output=True,
    )
    with xr.open_dataset(tmp_path / "out.nc") as there:
        assert_same(here, there)


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("form", ["netcdf", "zarr"])
def test_predictions_are_saved_with_the_run(form, tmp_path):
    truth = planted("multiclass")
    names = np.array(["alpha", "beta", "gamma"])
    named = med.Corpus(
        truth.corpus.words,
        truth.corpus.starts,
        vocabulary=truth.corpus.vocabulary,
        document_names=[f"document {d}" for d in range(30)],
    )
    with med.GibbsMedLDA(named, names[truth.y], n_topics=3, loss=med.Hinge(margin=2.0)):
        idata = pm.sample(**{**OPTIONS, "draws": 4})
    full = predict(idata, named, random_seed=1, progressbar=False)
    assert type(full) is type(idata)
    assert get_group(idata, "predictions") is None
    save(full, str(tmp_path / "run"), form)
    back = load(str(tmp_path / "run"), f"{form} DataTree" if is_tree(idata) else form)
    found, again = get_group(full, "predictions"), get_group(back, "predictions")
    assert_same(found, again)
    assert again["document"].values.tolist() == named.document_names.tolist()
    assert again["task"].values.tolist() == names.tolist()
    assert set(again["decision"].values.tolist()) <= set(names.tolist())
    assert_same(found, predicted(back, named))
    assert again.attrs["n_dropped_tokens"] == 0
    assert again.attrs["tolerance"] == 1e-3
