"""What both estimators share: the matrix of counts, the fit, and what is read from the draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from pymc_medlda._arguments import (
    as_numbers,
    check_positive,
    check_unmasked,
)
from pymc_medlda._arrays import Floats
from pymc_medlda._compat.arviz import get_group
from pymc_medlda.calibration.folds import Folds, plan_folds
from pymc_medlda.calibration.two_stages import sample_in_two_stages
from pymc_medlda.corpus import Corpus
from pymc_medlda.estimators.settings import select_loss
from pymc_medlda.losses import Standardised
from pymc_medlda.model.gibbs_medlda import GibbsMedLDA
from pymc_medlda.prediction.predicting import predict
from pymc_medlda.run.alignment import align_topics
from pymc_medlda.run.calibration import GROUP, Calibration, read_calibration
from pymc_medlda.run.notices import log_notices
from pymc_medlda.run.run import Run
from pymc_medlda.run.words import find_unknown
from pymc_medlda.sampling.chains import sample_models, say_threads, start_uniformly
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.documents import check_same_order
from pymc_medlda.targets.response import Response


class TopicEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the estimators; a subclass names its parameters, its loss and its responses."""

    n_topics: int | None
    c: float
    alpha: Any
    beta: float
    nu: float
    features: str | None
    tau: float | None
    draws: int
    tune: int
    chains: int
    anneal: int
    calibrate: bool | str
    sweeps_per_draw: int
    blocks: int
    n_samples: int
    fractional_counts: str
    n_jobs: int | None
    random_state: Any
    verbose: int

    idata_: Any
    calibrated_: bool
    _components: Floats | None
    _n_topics: int

    def transform(self, X: Any) -> Floats:
        """Return the topic proportions of documents, averaged over the draws.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.

        Returns
        -------
        (n_documents, n_topics) array
            Rows sum to one; with one model per class, the topics of all of them side by side.
        """
        thetas = self._draw(X, "theta")
        return np.concatenate([theta.mean(axis=(0, 1)) for theta in thetas], axis=1)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimators take."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags

    @property
    def components_(self) -> Floats:
        """Mean of the topic-word distributions over the draws, (n_topics, n_words)."""
        check_is_fitted(self)
        if self._components is None:
            # Computed on request: it costs as much as several sweeps.
            of_run = [Run(run).topics().mean_phi() for run in self._runs()]
            self._components = np.concatenate([phi.mean(axis=0) for phi in of_run])
        return self._components

    @property
    def eta_(self) -> Floats:
        """Mean of the weights over the draws, (n_tasks, n_topics)."""
        check_is_fitted(self)
        of_run = [Run(run).response().eta.mean(("chain", "draw")) for run in self._runs()]
        return np.concatenate([np.atleast_2d(eta.values) for eta in of_run])

    @property
    def _n_features_out(self) -> int:
        return int(self._n_topics * len(self._runs()))

    def _runs(self) -> Sequence[Any]:
        """Return the posteriors: one, or one per class."""
        return self.idata_ if isinstance(self.idata_, tuple) else (self.idata_,)

    def _calibrations(self) -> list[Calibration]:
        """Return the calibration of each posterior, nothing if the fit is not calibrated."""
        found = [Run(run) for run in self._runs()]
        read = [read_calibration(run.group(GROUP), run.response()) for run in found]
        return [calibration for calibration in read if calibration is not None]

    def _draw(self, X: Any, variable: str) -> list[Floats]:
        """Return a predicted variable from each posterior, (chain, draw, document, ...)."""
        check_is_fitted(self)
        corpus = self._to_corpus(X, reset=False)
        find_unknown(corpus)  # says how many documents have no words
        runs = self._runs()
        seeds = np.random.SeedSequence(self._prediction_seed).generate_state(len(runs))
        drawn = []
        for run, seed in zip(runs, seeds, strict=True):
            predicted = predict(
                run,
                corpus,
                n_samples=self.n_samples,
                var_names=[variable],
                random_seed=int(seed),
                cores=effective_n_jobs(self.n_jobs),
                progressbar=self.verbose > 0,
            )
            drawn.append(get_group(predicted, "predictions")[variable].values)
        return drawn

    def _check_given(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Raise if there is no y, or if X and y hold the same documents in different order."""
        if y is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None")
        check_same_order(X, y, "y")
        check_same_order(X, sample_weight, "sample_weight")
        check_unmasked("sample_weight", sample_weight)

    def _check_lengths(self, X: Any, y: Any) -> None:
        """Raise unless X and y hold equally many documents."""
        try:
            check_consistent_length(X, y)
        except (TypeError, ValueError) as error:
            raise type(error)(f"X and y do not fit: {error}") from error

    def _to_corpus(self, X: Any, *, reset: bool) -> Corpus:
        """Check a matrix of counts and take it apart into tokens."""
        check_unmasked("X", X)
        try:
            X = validate_data(self, X, accept_sparse="csr", reset=reset)
        except (TypeError, ValueError) as error:
            if "X" in str(error):
                raise
            raise type(error)(f"X cannot be used: {error}") from error
        check_non_negative(X, f"{type(self).__name__}: counts in X cannot be negative")
        X = self._whole(X)
        # Words of new documents are matched by position: scikit-learn has compared the names.
        try:
            return Corpus.from_dtm(X, vocabulary=self._vocabulary() if reset else None)
        except ValueError as error:
            raise ValueError(f"X cannot be used: {error}") from error

    def _vocabulary(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _whole(self, X: Any) -> Any:
        """Return whole counts: the model draws whole tokens, so it cannot use fractions."""
        is_sparse: bool = sparse.issparse(X)
        values = X.data if is_sparse else X
        if values.dtype.kind != "f":
            return X
        fractional = values != np.trunc(values)
        if not fractional.any():
            return X
        if self.fractional_counts == "error":
            raise ValueError(
                f"X must hold whole counts, got {values[fractional][0]}: count words with "
                "CountVectorizer rather than weighing them with TfidfVectorizer, or say "
                "fractional_counts='round'"
            )
        return X.rint() if is_sparse else np.rint(X)

    def _check_weights(self, sample_weight: Any, n_documents: int) -> Any:
        """Return c, a number, or one value per document where the documents have weights."""
        if sample_weight is None:
            return self.c
        weight = as_numbers("sample_weight", sample_weight)
        if weight.shape != (n_documents,):
            raise ValueError(
                f"sample_weight has shape {weight.shape}; one weight per document, "
                f"({n_documents},), is allowed"
            )
        check_positive("sample_weight", weight, or_zero=True)
        if not weight.any():
            raise ValueError("sample_weight holds only zeros: all documents have weight zero")
        return self.c * weight

    def _sample(self, corpus: Corpus, coded: Response, loss: Any, *, each: bool) -> list[Any]:
        """Sample one model, or one per class; keep what is read from the draws of all of them."""
        responses = [coded]
        if each:
            n = corpus.n_documents
            responses = [code_response(y, n_documents=n, takes_labels=True) for y in coded.values.T]
        random = check_random_state(self.random_state)
        n_seeds = 1 + len(responses) * self.chains
        self._prediction_seed, *seeds = random.randint(2**31 - 1, size=n_seeds).tolist()
        folds = self._plan_folds(coded, loss, random)
        self.calibrated_ = folds is not None
        builds = [partial(self._build, corpus, response, loss) for response in responses]
        options: dict[str, Any] = {
            "draws": self.draws,
            "tune": self.tune,
            "anneal": self.anneal,
            "sweeps_per_draw": self.sweeps_per_draw,
            "blocks": self.blocks,
            "workers": effective_n_jobs(self.n_jobs),
            "progressbar": self.verbose > 0,
        }
        say_threads(options["workers"], len(builds) * self.chains, self.blocks)
        if folds is None:
            models = [build(None) for build in builds]
            starts = [
                [start_uniformly(model, seeds.pop(0)) for _ in range(self.chains)]
                for model in models
            ]
            runs = sample_models(models, starts, **options)
        else:
            options["prediction"] = {"n_samples": self.n_samples}
            runs = sample_in_two_stages(builds, corpus, folds, seeds, **options)
        log_notices(runs)
        if self.chains > 1:
            # A mean over chains makes sense only if a topic has the same label in all of them.
            runs = [align_topics(run)[0] for run in runs]
        self._components = None
        self._n_topics = Run(runs[0]).topics().n_topics
        return runs

    def _build(
        self, corpus: Corpus, response: Response, loss: Any, rows: NDArray[np.intp] | None
    ) -> GibbsMedLDA:
        """Return the model of the documents at some positions, None for all."""
        if rows is not None:
            corpus = corpus[rows]
            response = replace(response, values=response.values[rows])
            loss = select_loss(loss, rows)
        return GibbsMedLDA(
            corpus,
            response,
            n_topics=self.n_topics,
            loss=loss,
            alpha=self.alpha,
            beta=self.beta,
            nu=self.nu,
            features=self.features,
            tau=None if self.features is None else self.tau,
        )

    def _plan_folds(
        self, coded: Response, loss: Any, random: np.random.RandomState
    ) -> Folds | None:
        """Return what each chain samples without at first; None if nothing is calibrated."""
        if self.calibrate is False or (self.calibrate == "auto" and self.chains == 1):
            return None
        y = coded.values.reshape(len(coded.values), -1)
        own: Any = loss.loss if isinstance(loss, Standardised) else loss
        weighs = np.broadcast_to(np.asarray(own.c) > 0, len(y))
        rng = np.random.default_rng(random.randint(2**31 - 1))
        try:
            return plan_folds(coded.kind, y, self.chains, rng, usable=weighs)
        except ValueError as error:
            if self.calibrate == "auto":
                return None
            raise ValueError(f"calibrate=True cannot be used: {error}") from None
