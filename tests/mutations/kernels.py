"""Mutations of the kernels, each of which makes a sampler or a density wrong."""

from tests.mutations import Mutation, changes_of
from tests.mutations.of_sweeps import SWEEPS

K = "tests/kernels/"
AUGMENTATION = (K + "test_augmentation.py",)
WEIGHTS = (K + "test_weights.py",)
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
        "kernels/weights.py",
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
        ("+= a[d, i] * product", "+= 0.5 * a[d, i] * product", "several tasks, half the precision"),
        (
            "+= b[d, i] * frequency[p]",
            "+= b[d, 0] * frequency[p]",
            "the linear term of another task",
        ),
        ("root = np.sqrt(a[rows, i])", "root = a[rows, i]", "the square of a in the precision"),
        ("linear = precision * mean", "linear = mean.copy()", "the prior's mean is not weighed"),
        ("half + noise, lower=0", "half + 1.1 * noise, lower=0", "too much noise"),
        ("mean[i] + shift / precision[i]", "mean[i] + shift", "linear terms are not scaled"),
        ("noise / np.sqrt(precision)  # what", "noise / precision  # what", "a wrong prior"),
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
            "total[i] += count[e] * by_topic[topic[e], i]",
            "total[i] += by_topic[topic[e], i]",
            "topics are not weighed by their tokens",
        ),
        ("only += count[e] * by_topic[topic[e], 0]", "only += by_topic[topic[e], 0]", "one task"),
        ("n += bits >> lane & 1", "n += 1", "topics without tokens are listed"),
        ("n += document_topic[d, k] > 0", "n += document_topic[d, k] > 1", "topics of one token"),
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
    ),
    *changes_of(
        "kernels/simd/llvm_counted.py",
        (K + "test_counted.py",),
        ("part = builder.select(is_own, constant(0.0), part)", "pass", "j is drawn twice"),
        ("builder.fadd(carried, one)", "one", "the lower half of a lane is lost"),
        ("for place in (lane, lane + HALF):", "for place in (lane,):", "lanes before are lost"),
        ("builder.sub(count, builder.sext(is_new", "builder.add(count, builder.sext(is_new", "-"),
        ("prior = builder.select(is_new, new_prior, prior)", "pass", "a prior is not updated"),
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
            "_emit_list(code, code.data(4), code.data(7), bound_of)",
            "_emit_list(code, code.data(4), code.data(7))",
            "no bounds",
        ),
        ("for bit in (1, 2, 4):", "for bit in (2, 1, 4):", "the bound of another group"),
        ("builder.fadd(carried, sums)", "sums", "the lower half of a lane is lost"),
        ("own, PLACE(OWN))", "own, PLACE(0))", "the bound of the token's own topic"),
        ("builder.select(is_positive, tagged, constant(0.0))", "tagged", "no weight is zero"),
        ("builder.fmul(constant(listed.MOST_ROUNDED), after)", "after", "rounding is not noticed"),
    ),
    *changes_of(
        "kernels/simd/listed.py",
        LISTED,
        ("if lanes_passed == LANES:", "if lanes_passed > LANES:", "past the end of a list"),
        ("left if left > right else right", "right if left > right else left", "no bound"),
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
