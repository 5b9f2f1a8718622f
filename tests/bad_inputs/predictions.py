"""Predictions and datasets: settings that are refused."""

from functools import cache

import numpy as np
import pandas as pd
import pymc as pm

import pymc_medlda as med
from tests.bad_inputs.kinds import CORPUS, NAME, NUMBER, SEED, SHARE, SWITCH, WHOLE, Row, rows
from tests.bad_inputs.models import FEATURES, OFFSET
from tests.sampled import planted, sample

HELD_OUT = planted().corpus[:4]
NAMED = med.Corpus(
    HELD_OUT.words, HELD_OUT.starts, vocabulary=HELD_OUT.vocabulary, document_names=list("pqrs")
)


FRAME = pd.DataFrame(np.ones((4, 2)), columns=["a", "b"])


def predict(idata=None, corpus=NAMED, progressbar=False, **options):
    run = sample("binary") if idata is None else idata
    return med.predict(run, corpus, progressbar=progressbar, **options)


def calibrate(idata=None, progressbar=False, **options):
    run = sample("binary") if idata is None else idata
    quick = {"draws": 1, "tune": 0, "random_seed": 1}
    return med.calibrate(run, progressbar=progressbar, **{**quick, **options})


def perplexity(idata=None, corpus=HELD_OUT, **options):
    run = sample("binary") if idata is None else idata
    return med.perplexity(run, corpus, **{"n_draws": 2, **options})


def make_planted(n_documents=3, n_topics=2, n_words=5, **options):
    return med.datasets.make_planted(n_documents, n_topics=n_topics, n_words=n_words, **options)


def load_docstrings(packages=("lazy_loader",), **options):
    return med.datasets.load_docstrings(packages, **{"min_df": 1, "max_df": 1.0, **options})


def split(labelled=None, **options):
    if labelled is None:
        labelled = labelled_corpus()
    return med.datasets.train_test_split(labelled, **options)


def labelled_corpus(corpus=HELD_OUT, y=("a", "b", "a", "b")):
    return med.datasets.LabelledCorpus(corpus, np.asarray(y), ("a", "b"))


@cache
def with_features():
    known = planted()
    features = pd.DataFrame(np.ones((30, 2)), columns=["a", "b"])
    with med.GibbsMedLDA(known.corpus, known.y, n_topics=2, features=features):
        return pm.sample(
            2, tune=1, chains=1, cores=1, progressbar=False, compute_convergence_checks=False
        )


def predict_with_features(features=FRAME):
    return predict(with_features(), features=features)


CALLS = {
    "predict": predict,
    "calibrate": calibrate,
    "predict, features": predict_with_features,
    "perplexity": perplexity,
    "make_planted": make_planted,
    "load_docstrings": load_docstrings,
    "train_test_split": split,
    "LabelledCorpus": labelled_corpus,
}

ROWS = [
    *rows("predict", CORPUS, "corpus", leave_out=["none"]),
    Row("predict", "corpus", "other words", med.Corpus([0], [0, 1], n_words=7)),
    Row("predict", "idata", "foreign", object()),
    Row("predict", "idata", "number", 3),
    *rows("predict", WHOLE, "thin", "n_samples", "max_burn_in", "cores"),
    *rows("predict", NUMBER, "tolerance", leave_out=["denormal", "beyond squares"]),
    Row("predict", "tolerance", "vector", [0.1, 0.1]),
    *rows("predict", SWITCH, "single_draw", "progressbar", "as_frame"),
    Row("predict", "corpus", "texts for a run without a recipe", ["a text"], "vocabulary="),
    Row("predict", "corpus", "one text", "a text"),
    Row("predict", "corpus", "numbers", [1, 2]),
    *rows("predict", SEED, "random_seed"),
    *rows("predict", {"empty": [], "unknown": ["phi"], "number": 3}, "var_names"),
    *rows("predict", OFFSET, "offset", leave_out=["beyond sums"]),
    Row("predict", "offset", "another index", pd.Series(np.ones(4), index=list("pqrx"))),
    *rows("predict", NAME, "response"),
    *rows("predict", SHARE, "interval"),
    Row("predict", "interval", "of classes", 0.9, "real responses", "probability"),
    Row("calibrate", "idata", "foreign", object()),
    *rows("calibrate", NAME, "response"),
    *rows("calibrate", WHOLE, "chains", "draws", "tune", "sweeps_per_draw", "n_samples", "cores"),
    *rows("calibrate", WHOLE, "anneal"),
    Row("calibrate", "chains", "zero", 0),
    Row("calibrate", "chains", "more than documents", 40, "documents"),
    *rows("calibrate", {"number": 3, "text": "model", "model": lambda rows: None}, "build"),
    *rows("calibrate", SEED, "random_seed"),
    *rows("calibrate", SWITCH, "progressbar"),
    Row("predict", "features", "without features in the model", np.ones((4, 2))),
    *rows("predict, features", FEATURES, "features"),
    *rows("predict, features", {"none": None, "too wide": np.ones((4, 3))}, "features"),
    Row("predict, features", "features", "unknown column", FRAME.rename(columns={"a": "x"}), "'x'"),
    Row("perplexity", "idata", "foreign", object()),
    *rows("perplexity", NAME, "topics"),
    *rows("perplexity", CORPUS, "corpus", leave_out=["none"]),
    *rows("perplexity", WHOLE, "n_draws", "n_particles", "n_burn_in", "n_sweeps"),
    *rows("perplexity", {"unknown": "exact", "number": 3, "list": ["completion"]}, "method"),
    *rows("perplexity", SEED, "random_seed"),
    *rows("make_planted", WHOLE, "n_documents", "n_topics", "n_words", "n_tasks"),
    Row("make_planted", "n_documents", "beyond memory", 10**12),
    Row("make_planted", "n_words", "beyond memory", 10**12),
    *rows("make_planted", NUMBER, "length", "alpha", "beta", "noise"),
    Row("make_planted", "length", "zero", 0.0),
    Row("make_planted", "length", "beyond memory", 1e15, "n_documents"),
    Row("make_planted", "eta", "too short", [1.0]),
    Row("make_planted", "eta", "NaN", [np.nan, 1.0]),
    Row("make_planted", "eta", "text", ["a", "b"]),
    Row("make_planted", "response", "unknown", "ordinal"),
    Row("make_planted", "response", "list", ["real"]),
    *rows("make_planted", SEED, "seed"),
    Row("load_docstrings", "packages", "one string", "numpy"),
    Row("load_docstrings", "packages", "none", None),
    Row("load_docstrings", "packages", "numbers", [1]),
    Row("load_docstrings", "packages", "generator", (name for name in ["lazy_loader"])),
    Row("load_docstrings", "packages", "not installed", ["no_such_package"]),
    Row("load_docstrings", "packages", "empty", []),
    *rows("load_docstrings", WHOLE, "min_words", "min_df", "n_documents_per_package"),
    *rows("load_docstrings", SHARE, "max_df", leave_out=["one"]),
    *rows("load_docstrings", SEED, "seed"),
    Row("train_test_split", "labelled", "corpus", HELD_OUT),
    *rows("train_test_split", SHARE, "test_fraction"),
    *rows("train_test_split", SEED, "seed"),
    *rows("LabelledCorpus", CORPUS, "corpus"),
    Row("LabelledCorpus", "y", "too short", ["a"]),
]
