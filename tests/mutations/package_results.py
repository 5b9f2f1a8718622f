"""Mistakes in sampling, predictions, pictures and estimators, and the tests that notice them."""

from tests.mutations import Mutation

PREDICTING = ("tests/prediction/test_predicting.py",)
STREAMS = ("tests/prediction/test_new_documents.py",)
PROPERTIES = ("tests/prediction/test_properties.py",)
EVALUATION = ("tests/prediction/test_evaluation.py",)
PERPLEXITY = ("tests/prediction/test_perplexity.py",)
COMPANY = "tests/sampling/test_company.py"
LAWS = ("tests/estimators/test_laws.py",)
ESTIMATORS = "tests/estimators/test_estimators.py"

MUTATIONS = (
    # sampling
    Mutation(
        "sampling/supervision.py",
        "self.own_b if added is None else self.own_b - self.a * added",
        "self.own_b if added is None else self.own_b + self.a * added",
        ("tests/sampling/test_supervision.py",),
        "the offset moves into b with the wrong sign",
    ),
    Mutation(
        "sampling/conditionals.py",
        "if not self.sampler.load(point[self.z_name] if self.topics_in_point else topics):",
        "if self.sampler.load(point[self.z_name] if self.topics_in_point else topics):",
        ("tests/sampling/test_supervision.py",),
        "topics that changed alone are not seen",
    ),
    Mutation(
        "sampling/supervision.py",
        "return self.projection if added is None else self.projection + added",
        "return self.projection",
        ("tests/sampling/test_supervision.py",),
        "the discriminant lacks the offset",
    ),
    Mutation(
        "sampling/supervision.py",
        "np.concatenate([r.b for r in responses], axis=1)",
        "np.concatenate([r.b for r in reversed(responses)], axis=1)",
        ("tests/sampling/test_supervision.py",),
        "responses pull at the topics with each other's weight",
    ),
    Mutation(
        "sampling/point_reader.py",
        "self.values[i] = np.array(value)",
        "self.values[i] = value",
        ("tests/sampling/test_point_reader.py",),
        "a value that its owner changes is not seen to change",
    ),
    Mutation(
        "sampling/normal_prior.py",
        "np.broadcast_to(log_scale, shape).sum(dtype=float)",
        "log_scale.sum(dtype=float)",
        (f"{COMPANY}::test_any_normal_prior_is_drawn_by_the_step",),
        "a common scale is counted once in the density of all weights",
    ),
    Mutation(
        "sampling/chains.py",
        "if i >= tune:",
        "if i > tune:",
        (f"{ESTIMATORS}::test_the_posterior_is_of_the_form_that_pymc_gives",),
        "the first draw after the warm-up is lost",
    ),
    Mutation(
        "sampling/chains.py",
        "seeds = [rng.integers(2**30) for rng in rngs]",
        "seeds = [rng.integers(2**29) for rng in rngs]",
        (f"{ESTIMATORS}::test_the_posterior_is_of_the_form_that_pymc_gives",),
        "chains start elsewhere than with pm.sample",
    ),
    # predictions
    Mutation(
        "prediction/predicting.py",
        "longest = max(longest, burn_in)",
        "longest = burn_in",
        STREAMS,
        "the burn-in of the last draw is reported",
    ),
    Mutation(
        "kernels/new_documents.py",
        "longest = max(longest, burn_in)",
        "longest = burn_in",
        STREAMS,
        "the burn-in of the last block is reported",
    ),
    Mutation(
        "prediction/new_documents.py",
        "return out, max((part.result() for part in parts), default=0)",
        "return out, [0, *(part.result() for part in parts)][-1]",
        STREAMS,
        "the burn-in of the last thread is reported",
    ),
    Mutation(
        "prediction/new_documents.py",
        "spawn_key=(*seed.spawn_key, chain)",
        "spawn_key=seed.spawn_key",
        STREAMS,
        "all chains share their random streams",
    ),
    Mutation(
        "prediction/results.py",
        "self.response.location + offset[position]",
        "self.response.location + offset[cell]",
        PREDICTING,
        "thinned draws get the offset of others",
    ),
    Mutation(
        "prediction/results.py",
        "self.response.location + offset[position]",
        "offset[position]",
        ["tests/test_standardised.py"],
        "predictions lack the mean of the values",
    ),
    Mutation(
        "losses/standardised.py",
        "np.where(differ, scale, 1.0)",
        "np.where(differ, scale**2, 1.0)",
        ["tests/test_standardised.py"],
        "the variance is taken for the unit",
    ),
    Mutation(
        "losses/standardised.py",
        "return value * scale**power",
        "return value * scale",
        ["tests/test_standardised.py"],
        "every parameter grows with the unit",
    ),
    Mutation(
        "run/response_draws.py",
        "return own.reshape(self.y.shape) + self.location",
        "return own.reshape(self.y.shape)",
        ["tests/test_standardised.py"],
        "training discriminants with an offset lack the mean of the values",
    ),
    Mutation(
        "run/notices.py",
        "if not (trend.is_drift and trend.shift < 0):",
        "if not trend.is_drift:",
        ["tests/run/test_notices.py"],
        "a loss that rises is called one that falls",
    ),
    Mutation(
        "run/notices.py",
        "if np.mean(pull) < STRONG_PULL:",
        "if np.mean(pull) < 0.0:",
        ["tests/run/test_notices.py"],
        "few topics are blamed on the labels",
    ),
    Mutation(
        "prediction/results.py",
        "self.theta[cell] = (frequency * length + alpha) / (length + alpha.sum())",
        "self.theta[cell] = (frequency * length + alpha.mean()) / (length + alpha.sum())",
        PREDICTING,
        "all topics have the same prior",
    ),
    Mutation(
        "prediction/evaluation.py",
        "return float(np.mean((position == chosen)[~missing]))",
        "return float(np.mean(position == chosen))",
        EVALUATION,
        "missing classes count as wrong",
    ),
    Mutation(
        "prediction/evaluation.py",
        "chosen = (decided & given).sum(axis=0)",
        "chosen = decided.sum(axis=0)",
        EVALUATION,
        "decisions on unknown labels count as wrong",
    ),
    Mutation(
        "prediction/evaluation.py",
        "spread = np.square(coded - np.nanmean(coded, axis=0),",
        "spread = np.square(coded - np.nanmean(coded),",
        EVALUATION,
        "R² of several values is taken about their common mean",
    ),
    Mutation(
        "prediction/perplexity.py",
        "log_likelihood = logsumexp(logs, axis=0) - np.log(logs.shape[0])",
        "log_likelihood = logs.mean(axis=0)",
        PERPLEXITY,
        "logarithms are averaged and not probabilities",
    ),
    Mutation(
        "prediction/perplexity.py",
        "order = np.lexsort((rng.random(corpus.n_tokens), document))",
        "order = np.lexsort((np.arange(corpus.n_tokens), document))",
        PERPLEXITY,
        "the seen half is the first half",
    ),
    # pictures
    Mutation(
        "plots/weights.py",
        "eta = relabel_weights(response.eta, matching.of_chain).values",
        "eta = response.eta.values",
        ("tests/plots/test_weights.py",),
        "the weights of several chains are drawn without alignment",
    ),
    Mutation(
        "plots/weights.py",
        "tails = [(1 - interval) / 2, (1 + interval) / 2]",
        "tails = [1 - interval, interval]",
        ("tests/plots/test_weights.py",),
        "bars are narrower than they say",
    ),
    Mutation(
        "plots/alignment.py",
        "first, second = matching.phi[pair][:, kept]",
        "first, second = drawn.mean_phi(pair)[:, kept]",
        ("tests/plots/test_alignment.py",),
        "the picture of the alignment is that before it",
    ),
    Mutation(
        "plots/burn_in.py",
        'ax.axvspan(-0.5, n_warm_up - 0.5, color="0.92", zorder=0)',
        'ax.axvspan(-0.5, n_warm_up + 0.5, color="0.92", zorder=0)',
        ("tests/plots/test_burn_in.py",),
        "a draw is shaded as warm-up",
    ),
    Mutation(
        "plots/classes.py",
        "np.stack([found.y[:, 0] < 0, found.y[:, 0] > 0])",
        "np.stack([found.y[:, 0] > 0, found.y[:, 0] < 0])",
        ("tests/plots/test_classes.py",),
        "the profiles of the two classes are exchanged",
    ),
    Mutation(
        "plots/words.py",
        "panel.barh(rows, (share @ phi)[best[k]]",
        "panel.barh(rows, phi.mean(axis=0)[best[k]]",
        ("tests/plots/test_words.py",),
        "the pale bars are not the probabilities in the corpus",
    ),
    Mutation(
        "plots/reliability.py",
        "middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)",
        "middle = (share + z**2 / n) / (1 + z**2 / n)",
        ("tests/plots/test_uncertainty.py",),
        "Wilson's interval has the wrong middle",
    ),
    Mutation(
        "plots/ldavis.py",
        "phi[:, used] / phi[:, used].sum(axis=1, keepdims=True)",
        "phi[:, used] / phi[:, used].sum(axis=0, keepdims=True)",
        ("tests/plots/test_ldavis.py",),
        "words and not topics sum to one",
    ),
    # estimators
    Mutation(
        "estimators/base.py",
        "runs = [align_topics(run)[0] for run in runs]",
        "runs = list(runs)",
        LAWS,
        "means over chains mix topics",
    ),
    Mutation(
        "estimators/base.py",
        "return self.c * weight",
        "return weight",
        LAWS,
        "sample weights replace c",
    ),
    Mutation(
        "estimators/base.py",
        "return X.rint() if is_sparse else np.rint(X)",
        "return X.ceil() if is_sparse else np.ceil(X)",
        LAWS,
        "counts are rounded up",
    ),
    Mutation(
        "estimators/one_vs_all.py",
        'decide("multiclass", by_chain.mean(axis=0), self.classes)',
        'decide("multiclass", values[0, 0], self.classes)',
        LAWS,
        "the decision is that of the first draw",
    ),
)
