"""Words and documents in blocks, and the tokens in the order of the blocks of their words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Tokens


class Blocks(NamedTuple):
    """How a corpus is divided.

    The words of a block have numbers of their own, from zero. Its tokens are in the order of their
    documents, so that those of a block of documents, which are consecutive, are a range.
    """

    tokens: list[Tokens]  # of each block of words, for all documents
    words: list[NDArray[np.int64]]  # of each block: its words, in the order of their numbers
    order: list[NDArray[np.unsignedinteger]]  # of each block: where its tokens are in the corpus
    edges: NDArray[np.int64]  # (n_blocks + 1,) where each block of documents begins, and the end


@kernel
def deal_words(load: np.ndarray, order: np.ndarray, n_blocks: int, block: np.ndarray) -> None:
    """Give each word, in turn, to the block whose words have the smallest load so far."""
    total = np.zeros(n_blocks, np.int64)
    for t in order:
        lightest = 0
        for other in range(1, n_blocks):
            if total[other] < total[lightest]:
                lightest = other
        block[t] = lightest
        total[lightest] += load[t]


@kernel
def put_back(order: np.ndarray, z: np.ndarray, first: int, last: int, out: np.ndarray) -> None:
    """Write the topics of the tokens ``first:last`` of a block to their places in the corpus."""
    # Unsigned numbers: then the loop does not ask whether places are negative, and is much quicker.
    for n in range(np.uint64(first), np.uint64(last)):
        out[order[n]] = z[n]


class Dealt(NamedTuple):
    """Which block each word is in, and its number there."""

    block: NDArray[np.unsignedinteger]  # (n_words,)
    number: NDArray[np.int32]  # (n_words,)
    words: list[NDArray[np.int64]]  # of each block: its words, in the order of their numbers


def deal(count: NDArray[np.integer], n_blocks: int) -> Dealt:
    """Deal words to blocks that have nearly equal numbers of tokens.

    The most frequent words are dealt first, one after the other, so that words of every frequency
    are spread over all blocks. ``count`` is how often each word occurs.
    """
    # One more than the frequency, so that words without tokens are spread as well.
    load = count + 1
    frequent_first = np.argsort(-load, kind="stable")
    block = np.zeros(count.size, np.min_scalar_type(n_blocks))
    deal_words(load, frequent_first, n_blocks, block)
    by_block = frequent_first[np.argsort(block[frequent_first], kind="stable")]
    sizes = np.bincount(block, minlength=n_blocks)
    words = np.split(by_block, np.cumsum(sizes)[:-1])
    number = np.zeros(count.size, np.int32)
    for own in words:
        number[own] = np.arange(own.size)
    return Dealt(block, number, words)


@kernel
def count_before(word: np.ndarray, start: np.ndarray, block: np.ndarray, out: np.ndarray) -> None:
    """Count the tokens of each block in the documents before d, (n_blocks, n_documents + 1)."""
    out[:, 0] = 0
    for d in range(start.size - 1):
        for B in range(out.shape[0]):
            out[B, d + 1] = out[B, d]
        for n in range(start[d], start[d + 1]):
            out[block[word[n]], d + 1] += 1


@kernel
def list_words(
    word: np.ndarray, block: np.ndarray, number: np.ndarray, place: np.ndarray, out: np.ndarray
) -> None:
    """Write the number of every token's word, at the next place of the block of that word."""
    for t in word:
        B = block[t]
        out[place[B]] = number[t]
        place[B] += 1


@kernel
def list_tokens(word: np.ndarray, block: np.ndarray, place: np.ndarray, out: np.ndarray) -> None:
    """Write the position of every token, at the next place of the block of its word."""
    for n in range(word.size):
        B = block[word[n]]
        out[place[B]] = n
        place[B] += 1


def arrange(tokens: Tokens, dealt: Dealt) -> list[Tokens]:
    """Return the tokens of each block, in the order of their documents.

    This allocates nothing but the result: the tokens may be nearly all that fits into memory.
    """
    word, start = tokens
    starts = np.empty((len(dealt.words), start.size), np.int64)
    count_before(word, start, dealt.block, starts)
    edges, numbers = edges_of(starts[:, -1]), np.empty(word.size, np.int32)
    list_words(word, dealt.block, dealt.number, edges[:-1].copy(), numbers)
    parts = np.split(numbers, edges[1:-1])
    return [
        Tokens(_read_only(own), _read_only(begins))
        for own, begins in zip(parts, starts, strict=True)
    ]


def order_of(arranged: list[Tokens], word: Any, dealt: Dealt) -> list[NDArray[np.unsignedinteger]]:
    """Return where the tokens of each block are among all, whose words are ``word``."""
    edges = edges_of([own.word.size for own in arranged])
    order = np.empty(word.size, np.uint32 if word.size < 2**32 else np.uint64)
    list_tokens(word, dealt.block, edges[:-1].copy(), order)
    return np.split(order, edges[1:-1])


def edges_of(sizes: Any) -> NDArray[np.int64]:
    """Return where parts of these sizes begin, and the end of the last one."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def divide(tokens: Tokens, n_words: int, n_blocks: int) -> Blocks:
    """Divide a corpus into blocks of words and of documents with nearly equal numbers of tokens.

    This is a function of the corpus and the number of blocks.
    """
    start = tokens.start
    dealt = deal(np.bincount(tokens.word, minlength=n_words), n_blocks)
    arranged = arrange(tokens, dealt)
    order = order_of(arranged, tokens.word, dealt)
    shares = start[-1] * np.arange(n_blocks + 1) / n_blocks
    edges = np.searchsorted(start, shares).astype(np.int64)
    edges[0], edges[-1] = 0, start.size - 1
    return Blocks(arranged, dealt.words, order, edges)


def _read_only(array: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    array.flags.writeable = False
    return array
