"""The benchmark of a simulated Wikipedia takes real documents too."""

from types import SimpleNamespace

import numpy as np

from tests.benchmarks import wikipedia
from tests.distributed.small import planted


def test_a_data_set_is_written_with_its_test_part_at_the_end(tmp_path, monkeypatch):
    corpus, y = planted().corpus, np.arange(120).reshape(60, 2) % 2
    parts = {"train": (corpus[:50], y[:50]), "test": (corpus[50:], y[50:])}
    monkeypatch.setattr(wikipedia, "load", lambda name, part="train": parts[part])
    held_out = wikipedia.write_data(tmp_path / "corpus", "any")
    options = SimpleNamespace(folder=str(tmp_path / "corpus"), held_out=held_out)
    problem = wikipedia.Problem(options)
    for found, labels, part in (
        (problem.train, problem.y, "train"),
        (problem.new, problem.y_new, "test"),
    ):
        assert found == parts[part][0]
        np.testing.assert_array_equal(labels, parts[part][1])
