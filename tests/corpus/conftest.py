import pytest

from pymc_medlda.corpus import Corpus
from tests.corpus.small import COUNTS, WORDS


@pytest.fixture
def corpus():
    return Corpus.from_dtm(COUNTS, vocabulary=WORDS, document_names=["a", "b", "c"])
