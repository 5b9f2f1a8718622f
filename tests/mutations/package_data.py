"""Mistakes in responses and corpora, and the tests that notice them."""

from tests.mutations import Mutation

CODING = ("tests/targets/test_coding.py",)
SCORES = ("tests/targets/test_scores.py",)
DECISIONS = ("tests/targets/test_decisions.py",)
WEIGHTS = ("tests/targets/test_class_weights.py",)
DOCUMENTS = ("tests/targets/test_documents.py",)
PROPERTIES = ("tests/corpus/test_properties.py",)
COUNTS = ("tests/corpus/test_counts.py",)
FILES = ("tests/corpus/test_files.py",)
RECIPE = ("tests/corpus/test_recipe.py",)
TEXTS = ("tests/prediction/test_texts.py",)

MUTATIONS = (
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
    # texts
    Mutation(
        "corpus/recipe.py",
        "found.append(np.sort(np.asarray(tokens, np.int32)))",
        "found.append(np.asarray(tokens, np.int32))",
        RECIPE,
        "tokens of texts stand in another order than those of from_texts",
    ),
    Mutation(
        "corpus/recipe.py",
        "kept = [(word, span) for word, span in matches if word not in self._stops]",
        "kept = matches",
        RECIPE,
        "stop words are shown in a text",
    ),
    Mutation(
        "corpus/splitting.py",
        "while end < len(text) and unicodedata.combining(text[end]):",
        "while False:",
        RECIPE,
        "the accent of the last letter is cut off",
    ),
    Mutation(
        "corpus/splitting.py",
        "reach = place + REACH * (1 + n_missed) + len(word)",
        "reach = len(text)",
        RECIPE,
        "a changed word leads far ahead in the text",
    ),
    Mutation(
        "corpus/hooks.py",
        "return path if find_function(path) == function else None",
        "return path",
        RECIPE,
        "the path of another function is stored",
    ),
    Mutation(
        "run/words.py",
        "unknown = corpus.lengths == 0",
        "unknown = corpus.lengths < 0",
        TEXTS,
        "documents without known words are not flagged",
    ),
)
