"""Laws of predictions that hold for every run and every corpus."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run.run import Run
from tests.prediction.comparing import assert_same, predicted
from tests.sampled import planted, sample

FEW = settings(derandomize=True, deadline=None, database=None, max_examples=20)
KINDS = ("binary", "multiclass", "multilabel", "real")
N_TOPICS, N_WORDS = 3, 40
WORDS = [f"word{t:04d}" for t in range(N_WORDS)]
UNKNOWN = ["unheard", "of"]


@st.composite
def documents(draw, words=WORDS, min_size=1):
    """Return documents as lists of words, empty ones among them."""
    one = st.lists(st.sampled_from(words), max_size=8)
    return draw(st.lists(one, min_size=min_size, max_size=5))


def corpus_of(lists):
    return med.Corpus.from_tokens(lists, vocabulary=[*WORDS, *UNKNOWN])


def quick(idata, corpus, **options):
    return predicted(idata, corpus, **{"thin": 4, "n_samples": 3, "cores": 1, **options})


@FEW
@given(st.sampled_from(KINDS), documents())
def test_shapes_and_ranges(kind, lists):
    idata = sample(kind)
    found = quick(idata, corpus_of(lists))
    weights = get_group(idata, "posterior")["eta"].values[:, ::4]
    theta, f = found["theta"].values, found["discriminant"].values
    assert theta.shape == (2, 3, len(lists), N_TOPICS)
    assert (theta > 0).all()
    np.testing.assert_allclose(theta.sum(axis=-1), 1.0)
    # A discriminant is a mean of weights, so it lies between the smallest and the largest.
    by_task = f.reshape(2, 3, len(lists), -1) - Run(idata).response().location
    each = weights.reshape(2, 3, 1, -1, N_TOPICS)
    assert (by_task >= each.min(axis=-1) - 1e-9).all()
    assert (by_task <= each.max(axis=-1) + 1e-9).all()
    if kind == "real":
        assert "probability" not in found
        np.testing.assert_allclose(found["decision"], f.mean(axis=(0, 1)))
        return
    share = found["probability"].values
    assert ((share >= 0) & (share <= 1)).all()
    np.testing.assert_allclose(share * 6, np.round(share * 6), atol=1e-9)  # of 2 x 3 draws
    if kind == "multilabel":
        np.testing.assert_array_equal(found["decision"], f.mean(axis=(0, 1)) > 0)
    else:
        np.testing.assert_allclose(share.sum(axis=1), 1.0)
        assert set(found["decision"].values.tolist()) <= set(planted(kind).y.tolist())


@FEW
@given(documents(), st.integers(0, 2**32), st.sampled_from([1, 2]))
def test_the_same_seed_gives_the_same_answer(lists, seed, cores):
    corpus = corpus_of(lists)
    one = quick(sample(), corpus, random_seed=seed)
    assert_same(one, quick(sample(), corpus, random_seed=seed, cores=cores))


@FEW
@given(documents(), st.data())
def test_unknown_words_are_ignored_and_counted(lists, data):
    """Wherever they stand: the answer is that of the documents without them."""
    n_added = 0
    noisy = []
    for document in lists:
        mixed = list(document)
        for word in data.draw(st.lists(st.sampled_from(UNKNOWN), max_size=3)):
            mixed.insert(data.draw(st.integers(0, len(mixed))), word)
            n_added += 1
        noisy.append(mixed)
    clean, found = quick(sample(), corpus_of(lists)), quick(sample(), corpus_of(noisy))
    assert_same(clean, found)
    assert (clean.attrs["n_dropped_tokens"], found.attrs["n_dropped_tokens"]) == (0, n_added)


@FEW
@given(documents(), st.randoms(use_true_random=False))
def test_the_order_of_the_vocabulary_says_nothing(lists, random):
    vocabulary = [*WORDS, *UNKNOWN]
    random.shuffle(vocabulary)
    shuffled = med.Corpus.from_tokens(lists, vocabulary=vocabulary)
    assert_same(quick(sample(), corpus_of(lists)), quick(sample(), shuffled))


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """The paths of files, one for each kind of response."""
    folder = tmp_path_factory.mktemp("runs")
    for kind in KINDS:
        sample(kind).to_netcdf(str(folder / f"{kind}.nc"))
    return {kind: folder / f"{kind}.nc" for kind in KINDS}


@FEW
@given(documents(), st.sampled_from(KINDS))
def test_a_file_gives_the_answer_of_the_object(paths, lists, kind):
    corpus = corpus_of(lists)
    assert_same(quick(sample(kind), corpus), quick(paths[kind], corpus))


def relabelled(idata, permutation):
    """Return the run with other labels: topic k was permutation[k]."""
    posterior = get_group(idata, "posterior").copy(deep=True)
    posterior["z"].values[:] = np.argsort(permutation)[posterior["z"].values]
    posterior["eta"].values[:] = posterior["eta"].values[..., permutation]
    return with_group(idata, "posterior", posterior)


@FEW
@given(documents(), st.permutations(range(N_TOPICS)), st.sampled_from(KINDS))
def test_documents_without_known_words_do_not_depend_on_labels(lists, permutation, kind):
    """Their topics are not drawn, so the labels of the run change nothing at all."""
    nothing = corpus_of([[w for w in document if w in UNKNOWN] for document in lists])
    one, other = (
        quick(run, nothing) for run in (sample(kind), relabelled(sample(kind), permutation))
    )
    np.testing.assert_allclose(one["discriminant"], other["discriminant"], atol=1e-12)
    np.testing.assert_allclose(one["theta"].values[..., permutation], other["theta"], rtol=1e-12)


def estimate(idata, corpus, seed, n_repeats=12):
    """Return the mean of theta and F of the last draw, and their Monte Carlo errors."""
    found = [
        predicted(idata, corpus, single_draw=True, n_samples=60, cores=1, random_seed=[seed, i])
        for i in range(n_repeats)
    ]
    results = {}
    for name in ("theta", "discriminant"):
        values = np.stack([each[name].values[0, 0] for each in found])
        results[name] = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(n_repeats)
    return results


def distance(one, other):
    """Return the largest difference in units of its Monte Carlo error."""
    (mean, error), (mean_of_other, error_of_other) = one, other
    return np.max(np.abs(mean - mean_of_other) / np.sqrt(error**2 + error_of_other**2 + 1e-12))


# The largest of some hundred t variables with 22 degrees of freedom: P(|t| > 6) is 5e-6.
FAR = 6.0


@pytest.mark.parametrize("permutation", [[1, 2, 0], [0, 2, 1]])
def test_labels_of_topics_change_no_law(permutation):
    """Within Monte Carlo error, the answer of a relabelled run is the answer relabelled."""
    corpus = planted().corpus[:8]
    one = estimate(sample(), corpus, 1)
    other = estimate(relabelled(sample(), permutation), corpus, 2)
    assert distance(one["discriminant"], other["discriminant"]) < FAR
    moved = tuple(part[..., permutation] for part in one["theta"])
    assert distance(moved, other["theta"]) < FAR
    assert distance(one["theta"], other["theta"]) > 2 * FAR  # the labels did change


def test_the_order_of_the_words_changes_no_law():
    corpus = planted().corpus[:8]
    spans = [corpus.words[i:j] for i, j in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]
    turned = med.Corpus(
        np.concatenate([np.sort(span)[::-1] for span in spans]),
        corpus.starts,
        vocabulary=corpus.vocabulary,
    )
    assert not np.array_equal(turned.words, corpus.words)
    one, other = estimate(sample(), corpus, 1), estimate(sample(), turned, 2)
    for name in ("theta", "discriminant"):
        assert distance(one[name], other[name]) < FAR
    # Negative control: other words do change it.
    rolled = med.Corpus(np.roll(corpus.words, 30), corpus.starts, vocabulary=corpus.vocabulary)
    assert distance(one["theta"], estimate(sample(), rolled, 3)["theta"]) > 2 * FAR


def test_documents_are_predicted_by_themselves():
    """Within Monte Carlo error, a document among others has the answer it has alone."""
    corpus = planted().corpus
    among, alone = estimate(sample(), corpus[:8], 1), estimate(sample(), corpus[[5]], 2)
    for name in ("theta", "discriminant"):
        mean, error = among[name]
        assert distance((mean[5], error[5]), tuple(part[0] for part in alone[name])) < FAR
