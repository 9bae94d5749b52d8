"""When is a value under a node, if no taxonomy says so?

A string is a path with `/` between its steps; a date or timestamp is a path year/month/day, as in Whang 2009
section 2.3:

    'Sports/NFL/Jets'     is under 'Sports/NFL', 'Sports' and itself, not under 'Sports/NF'
    date '2024-01-31'     is under '2024', '2024/01' and '2024/01/31'
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from eligo.language.value import Scalar

SEPARATOR = "/"

_DATE_NODE = re.compile(r"([0-9]{4})(?:([/-])([0-9]{2})(?:\2([0-9]{2}))?)?")


def is_under_path(value: Scalar, node: str) -> bool:
    """Whether a value is the node or below it by the rule of this module; no number and no bool ever is."""
    if isinstance(value, str):
        return value == node or value.startswith(node + SEPARATOR)
    if isinstance(value, date):  # a timestamp too
        days = date_node_range(node)
        day = value.date() if isinstance(value, datetime) else value
        return days is not None and days[0] <= day <= days[1]
    return False


def date_node_range(node: str) -> tuple[date, date] | None:
    """The first and last day of 'YYYY', 'YYYY/MM' or 'YYYY/MM/DD' (or with `-`); None when it reads as none of them."""
    found = _DATE_NODE.fullmatch(node)
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.group(1, 3, 4))
    assert year is not None
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if day is not None:
            return date(year, month, day), date(year, month, day)
        last = date(year, 12, 31) if month == 12 else date(year, month + 1, 1) - timedelta(days=1)
        return date(year, month, 1), last
    except ValueError:  # the year 0, a 13th month, a 30th of February
        return None


def timestamp_node_range(node: str) -> tuple[datetime, datetime] | None:
    """The first and last microsecond (UTC) of the days of `date_node_range`."""
    days = date_node_range(node)
    if days is None:
        return None
    first = datetime.combine(days[0], datetime.min.time(), tzinfo=UTC)
    return first, datetime.combine(days[1], datetime.max.time(), tzinfo=UTC)
