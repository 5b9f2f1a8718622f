"""Corpora that lie in a folder: built from files with bounded memory, and mapped, not read."""

import numpy as np
import pandas as pd
import pytest

from pymc_medlda import GibbsMedLDA
from pymc_medlda.corpus import Corpus
from pymc_medlda.corpus.counting_files import BLOCK
from pymc_medlda.corpus.mapped import find_folder

TEXTS = [
    "the red fish swims and the blue fish swims",
    "",
    "a red boat and a blue boat",
    "NA",
    "fish swims in the sea",
]


def rows_of(corpus):
    return corpus.to_dtm().toarray().tolist(), corpus.vocabulary.tolist()


@pytest.mark.parametrize(
    "options",
    [{}, {"min_df": 2}, {"max_df": 0.5}, {"max_words": 3}, {"stop_words": ["the"], "min_df": 0.4}],
)
def test_files_give_the_counts_of_texts_in_memory(tmp_path, options):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    found = Corpus.from_files(path, tmp_path / "corpus", **options)
    named = {"max_features" if key == "max_words" else key: v for key, v in options.items()}
    assert rows_of(found) == rows_of(Corpus.from_texts(TEXTS, **named))
    assert not (tmp_path / "corpus" / "provisional.bin").exists()


def test_all_formats_give_the_same_corpus(tmp_path):
    frame = pd.DataFrame({"body": TEXTS, "stars": [1, 2, 3, 4, 5]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    singles = []
    for i, text in enumerate(TEXTS):
        singles.append(tmp_path / f"{i}.txt")
        singles[-1].write_text(text)
    expected = Corpus.from_texts(TEXTS)
    expected.to_ldac(tmp_path / "a.ldac")
    columns = {"text_column": "body", "label_column": "stars"}
    for suffix in ("csv", "parquet"):
        found, labels = Corpus.from_files(tmp_path / f"a.{suffix}", tmp_path / suffix, **columns)
        assert rows_of(found) == rows_of(expected)
        assert labels.tolist() == [1, 2, 3, 4, 5]
    found = Corpus.from_files(singles, tmp_path / "files", format="files")
    assert rows_of(found) == rows_of(expected)
    known = expected.vocabulary
    found = Corpus.from_files(tmp_path / "a.ldac", tmp_path / "ldac", vocabulary=known)
    assert rows_of(found) == rows_of(expected)


def test_several_files_are_read_one_after_the_other(tmp_path):
    for name, part in (("a.txt", TEXTS[:2]), ("b.txt", TEXTS[2:])):
        (tmp_path / name).write_text("\n".join(part) + "\n")
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    found = Corpus.from_files(paths, tmp_path / "corpus")
    assert rows_of(found) == rows_of(Corpus.from_texts(TEXTS))


def test_a_given_vocabulary_decides_which_words_are_kept(tmp_path):
    (tmp_path / "a.txt").write_text("fish and chips\n")
    found = Corpus.from_files(tmp_path / "a.txt", tmp_path / "c", vocabulary=["sea", "fish"])
    assert found.vocabulary.tolist() == ["sea", "fish"]
    assert found.words.tolist() == [1]


def test_tokens_are_translated_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("pymc_medlda.corpus.counting_files.BLOCK", 3)
    assert BLOCK > 3  # the real one is longer than these documents
    test_files_give_the_counts_of_texts_in_memory(tmp_path, {"min_df": 2})


def test_a_corpus_survives_a_folder_and_is_mapped(tmp_path):
    corpus = Corpus.from_tokens([["ä", "b"], [], ["b"]], document_names=["x", "y", "z"])
    corpus.to_folder(tmp_path / "c")
    found = Corpus.from_folder(tmp_path / "c")
    assert found == corpus
    assert not found.words.flags.writeable
    assert find_folder(found.words) == tmp_path / "c"
    assert find_folder(found[1:].words) is None
    assert find_folder(corpus.words) is None


@pytest.mark.parametrize(
    "documents",
    [slice(1, 3), slice(2), slice(-2, None), slice(2, 1), slice(9, None), slice(None)],
    ids=str,
)
@pytest.mark.parametrize("names", [None, ["w", "x", "y", "z"]], ids=["numbers", "names"])
def test_some_documents_of_a_folder_are_those_of_the_corpus(tmp_path, documents, names):
    corpus = Corpus.from_tokens([["ä", "b"], [], ["b"], ["c", "b"]], document_names=names)
    corpus.to_folder(tmp_path / "c")
    found = Corpus.from_folder(tmp_path / "c", documents=documents)
    assert found == corpus[documents]
    if found.n_tokens:
        assert isinstance(found.words.base, np.memmap)


def test_documents_that_are_left_out_are_not_read(tmp_path):
    """A damaged id is found in its own documents, and in no others."""
    Corpus([0, 1, 7], [0, 2, 3], n_words=9).to_folder(tmp_path / "c")
    (tmp_path / "c" / "n_words.txt").write_text("3")
    assert Corpus.from_folder(tmp_path / "c", documents=slice(0, 1)).words.tolist() == [0, 1]
    with pytest.raises(ValueError, match="ids from 0 to 2"):
        Corpus.from_folder(tmp_path / "c", documents=slice(1, 2))


def test_a_corpus_without_tokens_survives_too(tmp_path):
    corpus = Corpus.from_tokens([[], []], n_words=3)
    corpus.to_folder(tmp_path / "c")
    assert Corpus.from_folder(tmp_path / "c") == corpus


def test_labels_may_be_missing(tmp_path):
    (tmp_path / "a.csv").write_text("body,stars\nfish,1\nNA,\n")
    columns = {"text_column": "body", "label_column": "stars"}
    corpus, labels = Corpus.from_files(tmp_path / "a.csv", tmp_path / "c", **columns)
    assert corpus.vocabulary.tolist() == ["fish", "na"]
    np.testing.assert_array_equal(labels, [1.0, np.nan])


def test_documents_may_have_lists_of_labels(tmp_path):
    frame = pd.DataFrame({"body": TEXTS[:4], "tags": [["a"], ["a", "b"], [], None]})
    frame.to_parquet(tmp_path / "a.parquet")
    columns = {"text_column": "body", "label_column": "tags"}
    corpus, labels = Corpus.from_files(tmp_path / "a.parquet", tmp_path / "c", **columns)
    assert labels.tolist() == [["a"], ["a", "b"], [], None]
    model = GibbsMedLDA(corpus, labels, n_topics=2)
    assert model.coords["task"] == ("a", "b")


def test_lists_of_labels_of_one_length_stay_lists(tmp_path):
    frame = pd.DataFrame({"body": TEXTS[:2], "tags": [["a", "b"], ["b", "c"]]})
    frame.to_parquet(tmp_path / "a.parquet")
    columns = {"text_column": "body", "label_column": "tags"}
    _, labels = Corpus.from_files(tmp_path / "a.parquet", tmp_path / "c", **columns)
    assert labels.shape == (2,)
    assert labels.tolist() == [["a", "b"], ["b", "c"]]
