"""The section with the scores, beside those of simple methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_medlda._arrays import Floats
from pymc_medlda.reporting.baselines import decide_blindly, decide_by_words
from pymc_medlda.reporting.judging import Judged
from pymc_medlda.reporting.markup import Html, element, section, table
from pymc_medlda.reporting.material import Material
from pymc_medlda.reporting.scoring import Score, measure, measure_chances, resample


def describe_scores(material: Material) -> Html:
    """Return the scores of the model and of the baselines, with intervals."""
    judged, response = material.judged, material.response
    heading = "How good it is"
    if not judged.known.any():
        return section("scores", heading, element("p", "No document has a known response."))
    columns = {"this model": judged.decided}
    blind = decide_blindly(judged, response)
    words = decide_by_words(judged, response, material.topics, material.calibration)
    columns |= dict(pair for pair in (blind, words) if pair is not None)
    found = {name: _score(judged, decided) for name, decided in columns.items()}
    if judged.chances is not None:
        found["this model"] |= _score_chances(judged, judged.chances)
        found[blind[0]] |= _score_chances(judged, _frequencies(judged, response.y))
    measures = list(found["this model"])
    rows = [[name, *(_show(own.get(m)) for m in measures)] for name, own in found.items()]
    note = (
        "In brackets: 95 % intervals from the bootstrap over documents. "
        f"{blind[0].capitalize()} is the guess of somebody who does not read the documents."
    )
    if words is not None:
        note += " The linear model of tf-idf is fitted to the same training documents."
    return section(
        "scores",
        heading,
        element("p", judged.sentence, class_="lead"),
        table(["", *measures], rows, class_="numbers"),
        element("p", note, class_="note"),
    )


def _score(judged: Judged, decided: NDArray[Any]) -> dict[str, Score]:
    rng = np.random.default_rng(0)
    found = measure(judged.kind, decided, judged.truth, judged.known)
    return {own.name: resample(own, rng) for own in found}


def _score_chances(judged: Judged, chances: Floats) -> dict[str, Score]:
    rng = np.random.default_rng(0)
    found = measure_chances(judged.kind, chances, judged.truth, judged.known)
    return {own.name: resample(own, rng) for own in found}


def _frequencies(judged: Judged, y: Floats) -> Floats:
    """Return how often classes or labels occur in training, for every document."""
    share = np.nanmean(y > 0, axis=0, where=~np.isnan(y))
    if judged.kind == "binary":
        share = np.array([1.0 - share[0], share[0]])
    return np.tile(share, (len(judged.names), 1))


def _show(score: Score | None) -> Html | str:
    if score is None:
        return "–"
    digits = f"{score.lower:.3f} to {score.upper:.3f}"
    return Html(element("b", f"{score.value:.3f}") + element("small", f"({digits})"))
