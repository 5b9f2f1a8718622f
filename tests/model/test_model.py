"""The PyMC model: its log joint, its variables and dims, its draws, and its refusals."""

import dataclasses
import inspect

import cloudpickle
import numpy as np
import pandas as pd
import pymc as pm
import pytest

import pymc_medlda as med
from tests.oracle import Toy
from tests.test_laws import CASES
from tests.toy import build

CORPUS = med.Corpus.from_tokens([["a", "b"], ["b", "b", "c"], ["c"], []])


@pytest.mark.parametrize("name", CASES)
def test_compiled_logp_is_the_log_joint(name, rng):
    toy, _ = CASES[name]
    model = build(toy)
    logp = model.compile_logp()
    n_tasks = toy.responses.shape[1]
    for _ in range(5):
        z = rng.integers(0, 2, toy.words.size).astype(np.uint8)
        eta = rng.normal(size=(n_tasks, 2))
        point = {"z": z, "eta": eta if np.ndim(toy.y) == 2 else eta[0]}
        assert logp(point) == pytest.approx(toy.log_joint(z, eta), rel=1e-10)


def test_gradient_in_weights_and_priors_matches_differences(rng):
    toy = Toy()
    corpus = med.Corpus.from_tokens([list(d) for d in toy.documents], n_words=3)
    with pm.Model() as model:
        alpha = pm.Gamma("alpha", 2, 1, shape=2)
        beta = pm.Gamma("beta", 2, 1)
        z = med.TopicAssignments("z", corpus, n_topics=2, alpha=alpha, beta=beta)
        eta = pm.Laplace("eta", 0, 1, shape=2)
        med.MaxMargin("y", z, eta, observed=toy.y, loss=med.Hinge(c=0.7, margin=1.5))
    logp, names = model.compile_logp(), ["alpha_log__", "beta_log__", "eta"]
    gradient = model.compile_dlogp([model[n] for n in ("alpha", "beta", "eta")])
    point = {
        "z": rng.integers(0, 2, 6).astype(np.uint8),
        "alpha_log__": np.array([-0.3, 0.4]),
        "beta_log__": np.array(-0.5),
        "eta": np.array([0.3, -0.7]),
    }
    numeric = []
    for name in names:
        for index in np.ndindex(np.shape(point[name])):
            moved = []
            for sign in (1, -1):
                value = np.array(point[name], float)
                value[index] += sign * 1e-6
                moved.append(logp({**point, name: value}))
            numeric.append((moved[0] - moved[1]) / 2e-6)
    np.testing.assert_allclose(gradient(point), numeric, rtol=1e-5)


def test_unchanged_assignments_are_not_recounted(monkeypatch, rng):
    from pymc_medlda.model import log_densities as ops

    calls = []
    original = ops._count_cells
    monkeypatch.setattr(ops, "_count_cells", lambda *a: calls.append(1) or original(*a))
    model = build(Toy())
    logp = model.compile_logp()
    point = {"z": np.zeros(6, np.uint8), "eta": np.zeros(2)}
    for _ in range(4):
        point["eta"] = rng.normal(size=2)
        logp(point)
    assert len(calls) == 2  # once for the documents, once for the words
    point["z"] = np.ones(6, np.uint8)
    logp(point)
    assert len(calls) == 4


def test_dims_and_coords():
    with med.GibbsMedLDA(CORPUS, ["p", "q", "p", None], n_topics=3) as model:
        pass
    assert model.named_vars_to_dims["eta"] == ("topic",)
    assert model.named_vars_to_dims["z"] == ("token",)
    assert model.named_vars_to_dims["y"] == ("document",)
    assert model.coords["y_class"] == ("p", "q")
    assert model.coords["word"] == ("a", "b", "c")
    assert {v.name for v in model.observed_RVs} == {"words", "y"}
    assert set(model.dim_lengths) == {
        "topic", "document", "word", "token", "y_class", "z_specification", "y_specification"
    }  # fmt: skip


def test_start_differs_between_seeds_and_is_uniform():
    corpus = med.Corpus.from_tokens([["a"] * 4000])
    with pm.Model() as model:
        med.TopicAssignments("z", corpus, n_topics=4)
    one, two, again = (model.initial_point(seed)["z"] for seed in (1, 2, 1))
    assert one.dtype == np.uint8
    assert not np.array_equal(one, two)
    assert np.array_equal(one, again)
    assert np.abs(np.bincount(one) / 4000 - 0.25).max() < 0.04


@pytest.mark.parametrize(("n_topics", "dtype"), [(256, "uint8"), (257, "uint16")])
def test_assignments_have_the_smallest_dtype(n_topics, dtype):
    with pm.Model() as model:
        med.TopicAssignments("z", CORPUS, n_topics=n_topics)
    assert model["z"].dtype == dtype


def test_model_nests_names_and_pickles():
    with pm.Model() as parent:
        nu = pm.HalfNormal("nu", 1.0)
        med.GibbsMedLDA(CORPUS, [1, -1, 1, -1], n_topics=2, nu=nu, name="left")
        med.GibbsMedLDA(CORPUS, [1.0, 2.5, 0.5, 1.5], n_topics=3, name="right")
    names = {v.name for v in parent.free_RVs}
    assert names == {"nu", "left::z", "left::eta", "right::z", "right::eta"}
    copy = cloudpickle.loads(cloudpickle.dumps(parent))  # as PyMC does
    point = parent.initial_point(3)
    assert copy.compile_logp()(point) == pytest.approx(parent.compile_logp()(point))


def test_graph_can_be_drawn():
    graph = pm.model_to_graphviz(build(Toy()))
    assert "eta" in graph.source
    assert "words" in graph.source


def test_prior_draws_have_the_law_of_the_prior():
    with build(Toy(alpha=(3.0, 0.4))):
        prior = pm.sample_prior_predictive(draws=2000, random_seed=4)
    z = np.asarray(prior["prior"]["z"])[0]
    assert z.shape == (2000, 6)
    share = (z == 0).mean()
    # Variance of one document's share is below 1/4; three documents per draw.
    assert abs(share - 3.0 / 3.4) < 4.5 * np.sqrt(0.25 / 3 / 2000)
    assert np.asarray(prior["prior_predictive"]["words"]).max() <= 2
    assert set(np.unique(prior["prior_predictive"]["y"])) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("y", "kind", "loss", "shape"),
    [
        ([1, -1, 1, -1], "binary", "Hinge", (4,)),
        ([True, False, True, None], "binary", "Hinge", (4,)),
        (["x", "y", "x", "y"], "binary", "Hinge", (4,)),
        (pd.Series([0, 1, 0, 1]), "binary", "Hinge", (4,)),
        (["x", "y", "x", "y", "w", "w"], "multiclass", "Hinge", (6, 3)),
        ([0.3, 1.2, 0.7, 2.0], "real", "EpsilonInsensitive", (4,)),
        ([[1, 0], [0, 1], [1, 1], [0, 0]], "multilabel", "Hinge", (4, 2)),
        ([["u"], ["u", "v"], [], ["v"]], "multilabel", "Hinge", (4, 2)),
    ],
)
def test_loss_is_chosen_from_y_and_said(y, kind, loss, shape, caplog):
    corpus = med.Corpus.from_tokens([["a", "b"]] * len(y))
    with caplog.at_level("INFO", logger="pymc.medlda"):
        model = med.GibbsMedLDA(corpus, y, n_topics=2)
    op = model["y"].owner.op
    assert (op.kind, op.loss.__name__) == (kind, loss)
    assert model["y"].eval().shape == shape
    assert (
        next(r for r in caplog.records if r.name == "pymc.medlda").getMessage().startswith("y has")
    )


def test_explicit_loss_overrides_the_choice():
    model = med.GibbsMedLDA(CORPUS, [1, 2, 5, 4], n_topics=2, loss=med.EpsilonInsensitive(c=2.0))
    assert model["y"].owner.op.kind == "real"


def test_class_weights_by_mapping():
    model = med.GibbsMedLDA(
        CORPUS, ["p", "q", "p", "q"], n_topics=2, loss=med.Hinge(c={"p": 3.0}, margin=1.0)
    )
    weights = model["y"].owner.inputs[6].data
    assert weights.tolist() == [3.0, 1.0, 3.0, 1.0]


def response(**changes):
    with pm.Model():
        z = med.TopicAssignments("z", CORPUS, n_topics=2)
        eta = pm.Normal("eta", shape=changes.pop("eta", 2))
        med.MaxMargin("y", z, eta, **{"observed": [1, -1, 1, -1], **changes})


BAD = {
    "labels of the wrong length": (lambda: response(observed=[1, -1]), "observed has 2 entries"),
    "one class": (lambda: response(observed=[1, 1, 1, 1]), "one class only"),
    "infinite": (lambda: response(observed=[1.0, np.inf, 0.0, 1.0]), "observed holds infinite"),
    "NaN and strings": (
        lambda: response(observed=["a", np.nan, "b", "a"]),
        "observed mixes NaN and strings",
    ),
    "class seen once": (
        lambda: response(observed=["a", "b", "c", "a"], eta=(3, 2)),
        "once only",
    ),
    "three classes for one discriminant": (
        lambda: response(observed=["a", "b", "c", "a"]),
        "3 classes",
    ),
    "constant column": (
        lambda: response(observed=[[1, 0], [1, 1], [1, 0], [1, 1]], eta=(2, 2)),
        "column 0 of observed has 1 distinct",
    ),
    "undeclared labels": (
        lambda: response(observed=[["u"], ["w"], [], ["v"]], eta=(2, 2), classes=["u", "v"]),
        "'w'",
    ),
    "rows of eta": (
        lambda: response(observed=[[1, 0], [0, 1], [1, 0], [0, 1]], eta=(3, 2)),
        "eta has 3 rows",
    ),
    "topics of eta": (lambda: response(eta=3), "eta has 3 topics"),
    "vector of c": (lambda: response(loss=med.Hinge(c=np.ones(3))), "c of the loss has shape"),
    "negative c": (lambda: response(loss=med.Hinge(c=-1.0)), "c must be finite and zero or more"),
    "margin": (lambda: response(loss=med.Hinge(margin=0.0)), "margin must be finite and greater"),
    "fractional logistic c": (lambda: response(loss=med.Logistic(c=0.5)), "whole number"),
    "unknown class weight": (lambda: response(loss=med.Hinge(c={7: 2.0})), "c weighs 7"),
    "offset shape": (lambda: response(offset=np.ones(3)), "offset has shape"),
    "offset values": (lambda: response(offset=np.full(4, np.nan)), "offset holds NaN"),
    "n_topics": (lambda: med.GibbsMedLDA(CORPUS, n_topics=0), "n_topics must be at least 1"),
    "fractional n_topics": (lambda: med.GibbsMedLDA(CORPUS, n_topics=2.5), "n_topics"),
    "alpha": (lambda: med.GibbsMedLDA(CORPUS, n_topics=2, alpha=0.0), "alpha must be"),
    "alpha length": (
        lambda: med.GibbsMedLDA(CORPUS, n_topics=2, alpha=np.ones(3)),
        "alpha has shape",
    ),
    "beta": (lambda: med.GibbsMedLDA(CORPUS, n_topics=2, beta=-0.1), "beta must be"),
    "nu": (lambda: med.GibbsMedLDA(CORPUS, [1, -1, 1, -1], nu=0.0), "nu must be"),
    "no tokens": (
        lambda: med.GibbsMedLDA(med.Corpus.from_tokens([[], []], n_words=2)),
        "corpus has no tokens",
    ),
    "not a corpus": (lambda: med.GibbsMedLDA([["a"]]), "corpus must be"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_name(case):
    call, message = BAD[case]
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_unlabelled_documents_and_c_zero_are_plain_lda(rng):
    toy = dataclasses.replace(Toy(), parameters={"c": 0.0, "margin": 1.5})
    corpus = med.Corpus.from_tokens([list(d) for d in toy.documents], n_words=3)
    z = rng.integers(0, 2, 6).astype(np.uint8)
    weightless, plain = build(toy), med.GibbsMedLDA(corpus, n_topics=2, alpha=1.0, beta=0.3)
    missing = med.GibbsMedLDA(
        corpus, [np.nan] * 3, n_topics=2, alpha=1.0, beta=0.3, loss=med.Hinge()
    )
    eta = np.array([0.4, -2.0])
    prior = -0.5 * (eta**2).sum() - np.log(2 * np.pi)
    lda = plain.compile_logp()({"z": z})
    assert missing.compile_logp()({"z": z, "eta": eta}) == pytest.approx(lda + prior)
    assert weightless.compile_logp()({"z": z, "eta": eta}) == pytest.approx(
        toy.log_topics(z) + prior
    )


@pytest.mark.parametrize("loss", [med.Hinge, "hinge", object()])
def test_what_is_no_loss_is_refused_by_name(loss):
    with pytest.raises(TypeError, match=r"loss must be a loss such as med.Hinge\(\), got"):
        med.GibbsMedLDA(CORPUS, [1, -1, 1, -1], n_topics=2, loss=loss)
    with pm.Model():
        z = med.TopicAssignments("z", CORPUS, n_topics=2)
        eta = pm.Normal("eta", 0, 1, shape=2)
        with pytest.raises(TypeError, match="loss must be a loss"):
            med.MaxMargin("y", z, eta, observed=[1, -1, 1, -1], loss=loss)


def test_the_signature_of_the_model_is_its_own():
    """PyMC's models have a metaclass that hides it."""
    names = list(inspect.signature(med.GibbsMedLDA).parameters)
    assert names[:4] == ["corpus", "y", "n_topics", "loss"]
    assert names[-1] == "model_arguments"
