"""`report`: one HTML file about a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pymc_medlda._arguments import check_seed, check_whole
from pymc_medlda.reporting.certainty import describe_certainty
from pymc_medlda.reporting.convergence import describe_convergence
from pymc_medlda.reporting.documents import describe_documents
from pymc_medlda.reporting.fitted import describe_fit
from pymc_medlda.reporting.markup import Html
from pymc_medlda.reporting.material import Material, gather
from pymc_medlda.reporting.mistakes import describe_mistakes
from pymc_medlda.reporting.page import build_page
from pymc_medlda.reporting.profiles import describe_profiles
from pymc_medlda.reporting.reading import Reader
from pymc_medlda.reporting.scores import describe_scores
from pymc_medlda.reporting.topics import describe_topics
from pymc_medlda.run.run import Run

TITLE = "Report of a max-margin topic model"


def report(
    idata: Any,
    path: Any,
    *,
    texts: Sequence[str] | None = None,
    test: Any = None,
    test_y: Any = None,
    test_texts: Sequence[str] | None = None,
    features: Any = None,
    offset: Any = None,
    response: str | None = None,
    title: str | None = None,
    n_mistakes: int = 10,
    random_seed: int = 0,
) -> Path:
    """Write one HTML file that tells what was fitted, how good it is, and why it decides so.

    The file needs no network and nothing beside it. It holds the sizes of data and model, scores
    with intervals beside those of simple methods, whether the chains have converged, the topics
    with their words, weights and typical documents, the topics of each class, how sure the model is
    and should be, and the mistakes of which it is most certain. The words of documents are coloured
    by topic and by what they contribute, as `explain` computes it.

    Parameters
    ----------
    idata : InferenceData, DataTree or path
        What ``pm.sample`` returned, or a file of it; no model is needed.
    path : path
        The HTML file to write. An existing file is replaced.
    texts : sequence of str, optional
        The training documents, for reading; without them their words are shown. A pandas series is
        matched by its index, as y is; texts that have other words than the documents are refused.
    test : Corpus or sequence of str, optional
        Held-out documents, as in `predict`: texts if the model was made from texts. Without them
        the scores are those of training documents: predicted by chains that had not seen them if
        the run is calibrated, and otherwise those to which the model was fitted.
    test_y : array-like, optional
        The true responses of the held-out documents; needed with ``test``.
    test_texts : sequence of str, optional
        The held-out documents, for reading; needed only if ``test`` is a corpus. They are matched
        and checked as ``texts`` are.
    features, offset : array, optional
        Of the held-out documents, as in `predict`.
    response : str, optional
        Name of the response, where the model has several.
    title : str, optional
        The heading of the page.
    n_mistakes : int, default 10
        How many mistakes to show.
    random_seed : int, default 0
        Seed of the topics of held-out documents.

    Returns
    -------
    pathlib.Path
        The path of the file.

    Notes
    -----
    If scikit-learn is installed, a linear model of tf-idf is fitted to the same training documents
    for comparison. A run of `distributed.sample` may hold a sample of its documents: the report
    says so, and linear models and the scores of training documents are then those of the sample.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pymc_medlda as med
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> path = med.report(idata, folder / "report.html", test=new_corpus, test_y=new_y)
    >>> path.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    check_whole("n_mistakes", n_mistakes, at_least=0)
    check_seed("random_seed", random_seed)
    file = _check_path(path)
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title must be a text or None, got {type(title).__name__}")
    if (test is None) != (test_y is None):
        raise ValueError("test and test_y belong together: give both or neither")
    for name, value in (("test_texts", test_texts), ("features", features), ("offset", offset)):
        if test is None and value is not None:
            raise ValueError(f"{name} was given without test: it is of held-out documents")
    options = {"features": features, "offset": offset, "random_seed": random_seed}
    run = Run.of(idata)
    material = gather(run, response, texts, test, test_y, test_texts, options)
    sections = _build_sections(material, test_y, n_mistakes)
    topics = material.topics
    held = topics.said_of_sample if topics.is_sample else f"{topics.documents.size} documents"
    subtitle = f"{held}, {topics.n_topics} topics"
    file.write_text(build_page(title or TITLE, subtitle, sections), encoding="utf-8")
    return file


def _build_sections(material: Material, y: Any, n_mistakes: int) -> list[tuple[str, str, Html]]:
    """Return the sections: the identifier, the name in the navigation, and the HTML of each."""
    reader = Reader(material)
    found = [("fitted", "Model", describe_fit(material))]
    supervised = material.supervision is not None
    if supervised:
        found.append(("scores", "Scores", describe_scores(material)))
    found.append(("convergence", "Convergence", describe_convergence(material)))
    found.append(("topics", "Topics", describe_topics(material, reader)))
    if supervised:
        found.append(("profiles", "Classes", describe_profiles(material)))
        found.append(("certainty", "Certainty", describe_certainty(material, y)))
        mistakes = describe_mistakes(material, reader, n_mistakes)
        found.append(("mistakes", "Mistakes", mistakes))
    found.append(("documents", "Documents", describe_documents(reader)))
    return found


def _check_path(path: Any) -> Path:
    """Return the file to write, after checking that its folder is there."""
    try:
        file = Path(path)
    except TypeError:
        raise TypeError(f"path must be the path of a file, got {path!r}") from None
    if file.is_dir() or not file.parent.is_dir():
        raise ValueError(f"path must be a file in an existing folder, got {str(path)!r}")
    return file
