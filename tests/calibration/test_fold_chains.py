"""Predictions of folds: by the right chain, and honest."""

import numpy as np
import pytest
from scipy import sparse

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.calibration.fold_chains import complete_topics, predict_folds
from pymc_medlda.calibration.folds import plan_folds
from pymc_medlda.run.response_draws import discriminants
from pymc_medlda.run.run import Run
from pymc_medlda.sampling.chains import sample_models, start_uniformly


def sample(models, draws=10, tune=30):
    starts = [[start_uniformly(model, i)] for i, model in enumerate(models)]
    options = {"sweeps_per_draw": 1, "workers": 1, "progressbar": False}
    return sample_models(models, starts, draws=draws, tune=tune, **options)


def mean_discriminant(run, corpus, seed=0, **given):
    options = {"var_names": ["discriminant"], "random_seed": seed, "progressbar": False, **given}
    predicted = get_group(med.predict(run, corpus, **options), "predictions")
    return predicted["discriminant"].mean(("chain", "draw")).values


def fold_runs(planted, folds, model, **options):
    y = np.asarray(planted.y)
    kept = [folds.kept(chain) for chain in range(folds.n_chains)]
    return sample([model(planted.corpus[rows], y[rows]) for rows in kept], **options)


def test_each_fold_is_predicted_by_the_chain_without_it():
    planted = med.datasets.make_planted(60, n_topics=3, n_words=40, length=20, seed=1)
    folds = plan_folds("binary", planted.y[:, None], 3, np.random.default_rng(0))
    runs = fold_runs(
        planted, folds, lambda c, y: med.GibbsMedLDA(c, y, n_topics=3), draws=3, tune=3
    )
    found, witnessed = predict_folds(runs, folds, planted.corpus, [7, 8, 9])
    assert found.shape == (60, 1)
    np.testing.assert_array_equal(np.isnan(found[:, 0]), folds.fold < 0)
    for chain, (run, seed) in enumerate(zip(runs, [7, 8, 9], strict=True)):
        held = folds.held(chain)
        expected = mean_discriminant(run, planted.corpus[held], seed)
        own = folds.fold[held] == chain
        np.testing.assert_allclose(found[held[own], 0], expected[own])
        np.testing.assert_allclose(witnessed[chain, :, 0], expected[folds.witness[held]])


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("n_tasks", [1, 3])
def test_each_fold_is_predicted_with_its_own_offset_and_features(n_tasks, as_sparse):
    response = "binary" if n_tasks == 1 else "multilabel"
    planted = med.datasets.make_planted(
        60, n_topics=3, n_words=40, length=20, n_tasks=n_tasks, response=response, seed=1
    )
    y = np.asarray(planted.y)
    rng = np.random.default_rng(2)
    offset, dense = 30 * rng.normal(size=(60, n_tasks)), rng.normal(size=(60, 2))
    features = sparse.csr_array(dense) if as_sparse else dense
    folds = plan_folds(response, y.reshape(60, -1), 3, rng)
    models = []
    for rows in map(folds.kept, range(3)):
        given = {"offset": offset[rows] if n_tasks > 1 else offset[rows, 0]}
        given["features"] = features[rows]
        models.append(med.GibbsMedLDA(planted.corpus[rows], y[rows], n_topics=3, **given))
    runs = sample(models, draws=3, tune=3)
    given = {"offset": offset, "features": features}
    found, witnessed = predict_folds(runs, folds, planted.corpus, [7, 8, 9], **given)
    assert found.shape == (60, n_tasks)
    for chain, (run, seed) in enumerate(zip(runs, [7, 8, 9], strict=True)):
        held = folds.held(chain)
        own = {"offset": offset[held] if n_tasks > 1 else offset[held, 0]}
        own["features"] = dense[held]
        expected = mean_discriminant(run, planted.corpus[held], seed, **own).reshape(-1, n_tasks)
        mine = folds.fold[held] == chain
        np.testing.assert_allclose(found[held[mine]], expected[mine])
        np.testing.assert_allclose(witnessed[chain], expected[folds.witness[held]])


def test_topics_of_removed_documents_are_filled_in():
    planted = med.datasets.make_planted(80, n_topics=2, n_words=30, beta=0.01, length=40, seed=2)
    folds = plan_folds("binary", planted.y[:, None], 4, np.random.default_rng(0))
    runs = fold_runs(planted, folds, lambda c, y: med.GibbsMedLDA(c, y, n_topics=2))
    kept, held = folds.kept(0), folds.held(0)
    z = complete_topics(runs[0], kept, held, planted.corpus, seed=1)
    inside = np.repeat(np.isin(np.arange(80), kept), planted.corpus.lengths)
    np.testing.assert_array_equal(z[inside], get_group(runs[0], "posterior")["z"].values[0, -1])
    # The topics have few words in common, so those of new documents are known up to labels.
    agreement = (z[~inside] == planted.z[~inside]).mean()
    assert max(agreement, 1 - agreement) > 0.8


def test_only_removal_is_honest():
    """Out-of-fold errors are those of new documents; of seen and of hidden documents they differ.

    The controls are documents that the chain has seen, and documents of which only the label was
    hidden, whose topics the training sampler drew with all others.
    """
    n, chains = 400, range(4)
    errors = {"new": [], "removed": [], "seen": [], "hidden": []}

    def model(corpus, y):
        return med.GibbsMedLDA(corpus, y, n_topics=8, loss=med.EpsilonInsensitive(c=30.0))

    for seed in range(3):
        planted = med.datasets.make_planted(
            2 * n, n_topics=5, n_words=300, length=20, response="real", noise=0.5, seed=seed
        )
        corpus, y = planted.corpus[:n], planted.y[:n]
        folds = plan_folds("real", y[:, None], 4, np.random.default_rng(seed))
        runs = sample([model(corpus[folds.kept(i)], y[folds.kept(i)]) for i in chains])
        removed = predict_folds(runs, folds, corpus, list(chains))[0][:, 0]
        new = [mean_discriminant(run, planted.corpus[n:]) for run in runs]
        masked = sample([model(corpus, np.where(folds.fold == i, np.nan, y)) for i in chains])
        seen, hidden = np.empty((2, n))
        for i in chains:
            own, others = folds.fold == i, folds.fold == (i + 1) % 4
            seen[others] = mean_discriminant(runs[i], corpus[np.flatnonzero(others)])
            run = Run(masked[i])
            drawn = [discriminants(run.topics(), run.response(), 0, draw) for draw in range(10)]
            hidden[own] = np.mean(drawn, axis=0)[own, 0]
        errors["new"].append(np.mean([(F - planted.y[n:]) ** 2 for F in new], axis=0))
        for name, F in (("removed", removed), ("seen", seen), ("hidden", hidden)):
            errors[name].append((F - y) ** 2)

    joined = {name: np.concatenate(parts) for name, parts in errors.items()}
    error_of_mean = {k: v.std() / np.sqrt(v.size) for k, v in joined.items()}

    def distance(name):
        apart = joined[name].mean() - joined["new"].mean()
        return apart / np.hypot(error_of_mean[name], error_of_mean["new"])

    assert abs(distance("removed")) < 3
    assert distance("seen") < -4
    # The same documents, so their differences have a smaller error.
    worse = joined["hidden"] - joined["removed"]
    assert worse.mean() > 3 * worse.std() / np.sqrt(worse.size)
