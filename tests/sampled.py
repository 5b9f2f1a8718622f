"""Small models, sampled once per run of the tests, for tests of what comes after sampling."""

import inspect
import os
import pickle
from functools import cache, wraps
from pathlib import Path

import numpy as np
import pymc as pm
from filelock import FileLock

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


def shared(function):
    """Let the first worker of pytest-xdist compute a result, and the others read it."""

    @cache
    @wraps(function)
    def read_or_compute(*arguments, **options):
        folder = os.environ.get("MEDLDA_TEST_RUN")
        if folder is None:
            return function(*arguments, **options)
        bound = inspect.signature(function).bind(*arguments, **options)
        bound.apply_defaults()
        given = "".join(f"-{key}={value}" for key, value in bound.arguments.items())
        path = Path(folder, f"{function.__name__}{given}")
        with FileLock(f"{path}.lock"):
            if not path.exists():
                path.write_bytes(pickle.dumps(function(*arguments, **options)))
        return pickle.loads(path.read_bytes())

    return read_or_compute


@cache
def planted(response="binary", n_topics=3):
    """Return a corpus of 30 documents with topics that are easy to tell apart."""
    return med.datasets.make_planted(
        30, n_topics=n_topics, n_words=40, length=25, response=response, seed=4
    )


@shared
def sample(response="binary", **options):
    """Return the draws of a planted corpus; ``response`` may be None, for plain LDA."""
    truth = planted(response or "binary")
    y = None if response is None else truth.y
    margin = {"loss": med.Hinge(margin=2.0)} if response not in (None, "real") else {}
    with med.GibbsMedLDA(truth.corpus, y, n_topics=3, **margin):
        return pm.sample(**{**OPTIONS, **options})


@shared
def sample_words(response="binary"):
    """Return the draws of a planted corpus whose words are features too."""
    truth = planted(response)
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3, features="words"):
        return pm.sample(**OPTIONS)


@shared
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


@shared
def run_for_doctests():
    """Return the run that doctests know as ``idata``: two classes, two topics, two chains."""
    truth = planted_for_doctests()
    with med.GibbsMedLDA(truth.corpus[:30], truth.y[:30], n_topics=2):
        return pm.sample(**{**OPTIONS, "draws": 20, "tune": 20, "random_seed": 1})
