"""A small run of a corpus that was made from texts."""

import pymc as pm

import pymc_medlda as med
from tests.sampled import OPTIONS, shared

TEXTS = ["Good food and good wine", "Nice wine!", "Slow, rude service", "A rude waiter"] * 5
STARS = ["up", "up", "down", "down"] * 5
NEW = ["The wine was GOOD, good food", "rude service - so rude", "caviar", ""]


def sample_texts(stars=STARS, **settings):
    """Return the draws of a model of the reviews; ``settings`` are those of `from_texts`."""
    corpus = med.Corpus.from_texts(TEXTS, **settings)
    with med.GibbsMedLDA(corpus, stars, n_topics=2):
        return pm.sample(**OPTIONS)


@shared
def reviews():
    """Return a run of reviews in two classes, with pairs of words and without stop words."""
    return sample_texts(ngram_range=(1, 2), stop_words="english")
