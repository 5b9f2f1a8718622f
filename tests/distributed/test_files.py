"""Partitions that are files, in every format, with the labels that the format can hold."""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import pymc_medlda as med
from tests.distributed.small import planted, same_draws, sample

WITH_LABELS = ("csv", "parquet", "npz")


def documents():
    """Return the documents with the tokens in the order that counts of words have."""
    own = planted().corpus
    return med.Corpus.from_dtm(own.to_dtm(), vocabulary=own.vocabulary.tolist())


def write(corpus, y, path):
    """Write documents in the format of a path."""
    words = corpus.vocabulary
    texts = [" ".join(words[corpus.words[i:j]]) for i, j in pairwise(corpus.starts)]
    table = pd.DataFrame({"text": texts, "class": np.where(y > 0, "good", "bad")})
    if path.suffix == ".csv":
        table.to_csv(path)
    elif path.suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="needs the extra files")
        table.to_parquet(path)
    elif path.suffix == ".ldac":
        corpus.to_ldac(path)
    else:
        np.savez(path, words=corpus.words, starts=corpus.starts, y=table["class"].to_numpy("U"))


@pytest.mark.parametrize("kind", [*WITH_LABELS, "ldac", "csr", "csc"])
def test_files_of_every_format_are_sampled(kind, tmp_path):
    corpus, y = documents(), planted().y
    whole = med.distributed.partition(corpus, n_partitions=2)
    paths = [tmp_path / f"{i}.{'npz' if kind in ('csr', 'csc') else kind}" for i in range(2)]
    for path, part in zip(paths, whole.parts, strict=True):
        own = part.load().corpus
        first = 0 if path is paths[0] else corpus.n_documents - own.n_documents
        if kind in ("csr", "csc"):
            sparse.save_npz(path, own.to_dtm().asformat(kind))
        else:
            write(own, y[first : first + own.n_documents], path)
    columns = {"text_column": "text", "label_column": "class"} if kind in ("csv", "parquet") else {}
    found = med.distributed.from_files(paths, vocabulary=corpus.vocabulary.tolist(), **columns)
    if kind in WITH_LABELS:
        labels = np.where(y > 0, "good", "bad")
        whole = med.distributed.partition(corpus, labels, n_partitions=2)
    options = {"tune": 1, "draws": 2}
    assert same_draws(sample(whole, **options), sample(found, **options))


@pytest.mark.parametrize("name", ["text_column", "label_column"])
@pytest.mark.parametrize("kind", ["ldac", "npz"])
def test_columns_of_files_without_columns_are_refused(kind, name, tmp_path):
    """Otherwise a model without labels would be sampled, and nobody would notice."""
    path = tmp_path / f"a.{kind}"
    write(documents(), planted().y, path)
    words = documents().vocabulary.tolist()
    with pytest.raises(ValueError, match=rf"{name} is for files in .*a\.{kind} has no columns"):
        med.distributed.from_files([path], vocabulary=words, **{name: "class"})


def test_files_of_numpy_are_looked_into_at_once(tmp_path):
    from_files = partial(med.distributed.from_files, vocabulary=["a", "b"])
    sparse.save_npz(tmp_path / "coo.npz", sparse.coo_array([[1, 2]]))
    with pytest.raises(ValueError, match=r"coo\.npz must hold the arrays words and starts"):
        from_files([tmp_path / "coo.npz"])
    (tmp_path / "text.npz").write_text("a b")
    with pytest.raises(ValueError, match=r"text\.npz is not a file of numpy\.savez"):
        from_files([tmp_path / "text.npz"])


def test_files_are_named_that_are_missing_or_lack_arrays(tmp_path):
    from_files = partial(med.distributed.from_files, vocabulary=["a", "b"])
    with pytest.raises(ValueError, match="paths must hold at least one path, got none"):
        from_files([])
    with pytest.raises(FileNotFoundError, match="paths must be files that are there; got"):
        from_files([tmp_path / "a.csv"])
    with pytest.raises(TypeError, match="every entry of paths must be a path, got 3"):
        from_files([3])
    np.savez(tmp_path / "a.npz", y=[1, 2])
    with pytest.raises(ValueError, match=r"a\.npz must hold the arrays words and starts.* got y"):
        sample(from_files([tmp_path / "a.npz"]))


def test_addresses_of_tables_stay_as_they_are():
    address = "s3://bucket/a.parquet"
    found = med.distributed.from_files([address], vocabulary=["a"])
    assert found.parts[0].loader.path == address
    with pytest.raises(ValueError, match="paths that are addresses must end in"):
        med.distributed.from_files(["s3://bucket/a.npz"], vocabulary=["a"])
