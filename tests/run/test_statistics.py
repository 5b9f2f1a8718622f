"""The statistics of a run with several steps: their sum is that of the model."""

import numpy as np
import pymc as pm

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.run import Run
from tests.sampled import OPTIONS, planted


def test_the_log_joint_of_several_steps_is_that_of_the_whole_model():
    truth = planted()
    with pm.Model() as model:
        for name, margin in (("a", 1.0), ("b", 3.0)):
            z = med.TopicAssignments(f"z_{name}", truth.corpus, n_topics=3, words=f"words_{name}")
            eta = pm.Normal(f"eta_{name}", 0.0, 1.0, shape=3)
            loss = med.Hinge(margin=margin)
            med.MaxMargin(f"y_{name}", z, eta, observed=truth.y, loss=loss)
        idata = pm.sample(**{**OPTIONS, "draws": 3, "tune": 2})
        logp = model.compile_logp()
    found, n_warm_up = Run(idata).statistics
    assert n_warm_up == 2
    names = ["z_a", "eta_a", "z_b", "eta_b"]
    for group, first in (("warmup_posterior", 0), ("posterior", 2)):
        values = get_group(idata, group)
        for chain in range(2):
            for draw in range(values.sizes["draw"]):
                point = {name: values[name].values[chain, draw] for name in names}
                log_joint = found["log_joint"].values[chain, first + draw]
                np.testing.assert_allclose(log_joint, logp(point), rtol=1e-10)
    # Of shares, such as that of the tokens that moved, the mean is taken.
    each = get_group(idata, "sample_stats")
    whole = Run(idata).statistics.after_warm_up
    by_step = each["moved"].transpose("chain", "draw", ...).values
    np.testing.assert_allclose(whole["moved"], by_step.mean(axis=-1))
    by_step = each["loss"].transpose("chain", "draw", ...).values
    np.testing.assert_allclose(whole["loss"], by_step.sum(axis=-1))
