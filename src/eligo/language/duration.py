"""How long is `'1 day 12 hours'`? Lengths of time as they are written in expressions and options."""

from __future__ import annotations

import re
from datetime import timedelta

from eligo.errors import ExpressionValueError, shown

MICROSECOND = timedelta(microseconds=1)
UNITS: dict[str, int] = {
    "week": 7 * 86_400 * 10**6,
    "day": 86_400 * 10**6,
    "hour": 3_600 * 10**6,
    "minute": 60 * 10**6,
    "second": 10**6,
    "millisecond": 10**3,
    "microsecond": 1,
}
"""Microseconds of each; a plural has an s."""
LONGEST = 2**62
"""Microseconds that no length of time reaches, about 146,000 years; the same as the parser's."""
_PIECE = re.compile(r"\s*([0-9]{1,15})\s*([a-z]+)\s*(?:,\s*)?", re.IGNORECASE | re.ASCII)


def parse_duration(text: str) -> timedelta:
    """The time that a text says: one or more of a number and a unit."""
    microseconds = 0
    place = 0
    while place < len(text):
        piece = _PIECE.match(text, place)
        unit = piece[2].lower() if piece else ""
        if piece is None or (unit not in UNITS and unit.removesuffix("s") not in UNITS):
            raise _no_duration(text)
        microseconds += int(piece[1]) * UNITS.get(unit, 0) or int(piece[1]) * UNITS.get(unit.removesuffix("s"), 0)
        place = piece.end()
    if not text.strip() or microseconds >= LONGEST:
        raise _no_duration(text)
    found = timedelta(microseconds=microseconds)
    duration_text(found)
    return found


def _no_duration(text: object) -> ExpressionValueError:
    return ExpressionValueError(
        f"{shown(text)} is not a length of time",
        help=f"write '7 days' or '1 hour 30 minutes'; units: {', '.join(UNITS)}",
    )


def duration_text(duration: timedelta) -> str:
    """The one text of a time that is longer than nothing."""
    left = duration // MICROSECOND
    if left <= 0:
        raise ExpressionValueError(f"a length of time is more than nothing, not {duration}", help="write '7 days'")
    if left >= LONGEST:
        raise ExpressionValueError(f"{duration} is too long a time", help="leave the time out to mean all documents")
    pieces = []
    for unit, size in UNITS.items():
        if unit != "week" and left >= size:
            count, left = divmod(left, size)
            pieces.append(f"{count} {unit}{'' if count == 1 else 's'}")
    return " ".join(pieces)
