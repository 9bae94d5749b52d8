"""What do tests of ranges share? Ranges of every kind, and a loop over them that cannot be wrong."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from hypothesis import strategies as st

CLOSED = ("both", "left", "right", "neither")


class Range(NamedTuple):
    start: Any
    end: Any
    closed: str = "both"

    def contains(self, value: Any) -> bool:
        after = operator.ge if self.closed in ("both", "left") else operator.gt
        before = operator.le if self.closed in ("both", "right") else operator.lt
        is_after = self.start is None or after(value, self.start)
        return is_after and (self.end is None or before(value, self.end))


def naive(ranges: Iterable[tuple[int, Range]], value: Any) -> list[int]:
    """The numbers of the ranges that contain a value."""
    return [number for number, each in ranges if value is not None and each.contains(value)]


FEW = st.integers(-6, 6)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int": FEW | st.integers(-(2**63), 2**63 - 1),
    "float": FEW.map(lambda tenth: tenth / 2) | st.floats(allow_nan=False),
    "date": FEW.map(lambda days: date(2024, 2, 27) + timedelta(days)) | st.dates(),
    "timestamp": FEW.map(lambda hours: datetime(2024, 2, 28, tzinfo=UTC) + timedelta(hours=hours))
    | st.datetimes(timezones=st.just(UTC)),
    "string": st.text("abé😀", max_size=3) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
}
"""Of each kind, few of which most come again and again."""


def ranges_of(kind: str) -> st.SearchStrategy[Range]:
    ends = st.none() | VALUES[kind]
    return st.builds(Range, ends, ends, st.sampled_from(CLOSED))
