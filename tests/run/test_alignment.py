"""Chains whose topics get the same labels."""

from functools import cache

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.alignment import Alignment, align_topics
from pymc_medlda.run.matching import cosine
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.run.topics import doc_topics, topic_words
from tests.sampled import OPTIONS, planted, sample, sample_general


def shuffle(idata, permutations):
    """Relabel by hand: in chain c and draw s topic k becomes what permutations[c, s, k] was."""
    posterior = get_group(idata, "posterior").copy(deep=True)
    for c, of_chain in enumerate(permutations):
        for s, permutation in enumerate(of_chain):
            new_label = np.argsort(permutation)
            posterior["z"].values[c, s] = new_label[posterior["z"].values[c, s]]
            posterior["eta"].values[c, s] = posterior["eta"].values[c, s][..., permutation]
            if "z_alpha" in posterior:
                for name in ("z_alpha", "alpha"):
                    posterior[name].values[c, s] = posterior[name].values[c, s][permutation]
    return with_group(idata, "posterior", posterior)


def by_chain(*permutations):
    return np.array([[p] * 12 for p in permutations])


@pytest.mark.parametrize("make", [sample, lambda: sample("multiclass"), sample_general])
def test_alignment_undoes_a_relabelling_of_whole_chains(make):
    base, _ = align_topics(make())
    found, report = align_topics(shuffle(base, by_chain([0, 1, 2], [2, 0, 1])))
    for name, variable in get_group(base, "posterior").data_vars.items():
        if name != "alpha":  # without a named dim nothing says that it belongs to topics
            np.testing.assert_array_equal(get_group(found, "posterior")[name], variable)
    assert get_group(found, "posterior")["z"].dtype == np.uint8
    assert report.permutation.values.tolist() == [[0, 1, 2], [1, 2, 0]]


def test_draws_are_matched_within_a_chain():
    base, report = align_topics(sample(), within_chain=True)
    assert report.switched.values.tolist() == [0, 0]
    rng = np.random.default_rng(2)
    permutations = np.array([[rng.permutation(3) for _ in range(12)] for _ in range(2)])
    permutations[0, 0] = [0, 1, 2]
    mixed = shuffle(base, permutations)
    found, report = align_topics(mixed, within_chain=True)
    np.testing.assert_array_equal(
        get_group(found, "posterior")["eta"], get_group(base, "posterior")["eta"]
    )
    expected = (permutations[0] != permutations[0][0]).any(axis=1).sum()
    assert report.switched.values[0] == expected > 0
    # Negative control: matching chains alone cannot undo it.
    chains_only, _ = align_topics(mixed)
    assert not np.array_equal(
        get_group(chains_only, "posterior")["eta"], get_group(base, "posterior")["eta"]
    )


def test_what_does_not_depend_on_labels_stays():
    idata = sample_general()
    aligned, _ = align_topics(idata, reference=planted().phi)
    before, after = Run(idata).topics(), Run(aligned).topics()
    assert not np.array_equal(before.z, after.z)
    for chain, draw in ((0, 3), (1, 11)):
        old = discriminants(before, Run(idata).response(), chain, draw)
        new = discriminants(after, Run(aligned).response(), chain, draw)
        np.testing.assert_allclose(new, old, rtol=1e-12)
    theta_old, theta_new = doc_topics(idata)["mean"].values, doc_topics(aligned)["mean"].values
    np.testing.assert_allclose(np.sort(theta_new), np.sort(theta_old))


def test_z_word_distributions_and_weights_move_together():
    idata = sample()
    aligned, report = align_topics(idata, reference=planted().phi)
    old, new = topic_words(idata).values, topic_words(aligned).values
    eta_old, eta_new = (get_group(i, "posterior")["eta"].values for i in (idata, aligned))
    for c, permutation in enumerate(report.permutation.values):
        np.testing.assert_allclose(new[c], old[c][permutation])
        np.testing.assert_array_equal(eta_new[c], eta_old[c][:, permutation])
        expected = [cosine(new[c], planted().phi)[k, k] for k in range(3)]
        np.testing.assert_allclose(report.cosine.values[c], expected)
    warm_old, warm_new = (get_group(i, "warmup_posterior")["eta"].values for i in (idata, aligned))
    np.testing.assert_array_equal(warm_new[1], warm_old[1][:, report.permutation.values[1]])


def test_the_input_is_left_as_it_is():
    idata = sample()
    z = get_group(idata, "posterior")["z"].values.copy()
    align_topics(idata, reference=planted().phi)
    np.testing.assert_array_equal(get_group(idata, "posterior")["z"], z)


@pytest.mark.parametrize("kept", [[0, 3, 6, 9], list(range(12)), [11, 2]])
def test_predictions_move_with_the_draws_they_are_of(kept):
    """Labels switch from draw to draw, and predictions may be thinned or in another order."""
    rng = np.random.default_rng(3)
    permutations = np.array([[rng.permutation(3) for _ in range(12)] for _ in range(2)])
    idata = shuffle(align_topics(sample(), within_chain=True)[0], permutations)
    theta = rng.dirichlet(np.ones(3), (2, len(kept), 30))
    predictions = xr.Dataset(
        {"theta": (("chain", "draw", "document", "topic"), theta)}, {"chain": [1, 0], "draw": kept}
    )
    aligned, report = align_topics(
        with_group(idata, "predictions", predictions), reference=planted().phi, within_chain=True
    )
    moved = get_group(aligned, "predictions")["theta"]
    old = report.permutation
    for c, chain in enumerate([1, 0]):
        for s, draw in enumerate(kept):
            expected = theta[c, s][:, old.sel(chain=chain, draw=draw).values]
            np.testing.assert_array_equal(moved.sel(chain=chain, draw=draw), expected)
    assert (old.values != old.values[:, :1]).any()


def test_cosines_are_to_the_other_chains_by_default():
    aligned, report = align_topics(sample())
    phi = topic_words(aligned).values
    np.testing.assert_allclose(report.cosine.values[0], np.diag(cosine(phi[0], phi[1])))
    assert report.table["mean"].mean() == pytest.approx(report.mean)
    single = with_group(sample(), "posterior", get_group(sample(), "posterior").isel(chain=[0]))
    np.testing.assert_allclose(align_topics(single)[1].cosine, 1.0)


def test_reference_chain_keeps_its_labels():
    idata = sample()
    _, report = align_topics(idata, reference=1)
    assert report.permutation.values[1].tolist() == [0, 1, 2]
    np.testing.assert_allclose(report.cosine.values[1], 1.0)


def with_alpha(idata, alpha):
    constant = get_group(idata, "constant_data").copy()
    constant["z_alpha"] = ("topic", alpha)
    return with_group(idata, "constant_data", constant)


def test_topics_with_another_fixed_alpha_keep_their_labels():
    shuffled = shuffle(align_topics(sample())[0], by_chain([0, 1, 2], [2, 0, 1]))
    _, report = align_topics(with_alpha(shuffled, [0.1, 0.2, 0.3]))
    assert report.permutation.values.tolist() == [[0, 1, 2]] * 2
    assert report.cosine.values.min() < 0.7
    assert "differ between chains" in repr(report)
    swapped = shuffle(align_topics(sample())[0], by_chain([0, 1, 2], [1, 0, 2]))
    _, report = align_topics(with_alpha(swapped, [0.1, 0.1, 0.3]))
    assert report.permutation.values.tolist() == [[0, 1, 2], [1, 0, 2]]


def test_other_topics_of_the_same_model_are_left_alone():
    corpus = planted().corpus
    with pm.Model():
        for name in ("a", "b"):
            z = med.TopicAssignments(f"z_{name}", corpus, n_topics=3, words=f"words_{name}")
            eta = pm.Normal(f"eta_{name}", 0.0, 1.0, dims="topic")
            med.MaxMargin(f"y_{name}", z, eta, observed=planted().y, loss=med.Hinge(margin=2.0))
        idata = pm.sample(**OPTIONS)
    reference = planted().phi
    aligned, report = align_topics(idata, topics="z_a", reference=reference)
    assert (report.permutation.values != [0, 1, 2]).any()
    for name in ("z_b", "eta_b"):
        np.testing.assert_array_equal(
            get_group(aligned, "posterior")[name], get_group(idata, "posterior")[name]
        )
    with pytest.raises(ValueError, match="several: z_a, z_b"):
        align_topics(idata)


@cache
def two_sets(how="random"):
    """Return a run of two sets of topics that share their dim, each with an alpha of its own."""
    corpus = planted().corpus
    with pm.Model():
        for name, alpha in (("a", np.ones(3)), ("b", np.array([0.3, 0.6, 0.9]))):
            if how == "random":
                alpha = pm.Gamma(f"alpha_{name}", 2.0, 1.0, shape=3)
            z = med.TopicAssignments(
                f"z_{name}", corpus, n_topics=3, words=f"words_{name}", alpha=alpha
            )
            eta = pm.Normal(f"eta_{name}", 0.0, 1.0, dims="topic")
            med.MaxMargin(f"y_{name}", z, eta, observed=planted().y, loss=med.Hinge(margin=2.0))
        return pm.sample(**OPTIONS)


def test_alpha_of_other_topics_is_left_alone():
    idata, reference = two_sets(), planted().phi
    for own, other in (("a", "b"), ("b", "a")):
        aligned, report = align_topics(idata, topics=f"z_{own}", reference=reference)
        before, after = (get_group(run, "posterior") for run in (idata, aligned))
        assert (report.permutation.values != [0, 1, 2]).any()
        np.testing.assert_array_equal(after[f"z_{other}_alpha"], before[f"z_{other}_alpha"])
        for chain, permutation in enumerate(report.permutation.values):
            np.testing.assert_array_equal(
                after[f"z_{own}_alpha"][chain], before[f"z_{own}_alpha"][chain, :, permutation]
            )


def test_a_fixed_alpha_of_other_topics_does_not_keep_these_apart():
    idata, reference = two_sets("fixed"), planted().phi
    _, report = align_topics(idata, topics="z_a", reference=reference)
    assert (report.permutation.values != [0, 1, 2]).any()
    _, kept = align_topics(idata, topics="z_b", reference=reference)
    np.testing.assert_array_equal(kept.permutation, [[0, 1, 2]] * 2)


def test_predictions_of_other_topics_are_left_alone(tmp_path):
    idata, reference = two_sets(), planted().phi
    given = {"random_seed": 1, "progressbar": False}
    for own in ("a", "b"):
        predicted = med.predict(idata, planted().corpus[:4], response=f"y_{own}", **given)
        before = get_group(predicted, "predictions")["theta"].values
        predicted.to_netcdf(tmp_path / f"{own}.nc")
        for run in (predicted, med.read_run(tmp_path / f"{own}.nc")):
            aligned, report = align_topics(run, topics="z_a", reference=reference)
            after = get_group(aligned, "predictions")["theta"].values
            for chain, permutation in enumerate(report.permutation.values):
                order = permutation if own == "a" else [0, 1, 2]
                np.testing.assert_array_equal(after[chain], before[chain][..., order])


def test_a_file_is_aligned_as_the_object(tmp_path):
    idata = sample_general()
    idata.to_netcdf(tmp_path / "run.nc")
    read = az.from_netcdf(tmp_path / "run.nc")
    aligned, _ = align_topics(read, reference=planted().phi)
    aligned.to_netcdf(tmp_path / "aligned.nc")
    again = az.from_netcdf(tmp_path / "aligned.nc")
    expected, _ = align_topics(idata, reference=planted().phi)
    for name in ("z", "eta", "z_alpha"):
        np.testing.assert_array_equal(
            get_group(again, "posterior")[name], get_group(expected, "posterior")[name]
        )


def test_bad_references_are_named():
    for bad in ("first", np.ones((2, 40)), np.full((3, 40), np.nan), [[1], [2, 3]]):
        with pytest.raises(ValueError, match=r"reference must be a chain or .* \(3, 40\)"):
            align_topics(sample(), reference=bad)
    with pytest.raises(ValueError, match=r"reference must be .* got 7, .* chains are \[0, 1\]"):
        align_topics(sample(), reference=7)


def test_report_says_what_it_found():
    good = xr.DataArray(np.ones((2, 3)), dims=("chain", "topic"))
    switched = xr.DataArray([0, 4], dims="chain")
    report = Alignment(good.astype(int), good, good / 3, switched)
    assert repr(report).splitlines()[1:] == ["4 draws had switched labels within a chain"]


def test_empty_topics_do_not_flatter_the_report():
    cosine_of_topic = xr.DataArray([[0.2, 0.4, 1.0], [0.2, 0.6, 1.0]], dims=("chain", "topic"))
    share = xr.DataArray([[0.5, 0.5, 0.0], [0.7, 0.299, 0.001]], dims=("chain", "topic"))
    switched = xr.DataArray([0, 0], dims="chain")
    report = Alignment(cosine_of_topic.astype(int), cosine_of_topic, share, switched)
    assert report.mean == pytest.approx(0.35)
    assert "1 topic with next to no tokens left out" in repr(report)
    assert "2 of 3 topics differ between chains" in repr(report)


def test_report_holds_the_share_of_each_topic():
    aligned, report = align_topics(sample(), reference=planted().phi)
    z = get_group(aligned, "posterior")["z"].values
    for c in range(2):
        np.testing.assert_allclose(report.share.values[c], [np.mean(z[c] == k) for k in range(3)])


@pytest.mark.slow
def test_aligned_weights_converge_where_unaligned_ones_cannot():
    from tests.benchmarks.alignment import Setting, measure

    result = measure(Setting("real", "Gaussian", {"sigma": 0.3}, n_topics=5), draws=300)
    assert result.cosine >= 0.95
    assert result.rhat_before > 1.05
    assert result.rhat_after < 1.05
