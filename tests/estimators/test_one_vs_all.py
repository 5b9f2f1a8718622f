"""One binary model per class: same draws whatever the cores, predictions as one, files."""

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group


@pytest.fixture(scope="module")
def planted():
    return med.datasets.make_planted(
        90, n_topics=3, n_words=60, length=40, response="multiclass", n_tasks=3, seed=4
    )


def sample(planted, **arguments):
    settings = {"n_topics": 3, "draws": 4, "tune": 25, "random_seed": 1, "progressbar": False}
    return med.OneVsAll.sample(planted.corpus[:60], planted.y[:60], **{**settings, **arguments})


@pytest.mark.slow
def test_classes_are_found_and_cores_change_nothing(planted, tmp_path):
    alone, together = sample(planted, cores=1), sample(planted, cores=2)
    for one, two in zip(alone.runs, together.runs, strict=True):
        assert np.array_equal(
            get_group(one, "posterior")["z"].values, get_group(two, "posterior")["z"].values
        )
    test = planted.corpus[60:]
    predictions = alone.predict(test, random_seed=2, progressbar=False)
    majority = max(np.mean(planted.y[60:] == k) for k in np.unique(planted.y))
    accuracy = np.mean(predictions["decision"].values == planted.y[60:])
    assert accuracy > majority + 0.2
    assert predictions["discriminant"].dims == ("chain", "draw", "document", "task")
    np.testing.assert_allclose(predictions["probability"].sum("task"), 1.0)

    together.to_netcdf(tmp_path / "models")
    again = med.OneVsAll.from_netcdf(tmp_path / "models")
    repeated = again.predict(test, random_seed=2, progressbar=False)
    assert np.array_equal(repeated["discriminant"].values, predictions["discriminant"].values)


def test_bad_input_is_refused(planted, tmp_path):
    with pytest.raises(ValueError, match="loss must be one of labels"):
        sample(planted, loss=med.Gaussian())
    with pytest.raises(ValueError, match="draws must be at least 1"):
        sample(planted, draws=0)
    with pytest.raises(ValueError, match="chains must be at least 1"):
        sample(planted, chains=0)
    with pytest.raises(ValueError, match="one class per document"):
        med.OneVsAll.sample(planted.corpus[:4], [["a"], ["a", "b"], [], ["b"]])
    with pytest.raises(FileNotFoundError, match=r"classes\.json"):
        med.OneVsAll.from_netcdf(tmp_path)
