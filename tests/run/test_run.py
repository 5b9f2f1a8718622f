"""A run is decoded once in a public call, and its draws are counted no more often than needed."""

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.run import record, relabelling, response_draws, topic_draws
from pymc_medlda.run.run import Run
from tests.sampled import planted, sample, sample_general

N_DRAWS = 2 * 12  # of both chains


@pytest.fixture
def calls(monkeypatch):
    """Count the calls of functions that read the record or all of z."""
    counter = Counter()

    def spy(module, name):
        function = getattr(module, name)

        def counted(*arguments, **options):
            counter[name] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, counted)

    spy(record, "decode")
    spy(topic_draws, "count_words")
    spy(response_draws, "project")
    spy(relabelling, "_relabel_assignments")
    return counter


# How often each call counts the words of the 24 draws, projects them, and relabels z.
CALLS = {
    "diagnose": (med.diagnose, N_DRAWS, N_DRAWS, 0),
    "plot_eta_forest": (med.plot_eta_forest, N_DRAWS, 0, 0),
    "plot_alignment": (med.plot_alignment, N_DRAWS, 0, 0),
    "plot_class_profile": (med.plot_class_profile, 12, 0, 0),
    "plot_topic_words": (med.plot_topic_words, 12, 0, 0),
    "plot_uncertainty": (med.plot_uncertainty, 0, N_DRAWS, 0),
    "plot_burn_in": (med.plot_burn_in, 0, 0, 0),
    "top_words": (med.top_words, N_DRAWS, 0, 0),  # all chains, for their agreement
    "coherence": (med.coherence, 12, 0, 0),
    "topic_words": (med.topic_words, N_DRAWS, 0, 0),
    "doc_topics": (med.doc_topics, 0, 0, 0),
    "draw_augmentation": (med.draw_augmentation, 0, N_DRAWS, 0),
    # z of the posterior and of the warm-up
    "align_topics": (med.align_topics, N_DRAWS, 0, 2),
    "perplexity": (lambda idata: med.perplexity(idata, planted().corpus, n_draws=5), 5, 0, 0),
    "predict": (lambda idata: med.predict(idata, planted().corpus, progressbar=False), 0, 0, 0),
    "last_points": (med.last_points, 0, 0, 0),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_public_call_decodes_once_and_counts_each_draw_once(name, calls):
    function, counted, projected, relabelled = CALLS[name]
    function(sample())
    plt.close("all")
    assert calls["decode"] == 2  # the descriptions of z and of y, each one time
    assert calls["count_words"] == counted
    assert calls["project"] == projected
    assert calls["_relabel_assignments"] == relabelled


def test_a_run_is_taken_for_an_object_and_keeps_what_it_computed(calls):
    run = Run(sample())
    expected = med.top_words(sample())
    calls.clear()
    for _ in range(2):
        assert med.top_words(run).equals(expected)
        assert med.diagnose(run).verdict == med.diagnose(sample()).verdict
    assert Run.of(run) is run
    # Twice in `diagnose` of the bare object; the run itself is decoded and counted one time.
    assert calls["decode"] == 2 * 3
    assert calls["count_words"] == N_DRAWS * 3


def test_objects_of_a_run_are_made_once():
    run = Run(sample_general())
    assert run.topics() is run.topics("z")
    assert run.response() is run.response("y")
    assert run.responses_of(run.topics()) == [run.response()]
    assert run.matching(run.topics()) is run.matching(run.topics())
    assert run.assignment_names == ["z"]
    assert run.group("nothing") is None


@pytest.mark.parametrize("within_chain", [False, True])
@pytest.mark.parametrize("make", [sample, lambda: sample("multiclass"), sample_general])
def test_a_matching_is_what_relabelling_z_gives(make, within_chain):
    run = Run(make())
    topics = run.topics()
    options = {"reference": planted().phi, "within_chain": within_chain}
    matching = run.matching(topics, **options)
    aligned = Run(med.align_topics(make(), **options)[0])
    relabelled = aligned.topics()
    np.testing.assert_array_equal(matching.phi, relabelled.mean_phi())
    shares = [relabelled.shares([chain]) for chain in range(2)]
    np.testing.assert_array_equal(matching.share, shares)
    eta = relabelling.relabel_weights(run.response().eta, matching.permutation)
    np.testing.assert_array_equal(eta, aligned.response().eta)


def test_shares_and_phi_of_thinned_chains():
    topics = Run(sample()).topics()
    z = get_group(sample(), "posterior")["z"].values
    for thin in (1, 5):
        expected = [np.mean(z[1, ::thin] == k) for k in range(3)]
        np.testing.assert_allclose(topics.shares([1], thin=thin), expected)
        topics.mean_phi([1], thin=thin)  # counts the tokens of topics on the way
        np.testing.assert_allclose(topics.shares([1], thin=thin), expected)
    fresh = Run(sample()).topics()
    np.testing.assert_array_equal(fresh.mean_phi([1, 0]), topics.mean_phi()[::-1])
