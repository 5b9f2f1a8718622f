"""The state that `diagnose` finds, on runs whose state is known."""

from collections import Counter

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run import convergence
from pymc_medlda.run.convergence import make_tables
from pymc_medlda.run.diagnosis import diagnose
from pymc_medlda.run.evidence import Evidence
from pymc_medlda.run.quantities import Quantity
from pymc_medlda.run.stationarity import find_trend
from pymc_medlda.run.verdict import find_state
from tests.run.made_runs import MadeRun, modes, noise, trend
from tests.sampled import OPTIONS, sample

APART = modes(0, 0, 3, 3)
# The run, its state, and what the verdict has to say.
RUNS = {
    "converged": (MadeRun(), "converged", ["R-hat is at most 1.0", "All 3 topics are found"]),
    "two chains": (MadeRun(2, 600), "converged", ["2 chains may agree by chance"]),
    "drift": (
        MadeRun(shifts={"log_likelihood": trend(400, -4.0)}),
        "drifting",
        [
            "log_likelihood falls in 4 of 4 chains",
            "tune=1700 or more",
            "med.annealed_starts(4000",
            "anneal=4000 in fit",
        ],
    ),
    "drift that levels off": (
        MadeRun(shifts={"log_joint": trend(400, -20.0, 100.0)}),
        "drifting",
        ["log_joint rises in 4 of 4 chains"],
    ),
    "drift with memory": (
        MadeRun(memory=0.8, shifts={"loss": trend(400, 5.0)}),
        "drifting",
        ["loss rises in 4 of 4 chains"],
    ),
    "drift in different modes": (
        MadeRun(shifts={"log_joint": trend(400, 5.0), "eta": APART}),
        "drifting",
        ["The chains are also apart: R-hat of discriminant has", "helps with both"],
    ),
    "modes": (
        MadeRun(shifts={"eta": APART, "loss": APART}),
        "modes",
        [
            "Not converged: R-hat of discriminant has",
            "med.annealed_starts(4000, chains=4)",
            "add candidates=4",
            "try fewer topics",
            "times too narrow",
        ],
    ),
    "modes with memory": (
        MadeRun(memory=0.9, shifts={"eta": 2 * APART, "loss": APART}),
        "modes",
        ["R-hat of discriminant", "more draws will not help"],
    ),
    "modes of two chains": (
        MadeRun(2, 200, shifts={"eta": modes(0, 4)}),
        "modes",
        ["4000, chains=2"],
    ),
    "short": (MadeRun(memory=0.95), "few draws", ["Too few draws: R-hat of", "no more than their"]),
    "nearly long enough": (MadeRun(memory=0.6), "few draws", ["Usable for averages", "draws per"]),
    "very short": (MadeRun(n_draws=3), "unknown", ["Too few draws to judge"]),
    "chains that wander in all directions": (
        MadeRun(2, shifts={"loss": trend(400, 3.0) * [[1], [-1]]}),
        "few draws",
        ["R-hat of loss"],
    ),
    "other words": (
        MadeRun(topics_differ=True),
        "predictions agree",
        [
            "only 1 of 3 topics",
            "1 of 3 topics is found by every chain",
            "between every two chains): 2.",
        ],
    ),
    "other densities": (
        MadeRun(shifts={"log_joint": APART}),
        "predictions agree",
        ["R-hat of log_joint is", "Predictions can be used as they are", "All 3 topics are found"],
    ),
    "one chain": (MadeRun(1, 800), "one chain", ["This chain is steady", "One chain cannot show"]),
    "one short chain": (MadeRun(1, memory=0.9), "few draws", ["the chain is short", "One chain"]),
    "one chain that drifts": (
        MadeRun(1, shifts={"log_joint": trend(400, 8.0)}),
        "drifting",
        ["log_joint rises in the chain"],
    ),
    "no response": (MadeRun(response=None), "converged", ["All 3 topics"]),
    "no response, modes": (
        MadeRun(response=None, shifts={"log_joint": APART}),
        "modes",
        ["R-hat of log_joint is"],
    ),
    "no response, other words": (
        MadeRun(response=None, topics_differ=True),
        "converged",
        ["1 of 3 topics is found by every chain"],
    ),
    "classes": (MadeRun(response="multiclass"), "converged", ["All 3 topics"]),
    "classes, modes": (
        MadeRun(response="multiclass", shifts={"eta": APART}),
        "modes",
        ["R-hat of discriminant has", "two chains decide differently"],
    ),
    "values, modes": (MadeRun(response="real", shifts={"eta": APART}), "modes", ["too narrow"]),
    "labels, short": (MadeRun(response="multilabel", memory=0.95), "few draws", ["Too few draws"]),
    "two responses": (MadeRun(response="two"), "converged", ["All 3 topics"]),
    "two responses, modes": (
        MadeRun(response="two", shifts={"eta": APART}),
        "modes",
        ["R-hat of discriminant of value has"],
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_state_of_a_made_run(name):
    run, state, sentences = RUNS[name]
    found = diagnose(run.build())
    assert found.state == state, found.verdict
    for sentence in sentences:
        assert sentence in found.verdict


def test_every_state_is_in_the_table():
    states = {"unknown", "drifting", "modes", "predictions agree", "few draws", "one chain"}
    assert {state for _, state, _ in RUNS.values()} == states | {"converged"}


def test_a_response_is_judged_by_itself():
    """One of two responses is in different modes, the other is not."""
    run = MadeRun(response="two").build()
    posterior = get_group(run, "posterior").copy(deep=True)
    posterior["eta_value"].values[2:] += 5.0
    idata = with_group(run, "posterior", posterior)
    assert diagnose(idata).state == diagnose(idata, response="value").state == "modes"
    assert diagnose(idata, response="label").state == "converged"


def test_new_documents_are_judged_too(rng):
    """Here the chains agree on the training documents alone."""
    run = MadeRun().build()
    values = noise(rng, (4, 100, 10)) + modes(0, 0, 3, 3)[:, None, None]
    predicted = med.predict(sample(), med.datasets.make_planted(10, n_words=40, seed=1).corpus)
    predictions = get_group(predicted, "predictions")[["discriminant"]]
    tiled = predictions.isel(chain=[0] * 4, draw=[0] * 100).assign_coords(
        chain=np.arange(4), draw=np.arange(100)
    )
    tiled["discriminant"] = (("chain", "draw", "document"), values)
    tiled.attrs = get_group(predicted, "predictions").attrs
    found = diagnose(with_group(run, "predictions", tiled))
    assert found.state == "modes"
    assert found.agreement.index.tolist() == ["discriminant", "discriminant of new documents"]
    assert "R-hat of discriminant of new documents has" in found.verdict
    one = with_group(run, "predictions", tiled.isel(chain=[0]))
    assert diagnose(one).state == "converged"  # nothing can be compared
    averaged = with_group(run, "predictions", tiled.mean(("chain", "draw")))
    assert diagnose(averaged).state == "converged"


def test_a_run_without_its_loss_is_refused():
    idata = sample()
    statistics = get_group(idata, "sample_stats").drop_vars("loss")
    with pytest.raises(ValueError, match="idata has no loss in sample_stats"):
        diagnose(with_group(idata, "sample_stats", statistics))


def state_of_series(seed, *, memory=0.0, shape=(4, 200), places=0.0, drift=0.0):
    """Return the state of three statistics and 20 documents, without building a run."""
    rng = np.random.default_rng(seed)
    names = ("loss", "log_likelihood", "log_joint")
    statistics = [Quantity(name, noise(rng, (*shape, 1), memory)) for name in names]
    statistics[1] = statistics[1]._replace(
        draws=statistics[1].draws + drift * np.linspace(0, 1, shape[1])[:, None]
    )
    documents = noise(rng, (*shape, 20, 1), memory) + np.reshape(places, (-1, 1, 1, 1))
    quantities = [*statistics, Quantity("discriminant", documents, "binary")]
    table, agreement = make_tables(quantities, 1.0)
    trends = {q.name: find_trend(q.entries[..., 0]) for q in statistics}
    topics = table[:0]
    found = Evidence(table, agreement, trends, *shape, 0, topics, 0, 0)
    return find_state(found)


def sample_planted(n_topics, n_words, n_annealed):
    """Return a short run of a planted corpus, from random or from annealed starts."""
    truth = med.datasets.make_planted(90, n_topics=n_topics, n_words=n_words, length=55, seed=2)
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=n_topics, loss=med.Hinge(margin=2.0)):
        starts = None
        if n_annealed:
            starts = med.annealed_starts(n_annealed, random_seed=1, progressbar=False)
        options = {**OPTIONS, "tune": 300, "draws": 400, "chains": 4}
        return pm.sample(**options, initvals=starts)


@pytest.mark.slow
def test_chains_from_random_topics_are_found_in_different_modes():
    found = diagnose(sample_planted(15, 300, 0))
    assert found.state in ("modes", "drifting")
    assert "annealed_starts(4000, chains=4)" in found.verdict
    assert 3 <= found.topics["found_by_all"].sum() < 15


@pytest.mark.slow
def test_annealed_chains_are_found_to_agree():
    found = diagnose(sample_planted(8, 200, 2000))
    assert found.state in ("few draws", "converged")
    assert "All 8 topics are found by every chain" in found.verdict
    assert found.agreement.loc["discriminant", "coverage"] > 0.98


@pytest.fixture
def quick_sizes(monkeypatch):
    """Leave out the effective sample sizes, which take most of the time and decide nothing here."""
    monkeypatch.setattr(convergence, "effective_sizes", lambda values: np.full((2, 1), 1e6))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "at_least"),
    [
        # Independent draws. R-hat of one of the three statistics exceeds 1.01 now and then.
        ({}, {"converged": 170, "few draws": 0}),
        # A chain of ten times its memory: the tests have an error of about one per cent each.
        ({"memory": 0.9}, {"few draws": 190}),
        ({"memory": 0.9, "shape": (2, 200)}, {"few draws": 185}),
    ],
)
def test_false_alarms_in_200_runs(options, at_least, quick_sizes):
    states = Counter(state_of_series(seed, **options) for seed in range(200))
    for state, n in at_least.items():
        assert states[state] >= n
    if not options:
        assert set(states) <= set(at_least)


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ({"places": [0, 0, 2, 2]}, "modes"),
        ({"places": [0, 3], "shape": (2, 200)}, "modes"),
        ({"drift": 3.0}, "drifting"),
        ({"drift": 5.0, "memory": 0.8}, "drifting"),
    ],
)
def test_what_is_there_is_found(options, state, quick_sizes):
    states = Counter(state_of_series(seed, **options) for seed in range(25))
    assert states[state] >= 24
