"""Small models, sampled once a session, for tests of what comes after sampling."""

from functools import cache

import numpy as np
import pymc as pm

import pymc_medlda as med

OPTIONS = {
    "draws": 12,
    "tune": 6,
    "chains": 2,
    "cores": 1,
    "random_seed": 11,
    "progressbar": False,
    "compute_convergence_checks": False,
    "discard_tuned_samples": False,
}


@cache
def planted(response="binary", n_topics=3):
    """Return a corpus of 30 documents with topics that are easy to tell apart."""
    return med.datasets.make_planted(
        30, n_topics=n_topics, n_words=40, length=25, response=response, seed=4
    )


@cache
def sample(response="binary", **options):
    """Return the draws of a planted corpus; ``response`` may be None, for plain LDA."""
    truth = planted(response or "binary")
    y = None if response is None else truth.y
    margin = {"loss": med.Hinge(margin=2.0)} if response not in (None, "real") else {}
    with med.GibbsMedLDA(truth.corpus, y, n_topics=3, **margin):
        return pm.sample(**{**OPTIONS, **options})


@cache
def sample_general():
    """Return draws of a model in parts: random alpha, no named dims, missing labels, no words."""
    truth = planted()
    bare = med.Corpus(truth.corpus.words, truth.corpus.starts, n_words=truth.corpus.n_words)
    y = np.array(truth.y, float)
    y[:3] = np.nan
    with pm.Model():
        alpha = pm.Gamma("alpha", 2.0, 1.0, shape=3)
        intercept = pm.Normal("intercept", 0.0, 1.0)
        eta = pm.Normal("eta", 0.0, 1.0, shape=3)
        z = med.TopicAssignments("z", bare, n_topics=3, alpha=alpha)
        med.MaxMargin(
            "y", z, eta, observed=y, loss=med.Hinge(margin=2.0), offset=intercept * np.ones(30)
        )
        return pm.sample(**OPTIONS)


@cache
def planted_for_doctests():
    """Return 40 documents with two topics; the last ten are held out of `run_for_doctests`."""
    return med.datasets.make_planted(40, n_topics=2, n_words=30, seed=1)


@cache
def run_for_doctests():
    """Return the run that doctests know as ``idata``: two classes, two topics, two chains."""
    truth = planted_for_doctests()
    with med.GibbsMedLDA(truth.corpus[:30], truth.y[:30], n_topics=2):
        return pm.sample(**{**OPTIONS, "draws": 20, "tune": 20, "random_seed": 1})
