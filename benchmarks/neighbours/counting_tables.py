"""How is matching a join? A conjunction matches when as many predicates meet a value as it has; these are the tables.

    points: key, attribute, expression              one row for a string, one for each value of a list
    ranges: attribute, low, high, expression        one row for a range
    sizes:  expression, number                      how many predicates there are

A key is a number for an attribute and a value of it, so that joins compare numbers. An event has rows of the same
kind: keys of its strings, and attributes with numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.neighbours import exchange
from benchmarks.neighbours.python_harness import Event

VALUES = 1_000
"""More than the values of any attribute, which are called v0, v1 and so on."""
KINDS = {"r": 0, "s": 1, "l": 2}


def attribute_code(name: str) -> int:
    """A number for an attribute."""
    return 3 * int(name[1:]) + KINDS[name[0]]


def key_code(attribute: int, value: str) -> int:
    """A number for an attribute and a value of it."""
    return attribute * VALUES + int(value[1:])


def expression_tables(directory: Path) -> dict[str, pa.Table]:
    """The three tables, points by key and ranges by attribute."""
    points, ranges, sizes = array("q"), array("q"), array("q")
    with (directory / exchange.EXPRESSIONS).open() as lines:
        for expression, line in enumerate(lines):
            predicates = exchange.fields(line)
            sizes.extend((expression, len(predicates)))
            for name, *values in predicates:
                attribute = attribute_code(name)
                if name[0] == "r":
                    ranges.extend((attribute, int(values[0]), int(values[1]), expression))
                else:
                    for value in values:
                        points.extend((key_code(attribute, value), attribute, expression))
    return {
        "points": _table(points, ("key", "attribute", "expression")),
        "ranges": _table(ranges, ("attribute", "low", "high", "expression")),
        "sizes": _table(sizes, ("expression", "number")),
    }


def _table(rows: array[int], names: Sequence[str]) -> pa.Table:
    """Rows one behind the other as a table that is sorted by its first column."""
    columns = np.frombuffer(rows, np.int64).reshape(-1, len(names)).astype(np.int32)
    columns = columns[np.argsort(columns[:, 0], kind="stable")]
    return pa.table({name: pa.array(np.ascontiguousarray(columns[:, place])) for place, name in enumerate(names)})


def event_rows(events: Sequence[Event]) -> dict[str, dict[str, list[int]]]:
    """The rows of events: `asked_points` and `asked_ranges`, by column."""
    keys: list[int] = []
    key_events: list[int] = []
    attributes: list[int] = []
    values: list[int] = []
    range_events: list[int] = []
    for number, event in enumerate(events):
        for name, value in event.items():
            attribute = attribute_code(name)
            if name[0] == "r":
                attributes.append(attribute)
                values.append(value)
                range_events.append(number)
            else:
                members = value if name[0] == "l" else (value,)
                keys.extend([key_code(attribute, member) for member in members])
                key_events.extend([number] * len(members))
    return {
        "asked_points": {"event": key_events, "key": keys},
        "asked_ranges": {"event": range_events, "attribute": attributes, "value": values},
    }


def by_event(num_events: int, events: Sequence[Any], expressions: Sequence[Any]) -> list[list[int]]:
    """The pairs that a join found, event by event."""
    found: list[list[int]] = [[] for _ in range(num_events)]
    for event, expression in zip(events, expressions, strict=True):
        found[event].append(expression)
    return found
