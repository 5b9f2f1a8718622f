"""What a process loads and compiles until its first draw: nothing that the draw does not need."""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from pymc_medlda._compat.arviz import computing_in_numpy
from pymc_medlda.sampling.values import check_value

SCRIPT = """
import json, logging, sys, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
import pymc as pm

of_pymc = set(sys.modules)
import numpy as np
import pymc_medlda as med
from numba.core.dispatcher import Dispatcher


def kernels():
    return {
        id(value): value
        for name, module in list(sys.modules.items()) if name.startswith("pymc_medlda")
        for value in vars(module).values() if isinstance(value, Dispatcher)
    }


def count_compiled():
    return {key: len(kernel.signatures) for key, kernel in kernels().items()}


def random_scales(y):
    with pm.Model() as model:
        nu = pm.HalfNormal("nu", 1.0)
        eta = pm.Normal("eta", 0.0, nu, shape=3)
        z = med.TopicAssignments("z", corpus, n_topics=3, alpha=pm.Gamma("alpha", 1.0, 1.0))
        med.MaxMargin("y", z, eta, observed=y)
    return model


planted = med.datasets.make_planted(30, n_topics=3, n_words=40, seed=1)
corpus, classes = planted.corpus, np.arange(30) % 4
models = {
    "two classes": med.GibbsMedLDA(corpus, planted.y, n_topics=3),
    "many topics": med.GibbsMedLDA(corpus, planted.y, n_topics=50),
    "classes as tasks": med.GibbsMedLDA(corpus, classes, n_topics=3),
    "offset": med.GibbsMedLDA(corpus, classes / 2, n_topics=3, offset=np.ones(30)),
    "random scales": random_scales(planted.y),
}
fixed = ["two classes", "many topics", "classes as tasks", "offset"]
steps = {name: med.GibbsMedLDAStep(rng=1, model=models[name]) for name in fixed}
of_steps = set(sys.modules) - of_pymc
steps["random scales"] = med.GibbsMedLDAStep(rng=1, model=models["random scales"])
late = []
for name, model in models.items():
    point = model.initial_point(1)
    before = count_compiled()
    for _ in range(2):
        point, _ = steps[name].step(point)
    after = count_compiled()
    late += [[name, kernels()[key].__name__] for key in after if after[key] > before.get(key, 0)]
pm.sample(
    draws=1, tune=0, chains=1, model=models["two classes"], step=steps["two classes"],
    progressbar=False, compute_convergence_checks=False, random_seed=1,
)
print(json.dumps([late, sorted(of_steps), sorted(set(sys.modules) - of_pymc)]))
"""

UNUSED = {"arviz", "arviz_plots", "arviz_stats", "h5netcdf", "matplotlib", "netCDF4"}
UNUSED |= {"polars", "pyLDAvis", "sklearn", "zarr"}
UNUSED_ROOMS = {"estimators", "plots", "prediction", "run.files", "run.run", "sampling.resuming"}


@pytest.fixture(scope="module")
def report():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_no_kernel_is_compiled_after_the_step_was_built(report):
    """Each process of a run would compile it for itself, in the time of its first draw."""
    late, _, _ = report
    assert not late


@pytest.mark.slow
def test_a_step_with_fixed_priors_starts_no_compiler_of_pytensor(report):
    """PyTensor imports setuptools to look for a C compiler."""
    _, of_steps, _ = report
    assert "pymc_medlda.sampling.step" in of_steps
    assert "setuptools" not in of_steps


@pytest.mark.slow
def test_a_draw_loads_nothing_that_it_does_not_use(report):
    _, _, loaded = report
    assert "pymc_medlda.sampling.step" in loaded
    assert not UNUSED & {name.partition(".")[0] for name in loaded}
    rooms = {f"pymc_medlda.{room}" for room in UNUSED_ROOMS}
    assert not rooms & set(loaded)


@pytest.mark.parametrize("value", [2.0, np.ones(3), np.broadcast_to(1.0, 3), np.ones((3, 2))[:, 0]])
def test_values_reach_the_kernels_as_ordinary_arrays(value):
    """For a view, or for what may not be written to, numba would compile every kernel again."""
    checked = check_value("alpha", value, (3,), positive=True)
    assert checked.flags.c_contiguous
    assert checked.flags.writeable
    assert checked.flags.owndata
    np.testing.assert_array_equal(checked, np.broadcast_to(value, 3))


@pytest.mark.parametrize("flag", [True, False])
def test_arviz_compiles_nothing_for_a_check_and_is_left_as_it_was(monkeypatch, flag):
    switch = SimpleNamespace(numba_flag=flag)
    switch.disable_numba = lambda: setattr(switch, "numba_flag", False)
    switch.enable_numba = lambda: setattr(switch, "numba_flag", True)
    monkeypatch.setitem(sys.modules, "arviz", SimpleNamespace(Numba=switch))
    seen = []

    def fail():
        with computing_in_numpy():
            seen.append(switch.numba_flag)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert seen == [False]
    assert switch.numba_flag is flag


def test_arviz_without_the_switch_is_left_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", SimpleNamespace())
    with computing_in_numpy():
        pass
