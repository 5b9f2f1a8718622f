"""The table of topics of `diagnose`."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.diagnosis import diagnose
from pymc_medlda.run.matching import SAME_TOPIC, smallest_cosine
from tests.run.made_runs import MadeRun, sample_two_responses
from tests.sampled import OPTIONS, planted, sample


def test_columns_are_those_of_the_aligned_run():
    idata = sample()
    table = diagnose(idata).topics
    aligned, alignment = med.align_topics(idata)
    words = med.top_words(aligned, 5, chain=None)
    listed = words[[f"word {i}" for i in range(1, 6)]].agg(", ".join, axis=1)
    assert table["words"].tolist() == listed.tolist()
    np.testing.assert_allclose(table["agreement"], words["agreement"])
    np.testing.assert_array_equal(table["found_by_all"], table["agreement"] >= SAME_TOPIC)
    np.testing.assert_allclose(table["share_min"], alignment.share.min("chain"))
    np.testing.assert_allclose(table["share_max"], alignment.share.max("chain"))
    eta = get_group(aligned, "posterior")["eta"]
    np.testing.assert_allclose(table["eta"], eta.mean(("chain", "draw")))
    np.testing.assert_allclose(table["eta 5%"], np.quantile(eta.values, 0.05, axis=(0, 1)))
    np.testing.assert_allclose(table["eta 95%"], np.quantile(eta.values, 0.95, axis=(0, 1)))


def test_a_sign_is_one_that_every_chain_has():
    """Weights of 5 ± 1 in most chains, and around zero or negative in the last."""
    run = MadeRun().build()
    posterior = get_group(run, "posterior").copy(deep=True)
    posterior["eta"].values[..., 2] *= -1.0
    posterior["eta"].values[-1, :, 1] -= 5.0
    posterior["eta"].values[-1, :, 0] -= 10.0
    assert diagnose(run).topics["eta sign"].tolist() == [1, 1, 1]
    changed = diagnose(with_group(run, "posterior", posterior)).topics
    assert changed["eta sign"].tolist() == [0, 0, -1]


def test_topics_that_a_chain_mixes_are_not_found_by_all():
    found = diagnose(MadeRun(topics_differ=True).build())
    assert found.topics["found_by_all"].tolist() == [False, False, True]
    assert (found.topics["agreement"] < SAME_TOPIC).tolist() == [True, True, False]


def test_an_empty_topic_is_not_found():
    run = MadeRun().build()
    posterior = get_group(run, "posterior").copy(deep=True)
    posterior["z"].values[posterior["z"].values == 2] = 1
    found = diagnose(with_group(run, "posterior", posterior))
    assert found.topics["agreement"].isna().tolist() == [False, False, True]
    assert found.topics["found_by_all"].tolist() == [True, True, False]
    assert "All 2 topics are found by every chain" in found.verdict


def test_one_chain_several_tasks_and_several_responses():
    single = diagnose(sample("binary", chains=1)).topics
    assert not {"agreement", "found_by_all"} & set(single.columns)
    tasks = diagnose(sample("multiclass")).topics
    assert [c for c in tasks if c.endswith("sign")] == [f"eta[{t}] sign" for t in range(3)]
    both = diagnose(sample_two_responses()).topics
    assert {"eta_label 5%", "eta_value 5%"} <= set(both.columns)
    one = diagnose(sample_two_responses(), response="label").topics
    assert "eta_value" not in one


@pytest.mark.parametrize("shared", [0.5, 2 / 3, 0.8])
def test_cosine_of_topics_that_share_a_part_of_their_tokens(shared):
    """The formula by which the threshold is explained."""
    first, second = np.array([shared, 1 - shared, 0.0]), np.array([1.0, 0.0, 0.0])
    expected = shared / np.sqrt(shared**2 + (1 - shared) ** 2)
    assert smallest_cosine(np.stack([[first], [second]]))[0] == pytest.approx(expected)
    assert (expected > SAME_TOPIC) == (shared > 0.67)


def test_many_labels_make_a_wide_table_without_a_warning(rng):
    labels = rng.integers(0, 2, (30, 40))
    labels[:2] = [[0], [1]]
    with med.GibbsMedLDA(planted().corpus, labels, n_topics=3):
        idata = pm.sample(**{**OPTIONS, "draws": 5, "tune": 3})
    table = med.diagnose(idata).topics
    assert table.shape == (3, 5 + 4 * 40)
