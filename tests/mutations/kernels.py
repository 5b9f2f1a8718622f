"""Mutations of the kernels, each of which makes a sampler or a density wrong."""

from tests.mutations import Mutation, changes_of
from tests.mutations.of_sweeps import SWEEPS

K = "tests/kernels/"
AUGMENTATION = (K + "test_augmentation.py",)
WEIGHTS = (K + "test_weights.py",)
ELIMINATION = (K + "test_elimination.py", K + "test_weights.py")
LOG_DENSITIES = (K + "test_log_densities.py",)
COUNTS = (K + "test_counts.py", K + "test_log_densities.py")
PRIOR = (K + "test_prior.py",)
NEW_DOCUMENTS = (K + "test_new_documents.py", K + "test_new_document_sweeps.py")
PERPLEXITY = ("tests/prediction/test_perplexity.py",)
CHECKS = (K + "test_checks.py",)
LANES = (K + "test_lanes.py", K + "test_exponential.py")
LISTED = (K + "test_listed.py",)
UNIFORM = (K + "test_uniform.py",)


MUTATIONS: tuple[Mutation, ...] = (
    *SWEEPS,
    *changes_of(
        "kernels/augmentation.py",
        AUGMENTATION,
        ("(m + 0.25 * y)", "(m + 0.26 * y)", "the roots do not solve their equation"),
        ("m + 0.5 * y + math", "m + 0.51 * y + math", "the roots do not solve their equation"),
        ("uniform * (root + m) <= root", "uniform * (root + m) <= m", "the roots change places"),
        ("uniform * (root + m) <= root", "uniform * (root + y) <= root", "a wrong probability"),
        ("return m * (m / root)", "return m / root", "the smaller root lacks a factor"),
    ),
    *changes_of(
        "kernels/weights_by_topics.py",
        WEIGHTS,
        (
            "scaled = a[d, 0] * freq",
            "scaled = 0.5 * a[d, 0] * freq",
            "one task, half the precision",
        ),
        ("+= b[d, 0] * frequency[p]", "+= 0.5 * b[d, 0] * frequency[p]", "one task, half the mean"),
        (
            "for q in range(p + 1):\n                    flat",
            "for q in range(p):\n                    flat",
            "one task, no diagonal",
        ),
        (
            "add_scaled(own_a, 0, product,",
            "add_scaled(own_a, 0, 0.5 * product,",
            "several tasks, half the precision",
        ),
        (
            "add_scaled(own_b, 0, freq",
            "add_scaled(own_a, 0, freq",
            "several tasks, the linear term of the quadratic one",
        ),
        ("= a[d, i], b[d, i]", "= a[d, 0], b[d, i]", "the quadratic term of another task"),
        ("root = np.sqrt(a[rows, i])", "root = a[rows, i]", "the square of a in the precision"),
        ("linear = precision * mean", "linear = mean.copy()", "the prior's mean is not weighed"),
        ("half + noise, lower=0", "half + 1.1 * noise, lower=0", "too much noise"),
    ),
    *changes_of(
        "kernels/weights.py",
        WEIGHTS,
        ("mean[i] + shift / precision[i]", "mean[i] + shift", "linear terms are not scaled"),
        ("noise / np.sqrt(precision)  # what", "noise / precision  # what", "a wrong prior"),
    ),
    *changes_of(
        "kernels/weights_by_elimination.py",
        ELIMINATION,
        ("pivot[p] = math.sqrt(total[p])", "pivot[p] = total[p]", "no root in the factor"),
        ("total[p] = precision[p]", "total[p] = 1.0", "the prior's precision is not read"),
        ("scaled = a[d, i] * share[entry[h]]", "scaled = a[d, i]", "a product lacks a factor"),
        ("total[column[e]] -= own * factor[e]", "total[column[e]] -= 0.0", "no earlier topics"),
        ("x[column[e]] -= factor[e] * x[p]", "x[column[e]] -= 0.0", "half of a solution"),
        ("x[p] -= factor[e] * x[column[e]]", "x[p] -= 0.0", "the other half of a solution"),
        ("scaled = a[d, i] * own[p]", "scaled = a[d, 0] * own[p]", "another task in the block"),
        ("for f in range(begin, e + 1)", "for f in range(begin, e)", "the diagonal of the block"),
        ("+= noise[i, order[:n_eliminated]]", "+= noise[i, :n_eliminated]", "noise of others"),
        ("+= b[d, i] * share[e]", "+= b[d, 0] * share[e]", "the linear term of another task"),
        ("if not total[p] > 0.0:", "if False:", "the root of a negative number"),
    ),
    *changes_of(
        "kernels/elimination.py",
        ELIMINATION,
        ("|= neighbours[eliminated, w]", "|= np.uint64(0)", "what an elimination fills is lost"),
        ("labelled |= a[d, i] != 0.0", "labelled |= a[d, 0] != 0.0", "only the first task counts"),
        ("least = min(least, key[k])", "least = max(least, key[k])", "most neighbours first"),
        ("(least >> 32) * one_in > n_topics", "(least >> 32) > n_topics", "topics of many"),
        ("at += 1\n            word", "at += 2\n            word", "gaps in the list"),
        ("number[k] = left", "number[k] = n_eliminated", "the others share a number"),
        (
            "remove(neighbours, k, eliminated)",
            "remove(neighbours, k, k)",
            "what is eliminated stays",
        ),
    ),
    *changes_of(
        "kernels/bits.py",
        (K + "test_bits.py",),
        ("(word >> np.uint64(2)) & pairs", "(word >> np.uint64(2))", "carries into other bits"),
        ("(word - np.uint64(1)) & ~word", "word - np.uint64(1)", "bits above the lowest"),
        ("return word & (word - np.uint64(1))", "return word - np.uint64(1)", "new bits"),
    ),
    *changes_of(
        "kernels/grams.py",
        (K + "test_grams.py",),
        ('icmp_signed("<=", from_the_end', 'icmp_signed("<", from_the_end', "a count is left out"),
        ("write(last)  # may", "pass  # may", "the last topics are not written"),
        ("code.data(1, first), code.data(6, first)", "code.data(1), code.data(6, first)", "rows"),
        ("for first in range(0, k + 1, LANES)", "for first in range(0, k, LANES)", "no diagonal"),
        ("n = min(AT_ONCE, n_documents - begin)", "n = AT_ONCE", "documents past the end"),
        ("a[d, 0], shares, scaled", "1.0, shares, scaled", "a is not read"),
    ),
    *changes_of(
        "kernels/adding.py",
        (K + "test_adding.py",),
        ("code.data(0, arguments[1])", "code.data(0)", "the compiled form ignores its offset"),
        ("code.data(3, arguments[4])", "code.data(3)", "the compiled form writes elsewhere"),
        ("builder.fadd(code.load(target, k), product)", "product", "nothing is added to"),
        ("code.data(0, first)", "code.data(0)", "the product ignores its offset"),
        ("code.data(4, arguments[5])", "code.data(4)", "the product is written elsewhere"),
        ("builder.fmul(code.load(row, k), scaled)", "scaled", "the product lacks a factor"),
    ),
    *changes_of(
        "kernels/weights_by_documents.py",
        WEIGHTS,
        ("document_noise / np.sqrt(a)", "document_noise / a", "the noise of documents"),
        (
            "start = mean + noise / np.sqrt(precision)",
            "start = mean + noise / precision",
            "the prior",
        ),
        (
            "target = b / a - frequency @ start",
            "target = b / a - frequency @ mean",
            "noise is lost",
        ),
        ("system.diagonal() + 1.0 / a", "system.diagonal() + 1.0", "a is not in the system"),
    ),
    *changes_of(
        "kernels/log_densities.py",
        LOG_DENSITIES,
        ("math.log(x + (n - 1))", "math.log(x + n)", "a wrong rising factorial"),
        ("- log_topics(topic, beta_total)", "+ log_topics(topic, beta_total)", "a wrong sign"),
        ("(gammaln(total + length) - gammaln(total))", "gammaln(total + length)", "no constant"),
        (
            "math.lgamma(alpha[k] + n) - math.lgamma(alpha[k])",
            "math.lgamma(alpha[k] + n)",
            "large counts",
        ),
        ("rising[row[k], n]", "rising[0, n]", "one alpha for all topics"),
    ),
    *changes_of(
        "kernels/counts.py",
        COUNTS,
        (
            "topic[e] * width, float(count[e]), total",
            "topic[e] * width, 1.0, total",
            "topics are not weighed by their tokens",
        ),
        ("only += count[e] * eta[0, topic[e]]", "only += eta[0, topic[e]]", "one task"),
        ("<< np.uint64(k - first)\n        k += LANES", "\n        k += LANES", "wrong topics"),
        ("document_topic[d, k] > 0)", "document_topic[d, k] > 1)", "topics of one token"),
        ("out[d, i] /= length", "out[d, i] /= length + 1", "a wrong mean"),
    ),
    *changes_of(
        "kernels/prior.py",
        PRIOR,
        ("urn[k] += 1.0", "urn[k] += 2.0", "the urn gets two balls"),
        ("total = alpha.sum()", "total = 1.0", "alpha is not summed"),
        ("(seen[k] + n_words * beta)", "(seen[k] + beta)", "fresh words are too rare"),
        (
            "out[earlier[first[k] + int(target)]]",
            "out[earlier[first[k]]]",
            "only the first word repeats",
        ),
    ),
    *changes_of(
        "kernels/new_documents.py",
        NEW_DOCUMENTS,
        ("size[k] + n_words * beta", "size[k] + beta", "phi does not sum to one"),
        (
            "total += alpha[k] * out.phi[t, k]",
            "total += out.phi[t, k]",
            "the weight of empty topics",
        ),
        ("(n_samples * length)", "(n_samples * (length + 1))", "a wrong mean"),
        ("np.uint64(end - begin) * STRIDE", "STRIDE", "documents share random numbers"),
        ("most = min(most, schedule.max_between)", "most += 0", "a burn-in under every draw"),
        ("state.likelihood[block] = likelihood", "likelihood += 0.0", "every draw is the first"),
    ),
    *changes_of(
        "kernels/new_document_sweeps.py",
        NEW_DOCUMENTS,
        ("(count[old] - 1.0 + alpha[old])", "(count[old] + alpha[old])", "a token stays too often"),
        ("work.weight[new] = count[new] + alpha[new]", "count[new] += 0.0", "a stale weight"),
        ("work.total[old] += own * work.scale[row]", "row += 0", "the present topic is left out"),
        ("if row > 0:", "if row > 1:", "the last token is not averaged"),
        ("(count[old] + alpha[old])", "count[old]", "a token leaves too often"),
        (
            "x -= phi[t, k] * count[k]",
            "x -= phi[t, k] * (count[k] + 1.0)",
            "occurring topics are too likely",
        ),
        ("x -= phi[k] * alpha[k]", "x -= phi[k]", "alpha does not matter"),
        ("max(length - 1, 0)", "max(length, 0)", "log likelihood"),
    ),
    *changes_of(
        "kernels/perplexity.py",
        PERPLEXITY,
        ("phi[k] * (count[k] + alpha[k])", "phi[k] * count[k] + alpha[k]", "a wrong conditional"),
        ("(theta[k] / n_sweeps + alpha[k]) * scale", "(theta[k] / n_sweeps) * scale", "no prior"),
        ("/ (n + alpha_total)", "/ (n + 1 + alpha_total)", "a wrong normaliser"),
        ("count[r] = count[source]", "count[r] = count[r]", "copies keep their counts"),
    ),
    *changes_of(
        "kernels/checks.py",
        CHECKS,
        ("low >= 0 and high < n_topics", "low >= 0 and high <= n_topics", "one topic too many"),
        ("0 <= word.min() and", "-1 <= word.min() and", "a negative word"),
        ("(a[d, i] >= 0.0) & (a[d, i] <= LARGEST) & ", "(a[d, i] <= LARGEST) & ", "a negative a"),
        (
            "wrong |= not SMALLEST <= alpha[k] <= LARGEST",
            "wrong |= not 0.0 <= alpha[k] <= LARGEST",
            "alpha of zero",
        ),
    ),
    *changes_of(
        "kernels/simd/exponential.py",
        LANES,
        ("r * (1 / 6)", "r * (1 / 7)", "a wrong coefficient"),
        ("n * _LN2_LOW", "0.0 * _LN2_LOW", "lost digits"),
    ),
    *changes_of(
        "kernels/simd/lanes.py",
        LANES,
        (
            "exponential(exponent[k] - highest) * prior[k]",
            "exponential(exponent[k] - highest)",
            "definition of weigh",
        ),
        (
            "out[and_at + k] = 0.0 if k == j else x[k]",
            "out[and_at + k] = x[k]",
            "definition of multiply",
        ),
        ("if place & width:", "if place & 1:", "sums lack what is further before"),
    ),
    *changes_of(
        "kernels/simd/emitter.py",
        (K + "test_counted.py", K + "test_listed.py"),
        ("for place in (lane, lane + HALF):", "for place in (lane,):", "lanes before are lost"),
    ),
    *changes_of(
        "kernels/simd/llvm_counted.py",
        (K + "test_counted.py",),
        ("builder.select(is_own, constant(0.0), part)", "part", "j is drawn twice"),
        ("builder.fsub(stay, builder.fmul(u, stay))", "stay", "it stays too often"),
        ("builder.fadd(carried, one)", "one", "the lower half of a lane is lost"),
        ("builder.sub(builder.sext(is_old", "builder.add(builder.sext(is_old", "a wrong count"),
        ("builder.select(is_old, old_prior, new_prior)", "new_prior", "a prior is not updated"),
        ("((own, builder.add), (everywhere, builder.fadd))", "((own, builder.add),)", "C_k stays"),
        ("((j, -1), (new, 1))", "((j, 1), (new, -1))", "counts go the other way"),
        ("above = builder.fadd(count, code", "above = builder.fsub(count, code", "a wrong prior"),
        ("builder.fmul(count, code.load(weights, k))", "code.load(weights, k)", "no counts"),
    ),
    *changes_of(
        "kernels/simd/llvm_unbranched.py",
        (K + "test_unbranched.py",),
        (
            'builder.select(same, builder.load(held["row"][v]), code.load(row, k, COUNTS))',
            "code.load(row, k, COUNTS)",
            "the row of a word that follows itself",
        ),
        ("builder.select(same, one, constant(0.0))", "constant(0.0)", "the token just put in"),
        ("builder.and_(is_new, same)", "is_new", "the token of another word is counted"),
        ("builder.select(is_new, part_of_new, part)", "part", "the weights of the new topic"),
        ("builder.fadd(before, across)", "across", "lanes before are lost"),
        ("change = builder.fsub(own, before)", "change = constant(0.0)", "C_k stays"),
    ),
    *changes_of(
        "kernels/simd/unbranched.py",
        (K + "test_unbranched.py",),
        ("totals[k] += by", "pass", "C_k stays"),
        ("pairs[lane ^ 2] if lane & 2", "pairs[lane] if lane & 2", "another order of sums"),
        ("new = topic_at(place, n) if", "new = place if", "a place is no topic"),
    ),
    *changes_of(
        "kernels/simd/exponential.py",
        (K + "test_exponential.py",),
        ("x4 * (1 / 6227020800)", "0.0", "the last term of the odd part"),
        ("return even + odd, even - odd", "return even + odd, even + odd", "one sign"),
    ),
    *changes_of(
        "kernels/simd/llvm.py",
        LANES,
        (
            'builder.icmp_signed(">", counts,',
            'builder.icmp_signed(">=", counts,',
            "topics without tokens",
        ),
    ),
    *changes_of(
        "kernels/simd/llvm_listed.py",
        LISTED,
        (
            "_emit_list(code, code.data(4), code.data(7), _choose_bounds(code))",
            "_emit_list(code, code.data(4), code.data(7))",
            "no bounds",
        ),
        ("builder.fadd(carried, sums)", "sums", "the lower half of a lane is lost"),
        ("own, PLACE(OWN))", "own, PLACE(0))", "the bound of the token's own topic"),
        ("builder.select(is_positive, tagged, constant(0.0))", "tagged", "no weight is zero"),
        ("builder.fmul(constant(listed.MOST_ROUNDED), after)", "after", "rounding is not noticed"),
    ),
    *changes_of(
        "kernels/simd/emitter.py",
        LISTED,
        ("for bit in (1, 2, 4):", "for bit in (2, 1, 4):", "the bound of another group"),
        ("[table, places]", "[table, table]", "any bound"),
    ),
    *changes_of(
        "kernels/simd/exponential.py",
        (K + "test_exponential.py",),
        ("_ABOVE = 1.00218,", "_ABOVE = 1.00016,", "no bound"),
        ("r = scaled - (shifted - _ROUNDER)", "r = scaled - shifted", "the rest is lost"),
    ),
    *changes_of(
        "kernels/simd/listed.py",
        LISTED,
        ("if lanes_passed == LANES:", "if lanes_passed > LANES:", "past the end of a list"),
        ("slope * low > slope * high", "slope * low < slope * high", "no bound"),
        ("error[lane] += ROUNDED", "error[lane] = ROUNDED", "errors are not cumulated"),
    ),
    *changes_of(
        "kernels/simd/aligned.py",
        (K + "test_aligned.py",),
        ("-raw.ctypes.data %", "raw.ctypes.data %", "arrays begin anywhere"),
    ),
    *changes_of(
        "kernels/simd/uniform.py",
        UNIFORM,
        ("(bits >> np.uint64(27))", "(bits >> np.uint64(28))", "another generator"),
        ("if x < 0.0:", "if x <= 0.0:", "the boundary belongs to the next index"),
        ("x -= part", "x -= 0.99 * part", "the weights are not cumulated"),
    ),
)
