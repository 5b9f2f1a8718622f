"""What a run is told: numbers, folders, shapes, and the state of the process."""

import time

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import pymc_medlda as med
from pymc_medlda.distributed.describing import as_bytes
from pymc_medlda.distributed.letters import Lost
from pymc_medlda.distributed.progress import Progress
from pymc_medlda.distributed.running import Run
from tests.distributed.small import planted, same_draws, sample

distributed = pytest.importorskip("distributed")


def test_numbers_of_numpy_are_numbers(tmp_path):
    """A description of the run, which is text, is written where there is a checkpoint."""
    plain = sample(checkpoint=tmp_path / "plain", nu=med.distributed.ScalePrior(3.0, 2.0))
    numbers = {"n_topics": np.int64(3), "draws": np.int64(6), "tune": np.int32(4)}
    nu = med.distributed.ScalePrior(np.float32(3.0), np.int64(2))
    assert same_draws(plain, sample(checkpoint=tmp_path / "numpy", nu=nu, **numbers))
    assert same_draws(plain, sample(checkpoint=tmp_path / "plain", nu=nu, **numbers))


def test_a_file_is_no_folder_for_checkpoints(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="checkpoint must be a folder, got the file"):
        sample(checkpoint=tmp_path / "file")


def test_alpha_of_another_shape_is_refused_before_partitions_are_loaded():
    loaders = [lambda: pytest.fail("a partition was loaded")]
    with pytest.raises(ValueError, match=r"alpha has shape \(2,\); a number, or one for each of"):
        sample(med.distributed.from_loaders(loaders), alpha=[1.0, 2.0])


def test_the_progress_bar_shows_sweeps_speed_and_loss():
    """Tokens per second are those of this process, which may have continued a checkpoint."""
    progress = Progress(120, 10**6, show=True)
    progress.first, progress.begin = 90, time.monotonic() - 10.0
    progress.update(100, [{"loss": 1.0}, {"loss": 2.0}])
    with progress:
        shown = progress.bar.tasks[0]
    assert (shown.completed, shown.total) == (100, 120)
    assert shown.fields["text"] == "1.00 million tokens/s, loss 1.5"


def test_draws_do_not_depend_on_the_threads_of_blas():
    runs = []
    for n in (1, 3):
        with ThreadpoolController().limit(limits=n, user_api="blas"):
            runs.append(sample(n_topics=150, tune=1, draws=2, chains=1))
    assert same_draws(*runs)


@pytest.mark.parametrize("what", ["labels", "offset", "words"])
def test_a_checkpoint_belongs_to_its_labels_offsets_and_words(what, tmp_path):
    """All sizes are the same, so only the content tells that the draws would be others."""
    corpus, y, offset = planted().corpus, planted().y, np.linspace(0.0, 1.0, 60)

    def run(corpus, y, offset):
        parts = med.distributed.partition(corpus, y, n_partitions=2, offset=offset)
        return sample(parts, checkpoint=tmp_path, checkpoint_every=3)

    before = run(corpus, y, offset)
    assert same_draws(before, run(corpus, y.copy(), offset.copy()))
    if what == "labels":
        y = y[::-1]
    elif what == "offset":
        offset = offset[::-1]
    else:
        corpus = med.Corpus(corpus.words[::-1].copy(), corpus.starts, n_words=corpus.n_words)
    with pytest.raises(ValueError, match="another run"):
        run(corpus, y, offset)


def test_sets_of_labels_have_the_same_digest_in_any_order():
    names = [f"label {i}" for i in range(50)]
    assert as_bytes([set(names), {"a"}]) == as_bytes([set(names[::-1]), {"a"}])
    assert as_bytes([set(names), {"a"}]) != as_bytes([set(names), {"b"}])
    assert bytes(as_bytes([1, 2])) == bytes(as_bytes(np.array([1.0, 2.0])))


def test_workers_that_are_lost_before_the_first_sweep_are_an_error(monkeypatch):
    def lose(*_, **__):
        raise Lost("a worker ended")

    monkeypatch.setattr("pymc_medlda.distributed.running.MOST_LOSSES", 2)
    monkeypatch.setattr(Run, "describe", lose)
    with pytest.raises(RuntimeError, match="lost 3 times before the first sweep: a worker ended"):
        sample()


def test_a_client_that_cannot_be_used_is_refused():
    client = distributed.Client(processes=False, dashboard_address=":0")
    client.close()
    with pytest.raises(ValueError, match="client must be a synchronous Client that is running"):
        sample(client=client)
