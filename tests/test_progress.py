"""The progress bar."""

import time

from pymc_medlda import _progress


def test_bar_appears_only_for_long_work(monkeypatch, capsys):
    assert list(_progress.track(range(4), 4, "Working")) == [0, 1, 2, 3]
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    slow = (time.sleep(0.01) or i for i in range(4))
    assert list(_progress.track(slow, 4, "Working")) == [0, 1, 2, 3]
    assert "Working" in capsys.readouterr().out
    assert list(_progress.track(range(4), 4, "Working", show=False)) == [0, 1, 2, 3]
    assert capsys.readouterr().out == ""


def test_the_state_of_the_work_is_written_behind_the_bar(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    done = []
    for item in _progress.track(range(3), 3, "Counting", state=lambda: f"last {done[-1]}"):
        done.append(item)
    assert "last 2" in capsys.readouterr().out
