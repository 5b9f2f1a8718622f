"""Kinds of bad values, by what an argument should have been."""

import datetime

import numpy as np


class Later:
    """A bad value that is expensive, so that it is made only when its row is tested."""

    def __init__(self, make):
        self.make = make


class Row:
    """One bad call: which callable, which argument, the bad value, and words of the message."""

    def __init__(self, call, argument, kind, value, *words):
        self.call, self.argument, self.kind, self._value = call, argument, kind, value
        self.words = words or (argument,)

    @property
    def value(self):
        return self._value.make() if isinstance(self._value, Later) else self._value

    @property
    def name(self):
        return f"{self.call}-{self.argument}-{self.kind}"


WHOLE = {
    "negative": -1,
    "fraction": 1.5,
    "bool": True,
    "text": "3",
    "NaN": np.nan,
    "list": [1],
    "difference of time": np.timedelta64(1, "D"),
}
NUMBER = {
    "negative": -1.0,
    "NaN": np.nan,
    "infinite": np.inf,
    "beyond squares": 1e308,
    "denormal": 5e-324,
    "text": "1.0",
    "complex": 1j,
    "date": datetime.date(2020, 1, 1),
    "ragged": [[1.0], [1.0, 2.0]],
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
    "mapping of nothing": object(),
}
SHARE = {
    "zero": 0.0,
    "one": 1.0,
    "text": "half",
    "NaN": np.nan,
    "bool": True,
    "list": [0.5],
    "difference of time": np.timedelta64(1, "D"),
}
SEED = {
    "negative": -1,
    "text": "now",
    "text of a number": "12",
    "fraction": 0.5,
    "bool": True,
    "bool of NumPy": np.True_,
    "list of bools": [True],
    "list of text": ["a"],
    "list of numbers in text": ["12"],
    "mapping": {},
}
SWITCH = {"text": "yes", "number": 2, "one": 1, "none": None, "list": [True]}
CHOICE = {"unknown text": "no such", "number": 3, "list": ["auto"]}
NAME = {"unknown": "no such", "number": 3, "list": ["z"], "bool": True, "tuple": ()}
CORPUS = {"list": [["a"]], "none": None, "matrix": np.eye(2, dtype=int)}


def rows(call, kinds, *arguments, leave_out=()):
    """Return one row for each argument and each kind of badness."""
    return [
        Row(call, argument, kind, value)
        for argument in arguments
        for kind, value in kinds.items()
        if kind not in leave_out
    ]
