"""The tables of the command line: texts, missing labels, encodings and what is said of labels."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pymc_medlda.command_line.files import MISSING, read_table
from pymc_medlda.command_line.labels import describe_labels


def test_texts_that_look_like_missing_values_stay_texts(tmp_path):
    (tmp_path / "a.tsv").write_text("text\tlabel\nNA\t1\n\t2\nNone\t\n")
    frame = read_table(str(tmp_path / "a.tsv"), "text")
    assert frame["text"].tolist() == ["NA", "", "None"]
    assert frame["label"].isna().tolist() == [False, False, True]


def test_a_table_in_another_encoding(tmp_path):
    table = pd.DataFrame({"text": ["bien s\u00fbr", "d\u00e9j\u00e0 vu"], "label": ["a", "b"]})
    for encoding in ("cp1252", "utf-16"):
        path = str(tmp_path / f"{encoding}.csv")
        table.to_csv(path, index=False, encoding=encoding)
        with pytest.raises(ValueError, match=r"in the encoding utf-8.*--encoding cp1252"):
            read_table(path, "text")
        pd.testing.assert_frame_equal(
            read_table(path, "text", encoding), table, check_dtype=False, check_column_type=False
        )
    with pytest.raises(ValueError, match="--encoding must be one that Python knows"):
        read_table(path, "text", "utf-9")


@pytest.mark.parametrize("marker", MISSING)
def test_labels_are_missing_where_pandas_says_so(tmp_path, marker):
    (tmp_path / "a.csv").write_text(f"text,label\na,1\n{marker},{marker}\nb,2\n")
    frame = read_table(str(tmp_path / "a.csv"), "text")
    assert frame["text"].tolist() == ["a", marker, "b"]
    assert frame["label"].isna().tolist() == [False, True, False]
    assert pd.read_csv(tmp_path / "a.csv")["label"].isna().tolist() == [False, True, False]


def test_ordinary_markers_are_known():
    assert {"", "NA", "N/A", "n/a", "nan", "NaN", "NULL", "null", "#N/A"} <= set(MISSING)


def test_long_and_many_labels_are_described_briefly():
    names = np.array([f"{i} " + "long " * 50 for i in range(30)])
    response = SimpleNamespace(kind="multiclass", classes=names, y=np.ones((3, 30)))
    said = describe_labels(response)
    assert said.startswith("30 classes (0 long ")
    assert said.endswith("..., ...)")
    assert len(said) < 300
