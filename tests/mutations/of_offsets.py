"""Documents that get the offset, features or weights of others, and the tests that notice it."""

from tests.mutations import changes_of

BUILDING = ("tests/calibration/test_building.py",)
FOLDS = ("tests/calibration/test_fold_chains.py",)
CLASSES = ("tests/estimators/test_class_models.py",)
ALIGNMENT = ("tests/run/test_alignment.py",)

MUTATIONS = (
    *changes_of(
        "model/offsets.py",
        ("tests/model/test_offsets.py",),
        ("offset = offset.to_pandas()", "offset = offset.values", "names of tasks are lost"),
        ("if n_documents == n_tasks > 1:", "if False:", "documents are taken for tasks"),
    ),
    *changes_of(
        "model/max_margin.py",
        ("tests/model/test_offsets.py",),
        (
            'value = align_to_tasks(value, coded.classes, f"{key} of the loss")',
            "pass",
            "weights of the loss are taken in the order of their columns",
        ),
    ),
    *changes_of(
        "prediction/offsets.py",
        ("tests/prediction/test_offsets.py",),
        (
            'offset = align_to_tasks(offset, response.classes, "offset")',
            "pass",
            "offsets of new documents are taken in the order of their columns",
        ),
    ),
    *changes_of(
        "targets/documents.py",
        ("tests/model/test_offsets.py",),
        (
            "if len(wanted) > 1 and given[0] in wanted and not is_numbering(given):",
            "if False:",
            "the offset of one task counts for all of them",
        ),
        (
            "if is_numbering(given) and (given == wanted or sorted(given) != sorted(wanted)):",
            "if is_numbering(given):",
            "numbers that may be names of tasks are taken for positions",
        ),
    ),
    *changes_of(
        "distributed/partitions.py",
        ("tests/distributed/test_inputs.py",),
        ('return align_to_tasks(offset, tasks, "offset")', "return offset", "as in a matrix"),
    ),
    *changes_of(
        "reporting/reading.py",
        ("tests/reporting/test_report.py",),
        (
            "_take(align_to_documents(given[key], names, key), position)",
            "_take(given[key], position)",
            "a document is explained with the offset of another one",
        ),
    ),
    *changes_of(
        "calibration/fold_chains.py",
        FOLDS,
        (
            'options["features"] = features[held]',
            'options["features"] = features[: held.size]',
            "folds are predicted with the features of other documents",
        ),
    ),
    *changes_of(
        "calibration/rebuilding.py",
        BUILDING,
        ("return next(still, None)", "return None", "what did not move is taken for a number"),
        ("same = np.array_equal(y", "same = True or np.array_equal(y", "build may take other y"),
        (
            "expected = np.zeros(shape) if known is None else (known - response.location)[rows]",
            "expected = offset",
            "build may take the offset of other documents",
        ),
        ("if came != wanted:", "if (came is None) != (wanted is None):", "or other features"),
    ),
    *changes_of(
        "calibration/calibrating.py",
        BUILDING,
        (
            "if rebuilt else response.fixed_offset - response.location",
            "if rebuilt else response.fixed_offset",
            "the mean of standardised values is added twice",
        ),
    ),
    *changes_of(
        "run/topic_draws.py",
        ("tests/run/test_response_draws.py",),
        ("[:0:-1]", "[:0:-2]", "every other draw is not looked at"),
    ),
    *changes_of(
        "calibration/two_stages.py",
        ("tests/estimators/test_calibrated.py",),
        ("**(prediction or {}),", "", "settings of predictions are lost"),
    ),
    *changes_of(
        "estimators/one_vs_all.py",
        CLASSES,
        ("usable=models.weighs", "usable=None", "folds hold documents that weigh nothing"),
    ),
    *changes_of(
        "estimators/class_models.py",
        CLASSES,
        (
            "loss=select_loss(self.loss, rows), **arguments",
            "loss=select_loss(self.loss, np.arange(rows.size)), **arguments",
            "documents have the weights of others",
        ),
        ('align_to_documents(offset, names, "offset")', "np.asarray(offset)", "or the offset"),
    ),
    *changes_of(
        "run/relabelling.py",
        ALIGNMENT,
        ("return weights | {alpha_of", "return weights or {alpha_of", "alpha of others moves"),
        (
            "own.name == name and own.z != topics.name",
            "own.name == name and False",
            "predictions of others move",
        ),
    ),
    *changes_of(
        "run/run.py",
        ALIGNMENT,
        (
            'self.group("constant_data").drop_vars(foreign, errors="ignore")',
            'self.group("constant_data")',
            "an alpha of others keeps topics apart",
        ),
    ),
)
