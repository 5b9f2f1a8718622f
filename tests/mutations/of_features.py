"""Mistakes in features and their weights, and the tests that notice them."""

from tests.mutations import Mutation, changes_of

KERNEL = ("tests/kernels/test_feature_weights.py",)
MODEL = ("tests/model/test_features.py",)
TARGETS = ("tests/targets/test_features.py",)
STEP = ("tests/sampling/test_features.py",)
PREDICTION = ("tests/prediction/test_features.py",)
TABLE = ("tests/run/test_top_features.py",)
COMPOSED = "tests/compositions/test_log_joint.py::test_log_joint_is_the_density_of_the_model"
LAW = tuple(
    f"{COMPOSED}[{name}]"
    for name in (
        "features_of_two_responses",
        "features_left_to_nuts",
        "features_with_a_prior_each",
        "features_sparse_for_several_labels",
    )
)

MUTATIONS: tuple[Mutation, ...] = (
    *changes_of(
        "kernels/feature_weights.py",
        KERNEL,
        ("data += a[d] * x * x", "data += a[d] * x", "one task, a wrong precision"),
        ("linear += x * residual[d]", "linear += residual[d]", "one task, a wrong linear term"),
        (" + data * weights[j]\n", "\n", "one task, the own part is not taken out"),
        ("noise[j] / math.sqrt(p)", "noise[j] / p", "one task, a wrong deviation"),
        ("residual[d] -= a[d] * (value", "residual[d] += a[d] * (value", "the residual drifts"),
        ("add_scaled(a, at, x * x,", "add_scaled(a, at, x,", "several tasks, the precision"),
        ("add_scaled(residual, at, x,", "add_scaled(a, at, x,", "several tasks, the linear term"),
        ("change[i] = drawn - weights[j, i]", "change[i] = drawn", "several tasks, the change"),
        ("change, -value[e], residual", "change, value[e], residual", "several tasks, the sign"),
        ("own = j if mean.size > 1 else 0", "own = 0", "one task, the prior of another feature"),
        ("own = j if mean.shape[0] > 1 else 0", "own = 0", "the prior of another feature"),
        ("residual = b - a * features", "residual = b + a * features", "a wrong start"),
        ("linear = spread * mean + x.T @ b", "linear = x.T @ b", "together, no prior mean"),
        ("(x * a[:, i : i + 1])", "(x * a[:, :1])", "together, the precision of another task"),
        ("draws = weights.copy()", "draws = weights", "the present weights are changed"),
    ),
    *changes_of(
        "kernels/features.py",
        KERNEL,
        ("return np.ascontiguousarray(self.by_columns.T @ values)", "return values", "no product"),
        ("(self.start, self.row, self.value)", "(self.start, self.row)", "values are not compared"),
        ("by_columns.sum_duplicates()\n", "pass\n", "entries that are given twice"),
    ),
    *changes_of(
        "model/feature_projection.py",
        MODEL,
        ("self._remembered.get(self._multiply, inputs[0])", "self._multiply(inputs[0] * 2)", ""),
        ("return [pt.cast(back, inputs[0].type.dtype)]", "return [pt.zeros_like(inputs[0])]", ""),
    ),
    *changes_of(
        "sampling/supervision.py",
        LAW,
        ("self.offset + of_features", "self.offset", "features are lost beside an offset"),
        ("log_density += self.features.log_density()", "pass", "the prior of the features"),
        ("offset = offset + block.features.added", "pass", "weights that are left to others"),
    ),
    *changes_of(
        "sampling/feature_weights.py",
        (*STEP, *LAW),
        ("if self.stored is not None and np", "if self.stored is not None or np", "a stale point"),
        ("/ self.spread[0] ** 2", "/ self.spread[0]", "a wrong density"),
        ("self.weights - self.mean if", "self.weights + self.mean if", "the mean of the prior"),
        ("return self.stored.copy()", "return self.stored", "the point of a caller changes"),
    ),
    *changes_of(
        "targets/word_features.py",
        TARGETS,
        ("(1.0 + np.log(counts.data))", "counts.data", "counts do not grow slowly"),
        ("np.log((1.0 + n_documents) /", "np.log(n_documents /", "a wrong idf"),
        ("np.sqrt(np.asarray(weighed", "(np.asarray(weighed", "rows are not of length one"),
    ),
    *changes_of(
        "targets/default_scale.py",
        MODEL,
        ('known["margin"] / (2.0 * c)', 'known["margin"] / 2.0', "c is not in the scale"),
        ("math.sqrt(variance / (length or 1.0))", "math.sqrt(variance)", "the length of rows"),
    ),
    *changes_of(
        "targets/features.py",
        TARGETS,
        ("own[:, [place[name] for name in wanted]]", "own", "columns are not matched by name"),
    ),
    *changes_of(
        "prediction/results.py",
        PREDICTION,
        ("self.discriminant[cell] += of_features", "pass", "predictions without features"),
        ("(of_topics, of_features), strict", "(of_features, of_topics), strict", "parts change"),
    ),
    *changes_of(
        "run/response_draws.py",
        PREDICTION,
        ("out += features.project(", "features.project(", "training documents without features"),
    ),
    *changes_of(
        "run/top_features.py",
        TABLE,
        ("weights=own[z] * share", "weights=own[z]", "contributions are not shares of a document"),
        ("np.argsort(-np.abs(", "np.argsort(-(", "only positive contributions come first"),
        ("squares / n_draws - mean**2", "squares / n_draws", "no variance"),
    ),
)
