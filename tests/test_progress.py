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
