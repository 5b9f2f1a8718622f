"""Coherence against a plain loop."""

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.run.coherence import coherence
from pymc_medlda.run.topics import top_words
from tests.sampled import planted, sample


def plain_npmi(documents, words):
    """Mean NPMI by a loop over pairs and documents."""
    scores = []
    for i, a in enumerate(words):
        for b in words[i + 1 :]:
            p_a = np.mean([a in d for d in documents])
            p_b = np.mean([b in d for d in documents])
            p_ab = np.mean([a in d and b in d for d in documents])
            if p_ab == 0:
                scores.append(-1.0)
            else:
                scores.append(np.log(p_ab / (p_a * p_b)) / -np.log(p_ab))
    return np.mean(scores)


def test_coherence_is_the_mean_npmi_of_the_pairs():
    idata, corpus = sample(), planted().corpus
    documents = [
        {f"word{t:04d}" for t in corpus.words[i:j]}
        for i, j in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)
    ]
    table = top_words(idata, 5)
    expected = [
        plain_npmi(documents, row[[f"word {r}" for r in range(1, 6)]].tolist())
        for _, row in table.iterrows()
    ]
    np.testing.assert_allclose(coherence(idata, 5), expected)
    # The corpus given anew, its vocabulary in another order, is the same corpus.
    order = np.random.default_rng(0).permutation(40)
    shuffled = corpus.to_vocabulary(corpus.vocabulary[order])[0]
    np.testing.assert_allclose(coherence(idata, 5, corpus=shuffled), expected)
    assert not np.allclose(coherence(idata, 5, corpus=corpus[:15]), expected)


def test_coherence_leaves_out_words_the_reference_lacks():
    idata = sample()
    best = top_words(idata, 3)
    reference = med.Corpus.from_tokens([best.loc[0, ["word 1", "word 2"]].tolist(), ["other"]])
    found = coherence(idata, 3, corpus=reference)
    assert found[0] == pytest.approx(1.0)  # the one pair left always comes together
    nothing = coherence(idata, 3, corpus=med.Corpus.from_tokens([["other"]]))
    assert nothing.isna().all()


def test_words_that_are_in_every_document_only_come_together():
    """The limit of the formula, where it would divide zero by zero."""
    idata = sample()
    always = top_words(idata, 3).loc[0, ["word 1", "word 2", "word 3"]].tolist()
    everywhere = med.Corpus.from_tokens([always, [*always, "other"]])
    assert coherence(idata, 3, corpus=everywhere)[0] == 1.0
    nearly = med.Corpus.from_tokens([always] * 10_000 + [["other"]])
    assert coherence(idata, 3, corpus=nearly)[0] == pytest.approx(1.0)


def test_coherence_counts_documents_and_not_occurrences():
    idata, corpus = sample(), planted().corpus
    counts = corpus.to_dtm().toarray()
    once = med.Corpus.from_dtm((counts > 0).astype(int), vocabulary=corpus.vocabulary)
    assert counts.max() > 1
    np.testing.assert_array_equal(coherence(idata, 5, corpus=once), coherence(idata, 5))
