"""Dates as a hierarchy of years, months and days (Whang 2009, section 2.3)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from eligo.data.schema.dates import date_nodes, date_path
from eligo.language.paths import date_node_range, is_under_path


def test_the_range_of_the_paper() -> None:
    assert date_nodes(date(2006, 12, 1), date(2009, 1, 31)) == ["2006/12", "2007", "2008", "2009/01"]


def test_the_assignment_of_the_paper_meets_the_range_in_2008() -> None:
    nodes = date_nodes(date(2006, 12, 1), date(2009, 1, 31))
    assert date_path(date(2008, 2, 5)) == ["2008", "2008/02", "2008/02/05"]
    assert set(nodes) & set(date_path(date(2008, 2, 5))) == {"2008"}
    assert not set(nodes) & set(date_path(date(2009, 2, 1)))


def test_a_timestamp_has_the_path_of_its_day_in_utc() -> None:
    late = datetime(2024, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    assert date_path(late) == ["2023", "2023/12", "2023/12/31"]
    assert date_path(datetime(2024, 1, 1, tzinfo=UTC)) == date_path(date(2024, 1, 1))


def test_single_days_and_empty_ranges() -> None:
    assert date_nodes(date(2024, 2, 29), date(2024, 2, 29)) == ["2024/02/29"]
    assert date_nodes(date(2024, 1, 2), date(2024, 1, 1)) == []
    assert date_nodes(date(9999, 12, 31), date.max) == ["9999/12/31"]
    assert len(date_nodes(date.min, date.max)) == 9999


DAYS = st.dates(date(2019, 11, 1), date(2021, 3, 1))


@given(DAYS, DAYS)
def test_the_nodes_hold_exactly_the_days_of_the_range_and_are_the_fewest(first: date, last: date) -> None:
    nodes = date_nodes(first, last)
    days = [first + timedelta(days=offset) for offset in range((last - first).days + 1)]
    covered = [day for node in nodes for day in _days_of(node)]
    assert covered == days
    assert len(nodes) == _fewest(days)
    for day in (first - timedelta(days=1), first, last, last + timedelta(days=1)):
        assert any(is_under_path(day, node) for node in nodes) == (first <= day <= last)
        assert bool(set(nodes) & set(date_path(day))) == (first <= day <= last)


def _days_of(node: str) -> list[date]:
    days = date_node_range(node)
    assert days is not None
    return [days[0] + timedelta(days=offset) for offset in range((days[1] - days[0]).days + 1)]


def _fewest(days: list[date]) -> int:
    """The least number of nodes that cover the days and no others, by trying every node that ends on each day."""
    fewest = {0: 0}
    position = {day: place for place, day in enumerate(days, 1)}
    for place, day in enumerate(days, 1):
        choices = []
        for node in date_path(day):
            node_days = _days_of(node)
            if node_days[-1] == day and node_days[0] in position:
                choices.append(fewest[position[node_days[0]] - 1] + 1)
        fewest[place] = min(choices)
    return fewest[len(days)]
