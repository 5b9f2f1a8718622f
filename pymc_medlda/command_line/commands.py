"""What each command does: read, call a public function, write, and say what was written."""

from __future__ import annotations

import importlib
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import pymc_medlda as med
from pymc_medlda.command_line.files import (
    check_outputs,
    check_packages,
    is_exported,
    read_table,
    require_column,
    require_run,
    write_run,
    write_table,
)
from pymc_medlda.command_line.labels import describe_labels
from pymc_medlda.run.run import Run


def fit(given: Namespace) -> None:
    """Fit a model to a table, and write the run and, if asked for, a report."""
    check_outputs([given.out, given.report], inputs=[given.data])
    check_packages()
    if given.report is not None:
        importlib.import_module("pymc_medlda.reporting.report")  # before the fit and not after it
    frame = read_table(given.data, given.text, given.encoding)
    require_column(frame, given.label, given.data)
    begin = time.monotonic()
    run = med.fit(
        frame,
        text=given.text,
        label=given.label,
        values=True if given.values else False if given.classes else None,
        separator=given.separator,
        n_topics=given.topics,
        features="words" if given.words else None,
        margin=given.margin,
        chains=given.chains,
        tune=given.tune,
        draws=given.draws,
        anneal=given.anneal,
        random_seed=given.seed,
        cores=given.cores,
        progressbar=not given.quiet,
        stop_words=given.stop_words,
        min_df=given.min_df,
        max_df=given.max_df,
        ngram_range=(1, given.ngrams),
    )
    _say(f"Fitted {len(frame)} documents in {time.monotonic() - begin:.0f} s.")
    _say(f"{given.label}: {describe_labels(Run.of(run).response())}.")
    write_run(run, given.out)
    _say_written(given.out)
    if given.report is not None:
        _write_report(run, given.report, frame[given.text].tolist())


def predict(given: Namespace) -> None:
    """Predict the labels of new texts, and write them as a table."""
    check_outputs([given.out], inputs=[given.model, given.data])
    texts = read_table(given.data, given.text, given.encoding)[given.text].tolist()
    if is_exported(given.model):
        served = med.load(given.model)
        table = served.predict(texts, interval=given.interval).to_frame()
    else:
        table = med.predict(
            given.model,
            texts,
            interval=given.interval,
            random_seed=given.seed,
            cores=given.cores,
            progressbar=not given.quiet,
            as_frame=True,
        )
    write_table(table, given.out)
    if given.out is not None:
        _say_written(given.out)


def report(given: Namespace) -> None:
    """Write a report of a run."""
    check_outputs([given.out], inputs=[given.model, given.data])
    require_run(given.model, "a report")
    if (given.data is None) != (given.text is None):
        raise ValueError("--data and --text belong together: give both or neither")
    texts = None
    if given.data is not None:
        texts = read_table(given.data, given.text, given.encoding)[given.text].tolist()
    _write_report(given.model, given.out, texts)


def export(given: Namespace) -> None:
    """Write a small model for serving."""
    check_outputs([given.out], inputs=[given.model])
    require_run(given.model, "an export")
    med.export(given.model, given.out, draws=given.draws)
    _say_written(given.out)


def _write_report(run: Any, path: str, texts: list[str] | None) -> None:
    med.report(run, path, texts=texts)
    _say_written(path)


def _say_written(path: str) -> None:
    size = Path(path).stat().st_size
    readable = f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
    _say(f"Wrote {path} ({readable}).")


def _say(sentence: str) -> None:
    # The terminal's ordinary output is for tables, which other programs may read.
    print(sentence, file=sys.stderr)
