"""The plan of folds: who samples without which document."""

import numpy as np
import pytest

from pymc_medlda.calibration.folds import plan_folds


def plan(kind, y, n_chains=4, seed=0, **options):
    y = np.asarray(y, float)
    y = y[:, None] if y.ndim == 1 else y
    return plan_folds(kind, y, n_chains, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("n_chains", [1, 2, 4, 7])
def test_every_document_is_kept_or_held_by_each_chain(n_chains):
    found = plan("binary", np.repeat([-1, 1], [60, 143]), n_chains)
    n_folds = max(n_chains, 4)
    for chain in range(n_chains):
        both = np.concatenate([found.kept(chain), found.held(chain)])
        assert sorted(both) == list(range(203))
        own = np.flatnonzero(found.fold == chain)
        assert abs(own.size - 203 / n_folds) < 1
        assert set(own) <= set(found.held(chain))
        assert not found.witness[found.kept(chain)].any()
    assert (found.fold < n_chains).all()
    assert (found.fold == -1).any() == (n_chains < 4)


def test_classes_are_spread_over_the_folds():
    y = np.where(np.arange(200)[:, None] % 7 == np.arange(7), 1, -1)
    found = plan("multiclass", y)
    for k in range(7):
        sizes = np.bincount(found.fold[y[:, k] > 0], minlength=4)
        assert sizes.max() - sizes.min() <= 1
    assert np.ptp(np.bincount(found.fold)) <= 1


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_every_chain_keeps_every_class(kind):
    """Also the rarest ones: two documents are in different folds, a single one is in none."""
    label = np.repeat([0, 1, 2], [50, 2, 1] if kind == "multiclass" else [50, 2, 0])
    y = np.where(label[:, None] == np.arange(3), 1, -1)
    y = y if kind == "multiclass" else y[:, [1]]
    for seed in range(20):
        found = plan(kind, y, seed=seed)
        for chain in range(4):
            assert set(label[found.kept(chain)]) == set(label)
        assert (found.fold[label == 2] == -1).all()
        assert (found.fold[label != 2] >= 0).all()


def test_documents_without_response_stay_in_all_chains():
    y = np.ones((100, 2))
    y[:30] = np.nan
    y[30:60, 0] = np.nan
    found = plan("multilabel", y)
    assert (found.fold[:30] == -1).all()
    assert not found.witness[:30].any()
    assert (found.fold[30:] >= 0).all()


def test_documents_that_may_not_be_used_stay_in_all_chains():
    usable = np.arange(100) % 2 == 0
    found = plan("real", np.arange(100.0), usable=usable)
    np.testing.assert_array_equal(found.fold >= 0, usable)


@pytest.mark.parametrize(("n", "n_witnesses"), [(50, 10), (200, 20), (1000, 50), (20_000, 200)])
def test_the_number_of_witnesses(n, n_witnesses):
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    assert plan("binary", y).witness.sum() == n_witnesses
    assert not plan("binary", y, n_chains=1 if n > 100 else 2).witness.any() or n <= 100
    assert plan("real", y).witness.sum() == n_witnesses
    coded = np.stack([y, -y], axis=1)
    assert not plan("multiclass", coded).witness.any()


def test_the_same_seed_gives_the_same_folds():
    y = np.arange(60.0)
    np.testing.assert_array_equal(plan("real", y).fold, plan("real", y).fold)
    assert (plan("real", y).fold != plan("real", y, seed=1).fold).any()


def test_too_few_documents_are_refused():
    with pytest.raises(ValueError, match=r"at least 20 documents .* there are 19 with 4 chains"):
        plan("real", np.arange(19.0))
    with pytest.raises(ValueError, match=r"at least 20 documents .* there are 15 with 1 chain"):
        plan("real", np.arange(60.0), n_chains=1)
    with pytest.raises(ValueError, match="at least 60 documents"):
        plan("real", np.arange(50.0), n_chains=30)
    with pytest.raises(ValueError, match="two classes"):
        plan("binary", np.append(np.ones(50), -1.0))
