"""What may a careless or hostile caller pass? Values of every kind, made anew each time."""

from __future__ import annotations

import decimal
import fractions
import math
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from eligo.language.forms.builder import Weighted, col
from eligo.language.text.parse import parse


class Colour(Enum):
    RED = 1


class Number(IntEnum):
    ONE = 1


class Text(str):
    pass


def ever_deeper(levels: int) -> dict[str, Any]:
    """A mapping in a mapping in a mapping."""
    nested: dict[str, Any] = {}
    for _ in range(levels):
        nested = {"not": nested}
    return nested


def around_itself() -> list[Any]:
    """A list that holds itself."""
    items: list[Any] = []
    items.append(items)
    return items


ODD_VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "-1": lambda: -1,
    "0": lambda: 0,
    "1": lambda: 1,
    "1.5": lambda: 1.5,
    "NaN": lambda: math.nan,
    "infinity": lambda: math.inf,
    "a large int": lambda: 10**30,
    "a huge int": lambda: 10**5_000,
    "1j": lambda: 1j,
    "an empty text": lambda: "",
    "a text": lambda: "maybe",
    "a digit": lambda: "2",
    "half a surrogate pair": lambda: "\ud800",
    "a null character": lambda: "\0",
    "escape sequences": lambda: "\x1b[31mred\n",
    "a text of a subclass": lambda: Text("a"),
    "bytes": lambda: b"\xff",
    "an empty list": list,
    "a list": lambda: [1, "a", None],
    "a list of pairs": lambda: [("a", 1), (None, None)],
    "a list in a list": lambda: [[["a"]]],
    "a list in itself": around_itself,
    "a tuple": lambda: (1, 2),
    "a set": lambda: {1, "a"},
    "an empty mapping": dict,
    "a mapping": lambda: {"a": 1, "b": None},
    "a mapping of numbers": lambda: {1: 2, 2.5: None},
    "a mapping of texts": lambda: {"a": "b = 1", "b": "="},
    "a mapping of objects": lambda: {"a": object(), "b": {1}},
    "half a surrogate pair as a key": lambda: {"\ud800": "\ud800"},
    "a deep mapping": lambda: ever_deeper(3_000),
    "an object": object,
    "a class": lambda: int,
    "a function": lambda: len,
    "a lambda": lambda: lambda *_, **__: None,
    "an iterator": lambda: iter([1, 2]),
    "a generator": lambda: (x for x in "ab"),
    "a range": lambda: range(3),
    "a slice": lambda: slice(1),
    "a numpy int": lambda: np.int64(2),
    "a numpy NaN": lambda: np.float64("nan"),
    "a numpy bool": lambda: np.bool_(True),
    "a numpy text": lambda: np.str_("a"),
    "numpy nanoseconds": lambda: np.datetime64(1, "ns"),
    "no numpy time": lambda: np.datetime64("NaT"),
    "an array": lambda: np.array([1.0, 2.0]),
    "an array of texts": lambda: np.array(["a", "b"], dtype=object),
    "an array of no dimension": lambda: np.array(3),
    "a square array": lambda: np.zeros((2, 2)),
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "a series": lambda: pd.Series([1, 2], name="a"),
    "an empty frame": pd.DataFrame,
    "a frame": lambda: pd.DataFrame({"a": [1, 2], 5: ["x", None]}),
    "a frame of objects": lambda: pd.DataFrame({"id": [object(), 1], "expression": ["a", 5]}),
    "a frame with one name twice": lambda: pd.DataFrame([[1, 2]], columns=["id", "id"]),
    "an Arrow scalar": lambda: pa.scalar(5),
    "an Arrow array": lambda: pa.array([1, None]),
    "an Arrow table": lambda: pa.table({"a": [1, None], "b": [[1], None]}),
    "an Arrow table with one name twice": lambda: pa.table([pa.array([1]), pa.array([2])], names=["id", "id"]),
    "an Arrow table of odd ids": lambda: pa.table({"id": [1.5, None], "expression": ["a", None]}),
    "an Arrow schema": lambda: pa.schema([("a", pa.int8())]),
    "a decimal": lambda: decimal.Decimal("1.5"),
    "no decimal": lambda: decimal.Decimal("sNaN"),
    "a fraction": lambda: fractions.Fraction(1, 3),
    "a date": lambda: date(2024, 1, 31),
    "a timestamp": lambda: datetime(2024, 1, 31, tzinfo=UTC),
    "a duration": lambda: timedelta(days=1),
    "a UUID": lambda: uuid.UUID(int=1),
    "an enum": lambda: Colour.RED,
    "an int enum": lambda: Number.ONE,
    "a path": lambda: Path("nowhere"),
    "a tree": lambda: parse("a = 1 and not b"),
    "a column": lambda: col("a"),
    "a weighted value": lambda: Weighted(object(), "x"),  # type: ignore[arg-type]
    "an exception": lambda: ValueError("x"),
    "a module": lambda: math,
}


def odd_values() -> Iterator[tuple[str, Any]]:
    """Each with its name."""
    for name, make in ODD_VALUES.items():
        yield name, make()
