"""Mutations of the sweeps over the topic assignments, a part of the list in `kernels`."""

from tests.mutations import Mutation, changes_of

REPLAYED = "tests/kernels/test_replayed_sweeps.py"
INTERFACE = "tests/kernels/test_interface.py"


def laws(*paths):
    """Return the test of every draw, for some paths and numbers of tasks."""
    name = "test_every_draw_has_the_law_of_its_conditional"
    return tuple(f"{REPLAYED}::{name}[{path}-{setting}]" for path in paths for setting in SETTINGS)


SETTINGS = (
    "no labels",
    "soft",
    "medium",
    "refusals",
    "hard",
    "steep",
    "hard, with ties",
    "steep, with ties",
    "very steep, with ties",
)
PLAIN = laws("plain-1")
BOUNDS = laws("sparse-1")
TABLE = laws("dense-1")
LISTS = laws("sparse-2")
MANY = tuple(
    f"{REPLAYED}::test_draws_among_hundreds_of_topics_have_their_law[sparse-1-{n_topics}]"
    for n_topics in (250, 300)
)
MANY_IN_TABLE = (REPLAYED + "::test_draws_among_hundreds_of_topics_have_their_law[dense-1-250]",)
ENUMERATED, ENUMERATED_IN_LISTS = (
    tuple(
        "tests/kernels/test_sweep_laws.py::test_a_sweep_has_the_law_of_the_enumerated_conditionals"
        f"[{setting}-{path}-1]"
        for setting in ("soft", "medium", "hard")
    )
    for path in ("dense", "sparse")
)
TALLY = (
    INTERFACE + "::test_all_counts_are_those_of_z_in_documents_with_many_moves[dense-1]",
    INTERFACE + "::test_all_counts_are_those_of_z_before_and_after_a_sweep[5-dense-1]",
)
LOOSE = (
    "tests/kernels/test_sweep_laws.py::test_a_sweep_has_its_law_under_loose_bounds",
    "tests/kernels/test_compiled_sweeps.py::test_no_weight_exceeds_its_bound",
)
RUNS = (
    "tests/kernels/test_unbranched.py",
    *(
        f"{REPLAYED}::test_every_draw_has_the_law_of_its_conditional[all in runs-1-{setting}]"
        for setting in ("soft", "medium")
    ),
)
HELD = ("tests/kernels/test_compiled_sweeps.py::test_no_weight_exceeds_its_bound",)
NUMBERS = ("tests/kernels/test_compiled_sweeps.py::test_no_random_number_is_used_twice",)

SWEEPS: tuple[Mutation, ...] = (
    *changes_of(
        "kernels/sweeps/plain.py",
        PLAIN,
        ("(0.5 * eta[i, k] + total[i])", "(eta[i, k] + total[i])", "half of the square"),
        ("topic[k] + n_words * beta", "topic[k] + beta", "the sum of beta"),
        ("total[i] += eta[i, new]", "total[i] += eta[i, old]", "the sum of eta is not updated"),
        ("(document_topic[d, k] + alpha[k])", "(document_topic[d, k] + alpha[0])", "alpha"),
    ),
    *changes_of(
        "kernels/sweeps/rejection.py",
        BOUNDS,
        ("visit.slope * topics.tilt[k]", "0.5 * visit.slope * topics.tilt[k]", "a wrong slope"),
        ("exponent_at(k, visit.reference, topics) +", "", "the exponents of the reference"),
        ("is_accepted(uniform(counter), 1.0,", "is_accepted(0.0, 1.0,", "accepts too often"),
        (
            "(x - visit.listed) / word_weight(0, beta, temper)",
            "(x - visit.listed)",
            "beta is not divided out",
        ),
        (
            "own_prior * word_weight(n_own - 1,",
            "own_prior * word_weight(n_own,",
            "it counts itself",
        ),
        ("[OWN] * word_weight(n_own - 1,", "[OWN] * word_weight(n_own,", "it counts itself"),
        ("if new >= 0 and new != j:", "if new >= 0:", "staying has too much weight"),
        ("x /= bound[group]", "x *= bound[group]", "the bound of a group"),
        ("buffer[k] = word_weight(0, beta, temper) *", "buffer[k] =", "after refusals, beta"),
        ("word_weight(0, beta, temper) * rest", "rest", "beta is lost"),
    ),
    *changes_of(
        "kernels/sweeps/rejection.py",
        LOOSE,
        ("<= SURE * visit.stay or is_accepted(", "<= SURE or is_accepted(", "stays too often"),
        ("is_accepted(u, visit.stay", "is_accepted(0.0, visit.stay", "stays too often"),
        ("x * (work.factor[k] * work", "x * (work", "bounds of the reference are taken for exact"),
    ),
    *changes_of(
        "kernels/sweeps/rejection.py",
        HELD,
        ("SURE = 1.0 / (1.0 + ABOVE) ** 2", "SURE = 1.0", "stays too often"),
    ),
    *changes_of(
        "kernels/sweeps/rejection.py",
        (*BOUNDS, *MANY),
        (
            "            x -= part\n            first += width",
            "            first += width",
            "blocks that are skipped keep their weight",
        ),
    ),
    *changes_of(
        "kernels/sweeps/reference.py",
        BOUNDS,
        ("work.weight[slot] = after", "work.weight[slot] = before", "not updated by slot"),
        ("] = after\n    return", "] = before\n    return", "not updated by topic"),
        ("return after - before", "return after", "sums of groups are wrong"),
        ("quadratic = 0.5 * loss.gamma", "quadratic = loss.gamma", "half of the square"),
    ),
    *changes_of(
        "kernels/sweeps/bounds.py",
        BOUNDS,
        ("total += eta[new] - eta[j]", "total += eta[new]", "the sum of eta is wrong"),
        ("centre - (total - eta[j]))", "centre - total)", "the token is not taken out"),
        ("        weighed_word = -1\n        drawn", "        drawn", "a move is not noticed"),
        ("            weighed_word = -1\n            counter", "            counter", "nor a sum"),
        (" or old != weighed_topic:", ":", "the weights are those of another topic"),
        ("STEEP = 150.0", "STEEP = 1500.0", "weights vanish where a loss is steep"),
    ),
    *changes_of(
        "kernels/sweeps/bounds.py",
        NUMBERS,
        (
            "            counter += STRIDE\n            new = draw_from_all",
            "            new = draw_from_all",
            "the random number that was refused is used again",
        ),
    ),
    *changes_of(
        "kernels/sweeps/products_document.py",
        TABLE,
        ("STEEP = 100.0", "STEEP = 1000.0", "weights vanish where a loss is steep"),
        ("FURTHEST = 30.0", "FURTHEST = 3000.0", "factors overflow"),
        ("slope[i] = 0.5 * gamma * gamma", "slope[i] = gamma * gamma", "half of the square"),
        ("= 1.0 / work.lift[at + k]", "= work.lift[at + k]", "a token adds what it should take"),
        ("work.in_document[j] -= 1", "work.in_document[j] -= 0", "a steep token stays"),
    ),
    *changes_of(
        "kernels/sweeps/products.py",
        TABLE,
        ("word_weight(n_own - 1,", "word_weight(n_own,", "the token counts itself"),
        ("            version += 1", "            version += 0", "a steep topic's rows are kept"),
        ("        return np.inf\n", "        return 0.0\n", "E lacks the move of a steep topic"),
        ("return work.pull[j] - work.pull[new]", "return 0.0", "factors overflow"),
    ),
    *changes_of(
        "kernels/sweeps/products.py",
        (INTERFACE + "::test_a_margin_may_pull_a_whole_document_across",),
        ("return work.pull[j] + work.pull[new]", "return work.pull[j] - work.pull[new]", "-"),
    ),
    *changes_of(
        "kernels/sweeps/products_prior.py",
        (*ENUMERATED, *MANY_IN_TABLE, *TABLE),
        ("(corpus.in_corpus[j] + change)", "corpus.in_corpus[j]", "the token counts itself"),
        ("prior_of(j, -1, work, None)", "prior_of(j, 0, work, None)", "the token counts itself"),
        ("return work.without[j], work.added", "return work.prior[j], work.added", "it is counted"),
        ("= work.prior[j], work.prior[new]\n", "= work.prior[new], work.prior[j]\n", "swapped"),
        (
            "    work.prior[j], work.prior[new] = of_j, of_new\n",
            "",
            "factors are computed from old",
        ),
        ("compute_prior(-1, work.without", "compute_prior(0, work.without", "it counts itself"),
        ("compute_prior(1, work.added", "compute_prior(0, work.added", "a token is not counted"),
    ),
    *changes_of(
        "kernels/sweeps/products_prior.py",
        ("tests/kernels/test_products_prior.py",),
        ("prior_of(new, 1, work, None)", "prior_of(new, 0, work, None)", "the next is not counted"),
        ("work.without[new] = work.prior[j]", "work.without[j] = work.prior[j]", "another topic"),
    ),
    *changes_of(
        "kernels/sweeps/products.py",
        TALLY,
        (
            "    " * 4 + "pending, shift = 0, np.inf",
            "    " * 4 + "shift = np.inf",
            "a move is counted twice",
        ),
    ),
    *changes_of(
        "kernels/sweeps/products_document.py",
        TALLY,
        ("for m in range(n):", "for m in range(n - 1):", "the tally lacks a move"),
    ),
    *changes_of(
        "kernels/sweeps/products_runs.py",
        RUNS,
        ("if not steepest <= GENTLE:", "if not steepest <= 1e9:", "the formula of rows fails"),
        ("(j % LANES * n + j // LANES) * size", "j * size", "the row of another topic"),
        ("gamma * gamma * a[i]", "gamma * a[i]", "gamma once instead of twice"),
        ("        renew_factors(d, gamma, given, topics, work)\n", "", "factors are old"),
        ("end = min(begin + longest, start[d + 1])", "end = start[d + 1]", "runs are too long"),
        ("moved += changed\n        d += 1", "moved += 0\n        d += 1", "moves are lost"),
        ("        count_moves(changed, state.tally, work)\n", "", "the tally lacks moves"),
    ),
    *changes_of(
        "kernels/sweeps/rows.py",
        LISTS,
        ("(x - listed) / word_weight(0, beta, temper), row", "(x - listed), row", "beta stays in"),
        ("] >> 16) - 1, beta, temper)", "] >> 16), beta, temper)", "the token counts itself"),
        ("slope[i] = gamma * gamma * a[i] *", "slope[i] = gamma * gamma * a[0] *", "one task"),
        ("STEEP = 150.0", "STEEP = 1500.0", "weights vanish where a loss is steep"),
        ("slope[i] = 0.5 * gamma * gamma", "slope[i] = gamma * gamma", "half of the square"),
        (
            "rows.lift[at + j] / prior[j] * own_prior",
            "rows.lift[at + j]",
            "the token counts itself",
        ),
        (
            "rows.weight[at + j] / prior[j] * own_prior",
            "rows.weight[at + j]",
            "the token counts itself where a loss is steep",
        ),
        ("shift_exponent(new, -1.0, work)", "shift_exponent(new, 1.0, work)", "a wrong sign"),
        ("rows.place[j] = row", "rows.place[j] = 0", "rows overwrite each other"),
    ),
    *changes_of(
        "kernels/sweeps/rows.py",
        ("tests/kernels/test_rows.py",),
        ("work.version[rows.owner[row]] = -1", "work.version[j] = -1", "a lost row is used"),
    ),
    *changes_of(
        "kernels/sweeps/document.py",
        (*ENUMERATED_IN_LISTS, *MANY, *BOUNDS, *LISTS),
        ("share_of(j, -1, document", "share_of(j, 0, document", "the token counts itself"),
        ("(in_corpus[j] - 1.0 +", "(in_corpus[j] +", "the token counts itself"),
        ("rate[j], less[new] = less[j], rate[new]", "pass", "the sizes of topics are not updated"),
        ("change + document.alpha[k]", "change + document.alpha[0]", "one alpha for all topics"),
    ),
    *changes_of(
        "kernels/sweeps/document.py",
        MANY,
        ("document.in_document[own] = 0.0", "pass", "the tokens of the document before stay"),
        ("total += document.in_document[own] * eta[own]", "total += eta[own]", "the sum of eta"),
        ("own = np.int64(slot[topic])", "own = topic", "topics are taken for slots"),
    ),
    *changes_of(
        "kernels/sweeps/document.py",
        (INTERFACE,),
        ("in_corpus[new] += 1.0", "pass", "a count is not updated"),
    ),
    *changes_of(
        "kernels/sweeps/bounds.py",
        (INTERFACE,),
        ("document_topic[d, drawn] += 1", "document_topic[d, old] += 1", "a count is not updated"),
    ),
    *changes_of(
        "kernels/sweeps/word_lists.py",
        (INTERFACE,),
        (
            "entry[begin + old] = entry[end - 1]",
            "entry[end - 1] = entry[begin + old]",
            "a lost entry",
        ),
        ("entry[end] = ONE | k", "entry[end] = 2 * ONE | k", "a token is counted twice"),
        ("while place > first and", "while place < first and", "lists in the order of the moves"),
    ),
    *changes_of(
        "kernels/sweeps/word_lists.py",
        ("tests/kernels/test_topic_sampler.py::test_a_frequent_word_may_be_in_one_topic",),
        ("MOST_NARROW = 1 << 15", "MOST_NARROW = 1 << 16", "a count needs more than four bytes"),
    ),
    *changes_of(
        "kernels/sweeps/bounds_state.py",
        ("tests/kernels/test_bounds.py",),
        (
            "else:\n            too_short = width",
            "else:\n            enough = width",
            "wide groups",
        ),
        ("place = begin[of_topic] +", "place = begin[0] +", "slots are wrong"),
    ),
    *changes_of(
        "kernels/sweeps/bounds_state.py",
        BOUNDS,
        ("start[filled + 1] - 1]", "start[filled]]", "no bound"),
    ),
    *changes_of(
        "kernels/sweeps/rows_state.py",
        LISTS,
        ("squared[:] = padded**2", "squared[:] = padded", "eta is not squared"),
    ),
)
