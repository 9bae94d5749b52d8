"""How do dates form a hierarchy? By year, month and day (Whang 2009, section 2.3).

A range of days becomes the fewest nodes, and a day the path of nodes above it; they meet or they do not:

    2006/12 ≤ day ≤ 2009/01        2006/12   2007   2008   2009/01
    day 2008/02/05                 2008   2008/02   2008/02/05          meets 2008
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from eligo.language.paths import date_node_range
from eligo.language.value import canonical_value


def date_path(day: date) -> list[str]:
    """The nodes that a day (or the day of a timestamp, in UTC) is under, from its year down to itself."""
    moment = canonical_value(day)
    assert isinstance(moment, date)
    year, month = f"{moment.year:04}", f"{moment.year:04}/{moment.month:02}"
    return [year, month, f"{month}/{moment.day:02}"]


def date_nodes(first: date, last: date) -> list[str]:
    """The fewest nodes that together hold the days from `first` to `last`, both in; none when first is after last."""
    current, end = _day(first), _day(last)
    nodes: list[str] = []
    while current <= end:
        node, node_end = _largest_node(current, end)
        nodes.append(node)
        if node_end == date.max:
            break
        current = node_end + timedelta(days=1)
    return nodes


def _largest_node(first: date, end: date) -> tuple[str, date]:
    """The largest node that begins on `first` and does not go beyond `end`, and its last day."""
    for node in date_path(first):
        days = date_node_range(node)
        if days is not None and days[0] == first and days[1] <= end:
            return node, days[1]
    raise AssertionError("a day is a node of its own")


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
