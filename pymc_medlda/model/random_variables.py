"""Random variables of the model, with their real log densities and draws.

Three op types: topic assignments given alpha, words given the assignments, and a response given
assignments and weights. The Dirichlet variables are integrated out. The step method recognises the
model by these types and reads everything it needs from their inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pymc.distributions.dist_math import check_parameters
from pymc.distributions.distribution import _support_point
from pymc.logprob.abstract import _logprob
from pytensor.tensor.random.op import RandomVariable
from pytensor.tensor.variable import TensorVariable

from pymc_medlda._compat.pytensor import (
    call_random_variable,
    heal_compiled_cache,
    run_in_python,
)
from pymc_medlda.kernels.checks import check_prior
from pymc_medlda.kernels.prior import draw_assignments, draw_words
from pymc_medlda.losses import Loss
from pymc_medlda.model.log_densities import LogAssignments, LogWords, Project, topic_frequencies


def smallest_dtype(n_topics: int) -> str:
    """Return the smallest unsigned dtype that holds a topic."""
    return "uint8" if n_topics <= 2**8 else "uint16" if n_topics <= 2**16 else "uint32"


class KnownLengthsRV(RandomVariable):
    """A random variable that reads its shape from the types of its parameters.

    PyTensor finds the length of a draw by rewriting a graph, which takes milliseconds. Corpora are
    constants, so the types usually tell it.
    """

    def _supp_shape_from_params(self, dist_params: Any, param_shapes: Any = None) -> Sequence[Any]:
        lengths: dict[str, int] = {}
        for parameter, letters in zip(dist_params, self.inputs_sig, strict=True):
            # Dimensions of a batch come first. No parameter broadcasts along its letters.
            for letter, length in zip(letters[::-1], parameter.type.shape[::-1], strict=False):
                if length is not None:
                    lengths.setdefault(letter, length)
        if set(self.output_sig) <= lengths.keys():
            return [lengths[letter] for letter in self.output_sig]
        inferred: Sequence[Any] = super()._supp_shape_from_params(dist_params, param_shapes)
        return inferred


class TopicAssignmentsRV(RandomVariable):
    """z, the topic of every token, given alpha and where documents start."""

    name = "topic_assignments"
    signature = "(k),(s)->(n)"
    _print_name = ("TopicAssignments", "\\operatorname{TopicAssignments}")
    __props__ = (*RandomVariable.__props__, "n_topics")

    def __init__(self, *args: Any, n_topics: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.n_topics = n_topics

    def _supp_shape_from_params(self, dist_params: Any, param_shapes: Any = None) -> tuple[Any]:
        start = dist_params[1]
        # A constant folds here, so the length of z is known when the graph is built.
        return (start.data[-1] if hasattr(start, "data") else start[-1],)

    def rng_fn(self, rng: np.random.Generator, alpha: Any, start: Any, size: Any) -> Any:
        """Draw from the prior, `kernels.prior.draw_assignments`."""
        return _draw_batch(
            size,
            (alpha, start),
            (1, 1),
            lambda alpha, start: _filled(
                (int(start[-1]),),
                self.dtype,
                lambda out: draw_assignments(
                    rng, check_prior("alpha", alpha, (self.n_topics,)), start, out
                ),
            ),
        )


class UniformTopicsRV(RandomVariable):
    """Topics that are all equally likely: where chains start.

    PyTensor's own `integers` would draw eight bytes per token and broadcast its bounds.
    """

    name = "uniform_topics"
    signature = "()->()"
    _print_name = ("UniformTopics", "\\operatorname{UniformTopics}")

    def rng_fn(self, rng: np.random.Generator, n_topics: Any, size: Any) -> Any:
        """Draw with the bytes that the topics are stored in."""
        return rng.integers(int(np.max(n_topics)), size=size, dtype=np.dtype(self.dtype))


class WordsRV(KnownLengthsRV):
    """w, the word of every token, given z and beta."""

    name = "words"
    signature = "(n),()->(n)"
    _print_name = ("Words", "\\operatorname{Words}")
    __props__ = (*RandomVariable.__props__, "n_words", "n_topics")

    def __init__(self, *args: Any, n_words: int, n_topics: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.n_words = n_words
        self.n_topics = n_topics

    def rng_fn(self, rng: np.random.Generator, z: Any, beta: Any, size: Any) -> Any:
        """Draw given z, `kernels.prior.draw_words`."""
        return _draw_batch(
            size,
            (z, beta),
            (1, 0),
            lambda z, beta: _filled(
                z.shape,
                self.dtype,
                lambda out: draw_words(
                    rng, z, float(check_prior("beta", beta, ())), self.n_words, self.n_topics, out
                ),
            ),
        )


class ResponseRV(KnownLengthsRV):
    """y given z, eta and an offset, with the log factor of a loss.

    Inputs: z, document starts, eta (n_topics,) or (n_tasks, n_topics), offset shaped as y, what
    features add, shaped as y too, if there are any, then the loss's parameters. The discriminant
    is F = eta · z̄ + offset + what features add.
    """

    name = "response"
    dtype = "float64"
    _print_name = ("MaxMargin", "\\operatorname{MaxMargin}")
    __props__ = (*RandomVariable.__props__, "loss", "kind", "n_topics", "n_added")

    def __init__(
        self,
        *args: Any,
        loss: type[Loss],
        kind: str,
        n_topics: int,
        n_added: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.loss = loss
        self.kind = kind
        self.n_topics = n_topics
        self.n_added = n_added  # 1: the offset; 2: what features add as well

    def split(self, inputs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
        """Return, of the inputs after eta, what is added to F and the loss's parameters."""
        return inputs[: self.n_added], inputs[self.n_added :]

    def rng_fn(self, rng: np.random.Generator, z: Any, start: Any, eta: Any, *rest: Any) -> Any:
        """Draw y from the factor normalised over y."""
        *others, size = rest

        def draw(z: Any, start: Any, eta: Any, *others: Any) -> Any:
            added, parameters = self.split(others)
            projection = topic_frequencies(z, start, self.n_topics) @ np.atleast_2d(eta).T
            discriminant = projection.reshape(added[0].shape) + sum(added)
            loss = self.loss.from_values(parameters, n_dims=discriminant.ndim)
            return loss.draw_response(rng, discriminant)

        return _draw_batch(size, (z, start, eta, *others), self.ndims_params, draw)


def _filled(shape: tuple[int, ...], dtype: Any, fill: Any) -> Any:
    out = np.empty(shape, dtype)
    fill(out)
    return out


def _draw_batch(size: Any, parameters: tuple[Any, ...], ndims: Any, draw: Any) -> Any:
    """Call ``draw`` for each batch entry of the parameters and of ``size``."""
    batch = np.broadcast_shapes(
        *(np.shape(p)[: np.ndim(p) - nd] for p, nd in zip(parameters, ndims, strict=True)),
        tuple(size) if size is not None else (),
    )
    if not batch:
        return draw(*map(np.asarray, parameters))
    spread = [
        np.broadcast_to(p, batch + np.shape(p)[np.ndim(p) - nd :])
        for p, nd in zip(parameters, ndims, strict=True)
    ]
    draws = [draw(*(np.asarray(p[index]) for p in spread)) for index in np.ndindex(*batch)]
    return np.stack(draws).reshape(batch + draws[0].shape)


@_logprob.register(TopicAssignmentsRV)
def _log_assignments(
    op: Any, values: Any, rng: Any, size: Any, alpha: Any, start: Any, **_: Any
) -> Any:
    log_density = LogAssignments(op.n_topics)(values[0], start, alpha)[0]
    return check_parameters(log_density, alpha > 0, msg="alpha > 0")


@_logprob.register(WordsRV)
def _log_words(op: Any, values: Any, rng: Any, size: Any, z: Any, beta: Any, **_: Any) -> Any:
    log_density = LogWords(op.n_words, op.n_topics)(values[0], z, beta)[0]
    return check_parameters(log_density, beta > 0, msg="beta > 0")


@_logprob.register(ResponseRV)
def _log_response(
    op: Any,
    values: Any,
    rng: Any,
    size: Any,
    z: Any,
    start: Any,
    eta: Any,
    *others: Any,
    **_: Any,
) -> Any:
    (y,) = values
    added, parameters = op.split(others)
    projection = Project(op.n_topics)(z, start, eta if eta.type.ndim == 2 else eta[None, :])
    projection = projection if eta.type.ndim == 2 else projection[:, 0]
    discriminant = projection + sum(added[1:], added[0])
    loss = op.loss.from_values(parameters, n_dims=discriminant.type.ndim)
    # A missing y must not reach the loss: NaN times zero is NaN, also in the gradient.
    missing = pt.isnan(y)
    factor = loss.log_factor(pt.switch(missing, 1.0, y), discriminant)
    return _check_loss(op.loss, parameters, pt.switch(missing, 0.0, factor))


def _check_loss(loss: type[Loss], parameters: Sequence[Any], factor: Any) -> Any:
    """Return the factor, with a check that the parameters of the loss are in their range."""
    for key, value in zip(loss.parameter_names(), parameters, strict=True):
        zero = key in loss.may_be_zero
        in_range = value >= 0 if zero else value > 0
        factor = check_parameters(factor, in_range, msg=f"{key} {'>=' if zero else '>'} 0")
    return factor


@_support_point.register(TopicAssignmentsRV)
def _start_assignments(op: Any, rv: Any, rng: Any, size: Any, alpha: Any, start: Any) -> Any:
    # Uniform over the topics, as in the paper. PyMC seeds it separately for every chain.
    return call_random_variable(UniformTopicsRV(dtype=rv.dtype), op.n_topics, size=rv.shape)


# PyMC checks every entry of a variable. Weights of more features than this would keep it busy for
# longer than a second.
MOST_CHECKED = 1000


def not_to_check(model: Any) -> list[Any]:
    """Return the free variables with too many entries for PyMC's checks: topics, many features."""
    added = [
        rv.owner.inputs[6]
        for rv in model.observed_RVs
        if isinstance(rv.owner.op, ResponseRV) and rv.owner.op.n_added == 2
    ]
    large = [v.owner.inputs[0] for v in added if v.owner.op.matrix.shape[1] > MOST_CHECKED]
    return [
        rv
        for rv in model.free_RVs
        if isinstance(rv.owner.op, TopicAssignmentsRV) or any(rv is weights for weights in large)
    ]


for _rv_type in (TopicAssignmentsRV, UniformTopicsRV, WordsRV, ResponseRV):
    run_in_python(_rv_type)
heal_compiled_cache()


def make_assignments(alpha: Any, start: Any, n_topics: int) -> TensorVariable:
    """Return the random variable z."""
    op = TopicAssignmentsRV(dtype=smallest_dtype(n_topics), n_topics=n_topics)
    return call_random_variable(op, alpha, start)


def make_words(z: Any, beta: Any, *, n_words: int, n_topics: int) -> TensorVariable:
    """Return the random variable of the words."""
    op = WordsRV(dtype="int32", n_words=n_words, n_topics=n_topics)
    return call_random_variable(op, z, beta)


def make_response(
    z: Any,
    start: Any,
    eta: Any,
    added: Sequence[Any],
    *parameters: Any,
    loss: type[Loss],
    kind: str,
) -> TensorVariable:
    """Return the random variable y; ``added`` is the offset, and what features add if any."""
    letters = {0: "()", 1: "(d)", 2: "(d,l)"}
    outcome = letters[added[0].type.ndim]
    weights = "(k)" if eta.type.ndim == 1 else "(l,k)"
    others = [letters[p.type.ndim] for p in (*added, *parameters)]
    signature = f"{','.join(['(n)', '(s)', weights, *others])}->{outcome}"
    n_topics, n_added = z.owner.op.n_topics, len(added)
    op = ResponseRV(signature=signature, loss=loss, kind=kind, n_topics=n_topics, n_added=n_added)
    return call_random_variable(op, z, start, eta, *added, *parameters)


# PyMC looks for step methods in a list of its own. Every process that has these variables must have
# the step in that list, even one that only unpickled a model. The step adds itself when it is
# imported; it needs the classes above, so the import stands at the end of the module.
import pymc_medlda.sampling.step  # noqa: E402, F401
