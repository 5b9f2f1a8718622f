"""The files of the LSHTC challenge become a corpus with labels."""

import numpy as np

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
