"""The arguments of the command line."""

from __future__ import annotations

import argparse
from typing import Any

from pymc_medlda import __version__
from pymc_medlda.command_line import commands

EXAMPLES = """
examples:
  pymc-medlda fit reviews.csv --text review --label stars --out run.nc --report report.html
  pymc-medlda predict run.nc new.csv --text review --out predictions.csv
  pymc-medlda report run.nc --out report.html
  pymc-medlda export run.nc model.npz
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; each command has the function that runs it as ``run``."""
    parser = argparse.ArgumentParser(
        prog="pymc-medlda",
        description="Classify texts with topics that explain the answer.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_fit(subparsers)
    _add_predict(subparsers)
    _add_report(subparsers)
    _add_export(subparsers)
    return parser


def _add_fit(subparsers: Any) -> None:
    fit = subparsers.add_parser("fit", help="fit a model to a table of texts and labels")
    fit.set_defaults(run=commands.fit)
    fit.add_argument("data", help="the table: a .csv or .tsv file, which may be compressed")
    fit.add_argument("--text", required=True, help="the column of texts")
    _add_encoding(fit)
    fit.add_argument("--label", required=True, help="the column of classes, labels or values")
    fit.add_argument("--out", required=True, help="the run to write, such as run.nc")
    fit.add_argument("--report", help="also write a report, such as report.html")
    kind = fit.add_mutually_exclusive_group()
    kind.add_argument("--classes", action="store_true", help="the labels are classes")
    kind.add_argument("--values", action="store_true", help="the labels are real values")
    kind.add_argument(
        "--separator", help="a text may have several labels, with this between them, such as ';'"
    )
    fit.add_argument("--topics", type=int, help="number of topics (by default 20 or 40)")
    fit.add_argument(
        "--words", action="store_true", help="let single words count beside the topics"
    )
    fit.add_argument(
        "--margin", type=float, help="margin of classes (default 20); a smaller one favours words"
    )
    fit.add_argument("--stop-words", help="a language, such as english, whose stop words to drop")
    fit.add_argument("--min-df", type=int, default=2, help="drop words of fewer texts (default 2)")
    fit.add_argument(
        "--max-df", type=float, default=0.5, help="drop words of a larger share (default 0.5)"
    )
    fit.add_argument("--ngrams", type=int, default=1, help="count runs of up to N words")
    fit.add_argument("--chains", type=int, default=4, help="independent chains (default 4)")
    fit.add_argument("--tune", type=int, default=50, help="draws to discard first (default 50)")
    fit.add_argument("--draws", type=int, default=25, help="draws to keep (default 25)")
    fit.add_argument("--anneal", type=int, default=0, help="sweeps of annealing before them")
    fit.add_argument("--seed", type=int, help="the same number gives the same run")
    fit.add_argument("--cores", type=int, help="threads (by default all cores)")
    fit.add_argument("--quiet", action="store_true", help="show no progress")


def _add_predict(subparsers: Any) -> None:
    predict = subparsers.add_parser("predict", help="predict the labels of new texts")
    predict.set_defaults(run=commands.predict)
    predict.add_argument("model", help="a run (run.nc), or an exported model (model.npz)")
    predict.add_argument("data", help="the table of new texts")
    predict.add_argument("--text", required=True, help="the column of texts")
    _add_encoding(predict)
    predict.add_argument("--out", help="the .csv file to write (by default to the terminal)")
    predict.add_argument(
        "--interval", type=float, help="coverage of intervals of values (by default 0.9)"
    )
    predict.add_argument("--seed", type=int, help="the same number gives the same predictions")
    predict.add_argument("--cores", type=int, help="threads (by default all cores)")
    predict.add_argument("--quiet", action="store_true", help="show no progress")


def _add_report(subparsers: Any) -> None:
    report = subparsers.add_parser("report", help="write a report of a run as one HTML file")
    report.set_defaults(run=commands.report)
    report.add_argument("model", help="a run, such as run.nc")
    report.add_argument("--out", required=True, help="the file to write, such as report.html")
    report.add_argument("--data", help="the table the run was fitted to, to show its texts")
    report.add_argument("--text", help="the column of texts in it")
    _add_encoding(report)


def _add_export(subparsers: Any) -> None:
    export = subparsers.add_parser("export", help="write a small model for serving")
    export.set_defaults(run=commands.export)
    export.add_argument("model", help="a run, such as run.nc")
    export.add_argument("out", help="the file to write, such as model.npz")
    export.add_argument("--draws", type=int, default=10, help="draws per chain (default 10)")


def _add_encoding(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--encoding", default="utf-8", help="the encoding of the table, such as cp1252"
    )
