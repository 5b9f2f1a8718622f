"""A small model and its run, for tests of the step."""

import pymc as pm

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group

QUIET = {"progressbar": False, "compute_convergence_checks": False}


def model_of(planted, **arguments):
    loss = med.Hinge(c=0.8, margin=4.0)
    return med.GibbsMedLDA(planted.corpus, planted.y, n_topics=3, loss=loss, **arguments)


def sample(planted, *, seed=1, draws=6, tune=3, chains=2, cores=1, **arguments):
    with model_of(planted):
        return pm.sample(
            draws=draws,
            tune=tune,
            chains=chains,
            cores=cores,
            step=med.GibbsMedLDAStep(),
            random_seed=seed,
            **{**QUIET, **arguments},
        )


def draws(idata, name="z"):
    return get_group(idata, "posterior")[name].values
