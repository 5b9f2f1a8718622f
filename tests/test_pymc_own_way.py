"""What PyMC and ArviZ do with a run by themselves."""

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from tests.sampled import OPTIONS, planted

LOSSES = {
    "binary": med.Hinge(c=0.7, margin=2.0),
    "multilabel": med.Hinge(margin=2.0),
    "real": med.EpsilonInsensitive(c=3.0, epsilon=0.1),
}


@pytest.fixture(scope="module", params=list(LOSSES))
def run(request):
    truth = planted(request.param)
    y = np.array(truth.y, float)
    y[0] = np.nan
    with med.GibbsMedLDA(truth.corpus, y, n_topics=3, loss=LOSSES[request.param]) as model:
        return model, pm.sample(**{**OPTIONS, "draws": 8})


def factors(idata):
    """Return the log factors and discriminants of all draws, (chain, draw, document, task)."""
    topics, response = Run(idata).topics(), Run(idata).response()
    log_factor, discriminant = [], []
    for chain in range(2):
        for draw in range(8):
            f = discriminants(topics, response, chain, draw)
            discriminant.append(f)
            loss = response.loss_at(chain, draw)
            log_factor.append(loss.log_factor_of(loss.value(response.y, f)))
    shape = (2, 8, *response.y.shape)
    return np.reshape(log_factor, shape), np.reshape(discriminant, shape)


def test_log_likelihood_is_the_log_factor_of_the_loss(run):
    model, idata = run
    with model:
        result = pm.compute_log_likelihood(idata, extend_inferencedata=False, progressbar=False)
    found = result if hasattr(result, "data_vars") else get_group(result, "log_likelihood")
    expected, _ = factors(idata)
    values = np.asarray(found["y"].values).reshape(expected.shape)
    # A missing response has no factor: its log is zero.
    np.testing.assert_allclose(values, np.nan_to_num(expected), atol=1e-8)


def test_posterior_predictive_of_the_training_documents(run):
    model, idata = run
    with model:
        result = pm.sample_posterior_predictive(idata, progressbar=False, random_seed=2)
    drawn = get_group(result, "posterior_predictive")
    _, f = factors(idata)
    y = drawn["y"].values.reshape(f.shape)
    assert drawn["words"].dtype.kind == "i"
    assert drawn["words"].values.max() < planted().corpus.n_words
    if set(np.unique(y)) <= {-1.0, 1.0}:
        # At these margins a label follows the sign of F far more often than not.
        assert (y * f > 0).mean() > 0.75
    else:
        error = np.abs(y - f)
        # |y - F| has mean (c eps² + eps + 1/(2c)) / (2 c eps + 1): uniform inside, exponential out.
        mean = (3 * 0.01 + 0.1 + 1 / 6) / (6 * 0.1 + 1)
        assert error.mean() == pytest.approx(mean, abs=4.5 * error.std() / np.sqrt(error.size))


@pytest.mark.filterwarnings("ignore")  # ArviZ's own remarks on short chains
def test_summary_of_the_weights(run):
    _, idata = run
    table = az.summary(idata, var_names=["eta"])
    assert len(table) == get_group(idata, "posterior")["eta"][0, 0].size
    posterior = get_group(idata, "posterior")["eta"]
    means = posterior.mean(("chain", "draw")).values.ravel()
    np.testing.assert_allclose(table["mean"].to_numpy(float), means, rtol=0.06, atol=0.06)


@pytest.mark.filterwarnings("ignore")
def test_predictive_check_plots_the_real_response(run):
    model, idata = run
    if Run(idata).response().kind != "real":
        pytest.skip("labels are better checked by their accuracy")
    with model:
        pm.sample_posterior_predictive(
            idata, var_names=["y"], progressbar=False, random_seed=2, extend_inferencedata=True
        )
    drawn = get_group(idata, "posterior_predictive")["y"]
    assert dict(drawn.sizes) == {"chain": 2, "draw": 8, "document": 30}
    if hasattr(az, "plot_ppc_dist"):  # ArviZ 1
        az.plot_ppc_dist(idata, var_names=["y"], num_samples=5)
    else:
        az.plot_ppc(idata, var_names=["y"], num_pp_samples=5, random_seed=1)
    assert plt.get_fignums()
    plt.close("all")
