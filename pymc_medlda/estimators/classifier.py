"""`GibbsMedLDAClassifier`: classes or labels of documents, explained by topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from pymc_medlda._arguments import check_choice, check_positive, check_scalar
from pymc_medlda._arrays import Floats
from pymc_medlda.estimators.base import TopicEstimator
from pymc_medlda.estimators.labels import as_labels, check_classes_weigh
from pymc_medlda.estimators.scoring import OrderedScore
from pymc_medlda.estimators.settings import check_settings
from pymc_medlda.losses import Hinge
from pymc_medlda.losses.labels import DEFAULT_MARGIN
from pymc_medlda.run.calibration import Calibration, join_classes
from pymc_medlda.targets.coding import code_response
from pymc_medlda.targets.decisions import decide, share_of_draws


class GibbsMedLDAClassifier(OrderedScore, ClassifierMixin, TopicEstimator):
    r"""Classify documents by topics that are learned from words and classes together.

    The max-margin topic model with the hinge loss max(0, margin - y F), as a scikit-learn
    classifier and transformer. Two classes have one discriminant F. Several classes are either
    tasks of one model that share its topics, or models of their own, each with its own topics. A
    0/1 matrix y, one column per label, is multi-label classification.

    Parameters
    ----------
    n_topics : int, optional
        Number of topics; by default 20 for two classes and for one model per class, and 40 for
        several classes or labels that share the topics of one model.
    c : float, default 1
        Weight of the loss against the likelihood of the words.
    margin : float, default 20
        Discriminants beyond it cost nothing. A larger margin gives the labels more influence on the
        topics; the paper has 164 for one discriminant per model, and 64 for several.
    multi_class : {"multi_task", "one_vs_all"}, default "multi_task"
        One model for all classes, or one binary model per class. Two classes, and labels, need one
        model in either case.
    alpha : float or (n_topics,) array, default 1
        Prior of the topic proportions; a number is the total over the topics.
    beta : float, default 0.01
        Prior of the topic-word distributions.
    nu : float, default 1
        Prior scale of the weights.
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
        (``predict_proba``). Each chain first samples without one fold of the documents and
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
        Threads for chains, models and predictions; 1 by default, -1 for all cores. The results do
        not depend on it. More threads than chains need several ``blocks``.
    random_state : int, RandomState instance or None, default None
        The same number gives the same fit and the same predictions.
    verbose : int, default 0
        Show a progress bar if positive and the work takes more than two seconds.

    Attributes
    ----------
    classes_ : (n_classes,) array
        The classes, sorted; the numbers of the columns for a multi-label y.
    idata_ : InferenceData or DataTree
        The posterior, as ``pm.sample`` returns it: for `diagnose`, `top_words`, ArviZ, files.
        With one model per class a tuple of them, in the order of ``classes_``.
    components_ : (n_topics, n_words) array
        Mean of the topic-word distributions; rows sum to one. With one model per class the topics
        of the first, then those of the second, and so on.
    eta_ : (n_tasks, n_topics) array
        Mean of the weights: one row for two classes, else one per class or label.
    calibrated_ : bool
        Whether the fit is calibrated.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : (n_words,) array of str
        The words, where X was a frame with their names.

    See Also
    --------
    GibbsMedLDARegressor : For real values.

    Notes
    -----
    A keyboard interrupt ends the fit with the draws so far and a warning, once there is one draw.
    While the chains of a calibrated fit still sample without their folds, there is none.
    Predictions are averages over random topic assignments, drawn for the documents of a call
    together: the same call gives the same answer, but a document alone may differ, within Monte
    Carlo error, from the same document among others.

    A calibrated fit (``calibrated_``) has probabilities that say how often such decisions are
    right, and ``predict`` chooses the class with the larger one. Without calibration ``predict``
    decides by the mean discriminant, and ``predict_proba`` counts the draws that decide for a
    class: on a document where draws disagree the two may point to different classes.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from pymc_medlda.estimators import GibbsMedLDAClassifier
    >>> texts = ["good food and wine", "nice wine", "slow rude service", "rude waiter"] * 5
    >>> model = make_pipeline(
    ...     CountVectorizer(), GibbsMedLDAClassifier(n_topics=2, draws=5, tune=20, random_state=0)
    ... )
    >>> _ = model.fit(texts, ["up", "up", "down", "down"] * 5)
    >>> model.predict(["wine and food", "the service was slow"]).tolist()
    ['up', 'down']
    """

    def __init__(
        self,
        n_topics: int | None = None,
        *,
        c: float = 1.0,
        margin: float = DEFAULT_MARGIN,
        multi_class: str = "multi_task",
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
        self.margin = margin
        self.multi_class = multi_class
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GibbsMedLDAClassifier:
        """Sample the posterior given documents and their classes.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.
        y : (n_documents,) array of classes, or (n_documents, n_labels) array of 0 and 1
            NaN (among numbers) or None (among other classes) where a document has none: its words
            count all the same. A pandas object is matched with the rows of X by position; if X is
            a frame with the same index labels in another order, it is refused.
        sample_weight : (n_documents,) array, optional
            Factors of ``c``: how much the loss of each document weighs. They do not change how
            often its words count; a document of weight 0 counts as unlabelled.

        Returns
        -------
        GibbsMedLDAClassifier
            The estimator itself.
        """
        check_settings(self)
        check_choice("multi_class", self.multi_class, ("multi_task", "one_vs_all"))
        check_positive("margin", self.margin)
        check_scalar("margin", self.margin)
        self._check_given(X, y, sample_weight)
        corpus = self._to_corpus(X, reset=True)
        self._check_lengths(X, y)
        labels = as_labels(y)
        response = code_response(labels, n_documents=corpus.n_documents, takes_labels=True)
        assert response.classes is not None
        c = self._check_weights(sample_weight, corpus.n_documents)
        check_classes_weigh(response, c)
        each = response.kind == "multiclass" and self.multi_class == "one_vs_all"
        loss = Hinge(c=c, margin=self.margin)
        runs = self._sample(corpus, response, loss, each=each)
        self.idata_ = tuple(runs) if each else runs[0]
        self.classes_ = response.classes
        self._kind = response.kind
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return how far documents are on the side of a class: discriminants, or log odds.

        These are the discriminants averaged over the draws. For two classes and for labels they
        are turned into log odds if the fit is calibrated, so that their sign is the decision and
        their sigmoid the probability.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.

        Returns
        -------
        (n_documents,) or (n_documents, n_classes) array
            Positive where the second of two classes, or a label, is predicted.
        """
        discriminant = self._discriminant(X)
        compared = self._compare(discriminant)
        return compared[:, 0] if self._kind == "binary" else compared

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the classes or labels of documents, by the mean discriminant.

        If the fit is calibrated, a label is predicted where its probability is above one half.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.

        Returns
        -------
        (n_documents,) array of classes, or (n_documents, n_labels) array of 0 and 1
        """
        discriminant = self._discriminant(X)
        decision = decide(self._kind, self._compare(discriminant), self.classes_)
        return decision.astype(int) if self._kind == "multilabel" else decision

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class or label.

        If the fit is not calibrated, this is the share of draws that decide for the class or set
        the label, which is too close to 0 or 1 as a probability.

        Parameters
        ----------
        X : (n_documents, n_words) array, sparse matrix or frame
            Counts.

        Returns
        -------
        (n_documents, n_classes) or (n_documents, n_labels) array
        """
        discriminant = self._discriminant(X)
        calibration = self._calibration()
        if calibration is not None:
            return calibration.probabilities(discriminant.mean(axis=1))
        share = share_of_draws(self._kind, discriminant)
        assert share is not None
        return share

    def _calibration(self) -> Calibration | None:
        """Return the calibration of the fit; of one model per class, that of all together."""
        found = self._calibrations()
        if not found:
            return None
        return found[0] if len(self._runs()) == 1 else join_classes(found)

    def _compare(self, discriminant: Floats) -> Floats:
        """Return what decides: averaged discriminants or log odds, (n_documents, n_tasks)."""
        by_chain: Floats = discriminant.mean(axis=1)
        calibration = self._calibration()
        return by_chain.mean(axis=0) if calibration is None else calibration.compared(by_chain)

    def _discriminant(self, X: Any) -> Floats:
        """Return F of every draw, (chain, draw, document, task)."""
        drawn = self._draw(X, "discriminant")
        if self._kind == "binary" or len(drawn) > 1:
            return np.stack(drawn, axis=-1)
        return drawn[0]

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        # The check uses two Gaussian features. As documents these have two words, so their topic
        # proportions lie on a line, and no linear discriminant separates the class in the middle.
        tags.classifier_tags.poor_score = True
        return tags
