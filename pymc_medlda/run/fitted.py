"""The run of a fitted estimator or of a scikit-learn pipeline that ends in one, with its words.

Estimators are recognised by their attributes, so that scikit-learn need not be imported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from pymc_medlda._compat.arviz import get_group, group_names, with_group
from pymc_medlda.corpus.checks import as_vocabulary
from pymc_medlda.corpus.recipe import TextRecipe
from pymc_medlda.run import record
from pymc_medlda.run.reading import read_records
from pymc_medlda.run.record import TopicsRecord


def run_of_fitted(source: Any) -> Any:
    """Return the posterior that an estimator keeps; anything else is returned as it is.

    A sparse matrix of counts has no words. In a pipeline they come from the steps before the
    estimator, and a ``CountVectorizer`` just before it also tells how texts are split.
    """
    source = getattr(source, "best_estimator_", source)  # of a search over settings
    if type(source).__name__ == "OneVsAll":
        raise ValueError(
            f"idata is a OneVsAll with {len(source.runs)} runs, one per class: give one of its "
            ".runs, such as idata.runs[0]"
        )
    steps = getattr(source, "steps", None)
    if not isinstance(steps, list):
        return _posterior(source)
    idata = _posterior(steps[-1][1])
    if idata is steps[-1][1]:
        raise ValueError(
            f"idata is a pipeline that ends in a {type(idata).__name__}; one that ends in a fitted "
            "estimator of pymc_medlda is needed"
        )
    try:
        names = source[:-1].get_feature_names_out()
    except (AttributeError, ValueError):  # there is no other step, or it does not name its columns
        return idata
    recipe = None
    if len(steps) == 2 and type(steps[0][1]).__name__ == "CountVectorizer":
        recipe = TextRecipe.from_vectorizer(steps[0][1]).to_dict()
    return _name_words(idata, names, recipe)


def _posterior(estimator: Any) -> Any:
    """Return the posterior of an estimator; anything else is returned as it is."""
    if not hasattr(estimator, "get_params"):
        return estimator
    if not hasattr(estimator, "idata_"):
        if hasattr(estimator, "sweeps_per_draw"):
            raise ValueError(f"idata is a {type(estimator).__name__} that is not fitted yet")
        return estimator
    if isinstance(estimator.idata_, tuple):
        raise ValueError(
            f"idata is an estimator with {len(estimator.idata_)} models, one per class: give one "
            "of them, such as estimator.idata_[0]"
        )
    return estimator.idata_


def _name_words(idata: Any, names: Sequence[str], recipe: dict[str, Any] | None) -> Any:
    """Return a run whose words have these names, in the order of their numbers."""

    def group(name: str) -> Any:
        return get_group(idata, name)

    (topics,) = [own for own in read_records(group) if isinstance(own, TopicsRecord)]
    constant = group("constant_data")
    word = str(constant[record.word_count_of(topics.z)].dims[0])
    description = record.description_dim(topics.z)
    named = dataclasses.replace(topics, has_vocabulary=True, texts=recipe)
    for name in group_names(idata):
        dataset = group(name)
        coords: dict[str, Any] = {}
        if word in dataset.dims:
            coords[word] = as_vocabulary(names)
        if description in dataset.dims:
            coords[description] = [record.encode(named)]
        if coords:
            idata = with_group(idata, name, dataset.assign_coords(coords))
    return idata
