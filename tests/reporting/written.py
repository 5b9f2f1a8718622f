"""Reports of small runs, and what is in them."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pymc as pm

import pymc_medlda as med
from tests.explanation.runs import NEW, RUNS
from tests.sampled import OPTIONS, planted

CORPUS = planted().corpus
HOSTILE = "<script>alert('x')</script>"
TEXTS = [
    " ".join([f'{HOSTILE} & "quoted"', *CORPUS.vocabulary[CORPUS.words[i:j]]])
    for i, j in zip(CORPUS.starts, CORPUS.starts[1:], strict=False)
]


def write(idata, folder=None, **options):
    """Write a report and return its text."""
    path = Path(folder or mkdtemp()) / "report.html"
    assert med.report(idata, path, **options) == path
    return path.read_text(encoding="utf-8")


def true_responses(name):
    """Return the responses of the planted documents, as they were given to the model."""
    from pymc_medlda.run.run import Run

    found = Run(RUNS[name]()).response()
    if found.kind == "real":
        return found.y if found.y.shape[1] > 1 else found.y[:, 0]
    if found.kind == "multilabel":
        return np.where(np.isnan(found.y), np.nan, found.y > 0)
    position = found.y.argmax(axis=1) if found.kind == "multiclass" else (found.y[:, 0] > 0) * 1
    return found.classes[position]


def held_out(name):
    """Return the arguments that make the first eight documents held-out ones."""
    corpus = CORPUS[:8]
    if "no vocabulary" in name:
        corpus = med.Corpus(corpus.words, corpus.starts, n_words=corpus.n_words)
    new = {key: np.repeat(value, 8, axis=0) for key, value in NEW.get(name, {}).items()}
    return {"test": corpus, "test_y": true_responses(name)[:8], **new}


@cache
def calibrated(response):
    """Return a calibrated run of the planted documents."""
    truth = planted(response)
    with med.GibbsMedLDA(truth.corpus, truth.y, n_topics=3):
        idata = pm.sample(**OPTIONS)
    return med.calibrate(
        idata, chains=3, draws=5, tune=5, random_seed=1, cores=1, progressbar=False
    )


@cache
def hostile():
    """Return a run whose words, documents, classes and topics have names that attack the page."""
    words = [f"{HOSTILE}{t}" for t in range(CORPUS.n_words)]
    corpus = med.Corpus(
        CORPUS.words,
        CORPUS.starts,
        vocabulary=words,
        document_names=[f'"><img src=x onerror=alert({d})>' for d in range(30)],
    )
    y = np.where(planted().y > 0, HOSTILE, '"</title><b>')
    with pm.Model(coords={"topic": [f"</style>{HOSTILE}{k}" for k in range(3)]}):
        with med.GibbsMedLDA(corpus, y, n_topics=3):
            pass
        return pm.sample(**OPTIONS)


class Outline(HTMLParser):
    """Collects the tags of a page with their attributes, and checks that they are balanced."""

    VOID = frozenset({"meta", "link", "img"})

    def __init__(self, html):
        super().__init__()
        self.tags, self.open = [], []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)

    def values(self, attribute):
        return [own[attribute] for _, own in self.tags if attribute in own]


def section(html, name):
    """Return the text of a section, without tags."""
    inside = re.search(f'<section id="{name}">(.*?)</section>', html, re.DOTALL)[1]
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", inside))
