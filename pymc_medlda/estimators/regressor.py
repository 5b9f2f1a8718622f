"""`GibbsMedLDARegressor`: real values of documents, explained by topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_array

from pymc_medlda._arguments import check_positive, check_probability, check_scalar
from pymc_medlda._arrays import Floats
from pymc_medlda.estimators.base import TopicEstimator
from pymc_medlda.estimators.scoring import OrderedScore
from pymc_medlda.estimators.settings import check_settings
from pymc_medlda.losses import EpsilonInsensitive, Standardised
from pymc_medlda.losses.standardised import DEFAULT_C
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.reading import as_array, as_sequence


class GibbsMedLDARegressor(OrderedScore, RegressorMixin, TopicEstimator):
    r"""Predict real values of documents from topics learned from words and values together.

    The max-margin topic model with the epsilon-insensitive loss max(0, \|y - F\| - epsilon), as a
    scikit-learn regressor and transformer. ``c``, ``epsilon`` and ``nu`` are meant for y in units
    of its standard deviation around its mean, so they need not change with the scale of y; all
    results are on the scale of y itself.

    Parameters
    ----------
    n_topics : int, optional
        Number of topics; by default 20 for one value per document, and 40 for several.
    c : float, default 8
        Weight of the loss against the likelihood of the words, for errors in units of the standard
        deviation of y.
    epsilon : float, default 1e-3
        Errors up to this size, in the same units, cost nothing.
    alpha : float or (n_topics,) array, default 1
        Prior of the topic proportions; a number is the total over the topics.
    beta : float, default 0.01
        Prior of the topic-word distributions.
    nu : float, default 1
        Prior scale of the weights, in units of the standard deviation of y.
    features : {None, "words"}, default None
        ``"words"`` lets single words count beside the topics: their tf-idf, computed from the
        counts, is a part of the discriminant.
    tau : float, optional
        Prior scale of the weights of the words, best chosen by cross-validation; see `GibbsMedLDA`
        for the default. It has no effect without ``features``.
    draws, tune : int, default 10 and 25
        Draws to keep of each chain, and draws before them, which are discarded. They are chosen for
        predictions; for intervals of weights and for R-hat take more.
    anneal : int, default 0
        Sweeps in which every chain is annealed before the first draw, as `annealed_starts` does it:
        chains that forget where they started agree better. Predictions need not become better.
    chains : int, default 4
        Independent chains. Predictions average over them, which is worth more than longer chains.
        Their topics are aligned, so that means over chains make sense.
    calibrate : bool or "auto", default "auto"
        Whether to learn, from documents that chains have not seen, how sure predictions are
        (``predict_interval``). Each chain first samples without one fold of the documents and
        predicts it, and then goes on with all documents. True needs at least 20 documents that are
        predicted in this way, and of a single chain this is a quarter of them; ``"auto"`` leaves
        it out with one chain or with fewer documents.
    sweeps_per_draw : int, default 2
        Sweeps over the corpus per draw.
    blocks : int, default 1
        Into how many blocks words and documents are divided, so that the threads of ``n_jobs`` that
        are left when each chain has one can share the work of a chain. The draws depend on it, but
        not their law. For one chain on eight cores say ``blocks=8, n_jobs=8``.
    n_samples : int, default 10
        Sweeps over the topics of a new text that a prediction averages in each chain, at least one
        for each draw.
    fractional_counts : {"error", "round"}, default "error"
        What to do with counts that are not whole. Tokens are drawn one by one, so the model has
        no place for fractions: weights such as tf-idf are refused unless rounding is asked for.
    n_jobs : int, optional
        Threads for chains and for predictions; 1 by default, -1 for all cores. The results do
        not depend on it. More threads than chains need several ``blocks``.
    random_state : int, RandomState instance or None, default None
        The same number gives the same fit and the same predictions.
    verbose : int, default 0
        Show a progress bar if positive and the work takes more than two seconds.

    Attributes
    ----------
    idata_ : InferenceData or DataTree
        The posterior, as ``pm.sample`` returns it: for `diagnose`, `top_words`, ArviZ, files.
    components_ : (n_topics, n_words) array
        Mean of the topic-word distributions; rows sum to one.
    eta_ : (n_outputs, n_topics) array
        Mean of the weights.
    calibrated_ : bool
        Whether the fit is calibrated.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : (n_words,) array of str
        The words, where X was a frame with their names.

    See Also
    --------
    GibbsMedLDAClassifier : For classes and labels.

    Notes
    -----
    A keyboard interrupt ends the fit with the draws so far and a warning, once there is one draw.
    While the chains of a calibrated fit still sample without their folds, there is none.
    Predictions are averages over random topic assignments, drawn for the documents of a call
    together: the same call gives the same answer, but a document alone may differ, within Monte
    Carlo error, from the same document among others.

    Examples
    --------
    >>> import pymc_medlda as med
    >>> from pymc_medlda.estimators import GibbsMedLDARegressor
    >>> planted = med.datasets.make_planted(60, n_topics=2, n_words=40, response="real", seed=1)
    >>> X = planted.corpus.to_dtm()
    >>> model = GibbsMedLDARegressor(n_topics=2, c=10.0, draws=5, tune=20, random_state=0)
    >>> model.fit(X[:40], planted.y[:40]).predict(X[40:]).shape
    (20,)
    >>> bool(model.score(X[40:], planted.y[40:]) > 0.3)
    True
    """

    def __init__(
        self,
        n_topics: int | None = None,
        *,
        c: float = DEFAULT_C,
        epsilon: float = 1e-3,
        alpha: Any = 1.0,
        beta: float = 0.01,
        nu: float = 1.0,
        features: str | None = None,
        tau: float | None = None,
        draws: int = 10,
        tune: int = 25,
        anneal: int = 0,
        chains: int = 4,
        calibrate: bool | str = "auto",
        sweeps_per_draw: int = 2,
        blocks: int = 1,
        n_samples: int = 10,
        fractional_counts: str = "error",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.c = c
        self.epsilon = epsilon
        self.alpha = alpha
        self.beta = beta
        self.nu = nu
        self.features = features
        self.tau = tau
        self.draws = draws
        self.tune = tune
        self.anneal = anneal
        self.chains = chains
        self.calibrate = calibrate
        self.sweeps_per_draw = sweeps_per_draw
        self.blocks = blocks
        self.n_samples = n_samples
        self.fractional_counts = fractional_counts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GibbsMedLDARegressor:
        """Sample the posterior given documents and their values.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.
        y : (n_documents,) or (n_documents, n_outputs) array
            Real values; NaN where a document has none, whose words count all the same. A pandas
            object is matched with the rows of X by position; if X is a frame with the same index
            labels in another order, it is refused.
        sample_weight : (n_documents,) array, optional
            Factors of ``c``: how much the loss of each document weighs. They do not change how
            often its words count.

        Returns
        -------
        GibbsMedLDARegressor
            The estimator itself.
        """
        check_settings(self)
        check_positive("epsilon", self.epsilon, or_zero=True)
        check_scalar("epsilon", self.epsilon)
        self._check_given(X, y, sample_weight)
        corpus = self._to_corpus(X, reset=True)
        y = _as_values(y)
        self._check_lengths(X, y)
        if np.isnan(y).all():
            raise ValueError("Input y contains NaN only: no document has a value")
        c = self._check_weights(sample_weight, corpus.n_documents)
        loss = Standardised(EpsilonInsensitive(c=c, epsilon=self.epsilon))
        coded = code_response(y, n_documents=corpus.n_documents, takes_labels=False)
        (self.idata_,) = self._sample(corpus, coded, loss, each=False)
        return self

    def predict(self, X: Any) -> Floats:
        """Predict the values of documents: the mean over the draws.

        If the fit is calibrated, it is corrected by the line that was fitted to documents which
        chains predicted without having seen them.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.

        Returns
        -------
        (n_documents,) or (n_documents, n_outputs) array
        """
        (discriminant,) = self._draw(X, "discriminant")
        by_chain: Floats = discriminant.mean(axis=1)
        calibrations = self._calibrations()
        if not calibrations:
            return np.asarray(by_chain.mean(axis=0))
        values = calibrations[0].compared(by_chain.reshape(*by_chain.shape[:2], -1))
        return values.reshape(by_chain.shape[1:])

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Return intervals in which the values of documents lie with a given probability.

        The bounds come from documents that chains predicted without having seen them, separately
        for low, middle and high predictions. The fit must be calibrated.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.
        coverage : float, default 0.9
            The probability, between 0 and 1.

        Returns
        -------
        (n_documents, 2) or (n_documents, n_outputs, 2) array
            The lower and the upper bounds.
        """
        check_probability("coverage", coverage)
        values = self.predict(X)
        calibrations = self._calibrations()
        if not calibrations:
            raise ValueError(
                "the fit is not calibrated, so it has no intervals: fit with calibrate=True, or "
                "with several chains and at least 20 documents"
            )
        bounds = calibrations[0].interval(values.reshape(len(values), -1), coverage)
        return np.stack(bounds, axis=-1).reshape(*values.shape, 2)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        # The check is a regression on two Gaussian features, which are not word counts.
        tags.regressor_tags.poor_score = True
        return tags


def _as_values(y: Any) -> Floats:
    """Return y as real numbers, with NaN where a value is missing, checked as scikit-learn does."""
    given = as_sequence(y, "y")
    array, missing = as_array(given, "y") if len(given) else (np.empty(0), np.empty(0, bool))
    if array.dtype.kind not in "biuf" and not missing.all():
        raise ValueError(f"y must hold real numbers, got {array[~missing].tolist()[0]!r}")
    reals: Floats = check_array(
        np.where(missing, np.nan, array).astype(np.float64),
        ensure_2d=False,
        ensure_all_finite="allow-nan",
        input_name="y",
    )
    return reals
