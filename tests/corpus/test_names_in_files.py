"""Names of documents survive sampling and files, whatever they were made of."""

import numpy as np
import pandas as pd
import pymc as pm
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group
from tests.prediction.comparing import is_tree, load, save
from tests.sampled import OPTIONS

TOKENS = [["a", "b", "a"], ["b", "b"], ["a"]]
# Names of other types become text too, as the property-based tests show.
NAMES = {
    "integers": [7, -3, 2**40],
    "text": ["x", "", "née"],
    "pairs": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
    "times": pd.date_range("2020-01-01", periods=3),
    "repeated": ["x", "x", "y"],
}


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("kind", NAMES)
def test_names_survive_sampling_and_files(kind, tmp_path):
    corpus = med.Corpus.from_tokens(TOKENS, document_names=NAMES[kind])
    with med.GibbsMedLDA(corpus, ["up", "down", "up"], n_topics=2):
        idata = pm.sample(**{**OPTIONS, "draws": 2, "tune": 0, "chains": 1})
    for form in ("netcdf", "zarr"):
        path = str(tmp_path / form)
        save(idata, path, form)
        back = load(path, f"{form} DataTree" if is_tree(idata) else form)
        found = get_group(back, "constant_data")["z_length"]
        assert found["document"].values.tolist() == corpus.document_names.tolist()
        assert np.array_equal(
            get_group(back, "posterior")["z"].values, get_group(idata, "posterior")["z"].values
        )
        predicted = med.predict(back, corpus, random_seed=1, progressbar=False)
        y = pd.Series(["up", "down", "up"], index=pd.Index(NAMES[kind], tupleize_cols=True))
        scores = [med.evaluate(predicted, each) for each in (y, y.to_numpy())]
        assert scores[0] == scores[1]


CLASSES = {
    "text": ["up", "", "née"],
    "integers": [-(2**40), 0, 7],
    "numbers": [0.5, 1.0, 2.5],
    "booleans": [False, True],
}


@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
@pytest.mark.parametrize("kind", CLASSES)
def test_classes_survive_sampling_and_files(kind, tmp_path):
    classes = CLASSES[kind]
    corpus = med.Corpus.from_tokens([TOKENS[d % 3] for d in range(6)])
    y = [classes[d % len(classes)] for d in range(6)]
    with med.GibbsMedLDA(corpus, y, n_topics=2, loss=med.Hinge()):
        idata = pm.sample(**{**OPTIONS, "draws": 2, "tune": 0, "chains": 1})
    expected = med.evaluate(med.predict(idata, corpus, random_seed=1, progressbar=False), y)
    for form in ("netcdf", "zarr"):
        path = str(tmp_path / form)
        save(idata, path, form)
        back = load(path, f"{form} DataTree" if is_tree(idata) else form)
        predicted = med.predict(back, corpus, random_seed=1, progressbar=False)
        assert med.evaluate(predicted, y) == expected
        found = get_group(predicted, "predictions")
        assert found[found.attrs["class_dim"]].values.tolist() == sorted(classes)
