"""Mutations of tempered sweeps: of the powers of counts, and of where they are used."""

from tests.mutations import Mutation, changes_of

TEMPERING = "tests/kernels/test_tempered_sweeps.py"


def laws(path):
    """Return the tests of the law of every tempered draw for a path and a number of tasks."""
    replayed = f"{TEMPERING}::test_every_draw_has_the_law_of_its_conditional"
    counted = f"{TEMPERING}::test_a_sweep_has_the_law_of_the_enumerated_conditionals"
    return (
        *(f"{replayed}[{name}-0.5-{path}]" for name in ("no labels", "soft")),
        f"{replayed}[very steep, with ties-0.5-{path}]",
        *(f"{counted}[{name}-0.5-{path}]" for name in ("soft", "steep")),
    )


TABLE = laws("dense-1")
BOUNDS = laws("sparse-1")
ROWS = laws("sparse-2")
REFUSED = (TEMPERING + "::test_bounds_serve_a_tempered_target[refusals]",)
# From the same random numbers: also a change that hardly shows in the frequencies shows here.
TWIN = TEMPERING + "::test_a_power_next_to_one_draws_what_a_plain_sweep_draws"
LISTED = ("tests/kernels/test_listed.py",)
CACHE = TEMPERING + "::test_counts_and_draws_follow_from_z_whatever_was_swept_before"
COMPUTED = (
    TEMPERING + "::test_the_powers_of_large_counts_are_computed_as_those_of_small_ones_are_read",
)
CHOSEN = (TEMPERING + "::test_the_path_of_a_tempered_sweep",)
MEMORY = ("tests/kernels/test_checks.py",)

MUTATIONS: tuple[Mutation, ...] = (
    *changes_of(
        "kernels/sweeps/products.py",
        TABLE,
        ("of_cells, begin, j, 0.0,", "of_cells, begin, j, 0.3,", "beta is added twice"),
        ("        move_in_rows(j, new, begin, table, temper)\n", "        pass\n", "rows are kept"),
    ),
    *changes_of(
        "kernels/sweeps/products_prior.py",
        TABLE,
        ("work.in_document[j] - 1, temper)", "work.in_document[j], temper)", "it counts itself"),
        ("rate = temper.rate[k] if change == 0 else", "rate = temper.rate[k] if False else", "-"),
    ),
    *changes_of(
        "kernels/sweeps/tempering.py",
        TABLE,
        ("(state.tally.size) + beta) ** tau", "(state.tally.size) + beta)", "words are plain"),
        ("values[:, None]) ** tau", "values[:, None])", "documents are not tempered"),
        ("rate[j], less[new] = less[j], rate[new]", "rate[j] = less[j]", "one rate is kept"),
        ("in_corpus[j] - 2.0", "in_corpus[j] - 1.0", "the token counts itself"),
        ("in_corpus[new] + 1.0", "in_corpus[new]", "a token is not counted"),
    ),
    *changes_of(
        "kernels/sweeps/tempering.py",
        BOUNDS,
        ("begin[slot] = powers.kind", "begin[: slot.size] = powers.kind", "alpha of other slots"),
        ("rate[slot] = (topic + beta_total) ** -powers.power", "pass", "sizes are not tempered"),
        ("np.maximum(topic - 1, 0)", "np.maximum(topic, 0)", "the token counts itself"),
    ),
    *changes_of(
        "kernels/sweeps/tempering.py",
        COMPUTED,
        ("-temper.power * math.log", "temper.power * math.log", "a power is not inverted"),
        ("math.log(place + temper.alpha[k])", "math.log(place)", "alpha is lost"),
        (" or place < temper.width:", " or True:", "reads the powers of another topic"),
    ),
    *changes_of(
        "kernels/sweeps/tempering.py",
        (CACHE,),
        ("(held.power, held.beta) == (tau, beta)", "held.beta == beta", "an old power is used"),
        (
            "if np.array_equal(held.alpha, alpha):",
            "if True:",
            "the powers of an old alpha are used",
        ),
    ),
    *changes_of(
        "kernels/sweeps/tempering.py",
        MEMORY,
        ("8 * of_documents,", "of_documents,", "the powers of documents are left out"),
        ("8 * (of_topics + n_tokens + 2)", "8 * of_topics", "the powers of words are left out"),
    ),
    *changes_of(
        "kernels/sweeps/dense.py",
        (f"{CACHE}[dense-1]",),
        ("self.powers = None  # they", "pass  # they", "old powers are kept"),
        ("        self.powers = None\n        count", "        count", "old powers are kept"),
    ),
    *changes_of(
        "kernels/sweeps/dense.py",
        MEMORY,
        ('{f"{table}, in powers": size, **', "{**", "the rows of powers are left out"),
    ),
    *changes_of(
        "kernels/sweeps/sparse.py",
        MEMORY,
        ('f"{lists}, in powers": 8 * n_tokens,', "", "the gains are left out"),
    ),
    *changes_of(
        "kernels/sweeps/sparse.py",
        (f"{CACHE}[sparse-1]",),
        (
            "            self.gain = np.zeros(self.lists.entry.size)\n        fill",
            "            self.gain = np.zeros(self.lists.entry.size)\n            fill",
            "the gains of an earlier power are used",
        ),
    ),
    *changes_of(
        "kernels/sweeps/gains.py",
        (f"{TWIN}[3.0-sparse-1]", *BOUNDS),
        (
            "gain[e] = of_words[lists.entry[e] >> 16] - of_words[0]",
            "gain[e] = of_words[lists.entry[e] >> 16]",
            "what every topic has is counted twice",
        ),
        (
            "temper.of_cells[e] = of_words[lists.entry[e] >> 16] - of_words[0]",
            "pass",
            "gains do not follow the moves",
        ),
        ("(begin + old, begin + (", "(begin + (", "the gain at the old place is kept"),
        ("place if place >= 0 else last", "place", "the gain of a new entry is kept"),
        (", begin + (place if place >= 0 else last))", ",)", "the gain at the new place is kept"),
    ),
    *changes_of(
        "kernels/sweeps/gains.py",
        REFUSED,
        ("else temper.of_cells[e]", "else np.float64(entry[e] >> 16)", "counts after refusals"),
    ),
    *changes_of(
        "kernels/sweeps/document.py",
        (*BOUNDS, *ROWS),
        ("        move_rates(j, new, in_corpus, temper)", "        pass", "sizes are kept"),
        ("int(document.in_document[k]) + change", "int(document.in_document[k])", "it counts"),
    ),
    *changes_of(
        "kernels/sweeps/rows.py",
        ROWS,
        ("work.rest[j] = word_weight(0, beta, temper)", "work.rest[j] = beta", "beta is plain"),
    ),
    *changes_of(
        "kernels/simd/llvm_listed.py",
        LISTED,
        ("builder.select(inside, gain, constant(0.0))", "gain", "reads past the end of a list"),
        ("builder.gep(gains, [begin])", "gains", "the gains of another word"),
        ("gains=code.data(7)", "gains=code.data(6)", "sums are taken for gains"),
    ),
    *changes_of(
        "kernels/simd/listed.py",
        LISTED,
        ("else gain[begin + e]", "else gain[e]", "the gains of another word"),
    ),
    *changes_of(
        "kernels/sweeps/topic_sampler.py",
        CHOSEN,
        ("if FEW_IN_POWERS < n_topics", "if FEW_IN_POWERS <= n_topics", "the slower path"),
    ),
)
