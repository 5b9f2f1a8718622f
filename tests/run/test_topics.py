"""Topics that people can read, against plain loops."""

import arviz as az
import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run import topics
from pymc_medlda.run.alignment import align_topics
from pymc_medlda.run.coherence import coherence
from pymc_medlda.run.run import Run
from pymc_medlda.run.topics import doc_topics, top_words, topic_words
from tests.sampled import sample, sample_general


def count_words(idata, chain, draw):
    """C_kt by a plain loop."""
    stored = Run(idata).topics()
    counts = np.zeros((stored.n_topics, stored.n_words))
    for t, k in zip(stored.tokens.word, stored.z.values[chain, draw], strict=True):
        counts[k, t] += 1
    return counts


def test_phi_of_a_draw_is_the_smoothed_share_of_each_word():
    idata = sample()
    phi = topic_words(idata, per_draw=True)
    counts = count_words(idata, 1, 7)
    expected = (counts + 0.01) / (counts.sum(axis=1, keepdims=True) + 40 * 0.01)
    np.testing.assert_allclose(phi.values[1, 7], expected, rtol=1e-12)
    assert phi.dims == ("chain", "draw", "topic", "word")
    assert phi.word.values[3] == "word0003"


def test_mean_phi_averages_the_draws_of_a_chain_and_thins_them():
    idata = sample()
    phi = topic_words(idata, per_draw=True)
    np.testing.assert_allclose(topic_words(idata).values, phi.mean("draw").values)
    thinned = topic_words(idata, thin=5)
    np.testing.assert_allclose(thinned.values, phi.isel(draw=[0, 5, 10]).mean("draw").values)
    every_fifth = topic_words(idata, thin=5, per_draw=True)
    assert every_fifth.draw.values.tolist() == [0, 5, 10]


def test_theta_mean_is_the_smoothed_share_of_each_topic():
    idata = sample_general()
    stored = Run(idata).topics()
    expected = np.zeros((2, 30, 3))
    for chain in range(2):
        for draw in range(12):
            alpha = stored.alpha(chain, draw)
            for d in range(30):
                first, last = stored.tokens.start[d : d + 2]
                counts = np.bincount(stored.z.values[chain, draw, first:last], minlength=3)
                expected[chain, d] += (counts + alpha) / (last - first + alpha.sum()) / 12
    np.testing.assert_allclose(doc_topics(idata)["mean"].values, expected)


@pytest.mark.parametrize("make", [sample, sample_general])
def test_thinning_is_the_same_as_a_run_with_fewer_draws(make):
    """Also where alpha differs from draw to draw."""
    idata, thin = make(), 5
    posterior = get_group(idata, "posterior").isel(draw=slice(None, None, thin))
    fewer = with_group(idata, "posterior", posterior)
    np.testing.assert_allclose(topic_words(idata, thin=thin), topic_words(fewer))
    thinned, expected = doc_topics(idata, thin=thin), doc_topics(fewer)
    for name in ("mean", "lower", "upper"):
        np.testing.assert_allclose(thinned[name], expected[name])
    columns = ["share", "word 1", "word 2"]
    table = top_words(idata, 2, thin=thin)[columns]
    assert table.equals(top_words(fewer, 2)[columns])
    assert not table.equals(top_words(idata, 2)[columns])
    shares = [Run(run).topics().shares([0, 1], thin=n) for run, n in ((idata, thin), (fewer, 1))]
    np.testing.assert_array_equal(*shares)
    assert not np.array_equal(shares[0], Run(idata).topics().shares([0, 1]))


def test_proportions_do_not_depend_on_the_size_of_the_blocks(monkeypatch):
    whole = doc_topics(sample_general())["mean"].values
    for size in (1, 12 * 3 * 7):  # blocks of one document and of seven
        monkeypatch.setattr(topics, "BLOCK", size)
        np.testing.assert_array_equal(doc_topics(sample_general())["mean"], whole)


def test_dirichlet_draws_have_their_mean_also_where_all_of_them_underflow(rng):
    for scale in (3.0, 1e-6):
        concentration = scale * np.array([0.2, 0.5, 0.3])
        theta = topics._draw_dirichlet(rng, np.tile(concentration, (4000, 1, 1)))[:, 0]
        np.testing.assert_allclose(theta.sum(axis=1), 1.0)
        error = theta.std(axis=0) / np.sqrt(4000)
        assert np.max(np.abs(theta.mean(axis=0) - concentration / scale) / error) < 4.5


def test_intervals_hold_the_stated_share_of_the_posterior():
    # One draw repeated: theta | z is Dirichlet, so its bounds are quantiles of a Beta.
    from scipy.stats import beta

    idata = sample()
    posterior = get_group(idata, "posterior").isel(draw=np.zeros(4000, int), chain=[0])
    repeated = with_group(idata, "posterior", posterior.assign_coords(draw=np.arange(4000)))
    theta = doc_topics(repeated, interval=0.8)
    stored = Run(idata).topics()
    counts = np.bincount(stored.z.values[0, 0, : stored.tokens.start[1]], minlength=3)
    a = counts + 1.0 / 3
    k = int(np.argsort(counts)[1])
    law = beta(a[k], a.sum() - a[k])
    for bound, share in (("lower", 0.1), ("upper", 0.9)):
        reached = law.cdf(theta[bound].values[0, 0, k])
        assert abs(reached - share) < 4 * np.sqrt(share * (1 - share) / 4000), bound
    assert (theta["lower"] <= theta["upper"]).all()


def test_theta_of_an_empty_document_is_the_prior():
    corpus = med.Corpus.from_tokens([[0, 1, 0], [], [1, 1]], n_words=2)
    import pymc as pm

    from tests.sampled import OPTIONS

    with med.GibbsMedLDA(corpus, n_topics=2, alpha=np.array([1e-4, 3e-4])):
        idata = pm.sample(**OPTIONS)
    theta = doc_topics(idata)
    np.testing.assert_allclose(theta["mean"].values[:, 1], [[0.25, 0.75]] * 2)
    assert np.isfinite(theta["upper"].values).all()


def test_top_words_find_the_planted_words_and_their_weights():
    idata = sample()
    table = top_words(idata, 4)
    phi = topic_words(idata).values[0]
    for k, row in table.iterrows():
        best = [f"word{t:04d}" for t in np.argsort(-phi[k])[:4]]
        assert row[[f"word {r}" for r in (1, 2, 3, 4)]].tolist() == best
    eta = get_group(idata, "posterior")["eta"].values[0].mean(axis=0)
    np.testing.assert_allclose(table["eta"], eta)
    assert table["share"].sum() == pytest.approx(1.0)


def test_top_words_of_several_tasks_of_plain_lda_and_of_bare_ids():
    assert [c for c in top_words(sample("multiclass"), 1) if "eta" in c] == [
        f"eta[{task}]" for task in range(3)
    ]
    columns = ["share", "agreement", "word 1", "word 2"]
    assert top_words(sample(None), 2).columns.tolist() == columns
    single = top_words(sample(chains=1), 2).columns.tolist()
    assert single == ["share", "eta", "word 1", "word 2"]
    assert top_words(sample_general(), 1)["word 1"].str.isdigit().all()


@pytest.mark.parametrize("thin", [1, 5])
def test_agreement_of_top_words_is_that_of_the_matched_topics(thin):
    """Whatever the labels, and empty topics have none."""
    aligned, _ = align_topics(sample())
    posterior = get_group(aligned, "posterior").copy(deep=True)
    z = posterior["z"].values
    z[1] = np.array([1, 2, 0])[z[1]]  # topic k of the first chain is topic k + 1 of the second
    idata = with_group(aligned, "posterior", posterior)
    first, second = (topic_words(idata, thin=thin).values[c] for c in (0, 1))
    matched = second[[1, 2, 0]]
    expected = (first * matched).sum(axis=1)
    expected /= np.linalg.norm(first, axis=1) * np.linalg.norm(matched, axis=1)
    np.testing.assert_allclose(top_words(idata, thin=thin)["agreement"], expected)
    other = top_words(idata, chain=1, thin=thin)["agreement"]
    np.testing.assert_allclose(other.values[[1, 2, 0]], expected)
    # Averages over labels that do not belong together.
    together = top_words(idata, chain=None, thin=thin)["agreement"]
    assert (together < 0.9).any()
    assert (expected > 0.9).all()
    z[z == 0] = 1
    assert top_words(idata)["agreement"].isna().sum() == 1


def test_all_survive_a_file(tmp_path):
    idata = sample("multiclass")
    idata.to_netcdf(tmp_path / "run.nc")
    read = az.from_netcdf(tmp_path / "run.nc")
    np.testing.assert_array_equal(topic_words(read).values, topic_words(idata).values)
    assert top_words(read).equals(top_words(idata))
    np.testing.assert_array_equal(coherence(read), coherence(idata))
    np.testing.assert_array_equal(doc_topics(read)["upper"], doc_topics(idata)["upper"])


def test_chains_are_read_one_at_a_time_or_together():
    idata = sample()
    phi = topic_words(idata).values
    second = top_words(idata, 1, chain=1)["word 1"].tolist()
    assert second == [f"word{t:04d}" for t in phi[1].argmax(axis=1)]
    together = top_words(idata, 1, chain=None)["word 1"].tolist()
    assert together == [f"word{t:04d}" for t in phi.mean(axis=0).argmax(axis=1)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda idata: top_words(idata, 0), "n must be at least 1, got 0"),
        (lambda idata: top_words(idata, by="beauty"), "by must be .* got 'beauty'"),
        (lambda idata: top_words(idata, by="frex", weight=2), "weight must be .* got 2"),
        (lambda idata: top_words(idata, chain=9), r"chain must be one of \[0, 1\].* got 9"),
        (lambda idata: coherence(idata, 1), "n must be at least 2"),
        (lambda idata: doc_topics(idata, interval=95), "interval must be .* got 95"),
        (lambda idata: topic_words(idata, thin=0), "thin must be at least 1"),
        (lambda idata: topic_words(idata, topics="zz"), "no 'zz'"),
        (
            lambda idata: coherence(idata, corpus=med.Corpus.from_tokens([[0, 1]])),
            "corpus has 2 words and the model 40",
        ),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(sample())


def test_what_is_not_ours_is_refused():
    foreign = az.from_dict({"posterior": {"mu": np.zeros((1, 4))}})
    with pytest.raises(ValueError, match="holds no MedLDA model"):
        topic_words(foreign)
    idata = sample()
    without = with_group(idata, "posterior", get_group(idata, "posterior").drop_vars("z"))
    with pytest.raises(ValueError, match="the posterior has no 'z'"):
        top_words(without)
    with pytest.raises(TypeError, match=r"corpus must hold strings; got \['a'\]"):
        coherence(idata, corpus=[["a"]])
