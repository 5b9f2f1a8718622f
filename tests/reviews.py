"""A small run of a corpus that was made from texts."""

import pymc as pm
from pymc.backends.zarr import ZarrTrace

import pymc_medlda as med
from tests.sampled import OPTIONS, shared

TEXTS = ["Good food and good wine", "Nice wine!", "Slow, rude service", "A rude waiter"] * 5
STARS = ["up", "up", "down", "down"] * 5
NEW = ["The wine was GOOD, good food", "rude service - so rude", "caviar", ""]


def sample_texts(store=None, **settings):
    """Return the draws of a model of the reviews; ``settings`` are those of `from_texts`.

    ``store`` is where PyMC writes them while it samples.
    """
    trace = None if store is None else ZarrTrace(store=store)
    with med.GibbsMedLDA(med.Corpus.from_texts(TEXTS, **settings), STARS, n_topics=2):
        return pm.sample(**OPTIONS, trace=trace)


@shared
def reviews():
    """Return a run of reviews in two classes, with pairs of words and without stop words."""
    return sample_texts(ngram_range=(1, 2), stop_words="english")
