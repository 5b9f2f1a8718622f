"""What the tests of sweeps in blocks share: the order of the visits, and the law given masses."""

import itertools
import math

import numpy as np

from tests.kernels.conftest import log_target
from tests.kernels.replay import counts_at_each_visit


def block_of_words(blocks, n_words):
    """Return the block of each word, and V_B."""
    block = np.zeros(n_words, int)
    for number, words in enumerate(blocks.words):
        block[words] = number
    return block, np.array([words.size for words in blocks.words])


def visiting_order(blocks):
    """Return the tokens in an order of visits: round by round, cell by cell."""
    n_blocks, order = len(blocks.words), []
    for e in range(n_blocks):
        for i in range(n_blocks):
            own = (i + e) % n_blocks
            start = blocks.tokens[own].start
            first, last = start[blocks.edges[i]], start[blocks.edges[i + 1]]
            order.append(blocks.order[own][first:last])
    return np.concatenate(order)


def log_target_given_masses(tokens, n_words, z, blocks, log_mass, *, alpha, beta, **given):
    """Return the log joint of words, topics and losses given the masses of the blocks.

    It is that of the collapsed model with one factor replaced: Γ(V beta) / Γ(C_k + V beta) becomes
    the product over blocks of s_kB^C_kB Γ(V_B beta) / Γ(C_kB + V_B beta).
    """
    total = log_target(tokens, n_words, z, alpha=alpha, beta=beta, **given)
    block, sizes = block_of_words(blocks, n_words)
    for k in range(alpha.size):
        in_block = np.bincount(block[tokens.word[z == k]], minlength=sizes.size)
        total += math.lgamma(n_words * beta + in_block.sum()) - math.lgamma(n_words * beta)
        for number, count in enumerate(in_block):
            size = sizes[number] * beta
            total += math.lgamma(size) - math.lgamma(size + count) + count * log_mass[number, k]
    return total


def blocked_sweep_law(tokens, n_words, start, blocks, log_mass, **given):
    """Return P(z after a sweep | z before), one axis per token, from the enumerated joint."""
    n_topics = given["alpha"].size
    shape = (n_topics,) * tokens.word.size
    logs = np.empty(shape)
    for z in itertools.product(range(n_topics), repeat=tokens.word.size):
        logs[z] = log_target_given_masses(tokens, n_words, np.array(z), blocks, log_mass, **given)
    law = np.zeros(shape)
    law[tuple(start)] = 1.0
    for n in visiting_order(blocks):
        conditional = np.exp(logs - logs.max(axis=n, keepdims=True))
        conditional /= conditional.sum(axis=n, keepdims=True)
        law = law.sum(axis=n, keepdims=True) * conditional
    return law.ravel()


def blocked_conditionals(corpus, before, after, blocks, log_mass, *, alpha, beta, eta, a, b):
    """Return log q(k) of every visit, in the order of the visits, and C_kt, C_dk, C_kB there."""
    tokens, n_words = corpus
    order = visiting_order(blocks)
    length = np.diff(tokens.start)
    document = np.repeat(np.arange(length.size), length)[order]
    word, before, after = tokens.word[order], before[order], after[order]
    block, sizes = block_of_words(blocks, n_words)
    seen = [
        counts_at_each_visit(group, before, after, alpha.size)
        for group in (word, document, block[word])
    ]
    by_word, by_document, by_block = seen
    discriminant = eta + (by_document @ eta.T)[:, :, None]
    discriminant = discriminant / length[document][:, None, None]
    log_q = np.einsum("ni,nik->nk", b[document], discriminant)
    log_q -= 0.5 * np.einsum("ni,nik->nk", a[document], discriminant**2)
    log_q += np.log(by_word + beta) + np.log(by_document + alpha) + log_mass[block[word]]
    log_q -= np.log(by_block + (sizes[block[word]] * beta)[:, None])
    return log_q - np.logaddexp.reduce(log_q, axis=1, keepdims=True), seen
