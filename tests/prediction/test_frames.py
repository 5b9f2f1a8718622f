"""Predictions as tables, compared with the arrays from which they come."""

import numpy as np
import pandas as pd
import pytest

import pymc_medlda as med
from tests.prediction.comparing import predicted
from tests.reviews import NEW, reviews
from tests.sampled import planted, sample


def tabulate(idata, corpus, **options):
    options = {"random_seed": 1, "progressbar": False, **options}
    return med.predict(idata, corpus, as_frame=True, **options)


TOPICS = [f"{what} {rank}" for rank in (1, 2, 3) for what in ("topic", "share", "words")]


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_classes_have_one_row_per_document(kind):
    corpus = planted(kind).corpus
    table, found = tabulate(sample(kind), corpus), predicted(sample(kind), corpus)
    expected = ["document", "decision", "probability", *TOPICS, "no_known_words"]
    assert table.columns.tolist() == expected
    assert table["document"].tolist() == list(range(30))
    np.testing.assert_array_equal(table["decision"], found["decision"])
    classes = found["probability"][found["probability"].dims[1]].values.tolist()
    for d, decision in enumerate(table["decision"]):
        of_document = found["probability"].values[d]
        assert table["probability"][d] == of_document[classes.index(decision)]


def test_labels_have_one_row_per_document_and_task():
    corpus = planted("multilabel").corpus[:5]
    table = tabulate(sample("multilabel"), corpus)
    found = predicted(sample("multilabel"), corpus)
    expected = ["document", "task", "decision", "probability", *TOPICS, "no_known_words"]
    assert table.columns.tolist() == expected
    by_pair = table.set_index(["document", "task"])
    assert len(by_pair) == 15
    for name in ("decision", "probability"):
        assert by_pair[name].to_numpy().tolist() == found[name].values.ravel().tolist()
    assert by_pair.loc[4, "share 1"].nunique() == 1


def test_values_have_bounds_if_the_run_is_calibrated():
    idata, corpus = sample("real"), planted("real").corpus
    plain = tabulate(idata, corpus)
    assert plain.columns.tolist() == ["document", "value", *TOPICS, "no_known_words"]
    calibrated = med.calibrate(idata, draws=2, tune=5, random_seed=1, progressbar=False)
    for interval in (None, 0.5):
        table = tabulate(calibrated, corpus, interval=interval)
        found = predicted(calibrated, corpus, interval=interval or 0.9)
        assert table.columns.tolist()[:4] == ["document", "value", "lower", "upper"]
        for column, name in [("value", "decision"), ("lower", "lower"), ("upper", "upper")]:
            np.testing.assert_array_equal(table[column], found[name])


def test_topics_are_those_of_top_words():
    table, found = tabulate(reviews(), NEW), predicted(reviews(), NEW)
    assert table["no_known_words"].tolist() == [False, False, True, True]
    mean = found["theta"].sel(chain=0).mean("draw").values
    np.testing.assert_allclose(table["share 1"], mean.max(axis=1))
    np.testing.assert_allclose(table["share 2"], mean.min(axis=1))
    np.testing.assert_array_equal(table["topic 1"], mean.argmax(axis=1))
    words = med.top_words(reviews(), 5).filter(like="word ").agg(", ".join, axis=1)
    assert table["words 1"].tolist() == words[table["topic 1"]].tolist()


def test_plain_lda_and_no_documents_at_all():
    table = tabulate(sample(None), planted().corpus)
    assert table.columns.tolist() == ["document", *TOPICS, "no_known_words"]
    nothing = tabulate(sample("multilabel"), planted("multilabel").corpus[:0])
    assert nothing.shape == (0, 14)


def test_topics_of_training_documents_as_a_table():
    table, found = med.doc_topics(sample(), as_frame=True), med.doc_topics(sample())
    columns = ["chain", "document", "topic", "mean", "lower", "upper"]
    assert table.columns.tolist() == [*columns, "words"]
    expected = found.to_dataframe().reset_index()[columns]
    pd.testing.assert_frame_equal(table[columns], expected, check_dtype=False)
    for chain in (0, 1):
        words = med.top_words(sample(), 5, chain=chain).filter(like="word ")
        of_chain = table[(table["chain"] == chain) & (table["document"] == 7)]
        assert of_chain["words"].tolist() == words.agg(", ".join, axis=1).tolist()
