"""The criteria that rank words."""

import numpy as np

from pymc_medlda.run.words import rank_words


def test_relevance_and_frex_are_their_formulas():
    rng = np.random.default_rng(1)
    phi = rng.dirichlet(np.full(7, 0.5), size=3)
    share = np.array([0.2, 0.5, 0.3])
    marginal = share @ phi
    relevance = 0.3 * np.log(phi) + 0.7 * np.log(phi / marginal)
    found = rank_words(phi, share, by="relevance", weight=0.3)
    np.testing.assert_array_equal(found, np.argsort(-relevance, axis=1))
    frex = np.empty_like(phi)
    exclusivity = phi / phi.sum(axis=0)
    for k in range(3):
        for t in range(7):
            e = np.mean(exclusivity[k] <= exclusivity[k, t])
            f = np.mean(phi[k] <= phi[k, t])
            frex[k, t] = 1 / (0.8 / e + 0.2 / f)
    found = rank_words(phi, share, by="frex", weight=0.8)
    np.testing.assert_allclose(
        np.take_along_axis(frex, found, 1), -np.sort(-frex, axis=1), rtol=1e-12
    )
    by_probability = rank_words(phi, share)
    np.testing.assert_array_equal(by_probability, rank_words(phi, share, by="relevance", weight=1))
    assert (by_probability != rank_words(phi, share, by="relevance", weight=0)).any()
