"""A corpus of three documents, small enough to write its tokens down."""

import numpy as np

COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 1]])
WORDS = ["cat", "dog", "fish"]
TEXTS = ["the cat and the fish", "", "a dog"]


def plain_tokens(counts):
    """List the tokens the slow and obvious way."""
    return [t for row in np.asarray(counts) for t in range(len(row)) for _ in range(int(row[t]))]
