"""Mistakes in the model, the losses, the responses and the corpus, and the tests that notice them.

Further lists stand beside this one: `package_run` for what a run left behind, `package_results` for
sampling, predictions, pictures and estimators.
"""

from tests.mutations import Mutation

MODEL = "tests/model/test_model.py"
DENSITIES = ("tests/model/test_log_densities.py",)
PRIORS = ("tests/model/test_priors.py",)
DRAWS = ("tests/model/test_random_variables.py",)
LOSSES = ("tests/test_losses.py",)
CODING = ("tests/targets/test_coding.py",)
SCORES = ("tests/targets/test_scores.py",)
DECISIONS = ("tests/targets/test_decisions.py",)
WEIGHTS = ("tests/targets/test_class_weights.py",)
DOCUMENTS = ("tests/targets/test_documents.py",)
PROPERTIES = ("tests/corpus/test_properties.py",)
COUNTS = ("tests/corpus/test_counts.py",)
FILES = ("tests/corpus/test_files.py",)

MUTATIONS = (
    # model
    Mutation(
        "model/log_densities.py",
        "value -= np.dot(n_long, gammaln(total + length) - gammaln(total))",
        "value += np.dot(n_long, gammaln(total + length) - gammaln(total))",
        (f"{MODEL}::test_compiled_logp_is_the_log_joint",),
        "the normaliser of the documents has the wrong sign",
    ),
    Mutation(
        "model/log_densities.py",
        "slope -= self.n_words * np.sum(",
        "slope -= np.sum(",
        (f"{MODEL}::test_gradient_in_weights_and_priors_matches_differences",),
        "the slope in beta lacks the inner derivative",
    ),
    Mutation(
        "model/log_densities.py",
        "occupied, count = np.unique(cell, return_counts=True)",
        "occupied, count = np.unique(cell // 2 * 2, return_counts=True)",
        DENSITIES,
        "large tables are counted otherwise than small ones",
    ),
    Mutation(
        "model/assignments.py",
        "return pt.full((n_topics,), tensor / n_topics)",
        "return pt.full((n_topics,), tensor)",
        PRIORS,
        "a random scalar alpha is no total over the topics",
    ),
    Mutation(
        "model/random_variables.py",
        "discriminant = projection.reshape(offset.shape) + offset",
        "discriminant = projection.reshape(offset.shape)",
        DRAWS,
        "responses are drawn without the offset",
    ),
    Mutation(
        "model/random_variables.py",
        "discriminant = (projection if eta.type.ndim == 2 else projection[:, 0]) + offset",
        "discriminant = projection if eta.type.ndim == 2 else projection[:, 0]",
        (f"{MODEL}::test_compiled_logp_is_the_log_joint",),
        "the log density of the response lacks the offset",
    ),
    Mutation(
        "model/random_variables.py",
        "spread = [\n        np.broadcast_to(p, batch",
        "spread = [\n        np.broadcast_to(p[:1] if np.ndim(p) > nd else p, batch",
        DRAWS,
        "every entry of a batch is drawn from the parameters of the first",
    ),
    Mutation(
        "model/recording.py",
        "pm.Data(record.sign_of(name), np.array([-1.0, 1.0]), dims=dim)",
        "pm.Data(record.sign_of(name), np.array([1.0, -1.0]), dims=dim)",
        ("tests/prediction/test_predicting.py::test_every_kind_of_response[binary]",),
        "the two classes are stored with each other's sign",
    ),
    Mutation(
        "model/gibbs_medlda.py",
        'eta = pm.Normal("eta", 0.0, scale, dims=dims)',
        'eta = pm.Normal("eta", 0.0, scale**2, dims=dims)',
        PRIORS,
        "nu is taken for a variance",
    ),
    Mutation(
        "model/max_margin.py",
        "return pt.constant(np.broadcast_to(tensor.data, shape).copy())",
        "return pt.constant(np.zeros(shape))",
        (f"{MODEL}::test_compiled_logp_is_the_log_joint",),
        "a fixed offset is lost",
    ),
    # losses
    Mutation(
        "losses/labels.py",
        "return c**2 / lam, c * y * (1.0 + c * margin / lam)",
        "return c**2 / lam, c * y * (1.0 + margin / lam)",
        LOSSES,
        "the hinge loss lacks a factor c",
    ),
    Mutation(
        "losses/labels.py",
        'return {"omega": np.where(c > 0, omega, 0.0)}',
        'return {"omega": omega}',
        LOSSES,
        "a document of weight zero still has a quadratic factor",
    ),
    Mutation(
        "losses/labels.py",
        "log_odds = self.c * discriminant",
        "log_odds = discriminant",
        LOSSES,
        "labels are drawn as with c = 1",
    ),
    Mutation(
        "losses/values.py",
        "beyond = epsilon + rng.standard_exponential(shape) / (2.0 * c)",
        "beyond = epsilon + rng.standard_exponential(shape) / c",
        LOSSES,
        "the tails of drawn values have the wrong rate",
    ),
    Mutation(
        "losses/values.py",
        "return -value / np.square(self.sigma) - np.log(self.sigma * np.sqrt(2.0 * np.pi))",
        "return -value / np.square(self.sigma) - np.log(np.sqrt(2.0 * np.pi))",
        LOSSES,
        "the Gaussian factor is not normalised",
    ),
    Mutation(
        "losses/loss.py",
        "a, b = np.where(given, a, 0.0), np.where(given, b, 0.0)",
        "a, b = np.where(given, a, 0.0), b",
        LOSSES,
        "a missing response may pull at the weights",
    ),
    Mutation(
        "losses/loss.py",
        "return cls(*(v[:, None] if v.ndim == 1 and n_dims == 2 else v for v in values))",
        "return cls(*values)",
        LOSSES,
        "a vector over documents is no column beside tasks",
    ),
    # responses
    Mutation(
        "targets/scores.py",
        "return float(hit.mean() if given is True else hit[given.all(axis=1)].mean())",
        "return float(hit.mean())",
        SCORES,
        "documents without a class count as decisions",
    ),
    Mutation(
        "targets/scores.py",
        "np.square(y - np.mean(y, axis=0, where=given))",
        "np.square(y - np.mean(y, where=given))",
        SCORES,
        "the spread of several values is taken about their common mean",
    ),
    Mutation(
        "targets/scores.py",
        "return n_right / (y.size if given is True else int(np.count_nonzero(given)))",
        "return n_right / y.size",
        SCORES,
        "missing labels count as wrong",
    ),
    Mutation(
        "targets/decisions.py",
        "return np.concatenate([1.0 - positive, positive], axis=-1)",
        "return np.concatenate([positive, 1.0 - positive], axis=-1)",
        DECISIONS,
        "the shares of the two classes are exchanged",
    ),
    Mutation(
        "targets/class_weights.py",
        "return np.where(values > 0, weight[1], weight[0])",
        "return np.where(values > 0, weight[0], weight[1])",
        WEIGHTS,
        "the weights of the two classes are exchanged",
    ),
    Mutation(
        "targets/class_weights.py",
        "weight[np.argmax(values, axis=1)]",
        "weight[np.argmin(values, axis=1)]",
        WEIGHTS,
        "a document has the weight of a class that is not its own",
    ),
    Mutation(
        "targets/labels.py",
        "np.where(given == distinct[-1], 1.0, -1.0) if given.size else 0",
        "np.where(given == distinct[0], 1.0, -1.0) if given.size else 0",
        CODING,
        "columns of labels are coded upside down",
    ),
    Mutation(
        "targets/labels.py",
        "values[missing] = np.nan",
        "values[missing] = -1.0",
        CODING,
        "a document without a class is taken for one of no class",
    ),
    Mutation(
        "targets/documents.py",
        "order = [place[name] for name in wanted]",
        "order = [wanted.index(name) for name in given]",
        DOCUMENTS,
        "values are put in the inverse order",
    ),
    Mutation(
        "targets/documents.py",
        "return [given.index(name) for name in wanted]",
        "return [wanted.index(name) for name in given]",
        CODING,
        "columns are put in the inverse order",
    ),
    # corpus
    Mutation(
        "corpus/tokens.py",
        "return words[kept], before[starts]",
        "return words[kept], np.minimum(starts, before[-1])",
        PROPERTIES,
        "documents do not move up where words were dropped",
    ),
    Mutation(
        "corpus/matrices.py",
        'low, high = np.searchsorted(indptr, [first, last], side="right")',
        'low, high = np.searchsorted(indptr, [first, last], side="left")',
        COUNTS,
        "rows that end with a block of counts are cut wrongly",
    ),
    Mutation(
        "corpus/matrices.py",
        "return matrix.astype(np.int64)",
        "return matrix",
        PROPERTIES,
        "repeated entries are added up in a narrow type",
    ),
    Mutation(
        "corpus/corpus.py",
        "words, starts - starts[0], None if names is None else names[selection]",
        "words, starts - starts[0], names",
        PROPERTIES,
        "a slice of a corpus keeps the names of all documents",
    ),
    Mutation(
        "corpus/frames.py",
        "if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:",
        "if isinstance(index, pd.RangeIndex) and index.step == 1:",
        PROPERTIES,
        "a part of a numbered frame loses the names of its rows",
    ),
    Mutation(
        "corpus/formats.py",
        'literal = {"keep_default_na": False, "dtype": {text_column: str}, **options}',
        'literal = {"dtype": {text_column: str}, **options}',
        FILES,
        'a text such as "NA" is taken for a missing one',
    ),
)
