"""The priors of the model: what a number means, a random variable of that value means too."""

import numpy as np
import pymc as pm
import pytest
from scipy import stats

import pymc_medlda as med

CORPUS = med.Corpus.from_tokens([["a", "b"], ["b", "b", "c"], ["c"], []])
Z = np.array([0, 1, 1, 2, 0, 2], np.uint8)


def log_topics(alpha, beta, point):
    with pm.Model() as model:
        alpha, beta = (
            pm.Gamma(name, 2.0, 1.0, shape=np.shape(value)) if name in point else value
            for name, value in (("alpha", alpha), ("beta", beta))
        )
        med.TopicAssignments("z", CORPUS, n_topics=3, alpha=alpha, beta=beta)
    logs = {f"{name}_log__": np.log(value) for name, value in point.items()}
    return float(model.compile_logp([model["z"], model["words"]])({"z": Z, **logs}))


@pytest.mark.parametrize("alpha", [0.7, np.array([0.2, 0.4, 1.5])])
def test_random_priors_are_read_as_numbers_are(alpha):
    expected = log_topics(alpha, 0.3, {})
    assert log_topics(alpha, 0.3, {"alpha": alpha}) == pytest.approx(expected, rel=1e-10)
    assert log_topics(alpha, 0.3, {"beta": 0.3}) == pytest.approx(expected, rel=1e-10)
    assert log_topics(2.0 * alpha, 0.3, {}) != pytest.approx(expected)


def test_a_scalar_alpha_is_the_total_over_the_topics():
    each = log_topics(np.full(3, 0.7 / 3), 0.3, {})
    assert log_topics(0.7, 0.3, {}) == pytest.approx(each, rel=1e-10)


@pytest.mark.parametrize("nu", [2.5, np.array([0.5, 1.0, 4.0])])
@pytest.mark.parametrize("y", [[1, -1, 1, -1], [[1, 0], [0, 1], [1, 1], [0, 0]]])
def test_nu_is_the_standard_deviation_of_the_weights(nu, y, rng):
    model = med.GibbsMedLDA(CORPUS, y, n_topics=3, nu=nu, loss=med.Hinge(margin=1.0))
    eta = rng.normal(size=3 if np.ndim(y) == 1 else (2, 3))
    found = model.compile_logp([model["eta"]])({"z": Z, "eta": eta})
    assert found == pytest.approx(stats.norm(0.0, nu).logpdf(eta).sum(), rel=1e-10)
