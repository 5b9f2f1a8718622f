"""Mistakes in exported models, in comparisons and in the command line, with their tests."""

from tests.mutations import changes_of

TOPICS = ("tests/serving/test_word_topics.py",)
MODEL = ("tests/serving/test_served_model.py",)
FILES = ("tests/serving/test_files.py",)
TEXTS = ("tests/serving/test_texts.py",)
EXPORT = ("tests/serving/test_export.py",)
SCORES = ("tests/comparison/test_scores.py",)
COMPARE = ("tests/comparison/test_compare.py",)
COMMANDS = ("tests/test_command_line.py", "tests/test_command_line_tables.py")
FIT = ("tests/estimators/test_fit.py",)

MUTATIONS = (
    *changes_of(
        "serving/word_topics.py",
        TOPICS,
        (
            "(expected[:, None] - gamma + alpha[:, None])",
            "(expected[:, None] + alpha[:, None])",
            "a token counts among the others",
        ),
        (
            "(expected[:, None] - gamma + alpha[:, None])",
            "(expected[:, None] - gamma)",
            "the prior of the topics is left out",
        ),
        ("(by_chain + beta[:, None])", "by_chain", "beta is left out of phi"),
        (
            "chosen = self.column == k",
            "chosen = self.column // self.size.shape[0] == k",
            "chains and topics are exchanged",
        ),
        (
            "return self.alpha / self.alpha.sum(axis=1, keepdims=True)",
            "return np.full_like(self.alpha, 1.0 / self.alpha.shape[1])",
            "an empty document gets equal topics",
        ),
    ),
    *changes_of(
        "serving/exporting.py",
        MODEL,
        (
            "eta = np.take_along_axis(eta, order[:, None, None], axis=3)",
            "eta = eta + 0.0",
            "the weights keep the labels of their chain",
        ),
        (
            "mean = np.take_along_axis(total / chosen.size, order[:, None], axis=2)",
            "mean = total / chosen.size",
            "the topics keep the labels of their chain",
        ),
        (
            "slope, intercept = calibration.line(n_chains)",
            "slope, intercept = calibration.line(1)",
            "the slope of the calibration is that of a single chain",
        ),
    ),
    *changes_of(
        "serving/exporting.py",
        EXPORT,
        (
            "reshape(topics.n_words, -1)[words]",
            "reshape(topics.n_words, -1)",
            "the counts belong to other words than the names",
        ),
        (
            "weights[..., words] / chosen.size",
            "weights / chosen.size",
            "the weights belong to other words than the names",
        ),
        ("if response.has_offset:", "if False:", "an offset is forgotten"),
        (
            "[[topics.alpha(*pair) for pair in own] for own in pairs]",
            "[[topics.alpha(*own[0])] for own in pairs]",
            "alpha of the first draw",
        ),
    ),
    *changes_of(
        "serving/served_model.py",
        MODEL,
        ("+ self.location\n", "+ 0.0\n", "the mean of standardised values is left out"),
        (
            "return self.calibration.compared(by_chain)",
            "return by_chain.mean(axis=0)",
            "a decision may contradict its probability",
        ),
        ("F += self.features.project(documents)[:, None]", "F += 0.0", "words do not count"),
    ),
    *changes_of(
        "serving/word_features.py",
        MODEL,
        ("(values / np.linalg.norm(values))", "values", "tf-idf has no norm"),
    ),
    *changes_of(
        "serving/documents.py",
        TEXTS,
        ("once=recipe.binary", "once=False", "words of a binary recipe count several times"),
    ),
    *changes_of(
        "serving/file_format.py",
        FILES,
        ("allow_pickle=False) as archive", "allow_pickle=True) as archive", "pickles are read"),
        ("partial.replace(path)", "path.write_bytes(partial.read_bytes())", "not in one piece"),
        ("if announced > max(", "if 0 > max(", "a small file may fill the memory"),
        ("for name in NAMES if name in archive.files", "for name in archive.files", "all is read"),
        ("if version > VERSION:", "if version > VERSION + 1:", "a later version is read"),
        ('zipfile.ZipFile(partial, "x")', 'zipfile.ZipFile(path, "w")', "the old file is lost"),
    ),
    *changes_of(
        "serving/loading.py",
        TEXTS,
        ("    if unknown:\n", "    if False:\n", "a file may name any function"),
    ),
    *changes_of(
        "comparison/scores.py",
        SCORES,
        ("(numerator - value * denominator)", "numerator", "the size of documents is forgotten"),
        ("self.influence - other.influence", "self.influence + other.influence", "not paired"),
        ("0.5 / root", "1.0 / root", "the error of the RMSE is doubled"),
        (
            "transform(per_token, value, value)",
            "transform(per_token, value, 1.0)",
            "the error is that of the logarithm",
        ),
    ),
    *changes_of(
        "comparison/comparing.py",
        COMPARE,
        (
            'SMALLER_IS_BETTER = {"rmse", "perplexity"}',
            'SMALLER_IS_BETTER = {"rmse"}',
            "the largest perplexity is the best",
        ),
        (
            "else BY_VOCABULARY",
            "else set()",
            "words of different vocabularies are compared",
        ),
    ),
    *changes_of(
        "comparison/responses.py",
        COMPARE,
        (
            "    if is_calibrated:\n",
            "    if True:\n",
            "shares of draws are scored as probabilities",
        ),
        (
            "rows = ~np.isnan(truth).all(axis=1)",
            "rows = np.ones(len(truth), bool)",
            "missing responses count",
        ),
    ),
    *changes_of(
        "command_line/files.py",
        COMMANDS,
        ("keep_default_na=False", "keep_default_na=True", "a text that reads NA is missing"),
        ("run.to_netcdf(str(partial))", "run.to_netcdf(str(target))", "not in one piece"),
    ),
    *changes_of(
        "estimators/fitting.py",
        FIT,
        ("None if values is None else not values", "None", "values are not obeyed"),
        ("random_state=random_seed", "random_state=None", "the seed is forgotten"),
    ),
)

KNOWN = {
    ("serving/file_format.py", "partial.replace(path)"): (
        "a write that stops in the middle of the last copy cannot be planted without the disk"
    ),
}
