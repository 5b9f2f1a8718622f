"""Files of texts and counts that are refused, and their options."""

import tempfile
from pathlib import Path

import pandas as pd

from pymc_medlda.corpus import Corpus
from tests.bad_inputs.corpora import tokens
from tests.bad_inputs.kinds import SWITCH, WHOLE, Row, rows

FOLDER = Path(tempfile.mkdtemp(prefix="medlda-bad-inputs-"))


def file(name, content):
    path = FOLDER / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


LDAC = file("good.ldac", "2 0:1 1:2\n1 1:1\n")
SVM = file("good.svm", "1 1:2\n-1 2:1\n")
LINES = file("good.txt", "a dog\nthe cat\n")
CSV = file("good.csv", "text,label\na dog,x\nthe cat,y\n")


def ldac(path=LDAC, **options):
    return Corpus.from_ldac(path, **options)


def written_ldac(path=FOLDER / "written.ldac"):
    return tokens().to_ldac(path)


def svmlight(path=SVM, **options):
    return Corpus.from_svmlight(path, **options)


def csv(path=CSV, text_column="text", **options):
    return Corpus.from_csv(path, text_column=text_column, **options)


def parquet(path=None, text_column="text", **options):
    if path is None:
        path = FOLDER / "good.parquet"
        pd.DataFrame({"text": ["a dog", "the cat"]}).to_parquet(path)
    return Corpus.from_parquet(path, text_column=text_column, **options)


def lines(paths=LINES, folder=None, **options):
    # Every call needs a folder that holds no corpus yet.
    place = Path(tempfile.mkdtemp(dir=FOLDER)) / "corpus" if folder is None else folder
    return Corpus.from_files(paths, place, **options)


def tables(paths=CSV, text_column="text", **options):
    return lines(paths, text_column=text_column, **options)


def opened(folder=None, **options):
    if folder is None:
        folder = Path(tempfile.mkdtemp(dir=FOLDER)) / "corpus"
        tokens().to_folder(folder)
    return Corpus.from_folder(folder, **options)


def put_away(folder=None):
    return tokens().to_folder(tempfile.mkdtemp(dir=FOLDER) if folder is None else folder)


def damaged_folder(words, name="words.npy"):
    place = Path(tempfile.mkdtemp(dir=FOLDER))
    Corpus([0, 1], [0, 2], n_words=3).to_folder(place)
    (place / name).write_bytes(words)
    return place


CALLS = {
    "from_files": lines,
    "from_files of tables": tables,
    "from_folder": opened,
    "to_folder": put_away,
    "from_ldac": ldac,
    "to_ldac": written_ldac,
    "from_svmlight": svmlight,
    "from_csv": csv,
    "from_parquet": parquet,
}

ROWS = [
    Row("from_ldac", "path", "number", 3),
    Row("from_ldac", "path", "none", None),
    Row("from_ldac", "path", "no ldac", file("bad1.ldac", "a b c\n"), "bad1.ldac"),
    Row("from_ldac", "path", "negative count", file("bad2.ldac", "1 0:-1\n"), "bad2.ldac"),
    Row("from_ldac", "path", "huge count", file("bad3.ldac", "1 0:2000000000\n"), "bad3.ldac"),
    Row("from_ldac", "path", "huge term", file("bad4.ldac", "1 2000000000:1\n"), "bad4.ldac"),
    Row("from_ldac", "path", "endless", file("bad5.ldac", f"1 0:{'9' * 5000}\n"), "bad5.ldac"),
    Row("from_ldac", "path", "cut", file("bad6.ldac", "3 0:1\n"), "bad6.ldac"),
    Row("from_ldac", "path", "binary", file("bad7.ldac", bytes(range(256))), "bad7.ldac"),
    Row("from_ldac", "vocabulary", "number", 3),
    Row("from_ldac", "vocabulary", "too short", ["cat"]),
    Row("from_ldac", "vocabulary", "repeated", file("words1.txt", "cat\ncat\n")),
    Row("from_ldac", "vocabulary", "not UTF-8", file("words2.txt", b"cat\n\xff\xfe\n")),
    Row("from_ldac", "document_names", "too few", ["a"]),
    Row("to_ldac", "path", "number", 3),
    Row("from_svmlight", "path", "number", 3),
    Row("from_svmlight", "path", "no svmlight", file("bad1.svm", "a b\n"), "bad1.svm"),
    Row("from_svmlight", "path", "fractions", file("bad2.svm", "1 1:0.5\n"), "matrix"),
    *rows("from_svmlight", WHOLE, "n_words"),
    Row("from_svmlight", "n_words", "too small", 1),
    Row("from_svmlight", "n_words", "too large", 2_000_000_000),
    *rows("from_svmlight", SWITCH, "zero_based", "multilabel"),
    Row("from_svmlight", "vocabulary", "number", 3),
    Row("from_csv", "path", "number", 3),
    Row("from_csv", "path", "empty", file("bad1.csv", ""), "bad1.csv"),
    Row("from_csv", "path", "not UTF-8", file("bad2.csv", b"text\n\xff\xfe\n"), "bad2.csv"),
    Row("from_csv", "path", "ragged", file("bad3.csv", 'text\n"a\n'), "bad3.csv"),
    Row("from_csv", "text_column", "unknown", "body"),
    Row("from_csv", "label_column", "unknown", "stars"),
    Row("from_csv", "read_options", "text", "sep=;"),
    Row("from_csv", "document_names", "too few", ["a"]),
    Row("from_parquet", "path", "number", 3),
    Row("from_parquet", "path", "no parquet", CSV, "good.csv"),
    Row("from_parquet", "text_column", "unknown", "body"),
    Row("from_parquet", "read_options", "list", ["sep"]),
    Row("from_files", "paths", "number", 3),
    Row("from_files", "paths", "numbers", [3]),
    Row("from_files", "paths", "none at all", []),
    Row("from_files", "paths", "two formats", [LINES, CSV]),
    Row("from_files", "paths", "not UTF-8", file("bad1.txt", b"cat\n\xff\xfe\n"), "bad1.txt"),
    Row("from_files", "folder", "number", 3),
    Row("from_files", "folder", "a file", LINES),
    Row("from_files", "folder", "taken", damaged_folder(b"")),
    Row("from_files", "format", "unknown", "xml"),
    Row("from_files", "format", "counts without names", "ldac", "vocabulary"),
    Row("from_files", "text_column", "of lines", "text"),
    Row("from_files", "label_column", "of lines", "label"),
    Row("from_files", "vocabulary", "number", 3),
    *rows("from_files", WHOLE, "min_df", "max_df", "max_words"),
    Row("from_files", "min_df", "share above one", 1.5),
    Row("from_files", "min_df", "excludes all", 3),
    Row("from_files of tables", "paths", "empty", file("bad4.csv", ""), "bad4.csv"),
    Row("from_files of tables", "text_column", "unknown", "body"),
    Row("from_files of tables", "text_column", "none", None),
    Row("from_files of tables", "label_column", "unknown", "stars"),
    Row("from_folder", "folder", "number", 3),
    Row("from_folder", "folder", "empty", FOLDER),
    Row("from_folder", "folder", "damaged", damaged_folder(b"\x93NUMPY"), "words.npy"),
    Row("from_folder", "documents", "a list", [0, 1]),
    Row("from_folder", "documents", "with steps", slice(0, 4, 2)),
    Row("from_folder", "folder", "no size", damaged_folder(b"-3", "n_words.txt"), "n_words.txt"),
    Row("to_folder", "folder", "number", 3),
    Row("to_folder", "folder", "a file", LINES),
    Row("to_folder", "folder", "taken", damaged_folder(b"")),
]
