"""What the step stores, what PyMC checks of it, and what the step refuses."""

import arviz as az
import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.sampling.small import QUIET, draws, model_of, sample


def test_var_names_tuning_and_progress_bar(planted):
    kept = sample(planted, discard_tuned_samples=False, var_names=["eta"], progressbar=True)
    assert set(get_group(kept, "posterior").data_vars) == {"eta"}
    warmup = get_group(kept, "warmup_sample_stats")
    assert warmup.sizes["draw"] == 3
    assert {"loss", "score", "log_likelihood", "log_joint", "moved"} <= set(warmup.data_vars)


def test_convergence_checks_pass_over_assignments(planted, monkeypatch):
    """With checks on, no R-hat of a token is computed; eta's still are."""
    seen = []
    target = "arviz_stats.rhat" if int(pm.__version__.split(".")[0]) >= 6 else "arviz.rhat"
    import importlib

    module = importlib.import_module(target.split(".")[0])
    original = module.rhat
    monkeypatch.setattr(
        module, "rhat", lambda data, **k: seen.append(list(k["var_names"])) or original(data, **k)
    )
    idata = sample(planted, draws=100, tune=0, compute_convergence_checks=True)
    assert seen == [["eta"]]
    assert draws(idata).shape == (2, 100, planted.corpus.n_tokens)


def test_plain_lda_is_sampled_and_checked(planted):
    with med.GibbsMedLDA(planted.corpus, n_topics=3):
        idata = pm.sample(draws=100, tune=0, chains=2, cores=1, random_seed=1, progressbar=False)
    stats = get_group(idata, "sample_stats")
    assert np.isnan(stats["score"].values).all()
    assert (stats["loss"].values == 0).all()


def test_stored_assignments_take_one_byte_a_token(planted):
    z = get_group(sample(planted), "posterior")["z"]
    assert z.nbytes == 2 * 6 * planted.corpus.n_tokens


@pytest.mark.parametrize("kind", ["netcdf", "zarr"])
def test_files_give_back_what_was_sampled(planted, kind, tmp_path):
    idata = sample(planted)
    path = tmp_path / f"run.{kind}"
    if kind == "netcdf":
        idata.to_netcdf(path)
        again = az.from_netcdf(path)
    else:
        idata.to_zarr(str(path))
        again = az.from_zarr(str(path))
    for name in ("z", "eta"):
        assert np.array_equal(draws(idata, name), draws(again, name))
    assert draws(again).dtype == np.uint8
    stats, stats_again = get_group(idata, "sample_stats"), get_group(again, "sample_stats")
    assert np.array_equal(stats["loss"].values, stats_again["loss"].values)


def test_zarr_trace_stores_the_draws(planted, tmp_path):
    from pymc.backends.zarr import ZarrTrace

    plain = sample(planted, seed=9)
    with model_of(planted):
        trace = ZarrTrace(store=str(tmp_path / "trace.zarr"), draws_per_chunk=2)
        stored = pm.sample(
            draws=6,
            tune=3,
            chains=2,
            cores=1,
            step=med.GibbsMedLDAStep(),
            random_seed=9,
            trace=trace,
            **QUIET,
        )
    assert np.array_equal(draws(plain), draws(stored))


def test_step_outside_a_model_is_refused():
    with pytest.raises(TypeError, match="built outside a model"):
        med.GibbsMedLDAStep()


def test_step_in_a_model_without_topics_is_refused():
    with pm.Model():
        x = pm.Normal("x")
        with pytest.raises(ValueError, match="no topic assignments"):
            med.GibbsMedLDAStep()
        with pytest.raises(ValueError, match="no topic assignments"):
            med.GibbsMedLDAStep([x])


def test_step_refuses_what_it_cannot_do(planted):
    with model_of(planted) as model:
        with pytest.raises(ValueError, match="sweeps_per_draw must be at least 1"):
            med.GibbsMedLDAStep(sweeps_per_draw=0)
        with pytest.raises(ValueError, match="path"):
            med.GibbsMedLDAStep(path="quick")
        with pytest.raises(ValueError, match="vars is empty"):
            med.GibbsMedLDAStep(vars=[])
        x = pm.Normal("x")
        with pytest.raises(ValueError, match="x is neither"):
            med.GibbsMedLDAStep([model["z"], x])
        pm.Normal("spy", model["eta"].sum(), 1.0, observed=0.3)
        with pytest.raises(ValueError, match="spy depends on eta too"):
            med.GibbsMedLDAStep([model["z"], model["eta"]])
        pm.Potential("other", model["z"].sum() * 0.1)
        with pytest.raises(ValueError, match="other depends on it"):
            med.GibbsMedLDAStep()
