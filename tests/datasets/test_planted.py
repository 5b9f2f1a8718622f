"""Planted corpora: their parts agree, and follow the laws they are drawn from."""

import numpy as np
import pytest

from pymc_medlda import datasets


def topic_frequencies(planted):
    n_topics = planted.theta.shape[1]
    spans = zip(planted.corpus.starts[:-1], planted.corpus.starts[1:], strict=True)
    return np.array([np.bincount(planted.z[i:j], minlength=n_topics) / (j - i) for i, j in spans])


@pytest.mark.parametrize("response", ["binary", "real", "multiclass", "multilabel"])
def test_planted_truth_agrees_with_itself(response):
    planted = datasets.make_planted(120, n_topics=4, response=response, noise=0.0, seed=2)
    np.testing.assert_allclose(planted.discriminant, topic_frequencies(planted) @ planted.eta.T)
    np.testing.assert_allclose(planted.phi.sum(axis=1), 1)
    np.testing.assert_allclose(planted.theta.sum(axis=1), 1)
    above = planted.discriminant > np.median(planted.discriminant, axis=0)
    expected = {
        "binary": np.where(above, 1, -1),
        "real": planted.discriminant,
        "multilabel": above.astype(int),
        "multiclass": planted.discriminant.argmax(axis=-1),
    }[response]
    np.testing.assert_array_equal(planted.y, expected)


def test_planted_words_follow_their_topics():
    planted = datasets.make_planted(400, n_topics=3, n_words=40, seed=5)
    for k in range(3):
        words = planted.corpus.words[planted.z == k]
        shares = np.bincount(words, minlength=40) / words.size
        error = np.sqrt(planted.phi[k] * (1 - planted.phi[k]) / words.size)
        assert (np.abs(shares - planted.phi[k]) < 5 * error + 1e-6).all()
    assert planted.corpus.vocabulary[17] == "word0017"


def test_planted_topics_are_well_separated():
    phi = datasets.make_planted(5, seed=3).phi
    overlap = [np.minimum(phi[k], phi[j]).sum() for k in range(5) for j in range(k)]
    assert max(overlap) < 0.25


def test_planted_seed():
    first, again, other = (datasets.make_planted(30, seed=seed) for seed in (1, 1, 2))
    assert first.corpus == again.corpus
    assert (first.y == again.y).all()
    assert first.corpus != other.corpus


def test_planted_shapes():
    one = datasets.make_planted(30, n_tasks=1, seed=1)
    assert (one.eta.shape, one.y.shape) == ((1, 5), (30, 1))
    given = datasets.make_planted(30, n_topics=2, eta=[-1.0, 1.0], response="real", seed=1)
    assert given.eta.tolist() == [-1, 1]
    classes = datasets.make_planted(300, n_topics=6, n_tasks=4, response="multiclass", seed=1)
    assert np.unique(classes.y).tolist() == [0, 1, 2, 3]
    assert datasets.make_planted(300, length=0.1, seed=1).corpus.lengths.min() == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_topics": 0}, "n_topics must be at least 1, got 0"),
        ({"alpha": 0.0}, "alpha must be finite and greater than zero, got 0.0"),
        ({"noise": -1.0}, "noise must be finite and zero or more, got -1.0"),
        ({"response": "ordinal"}, "response must be 'binary', .*, got 'ordinal'"),
        ({"eta": [1.0, 2.0]}, "eta must have 5 columns"),
        ({"eta": np.ones((2, 5)), "n_tasks": 3}, "eta must have 3 rows"),
        ({"response": "multiclass", "n_tasks": 9}, "n_tasks must be 2 to 5"),
        ({"n_tasks": 0}, "n_tasks must be at least 1, got 0"),
    ],
)
def test_planted_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.make_planted(10, **arguments)
