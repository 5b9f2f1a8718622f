"""The files of the LSHTC challenge become a corpus with labels."""

import numpy as np

from paper import data
from paper.lshtc import read_lshtc


def test_documents_of_the_largest_labels_are_kept(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("7, 9 1:2 3:1\n9 0:1\n5 2:3\n9,5 1:1\n", encoding="utf-8")
    documents = read_lshtc(path)
    largest = documents.largest(1)
    corpus, y = documents.select(largest)
    assert largest.tolist() == [9]
    assert corpus.n_documents == 3
    assert corpus.words.tolist() == [1, 1, 3, 0, 1]
    corpus, y = documents.select(documents.largest(2))
    np.testing.assert_array_equal(y, [[1, -1], [1, -1], [-1, 1], [1, 1]])


def test_the_largest_labels_of_training_are_those_of_both_parts(tmp_path, monkeypatch):
    """A label that only the test part has much of is no task; words of both parts are words."""
    train = "7 0:1\n7,9 1:2\n9 2:1\n7 0:1 2:1\n5 3:1\n"
    test = "9 6:2\n5 1:1\n5,7 0:1 6:1\n5 2:1\n"
    (tmp_path / "lshtc_train.txt").write_text(train, encoding="utf-8")
    (tmp_path / "lshtc_test.txt").write_text(test, encoding="utf-8")
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    problem = data.load_full_wiki(n_labels=2)
    # The columns are labels 7 and 9, which the most documents of the training part have.
    np.testing.assert_array_equal(problem.y, [[1, -1], [1, 1], [-1, 1], [1, -1]])
    np.testing.assert_array_equal(problem.truth, [[-1, 1], [1, -1]])
    assert problem.train.n_words == problem.test.n_words == 7
    np.testing.assert_array_equal(
        problem.test.to_dtm().toarray()[:, [0, 1, 6]], [[0, 0, 2], [1, 0, 1]]
    )
    assert problem.kind == "labels"
    scores = problem.score(np.array([[-1.0, 1.0], [1.0, 1.0]]))
    assert scores["recall"] == 1.0
    assert scores["precision"] < 1.0
