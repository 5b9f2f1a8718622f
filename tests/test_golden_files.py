"""Files of earlier releases, written on either generation of PyMC, are read on both."""

import gzip
import json
from pathlib import Path

import arviz as az
import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda._compat.arviz import get_group, with_group
from pymc_medlda.run import record
from tests.golden import write

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.nc.gz"))


@pytest.fixture(scope="module", params=GOLDEN, ids=lambda path: path.name.split(".")[0])
def idata(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("golden") / "run.nc"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return az.from_netcdf(str(path))


def test_files_of_both_generations_are_there():
    assert [path.name for path in GOLDEN] == ["pymc5.nc.gz", "pymc6.nc.gz"]


def test_predictions_are_those_of_the_release_that_wrote_the_file(idata):
    new = med.Corpus.from_tokens([["good", "wine"], ["rude", "unknown"], []])
    options = {"random_seed": 1, "cores": 1, "progressbar": False, "n_samples": 20_000}
    labels = get_group(med.predict(idata, new, response="y", **options), "predictions")
    mean = labels["discriminant"].values.mean(axis=(0, 1))
    # The mean of three seeds with 20,000 samples per draw in that release, whose random numbers
    # were others: the Monte Carlo errors are 0.005 and 0.0015. An empty document has no error.
    expected = [4.122146, -3.783662, 0.7837570893963912]
    assert (np.abs(mean - expected) < [0.04, 0.008, 1e-12]).all()
    assert labels["decision"].values.tolist() == ["up", "down", "up"]
    ratings = get_group(
        med.predict(idata, new, response="rating", offset=np.zeros(3), **options), "predictions"
    )
    assert np.isfinite(ratings["decision"].values).all()


def test_topics_have_words_and_documents_have_names(idata):
    table = med.top_words(idata, 2)
    assert len(table) == 3
    assert table["word 1"].tolist() == ["food", "wine", "rude"]
    documents = med.doc_topics(idata)
    assert documents["document"].values[:2].tolist() == ["review 0", "review 1"]


def test_what_comes_after_sampling_works(idata):
    assert "log_joint" in med.diagnose(idata).table.index
    aligned, alignment = med.align_topics(idata)
    old, new = med.topic_words(idata).values, med.topic_words(aligned).values
    for chain, permutation in enumerate(alignment.permutation.values):
        assert sorted(permutation) == [0, 1, 2]
        np.testing.assert_allclose(new[chain], old[chain][permutation])
    augmented = get_group(med.draw_augmentation(idata, response="y", random_seed=1), "posterior")
    given = ~np.isnan(get_group(idata, "observed_data")["y"].values)
    assert given.any()
    np.testing.assert_array_equal((augmented["y_lam"].values > 0)[0, 0], given)


def test_chains_go_on_from_the_file(idata):
    points = med.last_points(idata, model=write.build())
    assert [sorted(point) for point in points] == [["alpha", "eta", "w", "z"]] * 2
    last = get_group(idata, "posterior")["z"].values[:, -1]
    np.testing.assert_array_equal([point["z"] for point in points], last)


def test_a_record_of_a_later_format_is_refused(idata):
    constant = get_group(idata, "constant_data")
    dim = record.description_dim("z")
    fields = json.loads(str(constant[dim].values[0]))
    later = json.dumps({**fields, "version": record.VERSION + 1})
    changed = with_group(idata, "constant_data", constant.assign_coords({dim: [later]}))
    both = rf"version {record.VERSION + 1} .* up to {record.VERSION}"
    with pytest.raises(ValueError, match=both):
        med.top_words(changed, 2)
