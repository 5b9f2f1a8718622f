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
SMALLEST = 5e-324  # the smallest positive number


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
    if np.ma.is_masked(z):
        raise ValueError("z is masked in some places; one topic for each token is needed")
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


def check_prior(name: str, values: Any, shape: tuple[int, ...]) -> Floats:
    """Return alpha or beta in double precision, or raise unless it is positive and finite."""
    numbers = np.asarray(values, np.float64)
    if numbers.shape != shape:
        raise ValueError(f"{name} has shape {numbers.shape}; {shape} is expected")
    wrong = numbers[~((numbers > 0.0) & np.isfinite(numbers))]
    if wrong.size:
        raise ValueError(f"{name} must be positive and finite, got {wrong[0]}")
    return numbers


def check_factors(a: Floats, b: Floats) -> None:
    """Raise unless a is finite and zero or more, and b finite, for every document and task."""
    _check("a of the loss", a, at_least=0.0)
    _check("b of the loss", b)


def check_parameters(alpha: Floats, beta: float, eta: Floats, a: Floats, b: Floats) -> None:
    """Raise unless a sweep over the topics can be computed with these parameters."""
    largest = largest_exponent(alpha, beta, eta, a, b)
    if largest <= LARGEST:  # one pass for all, as there is one check per sweep
        return
    _check("alpha", alpha, at_least=SMALLEST)
    _check("beta", np.array(beta), at_least=SMALLEST)
    _check("eta", eta)
    check_factors(a, b)
    raise ValueError(
        "a, b and eta are too large together, so that the log factor b F - a F²/2 is not finite: a "
        f"is up to {a.max():g}, b up to {np.abs(b).max():g} and eta up to {np.abs(eta).max():g}"
    )


def _check(name: str, values: Floats, *, at_least: float = -LARGEST) -> None:
    """Raise if a value is below the bound, above the largest that is allowed, or not a number."""
    wrong = values[~((values >= at_least) & (values <= LARGEST))]
    if wrong.size:
        kind = "is out of range" if math.isfinite(wrong[0]) else "is not finite"
        bound = {-LARGEST: "", 0.0: " and zero or more"}.get(at_least, " and greater than zero")
        raise ValueError(f"{name} {kind}: it must be finite{bound}, got {wrong[0]}")


@kernel
def largest_exponent(
    alpha: np.ndarray, beta: float, eta: np.ndarray, a: np.ndarray, b: np.ndarray
) -> float:
    """Return a bound of all supervised exponents; infinity if a parameter is out of range."""
    wrong = not SMALLEST <= beta <= LARGEST
    for k in range(alpha.size):
        wrong |= not SMALLEST <= alpha[k] <= LARGEST
    eta_size, a_size, b_size = 0.0, 0.0, 0.0
    for i in range(eta.shape[0]):
        for k in range(eta.shape[1]):
            wrong |= not abs(eta[i, k]) <= LARGEST
            eta_size = max(eta_size, abs(eta[i, k]))
    for d in range(a.shape[0]):
        for i in range(a.shape[1]):
            # `and` would be a branch
            wrong |= not ((a[d, i] >= 0.0) & (a[d, i] <= LARGEST) & (abs(b[d, i]) <= LARGEST))
            a_size = max(a_size, a[d, i])
            b_size = max(b_size, abs(b[d, i]))
    if wrong:
        return math.inf
    # Kernels also compute the squares of eta, even where a is zero.
    return eta.shape[0] * eta_size * (b_size + max(a_size, 1.0) * eta_size)
