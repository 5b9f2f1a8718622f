"""The constructors that read files, and `Corpus.to_ldac`."""

import numpy as np
import pandas as pd
import pytest

from pymc_medlda.corpus import Corpus
from pymc_medlda.targets.coding import code_response
from tests.corpus.small import COUNTS, WORDS


def test_ldac_round_trip(corpus, tmp_path):
    path, words = tmp_path / "corpus.ldac", tmp_path / "words.txt"
    corpus.to_ldac(path)
    assert path.read_text() == "2 0:2 2:1\n0\n2 1:3 2:1\n"
    words.write_text("\n".join(WORDS) + "\n")
    for vocabulary in (words, str(words), WORDS):
        again = Corpus.from_ldac(path, vocabulary=vocabulary, document_names=["a", "b", "c"])
        assert again == corpus


def test_ldac_details(tmp_path):
    path = tmp_path / "corpus.ldac"
    path.write_text("2 3:1 0:2\r\n2 1:1 1:1\n\n\n")
    corpus = Corpus.from_ldac(path)
    assert corpus.words.tolist() == [0, 0, 3, 1, 1]
    assert corpus.n_words == 4
    path.write_text("")
    assert Corpus.from_ldac(path).n_documents == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2 0:1", "line 2: announces 2 terms and has 1"),
        ("1 0:-1", "line 2: expected"),
        ("1 0:1.5", "line 2: expected"),
        ("1 0 1", "line 2: expected"),
        ("", "line 2: expected"),
        ("1 0:99999999999", "line 2: .* larger than"),
        ("1 7:1", "terms must be below 3.*got 7"),
    ],
)
def test_malformed_ldac_lines(tmp_path, line, message):
    path = tmp_path / "corpus.ldac"
    path.write_text(f"1 0:1\n{line}\n1 0:1\n")
    with pytest.raises(ValueError, match=message):
        Corpus.from_ldac(path, vocabulary=WORDS)


def test_svmlight(tmp_path):
    path = tmp_path / "corpus.svm"
    path.write_text("1 1:2 3:1\n-1\n1 2:3 3:1\n")
    corpus, y = Corpus.from_svmlight(path, vocabulary=WORDS)
    assert corpus == Corpus.from_dtm(COUNTS, vocabulary=WORDS)
    assert y.tolist() == [1, -1, 1]
    assert Corpus.from_svmlight(path, zero_based=True, n_words=9)[0].n_words == 9
    path.write_text("1,4 1:2\n2 1:1\n")
    assert Corpus.from_svmlight(path, multilabel=True)[1] == [(1.0, 4.0), (2.0,)]
    path.write_text("1 1:2.5\n")
    with pytest.raises(ValueError, match=r"got 2\.5 in row 0"):
        Corpus.from_svmlight(path)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables(tmp_path, kind):
    path = tmp_path / f"texts.{kind}"
    frame = pd.DataFrame({"body": ["NA", "", "null dog"], "label": ["x", "y", "x"]})
    getattr(frame, f"to_{kind}")(path, index=False)
    read = getattr(Corpus, f"from_{kind}")
    corpus, labels = read(path, text_column="body", label_column="label", min_df=1)
    assert corpus.vocabulary.tolist() == ["dog", "na", "null"]
    assert corpus.lengths.tolist() == [1, 0, 2]
    assert labels.tolist() == ["x", "y", "x"]
    assert read(path, text_column="body") == corpus
    with pytest.raises(ValueError, match=r"text_column .*\['body', 'label'\]; got 'text'"):
        read(path, text_column="text")
    with pytest.raises(ValueError, match=r"label_column .*; got 'stars'"):
        read(path, text_column="body", label_column="stars")


def test_csv_options(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("body;label\na dog;1\n")
    corpus = Corpus.from_csv(path, text_column="body", read_options={"sep": ";"})
    assert corpus.vocabulary.tolist() == ["dog"]


def test_parquet_without_a_reader_names_the_extra(monkeypatch, tmp_path):
    def refuse(*args, **kwargs):
        raise ImportError("no engine")

    monkeypatch.setattr(pd, "read_parquet", refuse)
    with pytest.raises(ImportError, match=r"from_parquet needs pyarrow: .*pymc-medlda\[files\]"):
        Corpus.from_parquet(tmp_path / "texts.parquet", text_column="body")


def test_missing_labels_of_a_csv_file_are_missing_in_the_model(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("body,label\nred dog,x\nred cat,\nblue dog,y\n")
    corpus, labels = Corpus.from_csv(path, text_column="body", label_column="label")
    assert labels.tolist() == ["x", None, "y"]
    coded = code_response(labels, n_documents=corpus.n_documents)
    assert np.isnan(coded.values).tolist() == [False, True, False]
