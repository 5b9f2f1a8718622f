"""Replays of a sweep: the exact conditional of every visit, whatever the size of the corpus.

A sweep visits the tokens in order. Its result therefore tells the state before every visit, and the
conditional there can be computed again, slowly, from the counts. Given that state, any function of
the drawn topic has a known mean and a known variance. Sums of the differences from the mean are
martingales, so Freedman's inequality bounds how far they may be from zero.
"""

import numpy as np


def conditionals(corpus, before, after, *, alpha, beta, eta, a, b):
    """Return log q(k) of every visit, (n_tokens, n_topics), and C_kt, C_dk, C_k as it was there."""
    tokens, n_words = corpus
    n_topics, z = alpha.size, before.astype(int)
    by_word, by_document = np.zeros((n_words, n_topics)), np.zeros((tokens.start.size, n_topics))
    document = np.repeat(np.arange(tokens.start.size - 1), np.diff(tokens.start))
    np.add.at(by_word, (tokens.word, z), 1)
    np.add.at(by_document, (document, z), 1)
    by_topic = by_word.sum(axis=0)
    logs = np.empty((z.size, n_topics))
    seen = np.empty((3, z.size, n_topics))
    for n, (t, d) in enumerate(zip(tokens.word, document, strict=True)):
        rows = by_word[t], by_document[d], by_topic
        for row in rows:
            row[z[n]] -= 1
        length = tokens.start[d + 1] - tokens.start[d]
        # The discriminant for every topic that the token could have.
        discriminant = (eta + (eta @ by_document[d])[:, None]) / length
        log_q = b[d] @ discriminant - 0.5 * a[d] @ discriminant**2
        log_q += np.log(by_word[t] + beta) + np.log(by_document[d] + alpha)
        log_q -= np.log(by_topic + n_words * beta)
        logs[n] = log_q - np.logaddexp.reduce(log_q)
        seen[:, n] = rows
        z[n] = after[n]
        for row in rows:
            row[z[n]] += 1
    return logs, seen


def functions_of_the_draw(before, logs, seen, eta):
    """Return functions of the drawn topic, (n_tokens, n_topics) each, between -1 and 1."""
    n_topics = logs.shape[1]
    topic, rng = np.arange(n_topics), np.random.default_rng(0)
    order = np.argsort(np.argsort(eta[0]))
    functions = {
        "stays": topic == before[:, None],
        "log q": np.maximum(logs, -20.0) / 20.0,
        "word has no token in it": seen[0] == 0,
        "word has several tokens in it": seen[0] > 1,
        "document has no token in it": seen[1] == 0,
        "document has several tokens in it": seen[1] > 1,
        "topic is small": seen[2] < np.median(seen[2], axis=1, keepdims=True),
        "rank of eta": order / n_topics,
        "eta in the middle": np.abs(2 * order + 1 - n_topics) / n_topics,
        "eta above that of the topic before": eta[0] > eta[0][before][:, None],
        "number of the topic": topic / n_topics,
        **{f"bit {bit} of the topic": topic >> bit & 1 for bit in range(3)},
        **{f"random signs {i}": rng.choice([-1.0, 1.0], n_topics) for i in range(2)},
    }
    return {name: np.broadcast_to(f, logs.shape).astype(float) for name, f in functions.items()}


def levels(drawn, logs, functions):
    """Return, for each function, a bound of the probability of a sum so far from its mean."""
    p = np.exp(logs)
    found = {}
    for name, values in functions.items():
        mean = (p * values).sum(axis=1)
        variance = (p * values**2).sum(axis=1) - mean**2
        distance = abs((values[np.arange(drawn.size), drawn] - mean).sum())
        scale = variance.sum() + 2.0 * distance / 3.0  # a difference is at most 2
        found[name] = 2.0 * np.exp(-(distance**2) / (2.0 * scale)) if distance > 0 else 1.0
    return found
