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


def test_calibrated_classes_keep_their_probabilities_in_files(tmp_path):
    planted = med.datasets.make_planted(
        90, n_topics=3, n_words=50, response="multiclass", n_tasks=3, seed=2
    )
    options = {"n_topics": 3, "draws": 3, "tune": 10, "chains": 2, "cores": 1, "random_seed": 1}
    models = med.OneVsAll.sample(
        planted.corpus[:60], planted.y[:60], calibrate=True, progressbar=False, **options
    )
    models.to_netcdf(tmp_path)
    found, again = (
        own.predict(planted.corpus[60:], random_seed=1, progressbar=False)
        for own in (models, med.OneVsAll.from_netcdf(tmp_path))
    )
    assert found.attrs["calibrated"] == 1
    np.testing.assert_allclose(found["probability"].sum("task"), 1.0)
    np.testing.assert_allclose(found["probability"], again["probability"])
    assert found["probability"].max() < 1.0
    order = found["probability"].argmax("task").values
    np.testing.assert_array_equal(found["decision"], models.classes[order])
    weighed = med.Hinge(c=np.ones(60))
    with pytest.raises(ValueError, match="c of the loss must be one number"):
        med.OneVsAll.sample(
            planted.corpus[:60], planted.y[:60], calibrate=True, loss=weighed, **options
        )
