"""Replays of a sweep: the exact conditional of every visit, whatever the size of the corpus.

A sweep visits the tokens in order. Its result therefore tells the state before every visit, and the
conditional there can be computed again. Given that state, any function of the drawn topic has a
known mean and a known variance. Sums of the differences from the mean are martingales, so
Freedman's inequality bounds how far they may be from zero.
"""

import numpy as np


def counts_at_each_visit(group, before, after, n_topics):
    """Return the topics of the other tokens of a token's group, as the sweep met them.

    ``group`` is the word of each token, its document, or the same number for all. The result is
    (n_tokens, n_topics): tokens before the visited one have their new topic, and later ones their
    old topic.
    """
    topics = np.eye(n_topics)
    table = np.zeros((group.max() + 1, n_topics))
    np.add.at(table, (group, before), 1)
    order = np.argsort(group, kind="stable")
    change = (topics[after] - topics[before])[order]
    earlier = np.cumsum(change, axis=0) - change
    earlier -= earlier[np.searchsorted(group[order], group[order])]
    changed = np.empty_like(earlier)
    changed[order] = earlier
    return table[group] + changed - topics[before]


def conditionals(corpus, before, after, *, alpha, beta, eta, a, b, power=1.0):
    """Return log q(k) of every visit, (n_tokens, n_topics), and C_kt, C_dk, C_k as it was there."""
    tokens, n_words = corpus
    length = np.diff(tokens.start)
    document = np.repeat(np.arange(length.size), length)
    seen = [
        counts_at_each_visit(group, before, after, alpha.size)
        for group in (tokens.word, document, np.zeros_like(document))
    ]
    by_word, by_document, by_topic = seen
    # The discriminant for every topic that the token could have, (n_tokens, n_tasks, n_topics).
    discriminant = eta + (by_document @ eta.T)[:, :, None]
    discriminant = discriminant / length[document][:, None, None]
    log_q = np.einsum("ni,nik->nk", b[document], discriminant)
    log_q -= 0.5 * np.einsum("ni,nik->nk", a[document], discriminant**2)
    log_q += power * (np.log(by_word + beta) + np.log(by_document + alpha))
    log_q -= power * np.log(by_topic + n_words * beta)
    return log_q - np.logaddexp.reduce(log_q, axis=1, keepdims=True), seen


def functions_of_the_draw(before, logs, seen, eta):
    """Return functions of the drawn topic, (n_tokens, n_topics) each, between -1 and 1."""
    n_topics = logs.shape[1]
    topic, rng = np.arange(n_topics), np.random.default_rng(0)
    order = np.argsort(np.argsort(eta[0]))
    own = eta[0][before]
    # Which way the weights of the topics lean if the token is taken out of its document.
    mean = (seen[1] @ eta[0] + own) / (seen[1].sum(axis=1) + 1)
    lean = np.sign(own - mean)[:, None] * (2 * order + 1 - n_topics) / n_topics
    is_middle = np.abs(2 * order + 1 - n_topics) < n_topics - 6
    moves = topic != before[:, None]
    functions = {
        "moves": moves,
        "log q": np.maximum(logs, -20.0) / 20.0,
        "word has no token in it": seen[0] == 0,
        "word has several tokens in it": seen[0] > 1,
        "document has no token in it": seen[1] == 0,
        "document has several tokens in it": seen[1] > 1,
        "size of the topic": seen[2] / seen[2].max(),
        "topic is small": seen[2] < np.median(seen[2], axis=1, keepdims=True),
        "rank of eta": order / n_topics,
        "eta is extreme": np.abs(2 * order + 1 - n_topics) / n_topics,
        "eta in the middle": is_middle,
        "moves to the middle": is_middle & moves,
        "leans": lean,
        "leans within the middle": lean * is_middle,
        "eta above that of the topic before": eta[0] > own[:, None],
        "number of the topic": topic / n_topics,
        **{f"bit {bit} of the topic": topic >> bit & 1 for bit in range(3)},
        **{f"random signs {i}": rng.choice([-1.0, 1.0], n_topics) for i in range(2)},
    }
    return {name: np.broadcast_to(f, logs.shape).astype(float) for name, f in functions.items()}


class Sums:
    """Sums of differences between functions of the drawn topics and their means."""

    def __init__(self):
        self.distance, self.variance = {}, {}

    def add(self, drawn, logs, functions):
        """Add the visits of one sweep."""
        p = np.exp(logs)
        for name, values in functions.items():
            mean = (p * values).sum(axis=1)
            variance = (p * values**2).sum(axis=1) - mean**2
            distance = (values[np.arange(drawn.size), drawn] - mean).sum()
            self.distance[name] = self.distance.get(name, 0.0) + distance
            self.variance[name] = self.variance.get(name, 0.0) + variance.sum()

    def levels(self):
        """Return, for each function, a bound of the probability of a sum so far from zero."""
        found = {}
        for name, distance in self.distance.items():
            # A difference is at most 2. The small number stands for rounding errors.
            scale = self.variance[name] + 2.0 * abs(distance) / 3.0 + 1e-9
            found[name] = min(1.0, 2.0 * float(np.exp(-(distance**2) / (2.0 * scale))))
        return found
