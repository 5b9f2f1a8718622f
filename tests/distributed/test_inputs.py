"""What partitions are made of: words that keep their names, labels, files, bags and functions."""

from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import pymc_medlda as med
from pymc_medlda.distributed.executors import OnCluster
from pymc_medlda.distributed.partitions import Held, Partition, put_down
from pymc_medlda.distributed.progress import Progress
from tests.distributed.small import HERE, parts_of, planted, same_draws, sample


@pytest.fixture(scope="module")
def run():
    return sample()


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    settings = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(n_workers=1, **settings) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


def reverse(corpus):
    """Return the same documents, whose words are numbered in another order."""
    return corpus.to_vocabulary(corpus.vocabulary[::-1])[0]


@pytest.mark.parametrize("words", [["a", "b\n\u00e9", " "], ["", "b", "c"], None])
def test_partitions_in_files_keep_their_words(tmp_path, words):
    corpus = med.Corpus([0, 2, 1, 1], [0, 2, 2, 4], vocabulary=words, n_words=3)
    for i in range(2):
        stored = put_down(Partition(Held(corpus)), tmp_path / f"{i}.npz")
        assert stored.load().corpus == corpus
    assert len(list(tmp_path.glob("vocabulary-*"))) == (words is not None)  # one file for all


@pytest.mark.slow
def test_a_cluster_matches_new_words_by_name(run, client):
    new = med.distributed.partition(reverse(planted().corpus), n_partitions=2)
    options = {"random_seed": 1, "var_names": ["discriminant"]}
    found, expected = (
        med.distributed.predict(run, new, client=own, **options)["predictions"]["discriminant"]
        for own in (client, HERE)
    )
    np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.slow
def test_what_workers_of_other_machines_cannot_read_needs_a_folder(
    run, client, tmp_path, monkeypatch
):
    """Whatever lies in the temporary folder of the driver is not there for them."""
    monkeypatch.setattr(OnCluster, "is_local", property(lambda _: False))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "of the driver alone"))
    run.to_netcdf(str(tmp_path / "run.nc"))
    planted().corpus.to_folder(tmp_path / "corpus")
    mapped = med.Corpus.from_folder(tmp_path / "corpus")
    y, shift = planted().y, np.zeros(60)

    def predict(idata, corpus, folder=None, **options):
        parts = med.distributed.partition(corpus, y, n_partitions=2, **options)
        given = {"client": client, "random_seed": 1, "var_names": "discriminant"}
        found = med.distributed.predict(idata, parts, folder=folder, **given)
        return found["predictions"]["discriminant"].values

    expected = predict(tmp_path / "run.nc", mapped)
    for idata, corpus, options in (
        (run, mapped, {}),
        (tmp_path / "run.nc", planted().corpus, {}),
        (tmp_path / "run.nc", mapped, {"offset": shift}),
    ):
        with pytest.raises(ValueError, match="folder must be given for a cluster of several mac"):
            predict(idata, corpus, **options)
        found = predict(idata, corpus, tmp_path / "shared", **options)
        np.testing.assert_array_equal(found, expected)
        assert not list((tmp_path / "shared").iterdir())


@pytest.mark.slow
def test_workers_that_are_lost_while_they_predict_are_an_error(run, client, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def gather(self, results):
        raise distributed.KilledWorker("predict-0", SimpleNamespace(address="a worker"), 3)

    monkeypatch.setattr(distributed.Client, "gather", gather)
    with pytest.raises(RuntimeError, match="lost again and again while they predicted"):
        med.distributed.predict(run, parts_of(), client=client)


@pytest.mark.slow
def test_a_run_of_a_cluster_goes_on_in_one_process(run, client, tmp_path, monkeypatch):
    def stop(self, sweep, statistics):
        if sweep >= 6:
            raise KeyboardInterrupt

    settings = {"checkpoint": tmp_path, "checkpoint_every": 3}
    with monkeypatch.context() as context:
        context.setattr(Progress, "update", stop)
        with pytest.raises(KeyboardInterrupt):
            sample(client=client, **settings)
    seen = []
    monkeypatch.setattr(Progress, "update", lambda self, sweep, _: seen.append(sweep))
    assert same_draws(run, sample(**settings))
    assert seen[0] > 3  # it did not begin anew


def load(first, last):
    """Return some documents and their labels."""
    return planted().corpus[first:last], planted().y[first:last]


def spans():
    return list(pairwise(parts_of().edges.tolist()))


def test_delayed_functions_are_loaders(run):
    dask = pytest.importorskip("dask", reason="needs the extra dask")
    called = [dask.delayed(load)(i, j) for i, j in spans()]
    assert same_draws(run, sample(med.distributed.from_loaders(called)))
    functions = [dask.delayed(partial(load, i, j)) for i, j in spans()]
    assert same_draws(run, sample(med.distributed.from_loaders(functions)))


@pytest.mark.slow
def test_delayed_functions_are_computed_on_workers(run, client):
    import dask

    called = [dask.delayed(load)(i, j) for i, j in spans()]
    assert same_draws(run, sample(med.distributed.from_loaders(called), client=client))


@pytest.mark.slow
def test_what_lies_on_workers_is_refused(client):
    import dask.bag

    bag = dask.bag.from_sequence(["a cat", "the dog"], npartitions=2)
    with pytest.raises(ValueError, match=r"bag must be given as it was before persist\(\)"):
        med.distributed.from_bag(client.persist(bag).map(str.upper))
    with pytest.raises(ValueError, match="loaders must be given as it was before persist"):
        med.distributed.from_loaders([client.persist(dask.delayed(load)(0, 5))])


def bag_of(entries, n_partitions=2):
    bags = pytest.importorskip("dask.bag", reason="needs the extra dask")
    return bags.from_sequence(entries, npartitions=n_partitions)


@pytest.fixture
def at_once():
    """Compute bags in this process: Dask's own default starts others."""
    dask = pytest.importorskip("dask", reason="needs the extra dask")
    with dask.config.set(scheduler="synchronous"):
        yield


TEXTS = ["good food and good wine", "bad food", "the wine was bad", "good food"] * 3


@pytest.mark.parametrize(
    "options", [{"max_df": 0.5}, {"max_df": 6}, {"max_df": 6, "min_df": 4}, {"stop_words": ["the"]}]
)
@pytest.mark.usefixtures("at_once")
def test_a_bag_leaves_out_the_words_that_a_vectorizer_leaves_out(options):
    found = med.distributed.from_bag(bag_of(TEXTS), **options).parts[0].load().corpus
    assert found.vocabulary.tolist() == med.Corpus.from_texts(TEXTS, **options).vocabulary.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_features": 2}, "no argument 'max_features': give max_words"),
        ({"vocabulary": ["good"]}, "no argument 'vocabulary'"),
        ({"stemer": len}, "no argument 'stemer'"),
        ({"max_df": 1.5}, "max_df must be a number between 0 and 1"),
        ({"max_df": 0}, "max_df"),
        ({"max_df": 0.1}, "raise max_df"),
    ],
)
@pytest.mark.usefixtures("at_once")
def test_options_that_a_bag_cannot_use_are_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        med.distributed.from_bag(bag_of(TEXTS), **options)


@pytest.mark.parametrize("entry", [{"text": "a cat"}, 3, ("a cat", 1, 2), (3, 1), b"a cat"])
@pytest.mark.usefixtures("at_once")
def test_entries_of_a_bag_that_are_no_texts_are_named(entry):
    with pytest.raises(TypeError, match=r"bag must hold texts, or pairs \(text, label\); got"):
        med.distributed.from_bag(bag_of(["a dog", entry]))


@pytest.mark.usefixtures("at_once")
def test_a_bag_has_labels_for_all_texts_or_for_none():
    with pytest.raises(ValueError, match="got 1 pairs among 2 entries"):
        med.distributed.from_bag(bag_of(["a dog", ("a cat", 1)]))


@pytest.mark.usefixtures("at_once")
def test_a_partition_of_a_bag_may_be_empty():
    pairs = [(text, i) for i, text in enumerate(TEXTS)]
    bag = bag_of(pairs).filter(lambda pair: pair[1] < 6)  # nothing of the second partition
    assert [own.load().y for own in med.distributed.from_bag(bag).parts] == [[*range(6)], []]


@pytest.mark.parametrize("name", ["a folder", "a file"])
def test_a_store_is_refused_where_something_else_is(tmp_path, name):
    pytest.importorskip("zarr", reason="needs the extra files")
    (tmp_path / "a folder").mkdir()
    for place in ("a folder/note.txt", "a file"):
        (tmp_path / place).write_text("mine")
    with pytest.raises(ValueError, match="z_store holds something else"):
        sample(z_store=tmp_path / name)


def test_a_file_is_no_folder_for_arrays(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(ValueError, match="folder must be a folder, and"):
        med.distributed.InProcess(tmp_path / "a")


def loaded(y, n_empty=0, of_empty=()):
    """Return partitions that functions load, with some behind them that hold no documents."""
    corpus = planted().corpus
    loaders = [lambda i=i, j=j: (corpus[i:j], y[i:j]) for i, j in spans()]
    return med.distributed.from_loaders(loaders + [lambda: (corpus[:0], of_empty)] * n_empty)


SIGNS = np.where(planted().y > 0, 1.0, -1.0)
NUMBERS = np.round(0.3 * np.arange(60) * SIGNS, 3)


@pytest.mark.parametrize(
    "y",
    [
        SIGNS,
        SIGNS.tolist(),
        np.where(np.arange(60) % 7 == 0, np.nan, SIGNS),
        [None if d % 7 == 0 else int(sign) for d, sign in enumerate(SIGNS)],
        NUMBERS,
        np.column_stack([SIGNS, -SIGNS[::-1]]),
        np.column_stack([NUMBERS, -NUMBERS[::-1]]),
        [None if d % 7 == 0 else {"a", "b"} if d % 3 else {"a"} for d in range(59)] + [{"b"}],
        [f"{d % 3}" for d in range(60)],
    ],
    ids=["array", "list", "NaN", "None", "real", "matrix", "real matrix", "sets", "text"],
)
def test_functions_may_return_every_y_that_a_corpus_may_have(y):
    corpus, options = planted().corpus, {"tune": 1, "draws": 2}
    expected = sample(med.distributed.partition(corpus, y, n_partitions=2), **options)
    assert same_draws(expected, sample(loaded(y), **options))


@pytest.mark.parametrize("of_empty", [[], None, np.empty(0), np.empty((0, 2))])
@pytest.mark.parametrize(
    ("y", "loss"),
    [
        (SIGNS, None),
        (SIGNS, med.Hinge()),
        (SIGNS.astype(int), med.Hinge()),
        (NUMBERS, med.EpsilonInsensitive()),
        (NUMBERS, None),
        (np.column_stack([NUMBERS, -NUMBERS[::-1]]), None),
        ([{"a"}, {"b"}, {"a", "b"}] * 20, None),
    ],
    ids=["guessed", "hinge", "integers", "real", "standardised", "real matrix", "sets"],
)
def test_a_partition_may_hold_no_documents(y, loss, of_empty):
    found = sample(loaded(y, 1, of_empty), tune=1, draws=2, loss=loss)
    assert np.isfinite(found["posterior"]["eta"].values).all()
    assert found["observed_data"]["y"].shape[0] == 60


def test_a_partition_without_documents_may_have_an_offset():
    corpus, shift = planted().corpus, np.linspace(-1.0, 1.0, 60)
    loaders = [lambda: (corpus, SIGNS, shift), lambda: (corpus[:0], [], shift[:0])]
    found = sample(med.distributed.from_loaders(loaders), tune=1, draws=2)
    assert np.isfinite(found["posterior"]["eta"].values).all()


TASKS = ["u", "v", "w"]
OTHERWISE = ["w", "u", "v"]
SHIFTS = pd.DataFrame(np.linspace(-2.0, 2.0, 180).reshape(60, 3), columns=TASKS)
MATRIX = pd.DataFrame(np.arange(180).reshape(60, 3) % 7 > 2, columns=TASKS)
TEXT = np.array(TASKS)[np.arange(60) % 3]


@pytest.mark.parametrize(
    ("y", "classes"), [(MATRIX, None), (MATRIX.to_numpy(), TASKS), (TEXT, TASKS)]
)
def test_columns_of_an_offset_are_matched_with_the_tasks(y, classes):
    options = {"n_partitions": 2, "classes": classes}
    found, expected, wrong = (
        sample(med.distributed.partition(planted().corpus, y, offset=own, **options), tune=1)
        for own in (SHIFTS[OTHERWISE], SHIFTS.to_numpy(), SHIFTS[OTHERWISE].to_numpy())
    )
    assert same_draws(found, expected)
    assert not same_draws(found, wrong)


def test_columns_of_an_offset_that_name_no_known_task_are_refused():
    corpus = planted().corpus
    with pytest.raises(ValueError, match="neither classes nor columns of y tell the order"):
        med.distributed.partition(corpus, TEXT, offset=SHIFTS)
    with pytest.raises(ValueError, match="but the tasks are called 'u', 'v', 'x'"):
        med.distributed.partition(corpus, TEXT, offset=SHIFTS, classes=["u", "v", "x"])
    numbered = med.distributed.partition(corpus, TEXT, offset=pd.DataFrame(SHIFTS.to_numpy()))
    expected = med.distributed.partition(corpus, TEXT, offset=SHIFTS.to_numpy())
    assert same_draws(sample(numbered, tune=1), sample(expected, tune=1))


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_one_column_of_an_offset_counts_for_all_tasks_of_new_documents(n_tasks):
    corpus, shift = planted().corpus, np.linspace(-9.0, 9.0, 60)
    y = SIGNS if n_tasks == 1 else MATRIX.to_numpy()
    run = sample(med.distributed.partition(corpus, y, offset=shift, n_partitions=2), tune=1)
    found, expected = (
        med.distributed.predict(
            run,
            med.distributed.partition(corpus, SIGNS, offset=own, n_partitions=2),
            client=HERE,
            random_seed=1,
            var_names=["discriminant"],
        )["predictions"]["discriminant"]
        for own in (shift[:, None], shift)
    )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("first", "second", "error", "message"),
    [
        ([0, 1], ["a", "b"], TypeError, "labels of one type in all partitions; got numbers and te"),
        ([True, False], [0, 1], TypeError, "got booleans and numbers"),
        ([0, 1], None, ValueError, "y must be there in all partitions or in none; 1 of 2 have non"),
        ([0, 1], [{"a"}, {"b"}], ValueError, "same form in all partitions; got lists and vector"),
        ([1, 1], [1, 1], ValueError, "y has one class only"),
        (np.eye(2), np.ones((2, 3)), ValueError, "2 and 3 columns"),
    ],
)
def test_labels_that_do_not_belong_together_are_refused(first, second, error, message):
    corpus = planted().corpus
    loaders = [lambda: (corpus[:2], first), lambda: (corpus[2:4], second)]
    with pytest.raises(error, match=message):
        sample(med.distributed.from_loaders(loaders))


@pytest.fixture
def nowhere(monkeypatch):
    """Let no task start, so that errors must come before."""
    monkeypatch.setattr(med.distributed.InProcess, "submit", lambda *_, **__: pytest.fail("late"))


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"var_names": "decisions"}, "var_names must be among .*; got 'decisions'"),
        ({"var_names": ["decision", "lower"]}, "var_names must be among"),
        ({"var_names": 3}, "var_names must be a list of names, got 3"),
        ({"thinn": 2}, "has no argument 'thinn': it takes response, single_draw"),
        ({"thin": 0}, "thin must be"),
        ({"single_draw": 1}, "single_draw must be"),
        ({"response": "x"}, "response"),
        ({"interval": 0.9}, "interval is for real responses"),
        ({"offset": np.zeros(60)}, "no argument 'offset': it is a part of the partitions"),
        ({"features": np.zeros((60, 1))}, "no argument 'features': partitions take none"),
        ({"as_frame": True}, "no argument 'as_frame'"),
    ],
)
def test_options_of_predict_are_checked_before_tasks_start(run, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        med.distributed.predict(run, parts_of(), client=HERE, **options)


def test_predict_takes_one_name(run):
    given = {"client": HERE, "random_seed": 1, "progressbar": False}
    one, listed = (
        med.distributed.predict(run, parts_of(), var_names=names, **given)["predictions"]
        for names in ("discriminant", ["discriminant"])
    )
    np.testing.assert_array_equal(one["discriminant"].values, listed["discriminant"].values)
