"""Mistakes in explanations and reports, and the tests that notice them."""

from tests.mutations import Mutation

SUMS = ("tests/explanation/test_contributions.py",)
READING = ("tests/explanation/test_explaining.py",)
REPORTS = ("tests/reporting/test_report.py",)
SCORES = ("tests/reporting/test_scoring.py",)

MUTATIONS = (
    Mutation(
        "kernels/new_document_sweeps.py",
        "state.of_token[n, old] += own * work.scale[row]",
        "state.of_token[n, old] += own",
        ("tests/kernels/test_new_documents.py",),
        "the present topic of a token counts too much",
    ),
    Mutation(
        "explanation/contributions.py",
        "found.topics[cell] = (eta * frequency).T[order[chain]]",
        "found.topics[cell] = (eta * frequency).T",
        SUMS,
        "topics of different chains are added up without matching them",
    ),
    Mutation(
        "explanation/contributions.py",
        "response.location + centre * frequency.sum()",
        "response.location + 0 * centre",
        SUMS,
        "the mean of real values is lost",
    ),
    Mutation(
        "explanation/contributions.py",
        "found.words[cell] = of_word @ eta.T / length",
        "found.words[cell] = of_word @ eta.T",
        SUMS,
        "words of long documents count too much",
    ),
    Mutation(
        "explanation/direction.py",
        "weights = np.array([1.0 if target == 1 else -1.0])",
        "weights = np.array([1.0])",
        SUMS,
        "contributions to the first of two classes have the wrong sign",
    ),
    Mutation(
        "explanation/direction.py",
        "weights[rival] -= 1.0",
        "weights[rival] += 1.0",
        SUMS,
        "the rival is added",
    ),
    Mutation(
        "explanation/coloured.py",
        "pieces += [escape(text[end:first]), words.colour(word, escape(text[first:last]))]",
        "pieces += [text[end:first], words.colour(word, escape(text[first:last]))]",
        READING,
        "texts are not escaped",
    ),
    Mutation(
        "reporting/markup.py",
        "return value if isinstance(value, Html) else Html(escape(str(value)))",
        "return Html(value)",
        REPORTS,
        "names are not escaped",
    ),
    Mutation(
        "reporting/scoring.py",
        "spread = square - value**2 / count",
        "spread = square",
        SCORES,
        "the mean of the truth is not resampled",
    ),
    Mutation(
        "reporting/mistakes.py",
        'order = np.argsort(-certainty[wrong], kind="stable")',
        'order = np.argsort(certainty[wrong], kind="stable")',
        SCORES,
        "the least certain mistakes come first",
    ),
)
