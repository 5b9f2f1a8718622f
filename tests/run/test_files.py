"""A run is the same whether it is given as an object, as a file or as the store of a ZarrTrace."""

import inspect
import os
import shutil
import zipfile
from functools import cache, partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
import zarr
from pymc.backends.zarr import ZarrTrace

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, group_names
from pymc_medlda.run.files import open_trace
from pymc_medlda.run.run import Run
from pymc_medlda.run.trace_store import TraceStore
from tests.sampled import OPTIONS, planted, sample, sample_words

# Statistics of NUTS: times, and the log density, which a compound step reports only for its last
# step. Where it is not reported, PyMC stores zeros in memory and NaN on disk.
OWN = ["process_time_diff", "perf_counter_diff", "perf_counter_start", "lp"]
ARVIZ_WARNINGS = ("ignore:Consolidated metadata", "ignore:The data type")


def build_one():
    return med.GibbsMedLDA(planted().corpus, planted().y, n_topics=3, loss=med.Hinge(margin=2.0))


def build_two():
    """Two sets of assignments of different sizes, and their steps."""
    truth = planted()
    with pm.Model() as model:
        for name, n in (("a", 30), ("b", 20)):
            loss = med.Hinge(margin=2.0)
            med.GibbsMedLDA(truth.corpus[:n], truth.y[:n], n_topics=3, loss=loss, name=name)
    return model


def build_with_nuts():
    truth = planted()
    with pm.Model() as model:
        scale = pm.HalfNormal("scale", 1.0)
        eta = pm.Normal("eta", 0.0, scale, shape=3)
        z = med.TopicAssignments("z", truth.corpus, n_topics=3)
        med.MaxMargin("y", z, eta, observed=truth.y, loss=med.Hinge(margin=2.0))
    return model


def sample_with_trace(build, store, draws_per_chunk=5, **options):
    with build():
        trace = ZarrTrace(store=store, draws_per_chunk=draws_per_chunk)
        return pm.sample(trace=trace, **{**OPTIONS, **options})


def assert_same_run(expected, found):
    assert type(found) is type(expected)
    assert set(group_names(found)) == set(group_names(expected))
    for name in group_names(expected):
        one, two = (get_group(i, name).drop_vars(OWN, errors="ignore") for i in (expected, found))
        xr.testing.assert_equal(one, two)
        assert {key: one[key].dtype for key in one} == {key: two[key].dtype for key in two}


@pytest.mark.filterwarnings("ignore:Only", "ignore:The number of")
@pytest.mark.parametrize("build", [build_one, build_two, build_with_nuts])
def test_a_trace_on_disk_is_read_as_pymc_would_have_returned_it(build, tmp_path):
    """Values, dtypes, dims, coords and names, from the path and from what pm.sample returned."""
    store = str(tmp_path / "run.zarr")
    with build():
        expected = pm.sample(**OPTIONS)
    returned = sample_with_trace(build, store)
    assert_same_run(expected, med.read_run(store))
    again = Run(returned).idata
    assert_same_run(expected, again)
    again.to_netcdf(str(tmp_path / "again.nc"))
    assert_same_run(expected, med.read_run(tmp_path / "again.nc"))
    z = next(name for name in get_group(expected, "posterior") if str(name).endswith("z"))
    assert get_group(med.read_run(store), "posterior")[z].dtype == np.uint8


def zip_store(folder, target):
    with zipfile.ZipFile(target, "w") as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(folder))


@pytest.mark.filterwarnings(*ARVIZ_WARNINGS)
@pytest.mark.parametrize("form", ["netcdf", "zarr", "zip"])
def test_a_file_is_read_as_it_was_saved(form, tmp_path):
    idata = sample("multiclass")
    path = tmp_path / "run"
    if form == "netcdf":
        idata.to_netcdf(str(path))
    else:
        idata.to_zarr(str(path))
    if form == "zip":
        zip_store(path, tmp_path / "run.zarr.zip")
        path = tmp_path / "run.zarr.zip"
    assert_same_run(idata, med.read_run(path))
    assert_same_run(idata, med.read_run(str(path)))


TAKING_IDATA = {
    name: getattr(med, name)
    for name in med.__all__
    if inspect.isfunction(getattr(med, name))
    and "idata" in inspect.signature(getattr(med, name)).parameters
}
ARGUMENTS = {
    "predict": lambda: ((planted().corpus,), {"random_seed": 1, "progressbar": False}),
    "perplexity": lambda: ((planted().corpus,), {"random_seed": 1}),
    "evaluate": lambda: ((planted().y,), {}),
    "draw_augmentation": lambda: ((), {"random_seed": 1}),
    "calibrate": lambda: ((), {"random_seed": 1, "progressbar": False}),
    "explain": lambda: ((0,), {"random_seed": 1}),
    "export": lambda: (("model.npz",), {}),
    "report": lambda: (("report.html",), {"random_seed": 1}),
}


@cache
def predicted_run():
    corpus = planted().corpus
    return med.predict(sample(), corpus, random_seed=1, progressbar=False)


def assert_same(one, two):
    """Compare what two calls returned, whatever it is."""
    assert type(one) is type(two)
    if isinstance(one, np.ndarray) and one.dtype == object:  # axes of one figure
        assert one.shape == two.shape
        one, two = one.flat[0], two.flat[0]
    if hasattr(one, "figure"):
        pictures = []
        for axes in (one, two):
            axes.figure.canvas.draw()
            pictures.append(np.array(axes.figure.canvas.buffer_rgba()))
        assert np.array_equal(*pictures)
    elif get_group(one, "posterior") is not None:
        assert_same_run(one, two)
    elif isinstance(one, (xr.DataArray, xr.Dataset)):
        xr.testing.assert_equal(one, two)
    elif isinstance(one, (pd.DataFrame, pd.Series)):
        assert one.equals(two)
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, two)
    elif isinstance(one, dict):
        assert one.keys() == two.keys()
        assert_same([*one.values()], [*two.values()])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            assert_same(a, b)
    elif isinstance(one, partial):
        assert_same((one.func, one.args), (two.func, two.args))
    elif hasattr(one, "__dict__") and not callable(one):
        assert_same(vars(one), vars(two))
    else:
        assert one == two or (one != one and two != two)


@pytest.mark.parametrize("name", TAKING_IDATA)
def test_every_function_takes_a_path_for_an_idata(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where files are written
    if name == "to_pyldavis":
        pytest.importorskip("pyLDAvis")
    idata = sample_words() if "features" in name else predicted_run()
    path = tmp_path / "run.nc"
    idata.to_netcdf(str(path))
    arguments, options = ARGUMENTS.get(name, lambda: ((), {}))()
    function = TAKING_IDATA[name]
    results = [function(given, *arguments, **options) for given in (idata, path)]
    assert_same(*results)
    documented = inspect.getdoc(function)
    assert "idata : InferenceData, DataTree or path" in documented
    plt.close("all")


def test_the_table_of_functions_is_not_empty():
    assert {"predict", "evaluate", "diagnose", "last_points", "plot_burn_in"} <= set(TAKING_IDATA)


def test_diagnosis_and_burn_in_of_a_trace(tmp_path):
    store = str(tmp_path / "run.zarr")
    returned = sample_with_trace(build_one, store)
    with build_one():
        expected = pm.sample(**OPTIONS)
    for run in (returned, store):
        diagnoses = med.diagnose(expected), med.diagnose(run)
        assert_same(*(d.table.drop(columns="ess_per_second") for d in diagnoses))
        assert_same(*(d.burn_in for d in diagnoses))
        assert_same(med.plot_burn_in(expected), med.plot_burn_in(run))
        plt.close("all")


def test_single_chains_are_read(tmp_path):
    idata = sample()
    idata.to_netcdf(str(tmp_path / "run.nc"))
    one = med.read_run(tmp_path / "run.nc", chains=[1])
    for group in ("posterior", "sample_stats", "warmup_posterior"):
        xr.testing.assert_equal(get_group(one, group), get_group(idata, group).isel(chain=[1]))
    with pytest.raises(ValueError, match=r"chains must be a list of some of \[0, 1\], got \[2\]"):
        med.read_run(tmp_path / "run.nc", chains=[2])


@pytest.mark.filterwarnings("ignore:Only", "ignore:The number of")
@pytest.mark.parametrize("build", [build_one, build_with_nuts])
def test_a_kill_while_the_warm_up_is_moved_loses_nothing(build, tmp_path, monkeypatch):
    """After sampling, PyMC rewrites one array after the other. Stop it before each of them."""
    store, left = tmp_path / "run.zarr", tmp_path / "left.zarr"
    original, moments = zarr.Group.array, []

    def array(group, name, *arguments, **options):
        if group.path.removeprefix("warmup_") in ("posterior", "sample_stats"):
            if "warmup_posterior" in zarr.open_group(str(store)):
                shutil.copytree(store, left / str(len(moments)))
                moments.append(name)
        return original(group, name, *arguments, **options)

    monkeypatch.setattr(zarr.Group, "array", array)
    sample_with_trace(build, str(store), draws_per_chunk=4)
    monkeypatch.undo()
    expected = med.read_run(store)
    assert len(moments) > 20
    for number in range(len(moments)):
        assert open_trace(left / str(number))._planned_draws() == OPTIONS["tune"] + OPTIONS["draws"]
        assert_same_run(expected, med.read_run(left / str(number)))


def test_draws_that_were_lost_are_cut_off(tmp_path):
    """A kill while an array is rewritten: what is not there is not read as zeros."""
    store = tmp_path / "run.zarr"
    sample_with_trace(build_one, str(store), draws_per_chunk=1)
    expected = med.read_run(store)
    for draw in range(8, 12):
        (store / "posterior" / "z" / f"1.{draw}.0").unlink()
    with pytest.warns(UserWarning, match=r"cut to the 8 draws that all have \(4 of chain 0 more\)"):
        found = med.read_run(store)
    for group in ("posterior", "sample_stats"):
        xr.testing.assert_equal(
            get_group(found, group), get_group(expected, group).isel(draw=slice(8))
        )
    whole = med.read_run(store, chains=[0])
    xr.testing.assert_equal(
        get_group(whole, "posterior"), get_group(expected, "posterior").isel(chain=[0])
    )
    shutil.rmtree(store / "posterior" / "z")
    with pytest.warns(UserWarning, match="all its chains were still in the warm-up"):
        found = med.read_run(store)
    assert get_group(found, "posterior").sizes["draw"] == 0
    xr.testing.assert_equal(
        get_group(found, "warmup_posterior"), get_group(expected, "warmup_posterior")
    )
    last = get_group(expected, "warmup_posterior")["z"].values[1, -1]
    np.testing.assert_array_equal(med.last_points(store)[1]["z"], last)


def test_reading_runs_no_code_from_a_store(tmp_path):
    """The states of steps are pickles; a pickle that would call something calls nothing."""
    store = str(tmp_path / "run.zarr")
    sample_with_trace(build_one, store)
    expected = med.read_run(store)

    class Harmful:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "harm"),)

    states = zarr.open_group(store)["_sampling_state/sampling_state"]
    states[0] = Harmful()
    assert_same_run(expected, med.read_run(store))
    assert not (tmp_path / "harm").exists()
    with build_one(), pytest.raises(ValueError, match="no state of a generator for z, eta"):
        med.GibbsMedLDAStep(resume=store)
    assert not (tmp_path / "harm").exists()


def write_bytes(content):
    def write(folder):
        (folder / "file.nc").write_bytes(content)
        return folder / "file.nc"

    return write


def write_foreign(folder):
    xr.Dataset({"x": ("i", [1.0])}).to_netcdf(folder / "file.nc", engine="h5netcdf")
    return folder / "file.nc"


def write_cut(folder):
    sample().to_netcdf(str(folder / "whole.nc"))
    content = (folder / "whole.nc").read_bytes()
    return write_bytes(content[: len(content) // 2])(folder)


def start_trace(folder):
    ZarrTrace(store=str(folder / "run.zarr"))
    return folder / "run.zarr"


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda folder: folder / "nothing.nc", FileNotFoundError, "there is no file or folder"),
        (lambda folder: folder, ValueError, "is not a Zarr store"),
        (write_bytes(b""), ValueError, "is not a NetCDF file"),
        (write_bytes(b"word,count\n"), ValueError, "is not a NetCDF file"),
        (write_foreign, ValueError, "holds no posterior"),
        (write_cut, ValueError, "is damaged and cannot be read"),
        (start_trace, ValueError, "holds no draws"),
    ],
    ids=["missing", "folder", "empty", "text", "foreign", "cut", "begun"],
)
@pytest.mark.parametrize("function", [med.read_run, med.diagnose, med.last_points])
def test_what_is_no_run_is_refused_by_name(make, error, said, function, tmp_path):
    path = make(tmp_path)
    with pytest.raises(error, match=said) as caught:
        function(path)
    assert str(path) in str(caught.value)
    if said != "is damaged and cannot be read":
        assert "expected a NetCDF file" in str(caught.value)


def test_a_damaged_store_is_refused_by_name(tmp_path):
    store = tmp_path / "run.zarr"
    sample_with_trace(build_one, str(store), draws_per_chunk=1)
    (store / "posterior" / "eta" / "0.3.0").write_bytes(b"no block")
    with pytest.raises(ValueError, match=r"run\.zarr is damaged and cannot be read"):
        med.read_run(store)


def test_an_object_is_no_path():
    with pytest.raises(TypeError, match="path must be a str or a path"):
        med.read_run(sample())


def test_only_the_last_point_is_read(tmp_path, monkeypatch):
    """To continue, the draws before the last one need not fit into memory."""
    store = str(tmp_path / "run.zarr")
    sample_with_trace(build_one, store)
    points = med.last_points(med.read_run(store))
    monkeypatch.setattr(TraceStore, "read_chains", None)
    for one, two in zip(points, med.last_points(store), strict=True):
        assert_same(one, two)
