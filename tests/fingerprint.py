"""Print a fingerprint of what the package draws, predicts and stores, for comparing two versions.

Run it before and after a change that must not change any result, on the same machine:

    python -m tests.fingerprint > before.txt     (at the old commit)
    python -m tests.fingerprint > after.txt      (at the new one)
    diff before.txt after.txt

It uses only names that users import, so the same file runs on both. Equal lines mean equal bits.
The version number of the stored record is left out of the comparison.
"""

import hashlib
import json
import tempfile
import warnings
from pathlib import Path

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm
import xarray as xr

import pymc_medlda as med

QUICK = {"progressbar": False, "compute_convergence_checks": False, "quiet": True}
RUN = {"draws": 8, "tune": 4, "chains": 2, "cores": 1, "random_seed": 5, **QUICK}
# Where a stored object says when, how fast or by which version it was made.
VOLATILE = {"created_at", "sampling_time", "inference_library_version", "arviz_version"}
VOLATILE |= {"creation_library_version", "creation_library", "creation_library_language"}
VOLATILE |= {"perf_counter_diff", "perf_counter_start", "process_time_diff"}  # of NUTS


def digest(value):
    """Return a short hash of arrays, frames, datasets and containers of them."""
    state = hashlib.sha256()
    _feed(state, value)
    return state.hexdigest()[:16]


def _feed(state, value):
    if isinstance(value, dict):
        for key in sorted(value, key=str):
            _feed(state, str(key))
            _feed(state, value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            _feed(state, item)
    elif isinstance(value, (xr.Dataset, xr.DataArray)):
        _feed(state, _without_version(value.to_dict()))
    elif isinstance(value, (pd.DataFrame, pd.Series)):
        _feed(state, value.to_csv(float_format="%.17g"))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "OUST":
        _feed(state, value.tolist())
    elif isinstance(value, np.ndarray):
        state.update(f"{value.dtype}{value.shape}".encode())
        state.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (float, np.floating)):
        state.update(np.float64(value).tobytes())
    else:
        state.update(f"{type(value).__name__}:{value}".encode())


def _without_version(value):
    """Drop what says when a thing was made, and the version number in the stored record."""
    if isinstance(value, dict):
        return {k: _without_version(v) for k, v in value.items() if k not in VOLATILE}
    if isinstance(value, (list, tuple)):
        return [_without_version(v) for v in value]
    if isinstance(value, str) and value.startswith('{"'):
        record = json.loads(value)
        record.pop("version", None)
        return json.dumps(record, sort_keys=True)
    return value


def groups_of(idata):
    """Return the groups of an InferenceData or a DataTree as datasets."""
    if callable(getattr(idata, "groups", None)):
        return {name: idata[name] for name in idata.groups()}
    return {name: child.to_dataset() for name, child in idata.children.items()}


def show(name, value):
    """Print one line."""
    print(f"{digest(value)}  {name}", flush=True)


def sample(corpus, y, *, step=None, run=None, **model):
    """Return what ``pm.sample`` gives for a model."""
    with med.GibbsMedLDA(corpus, y, **model):
        chosen = {} if step is None else {"step": med.GibbsMedLDAStep(**step)}
        return pm.sample(**{**RUN, **(run or {}), **chosen})


def models():
    """Yield a name and a run for each kind of model."""
    binary = med.datasets.make_planted(24, n_topics=3, n_words=40, length=25, seed=4)
    shape = {"n_topics": 3, "n_words": 40, "length": 25, "seed": 4}
    classes = med.datasets.make_planted(24, response="multiclass", **shape)
    labels = med.datasets.make_planted(24, response="multilabel", n_tasks=2, **shape)
    real = med.datasets.make_planted(24, response="real", **shape)
    hinge = med.Hinge(c=0.7, margin=2.0)
    for path in ("plain", "dense", "sparse"):
        yield (
            f"hinge {path}",
            sample(binary.corpus, binary.y, n_topics=3, loss=hinge, step={"path": path}),
        )
    yield "hinge found by itself", sample(binary.corpus, binary.y, n_topics=3, loss=hinge)
    yield "hinge, K = 50", sample(binary.corpus, binary.y, n_topics=50, loss=hinge)
    yield "hinge, margin 164", sample(binary.corpus, binary.y, n_topics=12)
    yield (
        "hinge, thinned, warm-up kept",
        sample(
            binary.corpus,
            binary.y,
            n_topics=3,
            loss=hinge,
            step={"sweeps_per_draw": 3},
            run={"discard_tuned_samples": False},
        ),
    )
    yield (
        "class weights",
        sample(binary.corpus, binary.y, n_topics=3, loss=med.Hinge(c={1: 2.0}, margin=2.0)),
    )
    yield "classes, rows on lists", sample(classes.corpus, classes.y, n_topics=60)
    yield "classes", sample(classes.corpus, classes.y, n_topics=3, loss=hinge)
    yield "labels", sample(labels.corpus, labels.y, n_topics=3, loss=hinge)
    yield "real values", sample(real.corpus, real.y, n_topics=3)
    yield "Gaussian", sample(real.corpus, real.y, n_topics=3, loss=med.Gaussian(0.5))
    yield "logistic", sample(binary.corpus, binary.y, n_topics=3, loss=med.Logistic(2))
    yield "plain LDA", sample(binary.corpus, None, n_topics=3)
    missing = np.where(np.arange(24) % 5 == 0, np.nan, binary.y)
    yield "missing labels", sample(binary.corpus, missing, n_topics=3, loss=hinge)
    with pm.Model():
        nu = pm.HalfNormal("nu", 1.0)
        alpha = pm.Gamma("alpha", 2.0, 1.0, shape=3)
        shift = pm.Normal("shift", 0.0, 1.0)
        z = med.TopicAssignments("z", binary.corpus, n_topics=3, alpha=alpha)
        eta = pm.Normal("eta", 0.0, nu, dims="topic")
        med.MaxMargin("y", z, eta, observed=missing, loss=hinge, offset=shift * np.ones(24))
        yield "random scale, alpha and offset beside NUTS", pm.sample(**RUN)
    with pm.Model():
        z = med.TopicAssignments("z", binary.corpus, n_topics=3)
        eta = pm.Laplace("eta", 0.0, 1.0, dims="topic")
        weights = pm.Normal("weights", 0.0, 1.0, dims="topic")
        med.MaxMargin("y", z, eta, observed=binary.y, loss=hinge)
        med.MaxMargin("r", z, weights, observed=real.y, loss=med.Gaussian(0.5))
        yield "two responses, one with Laplace weights", pm.sample(**RUN)


def show_results(name, idata, new):
    """Print the fingerprints of all that is made from a run."""
    show(f"{name}: draws", {k: _without_version(v.to_dict()) for k, v in groups_of(idata).items()})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.nc"
        idata.to_netcdf(file)
        back = az.from_netcdf(file)
        show(f"{name}: stored", groups_of(back))
    show(f"{name}: last points", med.last_points(idata))
    show(f"{name}: top words", [med.top_words(idata, 4, by=b) for b in ("probability", "frex")])
    show(f"{name}: topic words", med.topic_words(idata))
    show(f"{name}: document topics", med.doc_topics(idata))
    show(f"{name}: coherence", med.coherence(idata, 4))
    held_out = [
        med.perplexity(idata, new, method=m, n_draws=3) for m in ("completion", "left_to_right")
    ]
    show(f"{name}: perplexity", [h.log_likelihood for h in held_out])
    for within in (False, True):
        aligned, alignment = med.align_topics(idata, within_chain=within)
        show(f"{name}: aligned, within {within}", groups_of(aligned))
        show(f"{name}: alignment, within {within}", [alignment.table, repr(alignment)])
    diagnosis = med.diagnose(idata)
    known = diagnosis.table.drop(columns="ess_per_second")
    show(f"{name}: diagnosis", [known, diagnosis.verdict, diagnosis.burn_in])


def show_predictions(name, idata, new):
    """Print the fingerprints of predictions and auxiliary variables."""
    responses = {"two responses, one with Laplace weights": "r"}
    offset = np.linspace(-1, 1, new.n_documents) if name.startswith("random scale") else None
    for cores in (1, 2):
        predicted = med.predict(
            idata,
            new,
            response=responses.get(name),
            offset=offset,
            random_seed=3,
            cores=cores,
            progressbar=False,
        )
        show(f"{name}: predictions on {cores}", groups_of(predicted)["predictions"])
    if name not in ("plain LDA", "Gaussian", "two responses, one with Laplace weights"):
        drawn = med.draw_augmentation(idata, random_seed=2)
        show(f"{name}: auxiliary", groups_of(drawn)["posterior"])


def show_estimators():
    """Print the fingerprints of the estimators and of one model per class."""
    classes = med.datasets.make_planted(
        40, n_topics=3, n_words=40, length=25, response="multiclass", seed=4
    )
    X = classes.corpus.to_dtm()
    for arguments in ({}, {"chains": 2}, {"multi_class": "one_vs_all", "n_jobs": 2}):
        model = med.GibbsMedLDAClassifier(
            n_topics=3, draws=4, tune=4, random_state=3, **arguments
        ).fit(X, classes.y)
        fitted = [
            model.predict(X),
            model.predict_proba(X),
            model.transform(X),
            model.components_,
            model.eta_,
        ]
        show(f"classifier {arguments}", fitted)
    real = med.datasets.make_planted(40, n_topics=3, n_words=40, length=25, response="real", seed=4)
    regressor = med.GibbsMedLDARegressor(n_topics=3, draws=4, tune=4, random_state=3)
    regressor.fit(real.corpus.to_dtm(), real.y)
    show("regressor", [regressor.predict(X), regressor.components_])
    for cores in (1, 2):
        models = med.OneVsAll.sample(
            classes.corpus,
            classes.y,
            n_topics=3,
            draws=4,
            tune=4,
            chains=2,
            cores=cores,
            random_seed=1,
            progressbar=False,
        )
        posteriors = [groups_of(run)["posterior"] for run in models.runs]
        show(f"one model per class on {cores}: draws", posteriors)
        predicted = models.predict(classes.corpus, random_seed=1, progressbar=False)
        show(f"one model per class on {cores}: predictions", predicted)


def main():
    """Print all fingerprints."""
    warnings.simplefilter("ignore")
    new = med.datasets.make_planted(10, n_topics=3, n_words=40, length=25, seed=9).corpus
    for name, idata in models():
        show_results(name, idata, new)
        show_predictions(name, idata, new)
    show_estimators()


if __name__ == "__main__":
    main()
