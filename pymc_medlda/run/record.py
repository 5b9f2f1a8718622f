"""The stored record: what a model leaves with its results, under which names, in which version.

This module is the one owner of the format. `model` writes by it and `run.reading` reads by it.
Besides z, eta and the observed words and responses, a stored run holds:

- for every set of topic assignments ``z``: the lengths of its documents, the counts of its words,
  alpha and beta;
- for every response ``y``: the loss's parameters that are not plain numbers, an offset if the model
  has one, the two classes of a binary response, and the features of the documents if it has any, or
  the recipe for them;
- for every z and every response a description, `TopicsRecord` or `ResponseRecord`, as JSON. It is
  the only coordinate of a dim of its own, because files store no other text.

What is fixed is in ``constant_data``, what is random in the posterior, under the same name. Names
of variables are derived from the name of z or of the response by the functions below.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, ClassVar

from pymc_medlda.targets.response import KINDS

# Release 0.1.0 wrote no version number; its layout is version 1. A change that an older release
# would read wrongly raises the number. A description carries the lowest version that reads it
# right: version 2 if discriminants hold more than topics and an offset, namely features or the mean
# of the response.
VERSION = 2
STATISTICS = ("loss", "score", "log_likelihood", "log_joint", "moved")
"""What the step reports of every draw, in ``sample_stats``."""
UNKNOWN = "no_known_words"
"""Which new documents hold no word of the training corpus, in ``predictions``."""
PREDICTED = (
    *("discriminant", "y", "theta", "decision", "probability", "agreement", "lower", "upper"),
    UNKNOWN,
)
"""What `predict` stores of new documents, in ``predictions``."""
PARTS = ("discriminant_topics", "discriminant_features")
"""The parts of the discriminant that it stores too, if documents have features."""
FEATURES = ("words", "dense", "sparse")
"""How features are stored: as the idf of the words, as a table, or as a sparse matrix by rows."""
SUFFIX = "_medlda"
"""Ends the name of a variable that carries a description."""
ADDED = {"medlda": "augmentation"}
"""Attributes of posterior variables that we added after sampling, such as lambda."""


@dataclass(frozen=True)
class TopicsRecord:
    """Describes a set of topic assignments: the names of z, of its words and of their dim.

    The last three were not written by release 0.1.0, so they may be None, and descriptions are
    equal without them. ``documents`` is the `order_of` the names of the documents. ``token`` is the
    dim of the tokens: it has no labels, so ``ZarrTrace`` forgets its name. ``texts`` is the recipe
    by which texts were split, as `TextRecipe.to_dict` returned it; None if there were no texts.
    """

    role: ClassVar[str] = "topics"
    z: str
    words: str
    has_vocabulary: bool
    documents: str | None = field(default=None, compare=False)
    token: str | None = field(default=None, compare=False)
    texts: dict[str, Any] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ResponseRecord:
    """Describes a response.

    ``parameters`` maps each parameter of the loss to its value, or to the name of the variable that
    holds it. ``offset`` says whether the model has one; it is stored under `offset_of`.
    ``location`` holds the mean of each task of a standardised response, which is a part of its
    discriminants; None for other responses.
    ``features`` says how features are stored, one of `FEATURES`, and ``feature_weights`` is the
    name of their weights; both are None if the response has no features.
    ``scale`` is the standard deviation of the prior of the weights, if this is Normal with mean
    zero and one fixed scale. Release 0.1.0 did not write it, so descriptions are equal without it.
    """

    role: ClassVar[str] = "response"
    name: str
    z: str
    eta: str
    loss: str
    parameters: dict[str, float | str]
    kind: str
    offset: bool
    location: list[float] | None = None
    features: str | None = None
    feature_weights: str | None = None
    scale: float | None = field(default=None, compare=False)


Record = TopicsRecord | ResponseRecord


def encode(record: Record) -> str:
    """Return a description as text."""
    known = {name: value for name, value in asdict(record).items() if value is not None}
    version = VERSION if known.keys() & {"location", "features"} else 1
    return json.dumps({"role": record.role, **known, "version": version})


def decode(text: str) -> Record:
    """Return the description that `encode` wrote, by this release or another one.

    Fields that this release does not know are ignored: a later release may add some without
    raising the version, if the rest keeps its meaning.
    """
    kinds = {kind.role: kind for kind in (TopicsRecord, ResponseRecord)}
    try:
        stored: dict[str, Any] = json.loads(text)
        role, version = stored["role"], stored.get("version", 1)
        kind = kinds.get(role)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _damaged(repr(text[:80])) from None
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise _damaged(f"version {version!r}, where a whole number of at least 1 is allowed")
    if version > VERSION:
        raise ValueError(
            f"idata was stored in version {version} of the format; this release of pymc-medlda "
            f"reads versions up to {VERSION}: install a newer release"
        )
    if kind is None:
        raise _damaged(f"role {role!r}")
    known = [own.name for own in fields(kind)]
    missing = [
        own.name for own in fields(kind) if own.default is MISSING and own.name not in stored
    ]
    if missing:
        raise _damaged(f"it lacks {', '.join(missing)}")
    wanted = [name for name in known if name in stored]
    for name in wanted:
        _check_field(name, stored[name])
    return kind(**{name: stored[name] for name in wanted})


def owner_of(record: Record) -> str:
    """Return the name of the z or of the response that a description is about."""
    return record.z if isinstance(record, TopicsRecord) else record.name


def order_of(labels: Iterable[Any]) -> str:
    """Return two digests: of labels in any order, and of the labels in this order.

    So labels that were exchanged can be told from labels that were replaced by others.
    """
    texts = [str(label) for label in labels]
    return f"{_digest(sorted(texts))} {_digest(texts)}"


def _digest(texts: list[str]) -> str:
    return hashlib.blake2b("\0".join(texts).encode(errors="replace"), digest_size=8).hexdigest()


def _check_field(name: str, value: Any) -> None:
    """Raise unless the value of a field is of its type."""
    if name in ("has_vocabulary", "offset"):
        allowed, right = "true or false", isinstance(value, bool)
    elif name == "parameters":
        allowed = "names with a number or the name of a variable each"
        right = isinstance(value, dict) and all(map(_is_parameter, value.values()))
    elif name == "scale":
        allowed = "a positive number or nothing"
        right = value is None or (_is_parameter(value) and not isinstance(value, str) and value > 0)
    elif name == "documents":
        allowed = "an order or nothing"
        right = value is None or (isinstance(value, str) and len(value.split()) == 2)
    elif name == "location":
        allowed = "a list of numbers"
        right = isinstance(value, list) and bool(value) and all(map(_is_number, value))
    elif name == "texts":
        allowed, right = "a recipe for texts", isinstance(value, dict)
    elif name == "features":
        allowed, right = f"one of {', '.join(FEATURES)}", value in FEATURES
    elif name == "kind":
        allowed, right = f"one of {', '.join(KINDS)}", value in KINDS
    else:
        allowed, right = "a name", isinstance(value, str) and bool(value)
    if not right:
        raise _damaged(f"{name} is {value!r}, where {allowed} is allowed")


def _is_parameter(value: Any) -> bool:
    return isinstance(value, str) or _is_number(value)


def _is_number(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**1000  # a larger one is no float
    return isinstance(value, float)


def _damaged(what: str) -> ValueError:
    return ValueError(f"idata holds a damaged description of its model: {what}")


def description_of(name: str) -> str:
    """Return the name of the variable that carries the description of z or of a response."""
    return f"{name}{SUFFIX}"


def description_dim(name: str) -> str:
    """Return the dim whose one coordinate is the description."""
    return as_dim(f"{name}_specification")


def length_of(z: str) -> str:
    """Return the name of the document lengths."""
    return f"{z}_length"


def word_count_of(z: str) -> str:
    """Return the name of the word counts."""
    return f"{z}_word_count"


def alpha_of(z: str) -> str:
    """Return the name of alpha, one value per topic."""
    return f"{z}_alpha"


def beta_of(z: str) -> str:
    """Return the name of beta."""
    return f"{z}_beta"


def offset_of(response: str) -> str:
    """Return the name of a response's offset."""
    return f"{response}_offset"


def idf_of(response: str) -> str:
    """Return the name of the idf of the words, where these are the features of a response."""
    return f"{response}_idf"


def features_of(response: str, part: str = "") -> str:
    """Return the name of the features of a response, or of a part of a sparse matrix of them.

    The parts are ``value`` and ``column`` of every entry, the ``start`` of every document, and the
    ``count`` of the documents that have a feature.
    """
    return f"{response}_features_{part}" if part else f"{response}_features"


def feature_weights_of(response: str) -> str:
    """Return the name of feature weights that have no name in the model."""
    return f"{response}_w"


def parameter_of(response: str, key: str) -> str:
    """Return the name of a loss parameter that has no name in the model."""
    return f"{response}_{key}"


def weights_of(response: str) -> str:
    """Return the name of weights that have no name in the model."""
    return f"{response}_eta"


def sign_of(response: str) -> str:
    """Return the name of the signs of the two classes of a binary response."""
    return f"{response}_sign"


def class_dim(response: str) -> str:
    """Return the dim of the two classes of a binary response, unless that name is taken.

    Readers take the dim of the signs (`sign_of`), which is right in either case.
    """
    return as_dim(f"{response}_class")


def as_dim(name: str) -> str:
    """Return a name as a dim: those of nested models hold ``::``, which dims may not."""
    return name.replace("::", "_")


def is_added(variable: Any) -> bool:
    """Tell whether we added a posterior variable after sampling: it is no part of a point."""
    return bool(variable.attrs.get("medlda") == ADDED["medlda"])
