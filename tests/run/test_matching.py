"""The matching of topics by their word distributions."""

import numpy as np

from pymc_medlda.run.matching import cosine, match_topics


def test_matching_is_the_best_of_all_permutations():
    from itertools import permutations

    rng = np.random.default_rng(5)
    for _ in range(20):
        phi, target = rng.dirichlet(np.ones(6), 4), rng.dirichlet(np.ones(6), 4)
        gain = {p: np.diag(cosine(phi[list(p)], target)).sum() for p in permutations(range(4))}
        assert tuple(match_topics(phi, target, np.ones((4, 4), bool))) == max(gain, key=gain.get)
