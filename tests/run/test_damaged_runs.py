"""Nothing that was stored is trusted: one damage after another, each refused by name."""

import numpy as np
import pytest

from tests.run.damage import (
    CALLS,
    RESPONSES,
    build,
    change,
    describe,
    outcome,
    replace_values,
    whole,
)

ALL = [name for name in CALLS if name not in ("plot_burn_in", "last_points")]
"""Calls that read z, its words and priors."""
OF_Y = [name for name in RESPONSES if name != "predict rating"] + ["top_words"]
OF_RATING = ["predict rating", "diagnose", "top_words", "align_topics"]


def put(group, name, place, value, dtype=None):
    """Return the run with one entry of a variable replaced."""

    def changed(values):
        values = values.astype(dtype or values.dtype)
        values[place] = value
        return values

    return lambda: replace_values(group, name, changed)


def cast(group, name, dtype):
    return lambda: replace_values(group, name, lambda values: values.astype(dtype))


def drop(group, *names):
    return lambda: change(group, lambda dataset: dataset.drop_vars(names))


def cut(group, **positions):
    return lambda: change(group, lambda dataset: dataset.isel(positions))


def label(group, **coordinates):
    return lambda: change(group, lambda dataset: dataset.assign_coords(coordinates))


def reshape(group, name, dims, values):
    """Return the run with a variable of other dims."""
    return lambda: change(group, lambda d: d.drop_vars(name).assign({name: (dims, values)}))


def without(group):
    return lambda: build({key: value for key, value in whole().items() if key != group})


def edit(name, /, **fields):
    """Return the run with other fields in a description; None leaves a field out."""

    def changed(stored):
        return {key: v for key, v in {**stored, **fields}.items() if v is not None}

    return lambda: describe(name, changed)


def write(name, text):
    return lambda: describe(name, lambda stored: text)


LAST = (0, 2, 5)  # an entry of z in the last draw of the first chain
Z = "posterior", "z"
TOPICS_OF_Z = {
    "too large": (put(*Z, LAST, 3), "'z' holds 3; whole numbers from 0 to 2"),
    "far too large": (put(*Z, LAST, 255), "'z' holds 255"),
    "negative": (put(*Z, LAST, -1, np.int8), "'z' holds -1"),
    "beyond 32 bits": (put(*Z, LAST, 2**40, np.int64), "'z' holds 1099511627776"),
}
RUN = {
    "z is missing": (drop("posterior", "z"), "posterior has no 'z'"),
    "z is of floats": (cast(*Z, float), "'z' is of dtype float64"),
    "z is of booleans": (cast(*Z, bool), "'z' is of dtype bool"),
    "z is of text": (cast(*Z, str), "'z' is of dtype <U"),
    "z lacks tokens": (cut("posterior", token=slice(30)), "'words' has shape (36,); (30,)"),
    "z has no tokens": (cut("posterior", token=slice(0)), "'z' has no tokens"),
    "z has one more dim": (
        reshape("posterior", "z", ("chain", "draw", "a", "b"), np.zeros((2, 3, 6, 6), np.uint8)),
        "'z' has shape (2, 3, 6, 6)",
    ),
    "z is of one chain": (
        reshape("posterior", "z", ("draw", "token"), np.zeros((3, 36), np.uint8)),
        "'z' has the dims ('draw', 'token'): keep chain and draw",
    ),
    "no draws": (cut("posterior", draw=slice(0)), "posterior is empty, with 2 chains of 0 draws"),
    "no chains": (cut("posterior", chain=slice(0)), "posterior is empty, with 0 chains"),
    "words are missing": (drop("observed_data", "words"), "no observed 'words'"),
    "a word is too large": (put("observed_data", "words", 3, 8), "'words' holds 8; whole numbers"),
    "a word is negative": (put("observed_data", "words", 3, -1), "'words' holds -1"),
    "a word is beyond 32 bits": (
        put("observed_data", "words", 3, 2**32, np.int64),
        "'words' holds 4294967296",
    ),
    "words are of floats": (cast("observed_data", "words", float), "'words' is of dtype float64"),
    "words lack tokens": (cut("observed_data", token=slice(9)), "'words' has shape (9,)"),
    "lengths are missing": (drop("constant_data", "z_length"), "no 'z_length' in constant_data"),
    "a length is negative": (put("constant_data", "z_length", 2, -3), "'z_length' holds -3"),
    "a length is too large": (put("constant_data", "z_length", 2, 99), "'z_length' holds 99"),
    "lengths add up to less": (put("constant_data", "z_length", 2, 0), "'z_length' adds up to 33"),
    "lengths are of floats": (cast("constant_data", "z_length", float), "'z_length' is of dtype"),
    "lengths have two dims": (
        reshape("constant_data", "z_length", ("a", "b"), np.full((6, 2), 3)),
        "'z_length' has shape (6, 2)",
    ),
    "documents are lost": (cut("constant_data", document=slice(9)), "27 tokens|shape (12,); (9,)"),
    "counts are missing": (drop("constant_data", "z_word_count"), "no 'z_word_count'"),
    "a count is wrong": (put("constant_data", "z_word_count", 0, 5), "'z_word_count' does not"),
    "a count is negative": (put("constant_data", "z_word_count", 0, -1), "'z_word_count' does"),
    "counts are of text": (cast("constant_data", "z_word_count", str), "'z_word_count' does not"),
    "words of the vocabulary are lost": (cut("constant_data", word=slice(6)), "'words' holds 7"),
    "alpha is missing": (drop("posterior", "z_alpha"), "no 'z_alpha': sample with it among"),
    "alpha is NaN": (put("posterior", "z_alpha", LAST[:2], np.nan), "'z_alpha' holds nan"),
    "alpha is infinite": (put("posterior", "z_alpha", LAST[:2], np.inf), "'z_alpha' holds inf"),
    "alpha is zero": (put("posterior", "z_alpha", LAST[:2], 0), "'z_alpha' holds 0.0; numbers"),
    "alpha is negative": (put("posterior", "z_alpha", LAST[:2], -1), "'z_alpha' holds -1.0"),
    "alpha is of text": (cast("posterior", "z_alpha", str), "'z_alpha' is of dtype <U"),
    "alpha is one number": (
        reshape("posterior", "z_alpha", ("chain", "draw"), np.ones((2, 3))),
        "'z_alpha' has shape (2, 3)",
    ),
    "alpha is of another number of topics": (
        lambda: change(
            "posterior",
            lambda d: d.drop_vars("z_alpha").assign(z_alpha=(("chain", "draw", "k"), ONES)),
        ),
        "'z' holds 2; whole numbers from 0 to 1|has shape (2, 3, 3); (2, 3, 2)",
    ),
    "alpha is fixed and of another number of topics": (
        lambda: build(
            {
                **whole(),
                "posterior": whole()["posterior"].drop_vars("z_alpha"),
                "constant_data": whole()["constant_data"].assign(z_alpha=("topic", np.ones(4))),
            }
        ),
        "'z_alpha' has 4 topics, but 'topic' of the posterior has 3",
    ),
    "alpha has lost its chains": (
        reshape("posterior", "z_alpha", ("draw", "topic"), np.ones((3, 3))),
        "'z_alpha' has the dims ('draw', 'topic')",
    ),
    "beta is missing": (drop("constant_data", "z_beta"), "no 'z_beta'"),
    "beta is NaN": (put("constant_data", "z_beta", (), np.nan), "'z_beta' holds nan"),
    "beta is zero": (put("constant_data", "z_beta", (), 0), "'z_beta' holds 0.0"),
    "beta is negative": (put("constant_data", "z_beta", (), -1), "'z_beta' holds -1.0"),
    "beta is a vector": (
        reshape("constant_data", "z_beta", "a", np.ones(2)),
        "'z_beta' has shape (2,)",
    ),
    "a word occurs twice": (label("constant_data", word=list("abcdefga")), "'word' holds 'a' more"),
    "words are numbers": (label("constant_data", word=range(8)), "'word' holds 0 or is missing"),
    "words have lost their names": (drop("constant_data", "word"), "'word' holds 0 or is missing"),
    "topics have one label": (label("posterior", topic=[0, 1, 1]), "'topic' holds 1 more than"),
    "no posterior": (without("posterior"), "no group 'posterior'"),
    "no observed data": (
        without("observed_data"),
        "no observed 'words' in|no observed 'y' in|no observed 'rating' in",
    ),
    "no constant data": (without("constant_data"), "holds no MedLDA model"),
    "no description of z": (drop("constant_data", "z_medlda"), "'z_specification'"),
    "no description of z and no dim": (
        drop("constant_data", "z_medlda", "z_specification"),
        "no description 'z_medlda'",
    ),
    "no description of y": (drop("constant_data", "y_medlda"), "'y_specification'"),
    "an empty description": (cut("constant_data", z_specification=slice(0)), "description"),
    "no text in a description": (drop("constant_data", "y_specification"), "description"),
    "words without names": (edit("z", has_vocabulary=False), "'word' holds 'food' and others"),
    "other words": (edit("z", words="more"), "no observed 'more'"),
    "words that are none": (edit("z", words="rating"), "'rating' has shape (12,)"),
    "another name of z": (edit("z", z="q"), "'z_medlda' describes 'q'"),
    "a later version": (edit("z", version=3), "version 3 of the format; this release"),
    "a version of text": (edit("z", version="1"), "version '1'"),
    "a version with a fraction": (edit("z", version=1.5), "version 1.5"),
    "a negative version": (edit("z", version=-1), "version -1"),
    "another role": (edit("z", role="other"), "role 'other'"),
    "a field is lost": (edit("y", kind=None), "it lacks kind"),
    "another z of a response": (edit("y", z="q"), "no description 'q_medlda'"),
    "another name of a response": (edit("y", name="rating"), "'y_medlda' describes 'rating'"),
    "an unknown kind": (edit("y", kind="other"), "kind is 'other'"),
    "an offset of text": (edit("y", offset="no"), "offset is 'no'"),
    "weights without a name": (edit("y", eta=7), "eta is 7"),
    "parameters in a list": (edit("y", parameters=[1.0]), "parameters is [1.0]"),
    "a parameter that is true": (edit("y", parameters={"c": True}), "parameters is {'c': True}"),
    "no JSON": (write("y", "{'role': 1}"), "damaged description"),
    "a nest of lists": (write("y", "[" * 100_000), "damaged description"),
}
ONES = np.ones((2, 3, 2))
Y = "observed_data", "y"
RESPONSE_Y = {
    "eta is missing": (drop("posterior", "eta"), "no weights 'eta'"),
    "eta is NaN": (put("posterior", "eta", LAST[:2], np.nan), "'eta' holds nan"),
    "eta is infinite": (put("posterior", "eta", LAST[:2], -np.inf), "'eta' holds -inf"),
    "eta is of text": (cast("posterior", "eta", str), "'eta' is of dtype <U"),
    "eta has other topics": (
        reshape("posterior", "eta", ("chain", "draw", "k"), np.ones((2, 3, 4))),
        "'eta' has shape (2, 3, 4); (2, 3, 3) is allowed",
    ),
    "eta has tasks": (
        reshape("posterior", "eta", ("chain", "draw", "task", "topic"), np.ones((2, 3, 2, 3))),
        "'eta' has shape (2, 3, 2, 3)",
    ),
    "eta has lost its draws": (
        reshape("posterior", "eta", ("chain", "topic"), np.ones((2, 3))),
        "'eta' has the dims ('chain', 'topic')",
    ),
    "y is missing": (drop("observed_data", "y"), "no observed 'y'"),
    "y is not ±1": (put(*Y, 0, 2.0), "'y' holds 2.0; a binary response is coded -1 and 1"),
    "y is zero": (put(*Y, 0, 0.0), "'y' holds 0.0"),
    "y is infinite": (put(*Y, 0, np.inf), "'y' holds inf"),
    "y is of text": (cast(*Y, str), "'y' is of dtype <U"),
    "y is of other documents": (reshape(*Y, "a", np.ones(7)), "'y' has shape (7,); (12,)"),
    "y has tasks": (reshape(*Y, ("document", "a"), np.ones((12, 2))), "'y' has shape (12, 2)"),
    "y has draws": (
        reshape(*Y, ("chain", "document"), np.ones((2, 12))),
        "'y' has the dims ('chain', 'document')",
    ),
    "signs are missing": (drop("constant_data", "y_sign"), "no 'y_sign'"),
    "a sign is NaN": (put("constant_data", "y_sign", 0, np.nan), "'y_sign' holds nan"),
    "signs are equal": (put("constant_data", "y_sign", 0, 1.0), "'y_sign' holds [1.0, 1.0]"),
    "one class": (cut("constant_data", y_class=slice(1)), "'y_sign' has shape (1,)"),
    "no class": (cut("constant_data", y_class=slice(0)), "'y_sign' has shape (0,)"),
    "a class occurs twice": (label("constant_data", y_class=["a", "a"]), "'y_class' holds 'a'"),
    "a class is NaN": (label("constant_data", y_class=[1.0, np.nan]), "'y_class' holds nan"),
    "classes have lost their names": (drop("constant_data", "y_class"), "coordinate 'y_class'"),
    "c is missing": (drop("constant_data", "y_c"), "no 'y_c'"),
    "c is NaN": (put("constant_data", "y_c", 3, np.nan), "'y_c' holds nan"),
    "c is of other documents": (
        reshape("constant_data", "y_c", "a", np.ones(7)),
        "'y_c' has shape (7,)",
    ),
    "c is not stored": (edit("y", parameters={"c": "x", "margin": 3.0}), "no 'x'"),
    "margin is NaN": (edit("y", parameters={"c": 1, "margin": np.nan}), "'y margin' holds nan"),
    "margin is infinite": (edit("y", parameters={"c": 1, "margin": np.inf}), "'y margin' holds"),
    "another eta": (edit("y", eta="q"), "no weights 'q'"),
    "eta is z": (edit("y", eta="z"), "'z' has shape (2, 3, 36)"),
    "eta is alpha": (edit("y", eta="alpha"), "'alpha' has shape (2, 3)"),
    "an offset that is not stored": (edit("y", offset=True), "no 'y_offset'"),
    "another kind": (edit("y", kind="real"), "'y_sign', as of a binary response"),
    "several classes": (edit("y", kind="multiclass"), "'y' has shape (12,)"),
}
OFFSET = "constant_data", "rating_offset"
RESPONSE_RATING = {
    "rating is infinite": (put("observed_data", "rating", 0, np.inf), "'rating' holds inf"),
    "two classes": (edit("rating", kind="binary"), "'rating' holds -0.8"),
    "offset is missing": (drop(*OFFSET), "no 'rating_offset'"),
    "offset is NaN": (put(*OFFSET, 3, np.nan), "'rating_offset' holds nan"),
    "offset is of other documents": (
        reshape(*OFFSET, "a", np.ones(7)),
        "'rating_offset' has shape (7,); (12,)",
    ),
    "no offset": (edit("rating", offset=False), "holds 'rating_offset'"),
}
LOSS = {
    "c is negative": (put("constant_data", "y_c", 3, -1.0), "'y_c' holds -1.0"),
    "margin is zero": (edit("y", parameters={"c": 1.0, "margin": 0}), "'y margin' holds 0.0"),
    "a parameter is lost": (edit("y", parameters={"c": 1.0}), "the parameters ['c'], but has"),
    "an unknown loss": (edit("y", loss="my.own.Hinge"), "the loss 'my.own.Hinge' is not known"),
}
WARM_UP = {
    "z of the warm-up": (put("warmup_posterior", "z", LAST, 3), "'z' holds 3"),
    "negative z of the warm-up": (put("warmup_posterior", "z", LAST, -1, np.int8), "'z' holds -1"),
    "floats in the warm-up": (cast("warmup_posterior", "z", float), "'z' is of dtype float64"),
    "topics of the warm-up": (cut("warmup_posterior", topic=slice(2)), "has 2 topics; 3 are"),
}
TABLE = [
    *((rows[key], calls, f"{key} ({title})") for title, calls, rows in (
        ("topics", ALL, TOPICS_OF_Z),
        ("run", ALL, RUN),
        ("y", OF_Y, RESPONSE_Y),
        ("rating", OF_RATING, RESPONSE_RATING),
        ("loss", ["draw_augmentation"], LOSS),
        ("warm-up", ["align_topics", "align_topics within"], WARM_UP),
    ) for key in rows),
]  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "calls"), [row[:2] for row in TABLE], ids=[row[2] for row in TABLE]
)
def test_damage_is_refused_by_name(damage, calls):
    """In a message of the table, ``|`` stands between those that different functions give."""
    make, message = damage
    idata = make()
    for name in calls:
        found = outcome(name, idata)
        assert found.startswith("refused: "), found
        assert any(part in found for part in message.split("|")), (name, found)
