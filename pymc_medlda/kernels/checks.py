"""Checks of what kernels are given, one pass each: kernels themselves trust every number.

Symbols: a, b the augmented loss of a document and task (log factor b F - a F²/2).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.kernels._jit import kernel
from pymc_medlda.kernels.counts import Tokens

# Sums of a few numbers up to this one do not overflow.
LARGEST = 1e300


def check_tokens(tokens: Tokens, n_words: int) -> None:
    """Raise unless documents follow each other and every word is below ``n_words``."""
    word, start = tokens
    for name, array in (("word", word), ("start", start)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(
                f"tokens.{name} must be a flat array of integers, got {array.dtype} of shape "
                f"{array.shape}"
            )
    if start.size == 0 or start[0] != 0 or start[-1] != word.size or (start[1:] < start[:-1]).any():
        raise ValueError(
            f"tokens.start must ascend from 0 to the number of tokens, {word.size}, got "
            f"{start[0] if start.size else 'nothing'} to {start[-1] if start.size else 'nothing'}"
        )
    if word.size and not (0 <= word.min() and word.max() < n_words):
        raise ValueError(
            f"tokens.word must be from 0 to {n_words - 1}, as there are {n_words} words, got "
            f"{word.min()} to {word.max()}"
        )


def checked_topics(z: Any, *, n_tokens: int, n_topics: int) -> NDArray[np.unsignedinteger]:
    """Return a copy of topic assignments in the smallest unsigned dtype that holds all topics.

    Raises
    ------
    ValueError
        Unless there is one topic per token, a whole number from 0 to ``n_topics`` - 1.
    """
    given = np.asarray(z)
    if given.shape != (n_tokens,) or given.dtype.kind not in "iuf":
        raise ValueError(
            f"z must hold one topic for each of the {n_tokens} tokens, got an array of "
            f"{given.dtype} of shape {given.shape}"
        )
    if n_tokens:
        low, high = given.min(), given.max()
        if not (low >= 0 and high < n_topics):  # NaN is neither
            raise ValueError(
                f"z must hold topics from 0 to {n_topics - 1}, as there are {n_topics} topics, got "
                f"{low} to {high}"
            )
    topics = given.astype(np.min_scalar_type(n_topics - 1))
    if given.dtype.kind == "f" and (topics != given).any():
        raise ValueError(f"z must hold whole numbers, got {given[topics != given][0]}")
    return topics


def check_factors(a: Floats, b: Floats) -> None:
    """Raise unless a is finite and zero or more, and b finite, for every document and task."""
    _check_span("a of the loss", a, *span(a.reshape(-1)), least=0.0)
    _check_span("b of the loss", b, *span(b.reshape(-1)), least=-LARGEST)


def check_parameters(alpha: Floats, beta: float, eta: Floats, a: Floats, b: Floats) -> None:
    """Raise unless a sweep over the topics can be computed with these parameters."""
    low, high = span(alpha)
    if not 0.0 < low <= high <= LARGEST:
        raise ValueError(f"alpha must be finite and greater than zero, got {low} to {high}")
    if not 0.0 < beta <= LARGEST:
        raise ValueError(f"beta must be finite and greater than zero, got {beta}")
    spans = [span(x.reshape(-1)) for x in (eta, a, b)]
    _check_span("eta", eta, *spans[0], least=-LARGEST)
    _check_span("a of the loss", a, *spans[1], least=0.0)
    _check_span("b of the loss", b, *spans[2], least=-LARGEST)
    eta_size, a_size, b_size = (max(-low, high, 0.0) for low, high in spans)
    exponent = eta.shape[0] * eta_size * (b_size + a_size * eta_size)
    if not exponent <= LARGEST:
        raise ValueError(
            f"a, b and eta are too large together: the log factor b F - a F²/2 overflows with a up "
            f"to {a_size:g}, b up to {b_size:g} and eta up to {eta_size:g}; it is not finite"
        )


def _check_span(name: str, values: Floats, low: float, high: float, *, least: float) -> None:
    if least <= low and high <= LARGEST:
        return
    bound = "finite" if least < 0.0 else "finite and zero or more"
    wrong = values[~((values >= least) & (values <= LARGEST))]
    if wrong.size:  # without any value, there is no span
        kind = "is not finite" if not math.isfinite(wrong[0]) else "is out of range"
        raise ValueError(f"{name} {kind}: it must be {bound}, got {wrong[0]}")


@kernel
def span(values: np.ndarray) -> tuple[float, float]:
    """Return the smallest and the largest value; both infinities if one is not a number."""
    low, high, unknown = math.inf, -math.inf, False
    for value in values:
        low = min(low, value)
        high = max(high, value)
        unknown |= value != value
    if unknown:
        return -math.inf, math.inf
    return low, high
