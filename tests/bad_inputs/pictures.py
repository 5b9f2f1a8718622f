"""Pictures and tables of topics: arguments that are refused."""

import numpy as np

import pymc_medlda as med
from tests.bad_inputs.kinds import (
    CHOICE,
    CORPUS,
    NAME,
    SEED,
    SHARE,
    SWITCH,
    WHOLE,
    Later,
    Row,
    rows,
)
from tests.bad_inputs.responses import predicted
from tests.sampled import planted, sample, sample_words


def of_run(function):
    def call(idata=None, **options):
        return function(sample("binary") if idata is None else idata, **options)

    return call


def of_words(function):
    def call(idata=None, **options):
        return function(sample_words() if idata is None else idata, **options)

    return call


def uncertainty(idata=None, y=None, **options):
    truth = planted().y[:10] if y is None else y
    return med.plot_uncertainty(predicted("binary") if idata is None else idata, truth, **options)


def ldavis(idata=None, prepare=False, **options):
    run = sample("binary") if idata is None else idata
    return med.to_pyldavis(run, prepare=prepare, **options)


CALLS = {
    "plot_alignment": of_run(med.plot_alignment),
    "plot_burn_in": of_run(med.plot_burn_in),
    "plot_class_profile": of_run(med.plot_class_profile),
    "plot_eta_forest": of_run(med.plot_eta_forest),
    "plot_topic_words": of_run(med.plot_topic_words),
    "plot_top_features": of_words(med.plot_top_features),
    "top_features": of_words(med.top_features),
    "plot_uncertainty": uncertainty,
    "to_pyldavis": ldavis,
    "top_words": of_run(med.top_words),
    "coherence": of_run(med.coherence),
    "doc_topics": of_run(med.doc_topics),
    "topic_words": of_run(med.topic_words),
}

CHAIN = {
    "unknown": 7,
    "text": "first",
    "list": [0],
    "fraction": 0.5,
    "bool": True,
    "bool of NumPy": np.False_,
    "array": np.array([0, 1]),
}
WEIGHT = {
    "bool": True,
    "text": "0.5",
    "negative": -0.1,
    "beyond one": 2,
    "NaN": np.nan,
    "list": [0.5],
    "complex": 1j,
}
OF_TOPICS = ("plot_alignment", "plot_topic_words", "to_pyldavis", "top_words", "coherence")
OF_FEATURES = ("plot_top_features", "top_features")
OF_RESPONSE = ("plot_class_profile", "plot_eta_forest", "plot_uncertainty", *OF_FEATURES)
STATISTICS = {
    "unknown": ["speed"],
    "text": "loss",
    "empty": [],
    "number": 3,
    "lists": [["loss"]],
    "set": {"loss"},
}
CHAINS = {
    "one": (0,),
    "three": (0, 1, 0),
    "number": 3,
    "text": "01",
    "unknown": (0, 9),
    "none": (0, None),
    "bools": (True, False),
    "lists": (0, [1]),
    "arrays": (0, np.array([0, 1])),
}
WHICH = {
    "unknown": [9],
    "empty": [],
    "number": 3,
    "text": "0",
    "bools": [True],
    "lists": [[0]],
    "arrays": [np.array([0, 1])],
}
AXES = {"text": "here", "number": 3, "empty": []}

ROWS = [
    *[Row(call, "idata", "foreign", object()) for call in CALLS],
    *[row for call in CALLS if "plot" in call for row in rows(call, AXES, "ax")],
    *[row for call in OF_TOPICS for row in rows(call, NAME, "topics")],
    *rows("doc_topics", NAME, "topics"),
    *rows("topic_words", NAME, "topics"),
    *[row for call in OF_RESPONSE for row in rows(call, NAME, "response")],
    *rows("plot_alignment", CHAINS, "chains"),
    *[row for call in OF_FEATURES for row in rows(call, WHOLE, "n")],
    *[row for call in OF_FEATURES for row in rows(call, CHAIN, "chain")],
    *[
        Row(call, "idata", "without features", Later(lambda: sample("binary")), "features")
        for call in OF_FEATURES
    ],
    *rows("plot_top_features", {"unknown": "a", "empty": []}, "task"),
    *rows("plot_burn_in", STATISTICS, "statistics"),
    *rows("plot_class_profile", CHOICE, "kind"),
    *rows("plot_class_profile", WHOLE, "n_words"),
    *rows("plot_class_profile", CHAIN, "chain"),
    *rows("plot_eta_forest", SHARE, "interval"),
    *rows("plot_eta_forest", WHOLE, "n_words"),
    *rows("plot_eta_forest", {"unknown": "a", "empty": []}, "task"),
    *rows("plot_eta_forest", CHAIN, "chain"),
    *rows("plot_topic_words", WHOLE, "n"),
    *rows("plot_topic_words", WHICH, "which"),
    *rows("plot_topic_words", CHOICE, "by"),
    *rows("plot_topic_words", WEIGHT, "weight"),
    *rows("plot_topic_words", CHAIN, "chain"),
    *rows("plot_uncertainty", WHOLE, "bins", "thin"),
    Row("plot_uncertainty", "y", "too short", [1, -1]),
    Row("plot_uncertainty", "y", "text", ["1", "-1"] * 5),
    Row("plot_uncertainty", "y", "another coding", [1, 2] * 5),
    *rows("to_pyldavis", SWITCH, "prepare"),
    *rows("to_pyldavis", CHAIN, "chain"),
    *rows("to_pyldavis", WHOLE, "thin"),
    *rows("top_words", WHOLE, "n", "thin"),
    *rows("top_words", CHOICE, "by"),
    *rows("top_words", WEIGHT, "weight"),
    *rows("top_words", CHAIN, "chain"),
    *rows("coherence", WHOLE, "n", "thin"),
    *rows("coherence", CHOICE, "by"),
    *rows("coherence", WEIGHT, "weight"),
    *rows("coherence", CHAIN, "chain"),
    *rows("coherence", CORPUS, "corpus", leave_out=["none"]),
    *rows("doc_topics", SHARE, "interval"),
    *rows("doc_topics", WHOLE, "thin"),
    *rows("doc_topics", SWITCH, "as_frame"),
    *rows("doc_topics", SEED, "random_seed"),
    *rows("topic_words", WHOLE, "thin"),
    *rows("topic_words", SWITCH, "per_draw"),
]
