"""Runs in partitions: the same draws wherever tasks run, and a result that all functions take."""

from itertools import pairwise

import numpy as np
import pytest

import pymc_medlda as med
from pymc_medlda.distributed.progress import Progress
from pymc_medlda.run.run import Run
from tests.distributed.small import OPTIONS, parts_of, planted, same_draws, sample


@pytest.fixture(scope="module")
def run():
    return sample()


def test_a_run_has_the_form_of_pm_sample(run):
    assert dict(run["posterior"]["eta"].sizes) == {"chain": 2, "draw": 6, "topic": 3}
    assert set(run["sample_stats"].data_vars) >= {"loss", "score", "log_joint", "moved"}
    assert not np.array_equal(run["posterior"]["eta"][0], run["posterior"]["eta"][1])
    assert run["posterior"].attrs["tuning_steps"] == 4


def test_counts_are_those_of_all_documents(run):
    topics = Run(run).topics()
    for counts in topics.iterate_counts():
        z = topics.assignments_at(counts.chain, counts.draw)  # so few documents are all kept
        expected = np.zeros_like(counts.word_topic)
        np.add.at(expected, (topics.tokens.word, z), 1)
        np.testing.assert_array_equal(counts.word_topic, expected)


def test_documents_that_are_not_kept_count_too(monkeypatch):
    monkeypatch.setattr("pymc_medlda.distributed.documents.MOST_KEPT", 10)
    few = sample()
    assert few["observed_data"]["y"].size == 10
    topics, new = Run(few).topics(), planted().corpus
    for counts in topics.iterate_counts():
        assert counts.topic.sum() == new.n_tokens
    # What is predicted depends on the counts of all documents, and not on which are kept.
    predicted = [
        med.predict(r, new, random_seed=1, progressbar=False)["predictions"]["discriminant"].values
        for r in (few, sample())
    ]
    np.testing.assert_array_equal(*predicted)
    np.testing.assert_allclose(topics.shares([0]), Run(sample()).topics().shares([0]))


def test_functions_of_runs_take_it(run, tmp_path):
    assert len(med.top_words(run, n=4)) == 3
    assert "eta (aligned)" in med.diagnose(run).table.index
    aligned, _ = med.align_topics(run)
    test_counts_are_those_of_all_documents(aligned)
    corpus, y = planted().corpus, planted().y
    predicted = med.predict(run, corpus, random_seed=1, progressbar=False)["predictions"]
    assert (predicted["decision"].values == y).mean() > 0.8
    assert med.perplexity(run, corpus[:5], n_draws=2).perplexity > 0
    assert med.doc_topics(run).sizes["document"] == 60
    run.to_netcdf(str(tmp_path / "run.nc"))
    again = med.predict(str(tmp_path / "run.nc"), corpus, random_seed=1, progressbar=False)
    np.testing.assert_array_equal(
        predicted["discriminant"].values, again["predictions"]["discriminant"].values
    )


def test_topics_may_lie_in_files(run, tmp_path, monkeypatch):
    monkeypatch.setattr("pymc_medlda.distributed.executors.LARGE", 8)
    assert same_draws(run, sample(client=med.distributed.InProcess(tmp_path)))
    assert not list(tmp_path.iterdir())


def test_checkpoints_have_no_influence_on_draws(run, tmp_path):
    assert same_draws(run, sample(checkpoint=tmp_path, checkpoint_every=3))
    assert (tmp_path / "checkpoint.json").exists()


@pytest.mark.parametrize("stopped", [4, 6, 7, 9])
def test_a_run_that_was_stopped_goes_on_with_the_same_draws(run, tmp_path, monkeypatch, stopped):
    """Stopped before, at and after a stored draw whose statistics come with the next sweep."""

    def stop(self, sweep, statistics):
        if sweep == stopped:
            raise KeyboardInterrupt

    settings = {"checkpoint": tmp_path, "checkpoint_every": 3}
    with monkeypatch.context() as context:
        context.setattr(Progress, "update", stop)
        with pytest.raises(KeyboardInterrupt):
            sample(**settings)
    seen = []
    monkeypatch.setattr(Progress, "update", lambda self, sweep, _: seen.append(sweep))
    assert same_draws(run, sample(**settings))
    assert seen[0] == 3 * (stopped // 3) + 1  # it did not begin anew


def test_thinned_draws_are_every_second_one_of_all():
    every = sample(tune=2, draws=6)
    second = sample(tune=1, draws=3, sweeps_per_draw=2)
    np.testing.assert_array_equal(second["posterior"]["eta"], every["posterior"]["eta"][:, 1::2])
    np.testing.assert_array_equal(
        second["sample_stats"]["loss"], every["sample_stats"]["loss"][:, 1::2]
    )


def load(first, last):
    data = planted()
    return data.corpus[first:last], np.where(data.y[first:last] > 0, "good", "bad")


def test_loaders_give_the_draws_of_the_corpus_they_load():
    parts = parts_of()
    edges = parts.edges.tolist()
    loaders = [lambda i=i, j=j: load(i, j) for i, j in pairwise(edges)]
    found = sample(med.distributed.from_loaders(loaders))
    assert same_draws(sample(parts), found)
    assert Run(found).response().classes.tolist() == ["bad", "good"]


def test_files_give_the_draws_of_the_corpus_they_hold(tmp_path):
    parts, corpus = parts_of(), planted().corpus
    paths = []
    for i, (first, last) in enumerate(zip(parts.edges[:-1], parts.edges[1:], strict=True)):
        own, y = load(first, last)
        paths.append(tmp_path / f"{i}.npz")
        np.savez(paths[-1], words=own.words, starts=own.starts, y=y)
    found = med.distributed.from_files(paths, vocabulary=corpus.vocabulary)
    assert same_draws(sample(parts), sample(found))


def test_a_mapped_corpus_gives_the_draws_of_one_in_memory(run, tmp_path):
    planted().corpus.to_folder(tmp_path / "c")
    mapped = med.Corpus.from_folder(tmp_path / "c")
    parts = med.distributed.partition(mapped, planted().y, n_partitions=2)
    assert type(parts.parts[0].loader).__name__ == "Mapped"
    assert same_draws(run, sample(parts))


@pytest.mark.parametrize(
    "y",
    [
        [["a"], ["b"], ["a", "b"]] * 20,
        np.random.default_rng(1).integers(2, size=(60, 2)),
        ["x", "y", "z"] * 20,
        None,
    ],
    ids=["lists", "matrix", "classes", "none"],
)
def test_kinds_of_response(y):
    corpus = planted().corpus
    parts = med.distributed.partition(corpus, y, n_partitions=2)
    found = sample(parts, tune=1, draws=2)
    predicted = med.predict(found, corpus[:4], random_seed=1, progressbar=False)["predictions"]
    assert predicted["theta"].sizes["document"] == 4
    if y is not None:
        edges = parts.edges.tolist()
        loaders = [lambda i=i, j=j: (corpus[i:j], y[i:j]) for i, j in pairwise(edges)]
        loaded = sample(med.distributed.from_loaders(loaders), tune=1, draws=2)
        assert same_draws(found, loaded)


VALUES = planted().y + 0.25 * np.arange(60)
SHIFT = np.linspace(-1.0, 2.0, 60)


def test_an_offset_is_what_the_weights_need_not_explain():
    """The same random numbers give the same topics, and weights that differ by rounding."""
    corpus, options = planted().corpus, {"n_partitions": 3}
    loss = med.EpsilonInsensitive(c=1.3, epsilon=0.1)
    shifted = med.distributed.partition(corpus, VALUES, offset=SHIFT, **options)
    found = sample(shifted, loss=loss)
    expected = sample(med.distributed.partition(corpus, VALUES - SHIFT, **options), loss=loss)
    np.testing.assert_array_equal(found["posterior"]["z"], expected["posterior"]["z"])
    np.testing.assert_allclose(found["posterior"]["eta"], expected["posterior"]["eta"], rtol=1e-6)
    np.testing.assert_allclose(found["sample_stats"]["loss"], expected["sample_stats"]["loss"])
    edges = shifted.edges.tolist()
    loaders = [lambda i=i, j=j: (corpus[i:j], VALUES[i:j], SHIFT[i:j]) for i, j in pairwise(edges)]
    assert same_draws(found, sample(med.distributed.from_loaders(loaders), loss=loss))
    given = {"random_seed": 1, "client": med.distributed.InProcess(), "var_names": ["decision"]}
    predicted = [
        med.distributed.predict(run, parts, **given)["predictions"]["decision"].values
        for run, parts in (
            (found, med.distributed.partition(corpus, VALUES, offset=SHIFT, n_partitions=2)),
            (expected, med.distributed.partition(corpus, n_partitions=2)),
        )
    ]
    np.testing.assert_allclose(predicted[0], predicted[1] + SHIFT, rtol=1e-6)


@pytest.mark.parametrize("loaded", [False, True])
def test_real_values_are_standardised(loaded, monkeypatch):
    """With y in units of its standard deviation, the same random numbers give the same topics."""
    corpus = planted().corpus
    m, s = VALUES.mean(), VALUES.std()
    loss = med.EpsilonInsensitive(c=8.0)
    expected = sample(
        med.distributed.partition(corpus, (VALUES - m) / s, n_partitions=2), loss=loss
    )
    parts = med.distributed.partition(corpus, VALUES, n_partitions=2)
    if loaded:
        edges = parts.edges.tolist()
        loaders = [lambda i=i, j=j: (corpus[i:j], VALUES[i:j]) for i, j in pairwise(edges)]
        parts = med.distributed.from_loaders(loaders)
    monkeypatch.setattr("pymc_medlda.distributed.documents.MOST_KEPT", 10)  # they know other means
    found = sample(parts, loss=med.Standardised(loss) if loaded else None)
    eta = expected["posterior"]["eta"].values
    np.testing.assert_allclose(found["posterior"]["eta"], s * eta, rtol=1e-6)
    np.testing.assert_allclose(found["sample_stats"]["score"], expected["sample_stats"]["score"])
    predicted = [
        med.predict(run, corpus, random_seed=1, progressbar=False)["predictions"]["decision"].values
        for run in (found, expected)
    ]
    np.testing.assert_allclose(predicted[0], m + s * predicted[1], rtol=1e-6)


def test_a_random_scale_is_stored():
    found = sample(nu=med.distributed.ScalePrior(2.0, 2.0), tune=0, draws=3)
    assert np.unique(found["posterior"]["nu"].values).size == 6


def tables(corpus, z):
    """Return the counts of a draw: of words and topics, and of documents and topics."""
    words, documents = np.zeros((corpus.n_words, 3), int), np.zeros((corpus.n_documents, 3), int)
    np.add.at(words, (corpus.words, z), 1)
    np.add.at(documents, (np.repeat(np.arange(60), corpus.lengths), z), 1)
    return words, documents


@pytest.mark.parametrize("stopped", [None, 5, 8])
def test_all_topics_are_written_to_zarr(tmp_path, monkeypatch, stopped):
    zarr = pytest.importorskip("zarr", reason="needs the extra files")
    parts, corpus = parts_of(3), planted().corpus
    options = {"z_store": tmp_path / "z", "checkpoint": tmp_path / "c", "checkpoint_every": 3}
    if stopped is not None:

        def stop(self, sweep, statistics):
            if sweep == stopped:
                raise KeyboardInterrupt

        with monkeypatch.context() as context:
            context.setattr(Progress, "update", stop)
            with pytest.raises(KeyboardInterrupt):
                sample(parts, **options)
    found = sample(parts, **options)
    assert same_draws(found, sample(parts))
    store, topics = zarr.open_group(str(tmp_path / "z"), mode="r"), Run(found).topics()
    for counts in topics.iterate_counts():
        place = (counts.chain, counts.draw)
        z = np.concatenate([store[f"z_{i}"][place] for i in range(3)])
        words, documents = tables(corpus, z)
        np.testing.assert_array_equal(counts.word_topic, words)
        own = topics.assignments_at(*place)  # all documents are kept, in the order of the blocks
        np.testing.assert_array_equal(documents, tables(corpus, own)[1])
    with pytest.raises(ValueError, match="z_store holds something else"):
        sample(parts, **{**options, "checkpoint": None, "random_seed": 6})


def test_partitions_predict_what_documents_predict(run):
    new = planted().corpus[:20]
    parts = med.distributed.partition(new, n_partitions=2)
    options = {"client": med.distributed.InProcess(), "random_seed": 1}
    found = med.distributed.predict(run, parts, **options)["predictions"]
    assert (found["decision"].values == planted().y[:20]).mean() > 0.8
    assert found["document"].values.tolist() == list(range(20))
    again = med.distributed.predict(run, parts, **options)["predictions"]
    np.testing.assert_array_equal(found["decision"], again["decision"])


def test_another_run_does_not_continue_a_checkpoint(tmp_path):
    sample(checkpoint=tmp_path, checkpoint_every=3)
    with pytest.raises(ValueError, match="another run"):
        sample(checkpoint=tmp_path, n_topics=4)
    (tmp_path / "checkpoint.json").write_text("{")
    with pytest.raises(ValueError, match="damaged"):
        sample(checkpoint=tmp_path, checkpoint_every=3)


def test_no_file_of_a_checkpoint_is_pickled(tmp_path):
    sample(checkpoint=tmp_path, checkpoint_every=3)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".npz", ".json"}
    for path in files:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as arrays:
                assert all(arrays[name].dtype.kind != "O" for name in arrays)


def test_options_of_the_module_are_those_of_the_tests():
    assert OPTIONS["tune"] + OPTIONS["draws"] == 10  # the tests of stopped runs count on it
