"""What was written and read again gives the same answers, in whatever layout it comes back."""

import re
import subprocess
import sys

import arviz as az
import numpy as np
import pymc as pm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.losses import find_loss
from pymc_medlda.run.run import Run
from tests.prediction.comparing import is_tree, load, save
from tests.run.damage import CALLS, build, expected, outcome, whole
from tests.sampled import OPTIONS, planted, sample

GROUPS = ("posterior", "warmup_posterior", "observed_data", "constant_data")
WIDER = {"u": "<u8 >u2 <i8 >i4".split(), "i": "<i8 >i8 >i4".split(), "f": ["<f8", ">f8"]}


@pytest.fixture(scope="module", autouse=True)
def _expected():
    """Compute the right answers first: compiling changes the recursion limit."""
    for name in CALLS:
        expected(name)


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("form", ["netcdf", "zarr"])
def test_a_file_gives_the_answers_of_the_run_in_memory(form, tmp_path):
    idata = build(whole())
    save(idata, str(tmp_path / "run"), form)
    reader = f"{form} of a DataTree" if is_tree(idata) else form
    back = load(str(tmp_path / "run"), reader)  # its values are read where they are needed
    assert {name: outcome(name, back) for name in CALLS} == dict.fromkeys(CALLS, "same")
    back.close()


@st.composite
def layouts(draw):
    """Return the run with other orders of dims, wider integers, other byte orders, read-only."""
    groups = dict(whole())
    for group in GROUPS:
        changed = groups[group].copy()
        for name, array in groups[group].data_vars.items():
            dims = draw(st.permutations(array.dims))
            values = array.transpose(*dims).values
            dtype = draw(st.sampled_from(WIDER[values.dtype.kind]))
            values = values.astype(dtype, order=draw(st.sampled_from("CF")))
            values.setflags(write=False)
            changed[name] = (dims, values, array.attrs)
        groups[group] = changed
    return build(groups)


@settings(max_examples=10, deadline=None, derandomize=True, database=None)
@given(layouts())
def test_the_layout_of_arrays_does_not_matter(idata):
    for name in CALLS:
        if not name.startswith("plot_"):
            assert outcome(name, idata) == "same"


@settings(max_examples=5, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_tasks_and_topics_may_come_in_any_order_of_dims(data):
    idata, corpus = sample("multiclass"), planted("multiclass").corpus
    groups = {name: get_group(idata, name) for name in (*GROUPS, "sample_stats")}
    options = {"random_seed": 1, "cores": 1, "progressbar": False, "thin": 6}
    right = get_group(med.predict(idata, corpus, **options), "predictions")
    for group in GROUPS:
        orders = {name: data.draw(st.permutations(a.dims)) for name, a in groups[group].items()}
        moved = {name: groups[group][name].transpose(*dims) for name, dims in orders.items()}
        groups[group] = groups[group].assign(moved)
    found = get_group(med.predict(build(groups), corpus, **options), "predictions")
    np.testing.assert_array_equal(found["discriminant"], right["discriminant"])
    weights = med.top_words(build(groups))
    assert weights.equals(med.top_words(idata))


def damaged_classes():
    observed = get_group(sample("multiclass"), "observed_data")
    several = observed["y"].copy()
    several[0] = 1.0
    partly = observed["y"].copy()
    partly[0, 0] = np.nan
    return {
        "the names are lost": (observed.drop_vars("task"), "'y' has lost its coordinate 'task'"),
        "a name twice": (observed.assign_coords(task=[0, 0, 1]), "'task' holds 0 more than once"),
        "another order": (observed.isel(task=[1, 0, 2]), "the coordinate 'task' of 'eta' is"),
        "a class is lost": (observed.isel(task=[0, 1]), "'y' holds [-1.0, -1.0] for document"),
        "no class": (observed.isel(task=[]), "'y' has shape"),
        "two classes of a document": (observed.assign(y=several), "'y' holds [1.0, 1.0, 1.0]"),
        "partly missing": (observed.assign(y=partly), "'y' holds [nan"),
    }


@pytest.mark.parametrize(
    "damage",
    [
        "the names are lost",
        "a name twice",
        "another order",
        "a class is lost",
        "no class",
        "two classes of a document",
        "partly missing",
    ],
)
def test_classes_are_checked(damage):
    idata = sample("multiclass")
    observed, message = damaged_classes()[damage]
    groups = {name: get_group(idata, name) for name in (*GROUPS, "sample_stats")}
    with pytest.raises(ValueError, match=re.escape(message)):
        med.top_words(build({**groups, "observed_data": observed}))


def test_chains_and_draws_with_equal_labels_are_not_mixed_up():
    groups = {name: dataset.assign_coords(chain=[0, 0]) for name, dataset in whole().items()
              if "chain" in dataset.dims}  # fmt: skip
    idata = build({**whole(), **groups})
    with pytest.raises(ValueError, match="chain 0 is the label of 2 chains"):
        med.top_words(idata)
    assert outcome("topic_words", idata) == "same"
    twice = build({**whole(), "posterior": groups["posterior"]})
    with pytest.raises(ValueError, match="the coordinate 'chain' of the posterior holds"):
        med.align_topics(twice)


@pytest.mark.parametrize("missing", ["loss", "score", "log_likelihood", "log_joint", "moved"])
def test_a_statistic_that_is_missing_is_named(missing):
    stats = whole()["sample_stats"].drop_vars(missing)
    with pytest.raises(ValueError, match=missing):
        med.diagnose(build({**whole(), "sample_stats": stats}))


@pytest.mark.parametrize("seconds", ["long", 0.0, -1.0, None, float("nan")])
def test_a_time_that_is_none_leaves_the_rest_of_the_diagnosis(seconds):
    posterior = whole()["posterior"].assign_attrs(sampling_time=seconds)
    table = med.diagnose(build({**whole(), "posterior": posterior})).table
    assert table["ess_per_second"].isna().all()


MODULE = """
import pymc_medlda as med

class Hinge(med.Hinge):
    def value(self, y, discriminant):
        return 7.0 * super().value(y, discriminant)
"""
SCRIPT = """
import sys, arviz as az, pymc_medlda as med
from pymc_medlda.run.run import Run
idata = az.from_netcdf(sys.argv[1])
tables = med.top_words(idata), med.topic_words(idata), med.coherence(idata), med.doc_topics(idata)
med.predict(idata, med.Corpus.from_tokens([["x"]]), progressbar=False, random_seed=1)
med.diagnose(idata)
print(Run(idata).response().loss_key)
try:
    med.draw_augmentation(idata)
except ValueError as error:
    print(error)
sys.path.insert(0, sys.argv[2])
import losses_of_a_user
med.draw_augmentation(idata, random_seed=1)
print(Run(idata).response().loss is losses_of_a_user.Hinge)
"""


@pytest.mark.slow
def test_a_loss_of_the_user_is_needed_only_where_it_is_used(tmp_path, monkeypatch):
    (tmp_path / "losses_of_a_user.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    loss = __import__("losses_of_a_user").Hinge
    truth = planted()
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3, loss=loss(margin=2.0)):
        idata = pm.sample(**{**OPTIONS, "draws": 5})
    assert find_loss("Hinge") is med.Hinge
    assert Run(idata).response().loss is loss
    idata.to_netcdf(str(tmp_path / "run.nc"))
    script = [sys.executable, "-c", SCRIPT, str(tmp_path / "run.nc"), str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    key, message, found = done.stdout.splitlines()[-3:]
    assert key == "losses_of_a_user.Hinge"
    assert "the loss 'losses_of_a_user.Hinge' is not known here: import the module" in message
    assert found == "True"


def test_predictions_of_a_nested_model_have_the_dims_that_were_stored(tmp_path):
    truth = planted()
    y = np.where(truth.y > 0, "up", "down")
    with pm.Model():
        with med.GibbsMedLDA(truth.corpus, y, n_topics=3, name="inner", loss=med.Hinge(margin=2.0)):
            pass
        idata = pm.sample(**{**OPTIONS, "draws": 5})
    idata.to_netcdf(str(tmp_path / "run.nc"))
    back = az.from_netcdf(str(tmp_path / "run.nc"))
    stored = get_group(back, "constant_data")
    (dim,) = stored["inner::y_sign"].dims
    options = {"random_seed": 1, "cores": 1, "progressbar": False}
    found = get_group(med.predict(back, truth.corpus, **options), "predictions")
    assert found["probability"].dims == ("document", dim)
    assert found[dim].values.tolist() == stored[dim].values.tolist() == ["down", "up"]
