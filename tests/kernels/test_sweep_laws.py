"""Every path of the sweep draws from the full conditional, and nothing else."""

import numpy as np
import pytest
from scipy import stats

from pymc_medlda.kernels.simd import listed
from pymc_medlda.kernels.simd.exponential import ABOVE
from pymc_medlda.kernels.simd.listed import N_GROUPS
from pymc_medlda.kernels.sweeps import bounds_state, rejection
from pymc_medlda.kernels.sweeps.topic_sampler import TopicSampler
from tests.kernels.conftest import sweep_law
from tests.kernels.test_compiled_sweeps import MODULES, interpret

SETTINGS = {  # scale of eta and of a: from next to no supervision to very steep
    "soft": (0.5, 0.3),
    "medium": (2.0, 2.0),
    "hard": (6.0, 6.0),
    "steep": (60.0, 30.0),
}


def setting(name, n_tasks, n_topics=3, n_documents=3, seed=1):
    rng = np.random.default_rng(seed)
    eta_scale, a_scale = SETTINGS[name]
    eta = eta_scale * rng.standard_normal((n_tasks, n_topics))
    a = a_scale * rng.uniform(0.2, 1.0, (n_documents, n_tasks))
    b = a * eta_scale * rng.standard_normal((n_documents, n_tasks))
    alpha = rng.uniform(0.3, 1.0, n_topics)
    return {"alpha": alpha, "beta": 0.4, "eta": eta, "a": a, "b": b}


def chi_square_level(tokens, n_words, path, parameters, assumed, start, n_sweeps=4000):
    """Level of the chi-square test that one sweep from ``start`` has the law of ``assumed``."""
    n_topics = parameters["alpha"].size
    law = sweep_law(tokens, n_words, start, **assumed)
    sampler = TopicSampler(tokens, n_words=n_words, n_topics=n_topics, path=path)
    return level_of_law(sampler, parameters, start, law, n_sweeps)


def level_of_law(sampler, parameters, start, law, n_sweeps):
    """Level of the chi-square test that a sweep of a sampler from ``start`` has this law."""
    rng, code = np.random.default_rng(3), parameters["alpha"].size ** np.arange(start.size)[::-1]
    seen = np.zeros(law.size)
    for _ in range(n_sweeps):
        sampler.load(start)
        sampler.sweep(rng, **parameters)
        seen[sampler.z @ code] += 1
    common = law * n_sweeps > 5
    assert seen[law < 1e-9].sum() == 0
    expected = np.r_[law[common], law[~common].sum() + 1e-12] * n_sweeps
    counted = np.r_[seen[common], seen[~common].sum()]
    statistic = ((counted - expected) ** 2 / np.maximum(expected, 1.0)).sum()
    return stats.chi2.sf(statistic, max(common.sum(), 1))


PATHS = [
    *((path, n_tasks) for path in ("plain", "dense", "sparse") for n_tasks in (1, 2)),
    ("shared bound", 1),
    ("all in runs", 1),
    ("all in runs", 2),
]


@pytest.fixture
def share_bounds(monkeypatch):
    """Put all topics under one bound."""

    def arrange_as_one_group(eta):
        start = np.array([0] * 4 + [eta.size] * (N_GROUPS - 3))
        return bounds_state.arrange_groups(eta, np.argsort(eta), start)

    monkeypatch.setattr(bounds_state, "arrange_topics", arrange_as_one_group)


@pytest.mark.parametrize(("path", "n_tasks"), PATHS)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_sweep_has_the_law_of_the_enumerated_conditionals(toy, path, n_tasks, name, request):
    if path in ("shared bound", "all in runs"):
        is_shared = path == "shared bound"
        request.getfixturevalue("share_bounds" if is_shared else "all_in_runs")
        path = "sparse" if is_shared else "dense"
    tokens, n_words = toy
    parameters = setting(name, n_tasks)
    for start in ([0, 0, 0, 0, 0], [2, 1, 0, 1, 2]):
        start = np.array(start, np.uint8)
        level = chi_square_level(tokens, n_words, path, parameters, parameters, start)
        assert level > 1e-4


@pytest.mark.parametrize("changed", ["a", "b", "alpha"])
@pytest.mark.parametrize("path", ["plain", "dense", "sparse"])
def test_a_wrong_factor_is_noticed(toy, path, changed):
    tokens, n_words = toy
    parameters = setting("hard", 1, seed=2)
    wrong = {**parameters, changed: 1.3 * parameters[changed]}
    start = np.array([2, 1, 0, 1, 2], np.uint8)
    assert chi_square_level(tokens, n_words, path, wrong, parameters, start) < 1e-6


@pytest.mark.slow
def test_a_sweep_has_its_law_under_loose_bounds(toy, monkeypatch):
    """The bounds are so close that a missing refusal would hardly show. Here it does."""
    for module in MODULES:
        interpret(module, monkeypatch)
    exact = listed.above
    monkeypatch.setattr(listed, "above", lambda x: 1.5 * exact(x))
    monkeypatch.setattr(rejection, "SURE", 1.0 / (1.5 * (1.0 + ABOVE)) ** 2)
    tokens, n_words = toy
    parameters, start = setting("medium", 1), np.array([2, 1, 0, 1, 2], np.uint8)
    with np.errstate(over="ignore"):  # bits of exponents that wrap around, as they may
        level = chi_square_level(tokens, n_words, "sparse", parameters, parameters, start, 1500)
    assert level > 1e-4
