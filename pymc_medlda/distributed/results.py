"""The result of a run: what ``pm.sample`` returns, with the counts of words instead of all topics.

The model of the result holds a sample of the documents, whose topics are stored draw by draw. The
counts C_kt of all documents lie beside them, in a group of their own (see `run.stored_counts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pymc.backends.ndarray import NDArray as Trace

from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.corpus import Corpus
from pymc_medlda.distributed.draws import Draw, Face
from pymc_medlda.distributed.settings import ScalePrior, Settings
from pymc_medlda.losses.standardised import Standardised, Units
from pymc_medlda.model.gibbs_medlda import GibbsMedLDA
from pymc_medlda.run.record import STATISTICS
from pymc_medlda.run.stored_counts import GROUP, as_dataset
from pymc_medlda.sampling.chains import convert
from pymc_medlda.targets.response import Response


def make_result(draws: list[list[Draw]], face: Face, given: Settings) -> Any:
    """Return the draws of all chains in the form of ``pm.sample``; they leave their lists."""
    model = _make_model(face, given)
    traces = [_make_trace(model, chain, own, given) for chain, own in enumerate(draws)]
    idata = convert(model, traces, len(draws[0]), face.attributes)
    if isinstance(given.nu, ScalePrior):
        nu = np.array([[draw.nu for draw in own] for own in draws])
        posterior = get_group(idata, "posterior").assign(nu=(("chain", "draw"), nu))
        idata = with_group(idata, "posterior", posterior)
    cells = [[draw.cell for draw in own] for own in draws]
    counts = [[draw.n_tokens for draw in own] for own in draws]
    for own in draws:  # nothing else may hold the counts, which are joined one by one
        own.clear()
    posterior = get_group(idata, "posterior")
    dataset = as_dataset("z", cells, counts, posterior, face.n_documents)
    return with_group(idata, GROUP, dataset)


def _make_model(face: Face, given: Settings) -> GibbsMedLDA:
    """Return the model of the kept documents, which says what the stored variables mean."""
    lengths = np.concatenate([own.lengths for own in face.kept])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    words = np.concatenate([own.words for own in face.kept])
    corpus = Corpus(words, starts, vocabulary=face.vocabulary, n_words=face.n_words)
    nu = 1.0 if isinstance(given.nu, ScalePrior) else given.nu
    options: dict[str, Any] = {"n_topics": given.n_topics, "alpha": given.alpha, "beta": given.beta}
    if given.loss is None:
        return GibbsMedLDA(corpus, **options)
    y = np.concatenate([own.y for own in face.kept])
    values = y if face.has_columns else y[:, 0]
    loss = given.loss if given.units is None else Measured(given.loss, given.units)
    if face.kept[0].offset is not None:
        offset = np.concatenate([own.offset for own in face.kept])
        options["offset"] = offset if face.has_columns else offset[:, 0]
    return GibbsMedLDA(
        corpus, Response(given.kind, values, face.classes), loss=loss, nu=nu, **options
    )


@dataclass(frozen=True)
class Measured(Standardised):
    """A standardised loss whose units were measured with all documents, and not with those here."""

    units: Units | None = None

    def measure(self, values: Floats) -> Units:
        """Return the units."""
        assert self.units is not None
        return Units(*(own.reshape(values.shape[1:]) for own in self.units))


def _make_trace(model: GibbsMedLDA, chain: int, draws: Sequence[Draw], given: Settings) -> Trace:
    """Return the draws of a chain as PyMC records them."""
    first = _as_point(model, draws[0], given)
    trace = Trace(
        model=model,
        vars=[model[name] for name in first],
        fn=lambda *values: values,
        var_shapes={name: value.shape for name, value in first.items()},
        var_dtypes={name: value.dtype for name, value in first.items()},
    )
    trace.setup(len(draws), chain, [dict.fromkeys(STATISTICS, np.float64)])
    for draw in draws:
        statistics = dict(zip(STATISTICS, draw.statistics.tolist(), strict=True))
        trace.record(_as_point(model, draw, given), [statistics], in_warmup=False)
    return trace


def _as_point(model: GibbsMedLDA, draw: Draw, given: Settings) -> dict[str, Any]:
    point: dict[str, Any] = {"z": draw.z}
    if given.loss is not None:
        n_dims = len(model.named_vars_to_dims["eta"])
        point["eta"] = draw.eta if n_dims == 2 else draw.eta[0]
    return point
