"""Mistakes in the model and the losses, and the tests that notice them.

Further lists stand beside this one: `package_data` for responses and corpora, `package_run` for
what a run left behind, `package_results` for sampling, predictions, pictures and estimators.
"""

from tests.mutations import Mutation

MODEL = "tests/model/test_model.py"
DENSITIES = ("tests/model/test_log_densities.py",)
PRIORS = ("tests/model/test_priors.py",)
DRAWS = ("tests/model/test_random_variables.py",)
LOSSES = ("tests/test_losses.py",)

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
        "discriminant = projection.reshape(added[0].shape) + sum(added)",
        "discriminant = projection.reshape(added[0].shape)",
        DRAWS,
        "responses are drawn without the offset",
    ),
    Mutation(
        "model/random_variables.py",
        "discriminant = projection + sum(added[1:], added[0])",
        "discriminant = projection",
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
        'eta = pm.Normal("eta", 0.0, _as_scale(nu, unit), dims=dims)',
        'eta = pm.Normal("eta", 0.0, _as_scale(nu, unit) ** 2, dims=dims)',
        PRIORS,
        "nu is taken for a variance",
    ),
    Mutation(
        "model/offsets.py",
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
)
