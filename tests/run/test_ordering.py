"""A stored run whose documents, topics or tokens changed their order is refused by name."""

import numpy as np
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import from_groups, get_group, group_names
from tests import sampled
from tests.run.damage import read_golden

ALL = ("constant_data", "observed_data", "posterior", "warmup_posterior")
QUICK = {**sampled.OPTIONS, "draws": 2, "tune": 2}


def select(idata, dim, order, groups=ALL):
    """Return the run with a dim in another order in these groups."""
    datasets = {name: get_group(idata, name) for name in group_names(idata)}
    return from_groups(
        {
            name: dataset.isel({dim: order}) if name in groups and dim in dataset.dims else dataset
            for name, dataset in datasets.items()
        }
    )


def relabel(idata, **labels):
    datasets = {name: get_group(idata, name) for name in group_names(idata)}
    return from_groups(
        {
            name: dataset.assign_coords({d: v for d, v in labels.items() if d in dataset.dims})
            for name, dataset in datasets.items()
        }
    )


def sample_named(names):
    corpus = sampled.planted().corpus
    named = med.Corpus(corpus.words, corpus.starts, document_names=names)
    with med.GibbsMedLDA(named, sampled.planted().y, n_topics=3):
        return pm.sample(**QUICK)


@pytest.mark.parametrize("dim", ["topic", "document", "token"])
@pytest.mark.parametrize("groups", [ALL, ("constant_data", "observed_data")])
def test_another_order_is_refused_by_name(dim, groups):
    idata = sampled.sample("binary")
    turned = select(idata, dim, slice(None, None, -1), groups)
    calls = (med.doc_topics, med.top_words, med.diagnose, med.last_points)
    corpus = sampled.planted().corpus[:3]
    for call in (*calls, lambda run: med.predict(run, corpus, progressbar=False)):
        with pytest.raises(ValueError, match=f"the coordinate '{dim}' of .* in another order"):
            call(turned)


def test_the_same_order_is_read():
    idata = sampled.sample("binary")
    n_topics = get_group(idata, "posterior").sizes["topic"]
    expected = med.doc_topics(idata)
    for same in (
        select(idata, "topic", np.arange(n_topics)),
        relabel(idata, topic=["u", "v", "w"], document=[f"d{i}" for i in range(30)]),
        relabel(idata, document=np.arange(30) + 7),
    ):
        found = med.doc_topics(same)
        for name in expected.data_vars:
            assert np.array_equal(found[name].values, expected[name].values)


def test_names_that_are_numbers_in_another_order_are_names():
    names = np.random.default_rng(1).permutation(30)
    idata = sample_named(names)
    med.doc_topics(idata)
    for order in (slice(None, None, -1), np.argsort(names)):
        with pytest.raises(ValueError, match="the coordinate 'document'"):
            med.doc_topics(select(idata, "document", order))


def test_files_of_earlier_releases_have_one_order_in_all_groups():
    idata = read_golden()
    med.doc_topics(idata)
    with pytest.raises(ValueError, match="the coordinate 'document' of observed_data"):
        med.doc_topics(select(idata, "document", slice(None, None, -1), ("observed_data",)))
